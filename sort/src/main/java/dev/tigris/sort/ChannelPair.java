package dev.tigris.sort;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// A file that is open through the page cache and, where it is worth it and the file system allows
/// it, around it too.
///
/// Direct transfers are of whole blocks, in the file and in memory. So a part of a file and its
/// place in a buffer lie alike: byte 0 of the buffer belongs at `position` of the file, a block
/// boundary.
///
/// ```
///   file     position|----------|----------|----------|----------|
///   buffer          0|      ^from                       ^to      |
/// ```
///
/// Some file systems open a file for direct I/O and then refuse it; a full disk refuses it too. The
/// page cache gets the second try, and reports what is really wrong.
///
/// Thread rule: any thread; parts that are written must not overlap. An interrupt during a transfer
/// closes the file, as with any [FileChannel].
final class ChannelPair implements InputParts {
  private static final int MOVED_BYTES = 1 << 20;

  private final FileChannel buffered;
  private final @Nullable FileChannel openedDirect;

  /// What direct transfers use: [#openedDirect], until one is refused.
  private volatile @Nullable FileChannel direct;

  /// A file that was opened as `buffered`.
  ///
  /// @param options how to open it once more for direct I/O; none if it is not to be
  ChannelPair(FileChannel buffered, Path path, OpenOption... options) {
    this.buffered = buffered;
    this.openedDirect = options.length == 0 ? null : openDirect(path, options);
    this.direct = openedDirect;
  }

  private static @Nullable FileChannel openDirect(Path path, OpenOption... options) {
    OpenOption option = DirectOption.DIRECT;
    if (option == null) {
      return null;
    }
    Set<OpenOption> all = new HashSet<>(Set.of(options));
    all.add(option);
    try {
      return FileChannel.open(path, all);
    } catch (IOException | UnsupportedOperationException e) {
      return null; // the file system has no direct I/O
    }
  }

  /// Returns whether it was opened for direct I/O.
  @Override
  public boolean isDirect() {
    return openedDirect != null;
  }

  /// Reads the bytes from `from` to `to` of the buffer. Returns false if the file ends before them.
  @Override
  public boolean read(AlignedBuffer buffer, long from, long to, long position) throws IOException {
    FileChannel channel = direct;
    if (channel != null) {
      long first = AlignedBuffer.roundDown(from);
      ByteBuffer blocks = buffer.window(first, AlignedBuffer.roundUp(to));
      try {
        return readFully(channel, blocks, position + first, to - first);
      } catch (ClosedChannelException e) {
        throw e; // by an interrupt: no second try
      } catch (IOException e) {
        direct = null;
      }
    }
    return readFully(buffered, buffer.window(from, to), position + from, to - from);
  }

  private static boolean readFully(
      FileChannel channel, ByteBuffer window, long position, long wanted) throws IOException {
    int start = window.position();
    while (window.position() - start < wanted) {
      long at = position + window.position() - start;
      try {
        if (channel.read(window, at) <= 0) {
          return false;
        }
      } catch (IOException e) {
        throw failed(at, e);
      }
    }
    return true;
  }

  /// Says where a transfer has failed, unless an interrupt has closed the file.
  private static IOException failed(long position, IOException e) {
    return e instanceof ClosedChannelException
        ? e
        : new IOException("%s at byte %d".formatted(e.getMessage(), position), e);
  }

  /// Writes the bytes from `from` to `to` of the buffer: the blocks that lie wholly inside
  /// directly, and what is left at either end through the page cache.
  ///
  /// ```
  ///        block      block      block      block
  ///   |----------|==========|==========|----------|
  ///        ^^^^^^ buffered  direct      ^^^ buffered
  /// ```
  ///
  /// No block is written both ways at a time, since a block that two parts share is written by both
  /// through the page cache.
  void write(AlignedBuffer buffer, long from, long to, long position) throws IOException {
    assert position % AlignedBuffer.BLOCK == 0;
    long first = AlignedBuffer.roundUp(from);
    long last = AlignedBuffer.roundDown(to);
    if (direct == null || first >= last) {
      writeFully(buffered, buffer.window(from, to), position + from);
      return;
    }
    if (from < first) {
      writeFully(buffered, buffer.window(from, first), position + from);
    }
    writeBlocks(buffer, first, last, position);
    if (last < to) {
      writeFully(buffered, buffer.window(last, to), position + last);
    }
  }

  private void writeBlocks(AlignedBuffer buffer, long from, long to, long position)
      throws IOException {
    FileChannel channel = direct;
    if (channel != null) {
      try {
        writeFully(channel, buffer.window(from, to), position + from);
        return;
      } catch (ClosedChannelException e) {
        throw e; // by an interrupt: no second try
      } catch (IOException e) {
        direct = null;
      }
    }
    writeFully(buffered, buffer.window(from, to), position + from);
  }

  /// Writes all of a buffer.
  static void writeFully(FileChannel channel, ByteBuffer window, long position) throws IOException {
    long at = position;
    while (window.hasRemaining()) {
      try {
        at += channel.write(window, at);
      } catch (IOException e) {
        throw failed(at, e);
      }
    }
  }

  /// Moves bytes towards the beginning of the file, through the page cache; when nothing else is
  /// written.
  void move(long from, long to, long bytes) throws IOException {
    ByteBuffer piece = ByteBuffer.allocateDirect((int) Math.min(bytes, MOVED_BYTES));
    for (long done = 0; done < bytes; ) {
      piece.clear().limit((int) Math.min(piece.capacity(), bytes - done));
      int length = piece.limit();
      if (!readFully(buffered, piece, from + done, length)) {
        throw new EOFException("another program has cut it short");
      }
      writeFully(buffered, piece.flip(), to + done);
      done += length;
    }
  }

  /// Cuts the file to a size.
  void truncate(long size) throws IOException {
    buffered.truncate(size);
  }

  /// Forces what was written, and the file's size, to the disk.
  void force() throws IOException {
    buffered.force(true);
  }

  @Override
  public void close() throws IOException {
    direct = null;
    try {
      buffered.close();
    } finally {
      if (openedDirect != null) {
        openedDirect.close();
      }
    }
  }
}
