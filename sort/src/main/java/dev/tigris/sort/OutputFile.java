package dev.tigris.sort;

import dev.tigris.memory.DiskSpace;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// A file that several threads write, each its own part, around the page cache where the file
/// system allows it.
///
/// A part seldom begins at a block boundary. The blocks that lie wholly inside it are written
/// directly, and what is left of it at either end goes through the page cache:
///
/// ```
///        block      block      block      block
///   |----------|==========|==========|----------|
///        ^^^^^^ buffered  direct      ^^^ buffered
/// ```
///
/// No block is written both ways at a time, since a block that two parts share is written by both
/// through the page cache.
///
/// Thread rule: any thread may write; parts must not overlap. An interrupt during a write closes
/// the file, as with any [FileChannel].
final class OutputFile implements Closeable {
  /// Below this, finding and linking the system's call takes longer than it saves.
  private static final long RESERVED_FROM_BYTES = 256 << 20;

  private final Path path;
  private final FileChannel buffered;
  private final @Nullable FileChannel openedDirect;

  /// What direct transfers use: [#openedDirect], until one is refused.
  private volatile @Nullable FileChannel direct;

  /// Creates the file, which must not exist. A file of size 0 grows as it is written.
  static OutputFile create(Path path, long size) throws SortException {
    return new OutputFile(path, size, StandardOpenOption.CREATE_NEW);
  }

  /// Creates the file, or empties the one that is there. One that cannot be opened stays as it is.
  static OutputFile replace(Path path, long size) throws SortException {
    return new OutputFile(
        path, size, StandardOpenOption.CREATE, StandardOpenOption.TRUNCATE_EXISTING);
  }

  // The file has its final size from the beginning, so that direct writes need not extend it; a
  // small one is not worth a second channel.
  private OutputFile(Path path, long size, OpenOption... how) throws SortException {
    this.path = path;
    Set<OpenOption> options =
        new HashSet<>(Set.of(StandardOpenOption.READ, StandardOpenOption.WRITE));
    options.addAll(Set.of(how));
    try {
      this.buffered = FileChannel.open(path, options);
    } catch (IOException e) {
      throw SortException.writing(path, e);
    }
    try {
      boolean reserved = size >= RESERVED_FROM_BYTES && DiskSpace.reserve(path, size);
      if (size > 0 && !reserved) {
        buffered.write(ByteBuffer.allocate(1), size - 1);
      }
      this.openedDirect = size == 0 || size >= AlignedBuffer.BLOCK ? openDirect(path) : null;
      this.direct = openedDirect;
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
  }

  private static @Nullable FileChannel openDirect(Path path) throws IOException {
    OpenOption option = DirectOption.DIRECT;
    if (option == null) {
      return null;
    }
    try {
      return FileChannel.open(
          path, Set.of(StandardOpenOption.READ, StandardOpenOption.WRITE, option));
    } catch (IOException | UnsupportedOperationException e) {
      return null; // the file system has no direct I/O
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
    assert position % AlignedBuffer.BLOCK == 0;
    long first = AlignedBuffer.roundUp(from);
    long last = AlignedBuffer.roundDown(to);
    try {
      FileChannel channel = direct;
      if (channel == null || first >= last) {
        writeFully(buffered, buffer.window(from, to), position + from);
        return;
      }
      if (from < first) {
        writeFully(buffered, buffer.window(from, first), position + from);
      }
      writeBlocks(channel, buffer, first, last, position);
      if (last < to) {
        writeFully(buffered, buffer.window(last, to), position + last);
      }
    } catch (IOException e) {
      throw SortException.writing(path, e);
    }
  }

  /// Some file systems open a file for direct I/O and then refuse it; a full disk refuses it too.
  /// The page cache gets the second try, and reports what is really wrong.
  private void writeBlocks(
      FileChannel channel, AlignedBuffer buffer, long from, long to, long position)
      throws IOException {
    ByteBuffer window = buffer.window(from, to);
    try {
      writeFully(channel, window, position + from);
    } catch (java.nio.channels.ClosedChannelException e) {
      throw e; // by an interrupt: no second try
    } catch (IOException e) {
      direct = null;
      writeFully(buffered, buffer.window(from, to), position + from);
    }
  }

  /// Reads the bytes at `position + from` to `position + to` of the file to the same place in the
  /// buffer, as [#write] wrote them.
  void read(AlignedBuffer buffer, long from, long to, long position) throws SortException {
    try {
      FileChannel channel = direct;
      long first = AlignedBuffer.roundDown(from);
      long last = AlignedBuffer.roundUp(to);
      if (channel != null) {
        readFully(channel, buffer.window(first, last), position + first, to - first);
      } else {
        readFully(buffered, buffer.window(from, to), position + from, to - from);
      }
    } catch (IOException e) {
      throw SortException.reading(path, e);
    }
  }

  private void readFully(FileChannel channel, ByteBuffer window, long position, long wanted)
      throws IOException {
    int start = window.position();
    while (window.position() - start < wanted) {
      int done = window.position() - start;
      int read = channel.read(window, position + done);
      if (read <= 0) {
        throw new SortException(
            SortException.Kind.DATA,
            "the temporary file %s was cut short by another program: sort again".formatted(path));
      }
    }
  }

  private static void writeFully(FileChannel channel, ByteBuffer window, long position)
      throws IOException {
    long at = position;
    while (window.hasRemaining()) {
      at += channel.write(window, at);
    }
  }

  /// Forces what was written, and the file's size, to the disk.
  void force() throws SortException {
    try {
      buffered.force(true);
    } catch (IOException e) {
      throw SortException.writing(path, e);
    }
  }

  @Override
  public void close() throws SortException {
    direct = null;
    try {
      try {
        buffered.close();
      } finally {
        if (openedDirect != null) {
          openedDirect.close();
        }
      }
    } catch (IOException e) {
      throw SortException.writing(path, e);
    }
  }
}
