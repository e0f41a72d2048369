package dev.tigris.matrix;

import dev.tigris.memory.Bytes;
import dev.tigris.memory.Jbuf;
import java.lang.foreign.MemorySegment;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// A dense matrix of floating point numbers outside the heap. The elements lie row after row,
/// without gaps, in little-endian order.
///
/// [#transposed] and [#block] give other matrices over the same elements, without a copy. Such a
/// matrix has strides of its own. The memory is that of a [Jbuf], which is given back when no
/// matrix over it is reachable.
///
/// Thread rule: any thread. Elements are plain memory: threads that share a matrix synchronize as
/// they would for an array.
public final class Matrix {
  /// The name of the elements' owner in [Jbuf#use].
  private static final String OWNER = "matrix";

  private final Precision precision;
  private final int rows;
  private final int columns;
  private final MemorySegment memory;

  /// All of the memory, as a group sends it; null if there is none.
  private final @Nullable Bytes view;

  private final long start; // of element (0, 0), in bytes
  private final long rowStride; // in bytes
  private final long columnStride;

  private Matrix(
      Precision precision,
      int rows,
      int columns,
      MemorySegment memory,
      @Nullable Bytes view,
      long start,
      long rowStride,
      long columnStride) {
    this.precision = precision;
    this.rows = rows;
    this.columns = columns;
    this.memory = memory;
    this.view = view;
    this.start = start;
    this.rowStride = rowStride;
    this.columnStride = columnStride;
  }

  /// Returns a matrix of zeros.
  ///
  /// @param rows may be zero, as `columns` may
  /// @throws IllegalArgumentException if a size is negative, or no memory can hold so many
  /// @throws dev.tigris.memory.MemoryBudgetException if there is no memory for it
  public static Matrix zeros(Precision precision, int rows, int columns) {
    requireSize(precision, rows, columns);
    long bytes = (long) rows * columns * precision.bytes();
    return over(
        bytes == 0 ? null : Jbuf.allocate(bytes, OWNER).asBytes(), precision, rows, columns);
  }

  /// Refuses sizes that no matrix can have.
  static void requireSize(Precision precision, int rows, int columns) {
    if (rows < 0 || columns < 0) {
      throw new IllegalArgumentException(
          "a matrix of %d rows and %d columns: neither may be negative".formatted(rows, columns));
    }
    if ((long) rows * columns > Long.MAX_VALUE / precision.bytes()) {
      throw new IllegalArgumentException(
          "a matrix of %d rows and %d columns: no memory is so large".formatted(rows, columns));
    }
  }

  /// Returns a matrix over the beginning of a view, whose elements lie row after row.
  ///
  /// @param view null for a matrix without elements
  static Matrix over(@Nullable Bytes view, Precision precision, int rows, int columns) {
    long bytes = (long) rows * columns * precision.bytes();
    MemorySegment memory = view == null ? MemorySegment.NULL : view.segment().asSlice(0, bytes);
    return new Matrix(
        precision,
        rows,
        columns,
        memory,
        view,
        0,
        (long) columns * precision.bytes(),
        precision.bytes());
  }

  /// Returns a matrix with the values of an array's rows.
  ///
  /// @throws IllegalArgumentException if the rows differ in length
  public static Matrix of(double[][] values) {
    int columns = values.length == 0 ? 0 : values[0].length;
    Matrix matrix = zeros(Precision.DOUBLE, values.length, columns);
    for (int row = 0; row < values.length; row++) {
      if (values[row].length != columns) {
        throw new IllegalArgumentException(
            "row %d has %d elements, and row 0 has %d".formatted(row, values[row].length, columns));
      }
      for (int column = 0; column < columns; column++) {
        matrix.set(row, column, values[row][column]);
      }
    }
    return matrix;
  }

  /// Returns the kernel by which matrices of a precision are multiplied in this JVM, for logs:
  /// `vector (8 x 64 bits)`, or `scalar` where the JVM was started without the Vector API.
  public static String kernel(Precision precision) {
    return Kernel.name(precision);
  }

  /// Returns the type of the elements.
  public Precision precision() {
    return precision;
  }

  /// Returns the number of rows.
  public int rows() {
    return rows;
  }

  /// Returns the number of columns.
  public int columns() {
    return columns;
  }

  /// Reads an element.
  ///
  /// @throws IndexOutOfBoundsException if there is no such row or column
  public double get(int row, int column) {
    return precision.get(memory, at(row, column));
  }

  /// Writes an element. A [Precision#SINGLE] matrix gets the nearest `float`.
  ///
  /// @throws IndexOutOfBoundsException if there is no such row or column
  public void set(int row, int column, double value) {
    precision.set(memory, at(row, column), value);
  }

  /// Sets every element.
  public void fill(double value) {
    for (int row = 0; row < rows; row++) {
      for (int column = 0; column < columns; column++) {
        set(row, column, value);
      }
    }
  }

  /// Returns this matrix's transpose over the same elements: what is written to one is read from
  /// the other.
  public Matrix transposed() {
    return new Matrix(precision, columns, rows, memory, view, start, columnStride, rowStride);
  }

  /// Returns a part of this matrix, over the same elements.
  ///
  /// @throws IndexOutOfBoundsException if the part is not within this matrix
  public Matrix block(int row, int column, int rowCount, int columnCount) {
    Objects.checkFromIndexSize(row, rowCount, rows);
    Objects.checkFromIndexSize(column, columnCount, columns);
    return new Matrix(
        precision,
        rowCount,
        columnCount,
        memory,
        view,
        start + row * rowStride + column * columnStride,
        rowStride,
        columnStride);
  }

  /// Returns the product of this matrix and another. All processors work on it.
  ///
  /// @throws IllegalArgumentException if `right` has another precision, or does not have as many
  ///     rows as this matrix has columns
  public Matrix multiply(Matrix right) {
    Matrix product = zeros(precision, rows, right.columns);
    addProduct(this, right, product, Runtime.getRuntime().availableProcessors());
    return product;
  }

  /// Adds the product of two matrices to a third: C += A B.
  ///
  /// An element of the result differs from the exact one by at most about `k u` times the sum of
  /// the absolute values of its `k` products, where `u` is half the distance from 1 to the next
  /// number. The order of the sum depends on the kernel, and not on the number of threads.
  ///
  /// @param c must lie outside the memory between the first and the last element of `a` and of `b`
  /// @param threads is how many threads work at most, this one included
  /// @throws IllegalArgumentException if sizes or precisions do not fit one another, or if C
  ///     lies in the memory of A or B
  public static void addProduct(Matrix a, Matrix b, Matrix c, int threads) {
    addProduct(a, b, c, threads, () -> {});
  }

  /// Adds a product, and runs something else between its blocks.
  ///
  /// @param meanwhile is run by the calling thread about every millisecond; the product ends by
  ///     what it throws
  static void addProduct(Matrix a, Matrix b, Matrix c, int threads, Runnable meanwhile) {
    if (a.columns != b.rows || c.rows != a.rows || c.columns != b.columns) {
      throw new IllegalArgumentException(
          "%s by %s gives no %s: the columns of A are the rows of B, and C has A's rows and B's columns"
              .formatted(a.shape(), b.shape(), c.shape()));
    }
    if (a.precision != b.precision || c.precision != a.precision) {
      throw new IllegalArgumentException(
          "A is %s, B is %s, C is %s: convert them to one precision"
              .formatted(a.precision, b.precision, c.precision));
    }
    if (threads < 1) {
      throw new IllegalArgumentException("%d threads multiply nothing".formatted(threads));
    }
    if (c.overlaps(a) || c.overlaps(b)) {
      throw new IllegalArgumentException(
          "C lies in the memory of A or B: give it memory of its own");
    }
    if (a.columns > 0 && c.rows > 0 && c.columns > 0) {
      // a kernel writes runs of a row, so a C of columns is made as the transpose of a C of rows
      if (c.columnStride == c.precision.bytes()) {
        new Product(a, b, c).run(threads, meanwhile);
      } else if (c.rowStride == c.precision.bytes()) {
        new Product(b.transposed(), a.transposed(), c.transposed()).run(threads, meanwhile);
      } else {
        throw new IllegalArgumentException("C has gaps both between rows and between columns");
      }
    }
  }

  /// Returns a copy in another precision, or in the same. Its elements lie row after row.
  public Matrix copy(Precision to) {
    Matrix copy = zeros(to, rows, columns);
    for (int row = 0; row < rows; row++) {
      for (int column = 0; column < columns; column++) {
        copy.set(row, column, get(row, column));
      }
    }
    return copy;
  }

  /// Returns the elements as bytes, if they lie row after row without gaps.
  ///
  /// @throws IllegalStateException if they do not: [#copy] makes them so
  public MemorySegment contiguous() {
    if (!isContiguous()) {
      throw new IllegalStateException("a transpose or block has gaps: make a copy of it first");
    }
    return memory.asSlice(start, (long) rows * columns * precision.bytes());
  }

  /// Returns the elements for a message, if they lie row after row without gaps.
  ///
  /// @throws IllegalStateException if they do not, or there are none
  Bytes message() {
    if (view == null || !isContiguous()) {
      throw new IllegalStateException(this + " is no message: it is empty or has gaps");
    }
    return view.slice(start, (long) rows * columns * precision.bytes());
  }

  boolean isContiguous() {
    int bytes = precision.bytes();
    return isEmpty()
        || ((columnStride == bytes || columns == 1)
            && (rowStride == (long) columns * bytes || rows == 1));
  }

  MemorySegment memory() {
    return memory;
  }

  long start() {
    return start;
  }

  long rowStride() {
    return rowStride;
  }

  long columnStride() {
    return columnStride;
  }

  private boolean isEmpty() {
    return rows == 0 || columns == 0;
  }

  private boolean overlaps(Matrix other) {
    if (isEmpty() || other.isEmpty()) {
      return false;
    }
    long last = start + (rows - 1) * rowStride + (columns - 1) * columnStride + precision.bytes();
    long otherLast =
        other.start
            + (other.rows - 1) * other.rowStride
            + (other.columns - 1) * other.columnStride
            + precision.bytes();
    return memory
        .asSlice(start, last - start)
        .asOverlappingSlice(other.memory.asSlice(other.start, otherLast - other.start))
        .isPresent();
  }

  private long at(int row, int column) {
    Objects.checkIndex(row, rows);
    Objects.checkIndex(column, columns);
    return start + row * rowStride + column * columnStride;
  }

  String shape() {
    return rows + " x " + columns;
  }

  @Override
  public String toString() {
    return "Matrix[%s, %s]".formatted(shape(), precision);
  }
}
