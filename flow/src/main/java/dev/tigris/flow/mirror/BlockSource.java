package dev.tigris.flow.mirror;

import dev.tigris.flow.ModuleContext;
import dev.tigris.flow.Source;
import dev.tigris.flow.Stream;
import dev.tigris.flow.Water;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.jspecify.annotations.Nullable;

/// Reads every n-th block of a file, n being the number of replicas: a stripe.
final class BlockSource implements Source {
  private final Path file;
  private final int blockBytes;
  private final long bytes;
  private @Nullable FileChannel channel;
  private long next;
  private int step;

  /// Reads the first bytes of a file, so many.
  BlockSource(Path file, long bytes, int blockBytes) {
    this.file = file;
    this.bytes = bytes;
    this.blockBytes = blockBytes;
  }

  @Override
  public void init(ModuleContext context) throws IOException {
    next = (long) context.replica() * blockBytes;
    step = context.replicas();
    channel = FileChannel.open(file, StandardOpenOption.READ);
  }

  @Override
  public boolean produce(Stream out) throws IOException {
    FileChannel from = channel;
    if (next >= bytes || from == null) {
      return false;
    }
    int length = (int) Math.min(blockBytes, bytes - next);
    Water water = out.spring().createWater(length);
    ByteBuffer room = water.bytes().byteBuffer().limit(length);
    while (room.hasRemaining()) {
      if (from.read(room, next + room.position()) < 0) {
        throw new MirrorException(
            "%s was cut short while it was read, from %d bytes to less than %d: try again when no program writes to it"
                .formatted(file, bytes, next + length));
      }
    }
    out.put(water);
    next += (long) step * blockBytes;
    return next < bytes;
  }

  @Override
  public void destroy() {
    if (channel != null) {
      try {
        channel.close();
      } catch (IOException e) {
        // It was read only, and everything was read.
      }
    }
  }
}
