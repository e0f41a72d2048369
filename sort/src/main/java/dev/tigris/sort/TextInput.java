package dev.tigris.sort;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Objects;
import java.util.zip.GZIPInputStream;
import java.util.zip.ZipException;
import org.jspecify.annotations.Nullable;

/// Text to sort: a file, a pipe, or a stream. Files whose names end with `.gz` are decompressed.
///
/// What has no size, or is compressed, is copied to a temporary file first.
public final class TextInput {
  private static final String GZIP = ".gz";

  private final String name;
  private final @Nullable Path path;
  private final @Nullable InputStream stream;

  private TextInput(String name, @Nullable Path path, @Nullable InputStream stream) {
    this.name = name;
    this.path = path;
    this.stream = stream;
  }

  /// A file, or a pipe with a name.
  public static TextInput file(Path path) {
    return new TextInput(path.toString(), path, null);
  }

  /// A stream, which is read to its end once, and not closed.
  ///
  /// @param name what messages call it
  public static TextInput stream(String name, InputStream stream) {
    return new TextInput(name, null, Objects.requireNonNull(stream));
  }

  /// The file; null for a stream.
  @Nullable Path path() {
    return path;
  }

  /// Opens it for reading at any place.
  ///
  /// @param spool where it is copied to if it cannot be read so itself
  InputFile open(Path spool) throws SortException {
    Path file = path;
    if (file != null && !isStream(file)) {
      return new InputFile(file, 1);
    }
    copy(spool);
    return new InputFile(spool, 1);
  }

  private static boolean isStream(Path file) {
    boolean special = Files.exists(file) && !Files.isRegularFile(file) && !Files.isDirectory(file);
    return special || (file.toString().endsWith(GZIP) && Files.isRegularFile(file));
  }

  private void copy(Path spool) throws SortException {
    Path file = path;
    if (file == null) {
      copy(Objects.requireNonNull(stream), spool);
      return;
    }
    try (InputStream opened = Files.newInputStream(file)) {
      copy(opened, spool);
    } catch (IOException e) {
      throw InputFile.unusable(file, e);
    }
  }

  private void copy(InputStream from, Path spool) throws SortException {
    byte[] block = new byte[LinePlan.BUFFER_BYTES];
    try (FileChannel to =
        FileChannel.open(spool, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
      InputStream plain = name.endsWith(GZIP) ? decompressed(from) : from;
      int length = read(plain, block);
      while (length > 0) {
        ByteBuffer piece = ByteBuffer.wrap(block, 0, length);
        while (piece.hasRemaining()) {
          int _ = to.write(piece);
        }
        length = read(plain, block);
      }
    } catch (IOException e) {
      throw SortException.writing(spool, e);
    }
  }

  private InputStream decompressed(InputStream from) throws SortException {
    try {
      return new GZIPInputStream(from, LinePlan.BUFFER_BYTES);
    } catch (IOException e) {
      throw unreadable(e);
    }
  }

  private int read(InputStream from, byte[] block) throws SortException {
    try {
      return from.readNBytes(block, 0, block.length);
    } catch (IOException e) {
      throw unreadable(e);
    }
  }

  private SortException unreadable(IOException e) {
    String problem =
        switch (e) {
          case EOFException cut -> "ends in the middle of its compressed data";
          case ZipException damaged -> "is not in gzip's format, or is damaged";
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
