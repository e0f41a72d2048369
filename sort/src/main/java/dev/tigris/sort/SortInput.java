package dev.tigris.sort;

import dev.tigris.os.NamedPipe;
import dev.tigris.os.Zstd;
import java.io.EOFException;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Objects;
import java.util.zip.ZipException;
import org.jspecify.annotations.Nullable;

/// Records or text to sort or to check: a file, a pipe, or a stream. Files whose names end with
/// `.gz` or `.zst` are decompressed, the latter by the system's libzstd.
///
/// A sort copies what has no size, or is compressed, to a temporary file first. A merge and a check
/// read it as it comes.
public final class SortInput {
  private static final int COPY_BYTES = 256 << 10;

  private final String name;
  private final @Nullable Path path;
  private final @Nullable InputStream stream;

  private SortInput(String name, @Nullable Path path, @Nullable InputStream stream) {
    this.name = name;
    this.path = path;
    this.stream = stream;
  }

  /// A file, or a pipe with a name.
  public static SortInput file(Path path) {
    return new SortInput(path.toString(), path, null);
  }

  /// Files, or pipes with names.
  public static List<SortInput> files(List<Path> paths) {
    return paths.stream().map(SortInput::file).toList();
  }

  /// A stream, which is read to its end once, and not closed. A job whose thread is interrupted
  /// stops when the stream next returns from a read.
  ///
  /// @param name what messages call it
  public static SortInput stream(String name, InputStream stream) {
    return new SortInput(name, null, Objects.requireNonNull(stream));
  }

  /// The file; null for a stream.
  @Nullable Path path() {
    return path;
  }

  /// The files among inputs.
  static List<Path> paths(List<SortInput> inputs) {
    return inputs.stream().map(SortInput::path).filter(Objects::nonNull).toList();
  }

  /// Opens it for reading at any place.
  ///
  /// @param recordSize of which its size is a multiple
  /// @param spool where it is copied to if it cannot be read so itself
  InputFile open(int recordSize, Path spool) throws SortException {
    Path file = path;
    if (file != null && !isStream()) {
      return new InputFile(file, recordSize);
    }
    copy(spool);
    return new InputFile(spool, name, recordSize);
  }

  /// Whether it can be read from its beginning to its end only.
  boolean isStream() throws SortException {
    Path file = path;
    if (file == null) {
      return true;
    }
    if (!Files.exists(file) || Files.isDirectory(file)) {
      return false; // opening it says so
    }
    return Files.isRegularFile(file)
        ? Compression.of(name) != Compression.NONE
        : !InputFile.isBlockDevice(file);
  }

  /// Opens it for reading from its beginning to its end, decompressed.
  InputStream openStream() throws SortException {
    Compression compression = Compression.of(name); // before a pipe is opened, which may take long
    Path file = path;
    if (file == null) {
      InputStream given = Objects.requireNonNull(stream);
      return compression.decompressed(
          new FilterInputStream(given) {
            @Override
            public void close() {
              // It is the caller's.
            }
          });
    }
    try {
      // Not Files.newInputStream, whose channel does not see an interrupt.
      return compression.decompressed(
          Channels.newInputStream(NamedPipe.open(file, StandardOpenOption.READ)));
    } catch (ClosedByInterruptException e) {
      throw unreadable(e);
    } catch (IOException e) {
      throw InputFile.unusable(file, e);
    }
  }

  private void copy(Path spool) throws SortException {
    try (InputStream opened = openStream();
        FileChannel to =
            FileChannel.open(spool, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
      byte[] block = new byte[COPY_BYTES];
      int length = read(opened, block, 0, block.length);
      while (length > 0) {
        ByteBuffer piece = ByteBuffer.wrap(block, 0, length);
        while (piece.hasRemaining()) {
          int _ = to.write(piece);
        }
        length = read(opened, block, 0, block.length);
      }
    } catch (IOException e) {
      SortException failure = SortException.writing(spool, e);
      throw failure.kind() == SortException.Kind.DISK_FULL ? tooLarge(failure) : failure;
    }
  }

  private SortException tooLarge(SortException full) {
    return new SortException(
        SortException.Kind.DISK_FULL,
        ("%s. It holds a copy of %s, whose size shows only when it is read: was it meant to be so"
                + " large?")
            .formatted(full.getMessage(), name),
        full);
  }

  /// Reads up to `length` bytes, fewer at the end only; returns how many.
  int read(InputStream from, byte[] block, int at, int length) throws SortException {
    try {
      int read = from.readNBytes(block, at, length);
      refuseInterrupted();
      return read;
    } catch (IOException e) {
      throw unreadable(e);
    }
  }

  /// Reads what is there, at least one byte; returns how many, negative at the end.
  int readSome(InputStream from, byte[] block, int at, int length) throws SortException {
    try {
      int read = from.read(block, at, length);
      refuseInterrupted();
      return read;
    } catch (IOException e) {
      throw unreadable(e);
    }
  }

  /// A channel sees an interrupt itself. Other streams do not.
  private static void refuseInterrupted() throws ClosedByInterruptException {
    if (Thread.currentThread().isInterrupted()) {
      throw new ClosedByInterruptException();
    }
  }

  private SortException unreadable(IOException e) {
    if (e instanceof ClosedByInterruptException) {
      return new SortException(
          SortException.Kind.IO, "the thread that read %s was interrupted".formatted(name), e);
    }
    String problem =
        switch (e) {
          case EOFException cut -> "ends in the middle of its compressed data";
          case ZipException damaged -> "is not in gzip's format, or is damaged";
          case Zstd.DataException damaged -> "cannot be decompressed";
          default -> "cannot be read";
        };
    return new SortException(
        SortException.Kind.INPUT,
        "%s %s (%s): check where it comes from".formatted(name, problem, e.getMessage()),
        e);
  }

  @Override
  public String toString() {
    return name;
  }
}
