package dev.tigris.matrix;

import dev.tigris.os.PartialFile;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;

/// NumPy's files of one array (`.npy`), formats 1 to 3, as `numpy.save` writes them.
///
/// A file is a magic number, a version, the length of a header, the header, and the elements. The
/// header is a Python dictionary in ASCII, with the type, the order and the shape. [#read] takes
/// matrices of `f4` and `f8` in both byte orders, row after row or column after column, and refuses
/// everything else by name.
///
/// Thread rule: any thread.
public final class Npy {
  /// Bytes that one call writes at most.
  private static final long CHUNK = 16 << 20;

  private Npy() {}

  /// Reads a matrix.
  ///
  /// @throws IOException if the file cannot be read, ends early, or is none that becomes a matrix;
  ///     the message says why, and names the file
  /// @throws dev.tigris.memory.MemoryBudgetException if there is no memory for it
  public static Matrix read(Path file) throws IOException {
    return NpyColumns.read(file, 1, 0);
  }

  /// Writes a matrix, row after row, in little-endian order. A transpose is written column after
  /// column, which NumPy reads as well, if its elements lie so. The file appears under its name
  /// when it is complete and synced. One that is there is replaced, and its permissions stay.
  ///
  /// @throws IOException if it cannot be written; then nothing of it is left
  public static void write(Path file, Matrix matrix) throws IOException {
    boolean isByColumns = !matrix.isContiguous() && matrix.transposed().isContiguous();
    Matrix rows =
        isByColumns
            ? matrix.transposed()
            : matrix.isContiguous() ? matrix : matrix.copy(matrix.precision());
    ByteBuffer header =
        NpyHeader.of(matrix.precision(), isByColumns, matrix.rows(), matrix.columns());
    try (PartialFile partial = new PartialFile(file)) {
      FileChannel channel = partial.channel();
      writeAll(channel, header);
      MemorySegment elements = rows.contiguous();
      for (long at = 0; at < elements.byteSize(); at += CHUNK) {
        long count = Math.min(CHUNK, elements.byteSize() - at);
        writeAll(channel, elements.asSlice(at, count).asByteBuffer());
      }
      partial.complete();
    }
  }

  static void writeAll(FileChannel channel, ByteBuffer bytes) throws IOException {
    while (bytes.hasRemaining()) {
      int _ = channel.write(bytes);
    }
  }
}
