package dev.tigris.sort;

import dev.tigris.os.DiskSpace;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/// A file that several threads write, each its own part, around the page cache where that is
/// possible.
///
/// Thread rule: as for [ChannelPair].
final class OutputFile implements Closeable {
  /// Below this, finding and linking the system's call takes longer than it saves.
  private static final long RESERVED_FROM_BYTES = 64 << 20;

  private final Path path;
  private final ChannelPair channels;

  /// Creates the file, which must not exist. A file of size 0 grows as it is written.
  // It has its final size from the beginning, so that direct writes need not extend it; a small one
  // is not worth a second channel.
  OutputFile(Path path, long size) throws SortException {
    this.path = path;
    FileChannel buffered;
    try {
      buffered =
          FileChannel.open(
              path,
              StandardOpenOption.CREATE_NEW,
              StandardOpenOption.READ,
              StandardOpenOption.WRITE);
    } catch (IOException e) {
      throw SortException.writing(path, e);
    }
    try {
      boolean reserved = size >= RESERVED_FROM_BYTES && DiskSpace.reserve(path, size);
      if (size > 0 && !reserved) {
        ChannelPair.writeFully(buffered, ByteBuffer.allocate(1), size - 1);
      }
    } catch (IOException e) {
      SortException failure = SortException.writing(path, e);
      try {
        buffered.close();
      } catch (IOException second) {
        failure.addSuppressed(second);
      }
      OutputPaths.deleteQuietly(path); // nothing is left in it
      throw failure;
    }
    boolean isSmall = size > 0 && size < AlignedBuffer.BLOCK;
    this.channels =
        isSmall
            ? new ChannelPair(buffered, path)
            : new ChannelPair(buffered, path, StandardOpenOption.READ, StandardOpenOption.WRITE);
  }

  /// Opens a file that another process has made.
  OutputFile(Path path) throws SortException {
    this.path = path;
    try {
      FileChannel buffered =
          FileChannel.open(path, StandardOpenOption.READ, StandardOpenOption.WRITE);
      this.channels =
          new ChannelPair(buffered, path, StandardOpenOption.READ, StandardOpenOption.WRITE);
    } catch (IOException e) {
      throw SortException.writing(path, e);
    }
  }

  /// Takes room for a file that grows, so that writing need not look for it. Where there is not
  /// enough, writing will find that out, or not need so much.
  void reserve(long bytes) {
    try {
      DiskSpace.reserve(path, bytes);
    } catch (IOException e) {
      System.getLogger(OutputFile.class.getName())
          .log(System.Logger.Level.DEBUG, "no room to spare for " + path, e);
    }
  }

  /// Writes the bytes from `from` to `to` of the buffer. Byte 0 of the buffer belongs at
  /// `position` of the file, a block boundary.
  void write(AlignedBuffer buffer, long from, long to, long position) throws SortException {
    try {
      channels.write(buffer, from, to, position);
    } catch (IOException e) {
      throw SortException.writing(path, e);
    }
  }

  /// Reads the bytes at `position + from` to `position + to` of the file to the same place in the
  /// buffer, as [#write] wrote them.
  void read(AlignedBuffer buffer, long from, long to, long position) throws SortException {
    try {
      if (!channels.read(buffer, from, to, position)) {
        throw new SortException(
            SortException.Kind.DATA,
            "another program cut the temporary file %s short: sort again".formatted(path));
      }
    } catch (IOException e) {
      throw SortException.reading(path, e);
    }
  }

  /// Moves bytes towards the beginning of the file.
  void move(long from, long to, long bytes) throws SortException {
    if (from == to || bytes == 0) {
      return;
    }
    try {
      channels.move(from, to, bytes);
    } catch (IOException e) {
      throw SortException.writing(path, e);
    }
  }

  /// Cuts the file to a size.
  void truncate(long size) throws SortException {
    try {
      channels.truncate(size);
    } catch (IOException e) {
      throw SortException.writing(path, e);
    }
  }

  /// Forces what was written, and the file's size, to the disk.
  void force() throws SortException {
    try {
      channels.force();
    } catch (IOException e) {
      throw SortException.writing(path, e);
    }
  }

  @Override
  public void close() throws SortException {
    try {
      channels.close();
    } catch (IOException e) {
      throw SortException.writing(path, e);
    }
  }
}
