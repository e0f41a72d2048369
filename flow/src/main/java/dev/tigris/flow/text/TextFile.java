package dev.tigris.flow.text;

import dev.tigris.flow.BufferSpring;
import dev.tigris.flow.Water;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/// A file of rows that several threads read together, block by block.
///
/// Thread rule: [#hasMore] and [#take] under the lock of its [TextSource]; [#read] by any thread.
abstract class TextFile {
  /// The most bytes of a first row.
  static final int MOST_NAMES_BYTES = 1 << 20;

  final Path path;
  final TextFormat format;

  /// Those that read it, and one for the source that has it open.
  private final AtomicInteger users = new AtomicInteger(1);

  TextFile(Path path, TextFormat format) {
    this.path = path;
    this.format = format;
  }

  /// Opens a file, and reads the names of its columns.
  static TextFile open(Path path, TextFormat format, int blockBytes) throws IOException {
    if (!Files.exists(path)) {
      throw new NoSuchFileException(path.toString(), null, "there is no such file");
    }
    if (!Files.isRegularFile(path)) {
      throw new IOException(
          path + " is not a regular file, which has positions to read at: copy its data into one");
    }
    boolean isPacked = Packed.isPacked(path) || Files.size(path) == 0; // those in /proc say 0
    return isPacked
        ? new PackedFile(path, format, blockBytes)
        : new PlainFile(path, format, blockBytes);
  }

  /// Returns the first row, without its end, if it names the columns.
  abstract byte @Nullable [] names();

  /// Returns whether a block is left that no thread has taken.
  abstract boolean hasMore();

  /// Takes a block. The caller reads it at once, and calls [#left] then.
  long take() {
    users.incrementAndGet();
    return takeBlock();
  }

  abstract long takeBlock();

  /// Returns the rows that begin in a block, or null if none does.
  abstract @Nullable Water read(long block, BufferSpring spring)
      throws IOException, InterruptedException;

  /// Counts a user less; the last one closes the file.
  void left() throws IOException {
    if (users.decrementAndGet() == 0) {
      close();
    }
  }

  abstract void close() throws IOException;

  IOException failed(IOException cause) {
    return new IOException("cannot read %s: %s".formatted(path, cause.getMessage()), cause);
  }

  TextException rowTooLong(long offset) {
    return new TextException(
        "%s: the row that begins at byte %d has more than %d bytes: look whether a quote in it has no end"
            .formatted(path, offset, TextFeed.MOST_ROW_BYTES));
  }

  TextException endsInQuotes(long offset) {
    return new TextException(
        "%s: the row that begins at byte %d has a quote without an end: the file ends inside of it"
            .formatted(path, offset));
  }

  /// Returns a water without rows, which tells the names of the columns.
  static Water noRows(BufferSpring spring, byte[] head, long offset) {
    Water water = spring.createWater(head.length);
    Batch.begin(water.bytes(), head, head.length, offset, false);
    water.setSize(head.length);
    return water;
  }

  /// Returns a first row without a byte order mark, and without the return at the end of one of
  /// CSV.
  byte[] trimmed(byte[] row, int from, int to) {
    boolean isReturn = format.isCsv() && to > from && row[to - 1] == Scan.RETURN;
    int end = isReturn ? to - 1 : to;
    if (format.isCsv() && hasRows(row, from, end)) {
      throw new TextException(
          "%s has a first row that goes on behind a return: if returns alone end its rows, convert them before, by tr '\\r' '\\n'"
              .formatted(path));
    }
    var names = new byte[end - from];
    System.arraycopy(row, from, names, 0, names.length);
    return names;
  }

  /// Whether text follows a return outside of quotes: rows of a file that has no line feeds.
  private static boolean hasRows(byte[] row, int from, int end) {
    boolean inside = false;
    boolean behindReturn = false;
    for (int at = from; at < end; at++) {
      inside ^= row[at] == Scan.QUOTE;
      boolean isReturn = !inside && row[at] == Scan.RETURN;
      if (behindReturn && !isReturn) {
        return true;
      }
      behindReturn = isReturn;
    }
    return false;
  }

  /// Returns how many bytes of a byte order mark the text begins with.
  static int markBytes(byte[] text, int length) {
    boolean marked =
        length >= 3 && text[0] == (byte) 0xEF && text[1] == (byte) 0xBB && text[2] == (byte) 0xBF;
    return marked ? 3 : 0;
  }
}
