package dev.tigris.flow.text;

import dev.tigris.flow.FileTime;
import dev.tigris.memory.Bytes;
import java.io.FileOutputStream;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;

/// One of the files of a [PartitionFolder]. It is open only while something is written, so that
/// there may be more files than a process may have open. A [FileOutputStream] is not closed by an
/// interrupt of the thread that writes.
///
/// Thread rule: any thread.
final class PartitionFile {
  private static final int FIRST_BYTES = 512;
  private static final int MOST_BYTES = 32 << 10;

  private final Path path;
  private final byte[] names;
  private byte[] buffer = new byte[FIRST_BYTES];
  private int filled;

  /// Makes a file with the names of its columns.
  PartitionFile(Path path, byte[] names) throws IOException {
    this.path = path;
    this.names = names;
    addRow(names, names.length);
    write(); // so that the file is there, and can be written
  }

  boolean hasNames(byte[] row) {
    return Arrays.equals(names, row);
  }

  /// Adds a row without its end.
  synchronized void addRow(byte[] row, int length) throws IOException {
    if (reserve(length + 1)) {
      System.arraycopy(row, 0, buffer, filled, length);
      filled += length;
      buffer[filled++] = Scan.LINE_FEED;
    } else {
      byte[] large = Arrays.copyOf(row, length + 1);
      large[length] = Scan.LINE_FEED;
      write(large, large.length);
    }
  }

  /// Adds a row without its end.
  synchronized void addRow(Bytes from, int start, int length) throws IOException {
    if (reserve(length + 1)) {
      from.copyTo(start, buffer, filled, length);
      filled += length;
      buffer[filled++] = Scan.LINE_FEED;
    } else {
      byte[] large = new byte[length + 1];
      from.copyTo(start, large, 0, length);
      large[length] = Scan.LINE_FEED;
      write(large, large.length);
    }
  }

  /// Makes room in the buffer. Returns false if it is empty and too small for so many bytes.
  private boolean reserve(int length) throws IOException {
    if (length > buffer.length - filled && buffer.length < MOST_BYTES) {
      int larger = Math.max(2 * buffer.length, filled + length);
      buffer = Arrays.copyOf(buffer, Math.min(MOST_BYTES, larger));
    }
    if (length > buffer.length - filled) {
      write();
    }
    return length <= buffer.length;
  }

  private void write() throws IOException {
    write(buffer, filled);
    filled = 0;
  }

  private void write(byte[] bytes, int length) throws IOException {
    try (FileTime _ = FileTime.begin();
        var out = new FileOutputStream(path.toFile(), true)) {
      out.write(bytes, 0, length);
    } catch (IOException e) {
      throw new IOException("cannot write %s: %s".formatted(path, e.getMessage()), e);
    }
  }

  /// Brings the file to the disk.
  synchronized void force() throws IOException {
    write();
    try (FileChannel file = FileChannel.open(path, StandardOpenOption.WRITE)) {
      file.force(true);
    } catch (IOException e) {
      throw new IOException("cannot write %s: %s".formatted(path, e.getMessage()), e);
    }
  }
}
