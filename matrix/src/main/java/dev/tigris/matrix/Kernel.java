package dev.tigris.matrix;

import java.lang.foreign.MemorySegment;

/// Multiplies small tiles of packed panels, the innermost part of a product (Goto and van de Geijn,
/// *Anatomy of High-Performance Matrix Multiplication*, 2008).
///
/// A *panel* is a part of A or B that is as wide as a tile: [#ROWS] rows of A, or [#columns]
/// columns of B. Its elements lie in the order in which the tile needs them, so that the loop reads
/// memory from front to back. Panels lie in arrays of the heap, which the kernel owns. A panel at
/// the edge of a matrix is filled with zeros.
///
/// Kernels for `double` and `float` differ in their types alone: no Java is generic over them.
///
/// A kernel belongs to one thread.
abstract class Kernel {
  /// The rows of a tile. Four rows of three vectors are twelve sums. With three vectors of B and
  /// one of A they fill the sixteen vector registers of a processor with AVX2.
  static final int ROWS = 4;

  /// The module of the Vector API, which incubates.
  private static final String VECTORS = "jdk.incubator.vector";

  private final int columns;

  Kernel(int columns) {
    this.columns = columns;
  }

  /// Makes the fastest kernel that this JVM can run.
  static Kernel of(Precision precision) {
    return of(precision, hasVectors());
  }

  /// Makes a kernel of vectors or of scalars.
  static Kernel of(Precision precision, boolean isVector) {
    return switch (precision) {
      case SINGLE -> isVector ? new VectorFloats() : new ScalarFloats();
      case DOUBLE -> isVector ? new VectorDoubles() : new ScalarDoubles();
    };
  }

  static String name(Precision precision) {
    return of(precision).name();
  }

  static boolean hasVectors() {
    return ModuleLayer.boot().findModule(VECTORS).isPresent();
  }

  /// The columns of a tile.
  final int columns() {
    return columns;
  }

  /// Makes room for panels. What is there already stays if it is large enough.
  ///
  /// @param left elements of all panels of A that are there at once
  /// @param right the same for B
  abstract void reserve(int left, int right);

  /// Packs a panel of A, or of B with `isLeft` false. A *lane* is a row of A or a column of B.
  ///
  /// @param from the byte of its first element
  /// @param laneStride bytes from one lane to the next
  /// @param stride bytes from one element of a lane to the next
  /// @param lanes how many there are, the others are zeros
  /// @param to the panel's first element in the array
  abstract void pack(
      boolean isLeft,
      MemorySegment memory,
      long from,
      long laneStride,
      long stride,
      int lanes,
      int depth,
      int to);

  /// Adds the product of two panels to a tile of C.
  ///
  /// @param left the first element of A's panel
  /// @param right the first element of B's panel
  /// @param at the byte of the tile's first element
  /// @param rowStride bytes from one row of C to the next
  abstract void add(int depth, int left, int right, MemorySegment memory, long at, long rowStride);

  /// The kernel's name, as [Matrix#kernel] tells it.
  abstract String name();
}
