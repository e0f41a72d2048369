package dev.tigris.matrix;

import java.io.EOFException;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/// Blocks of columns of the matrices in NumPy's files, one for each member of a group.
///
/// Thread rule: any thread.
final class NpyColumns {
  /// Bytes that one call reads or writes at most.
  private static final int CHUNK = 16 << 20;

  /// Parts of rows that are shorter are read with what lies between them.
  private static final int SHORT_BYTES = 16 << 10;

  private static final int SPAN = 1 << 20;

  private NpyColumns() {}

  /// Reads a member's columns, in the file's precision.
  ///
  /// @throws IOException as [Npy#read] does
  static Matrix read(Path file, int members, int member) throws IOException {
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
      NpyHeader header = NpyHeader.read(channel, file);
      int from = GroupProduct.firstColumn(header.columns(), members, member);
      int count = GroupProduct.columnCount(header.columns(), members, member);
      // elements that lie column after column are the rows of the transpose
      boolean isByColumns = header.isFortranOrder();
      Matrix part =
          Matrix.zeros(
              header.precision(),
              isByColumns ? count : header.rows(),
              isByColumns ? header.rows() : count);
      MemorySegment elements = part.contiguous();
      long begin = channel.position();
      int bytes = header.precision().bytes();
      if (isByColumns) {
        fill(channel, begin + (long) from * header.rows() * bytes, elements, file);
      } else if (count == header.columns()) {
        fill(channel, begin, elements, file);
      } else if (count > 0) {
        fillRows(channel, begin + (long) from * bytes, header, elements, file);
      }
      if (header.isBigEndian()) {
        swap(elements, header.precision());
      }
      return isByColumns ? part.transposed() : part;
    }
  }

  /// Reads a part of each row.
  ///
  /// @param begin where the first one begins
  private static void fillRows(
      FileChannel channel, long begin, NpyHeader header, MemorySegment elements, Path file)
      throws IOException {
    long row = (long) header.columns() * header.precision().bytes();
    long part = elements.byteSize() / Math.max(1, header.rows());
    if (part >= SHORT_BYTES || row > SPAN) {
      for (int i = 0; i < header.rows(); i++) {
        fill(channel, begin + i * row, elements.asSlice(i * part, part), file);
      }
      return;
    }
    int most = (int) (SPAN / row);
    MemorySegment span = MemorySegment.ofBuffer(ByteBuffer.allocateDirect((int) (most * row)));
    for (int i = 0; i < header.rows(); i += most) {
      int rows = Math.min(most, header.rows() - i);
      fill(channel, begin + i * row, span.asSlice(0, (rows - 1) * row + part), file);
      for (int j = 0; j < rows; j++) {
        MemorySegment.copy(span, j * row, elements, (i + j) * part, part);
      }
    }
  }

  private static void fill(FileChannel channel, long from, MemorySegment to, Path file)
      throws IOException {
    for (long at = 0; at < to.byteSize(); at += CHUNK) {
      ByteBuffer chunk = to.asSlice(at, Math.min(CHUNK, to.byteSize() - at)).asByteBuffer();
      while (chunk.hasRemaining()) {
        if (channel.read(chunk, from + at + chunk.position()) < 0) {
          throw new EOFException(file + ": the file was cut while it was read");
        }
      }
    }
  }

  /// Writes columns into a file that has a header, row after row.
  ///
  /// @param begin where the matrix begins
  /// @param columns of the whole matrix
  /// @param from the first one of the part
  /// @param part lies row after row
  static void write(FileChannel channel, long begin, int columns, int from, Matrix part)
      throws IOException {
    MemorySegment elements = part.contiguous();
    int bytes = part.precision().bytes();
    if (part.columns() == columns) {
      write(channel, begin, elements);
      return;
    }
    long length = (long) part.columns() * bytes;
    for (int row = 0; length > 0 && row < part.rows(); row++) {
      long at = begin + ((long) row * columns + from) * bytes;
      write(channel, at, elements.asSlice(row * length, length));
    }
  }

  private static void write(FileChannel channel, long to, MemorySegment from) throws IOException {
    for (long at = 0; at < from.byteSize(); at += CHUNK) {
      ByteBuffer chunk = from.asSlice(at, Math.min(CHUNK, from.byteSize() - at)).asByteBuffer();
      while (chunk.hasRemaining()) {
        int _ = channel.write(chunk, to + at + chunk.position());
      }
    }
  }

  private static void swap(MemorySegment elements, Precision precision) {
    if (precision == Precision.SINGLE) {
      var from = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
      var to = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
      for (long at = 0; at < elements.byteSize(); at += Float.BYTES) {
        elements.set(to, at, elements.get(from, at));
      }
    } else {
      var from = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
      var to = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
      for (long at = 0; at < elements.byteSize(); at += Double.BYTES) {
        elements.set(to, at, elements.get(from, at));
      }
    }
  }
}
