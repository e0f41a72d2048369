package dev.tigris.bench.disks;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/// A load of [DiskLoad] by the JDK's channels, one operation at a time, around the page cache
/// where the file system allows it.
final class ChannelLoad implements Closeable {
  private static final int ALIGNMENT = 4096;
  private static final int LOOKS_BETWEEN_CLOCKS = 16;

  private final List<FileChannel> channels = new ArrayList<>();
  private final boolean isWrite;

  ChannelLoad(List<Path> files, boolean isWrite) throws IOException {
    this.isWrite = isWrite;
    OpenOption option = isWrite ? StandardOpenOption.WRITE : StandardOpenOption.READ;
    for (Path file : files) {
      channels.add(open(file, option));
    }
  }

  private static FileChannel open(Path file, OpenOption option) throws IOException {
    try {
      return FileChannel.open(file, option, direct());
    } catch (IOException | UnsupportedOperationException e) {
      return FileChannel.open(file, option);
    }
  }

  /// Returns the JDK's option for direct I/O, by name: the compiler warns about any mention of it.
  private static OpenOption direct() throws IOException {
    try {
      for (Object each : Class.forName("com.sun.nio.file.ExtendedOpenOption").getEnumConstants()) {
        if (each instanceof OpenOption option && each.toString().equals("DIRECT")) {
          return option;
        }
      }
    } catch (ClassNotFoundException e) {
      throw new IOException("this JDK has no direct I/O", e);
    }
    throw new IOException("this JDK has no direct I/O");
  }

  /// Returns how many operations were done.
  long apply(Load load, long fileBytes, long nanos) throws IOException {
    ByteBuffer buffer =
        ByteBuffer.allocateDirect(load.blockBytes() + ALIGNMENT)
            .alignedSlice(ALIGNMENT)
            .slice(0, load.blockBytes());
    var random = new SplittableRandom(57);
    long blocks = fileBytes / load.blockBytes();
    long done = 0;
    long start = System.nanoTime();
    long now = start;
    while (now - start < nanos) {
      int count = channels.size();
      FileChannel channel =
          channels.get(load.isRandom() ? random.nextInt(count) : (int) (done % count));
      long place = load.isRandom() ? random.nextLong(blocks) : done / count % blocks;
      buffer.clear();
      while (buffer.hasRemaining()) {
        long at = place * load.blockBytes() + buffer.position();
        int moved = isWrite ? channel.write(buffer, at) : channel.read(buffer, at);
        if (moved <= 0) {
          throw new IOException("a channel has moved %d bytes at %d".formatted(moved, at));
        }
      }
      done++;
      if (done % LOOKS_BETWEEN_CLOCKS == 0 || !load.isRandom()) {
        now = System.nanoTime();
      }
    }
    return done;
  }

  @Override
  public void close() throws IOException {
    for (FileChannel channel : channels) {
      channel.close();
    }
  }
}
