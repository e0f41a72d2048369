package dev.tigris.matrix;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;

/// One product C += A B, cut so that what is read again lies in a cache (Goto and van de Geijn,
/// 2008).
///
/// ```
///              for each slab of C's columns (shared out to the threads)
///                for each depth of A's columns        pack the slab's rows of B     (beyond L2)
///                  for each height of A's rows        pack that block of A          (L2)
///                    for each panel of B              depth x a tile's columns      (L1)
///                      for each panel of A            a tile of C, in registers
/// ```
///
/// A thread takes the next slab when it is done with one, so that a slow processor gets fewer.
/// Where C has fewer columns than rows, the same is done to the rows.
final class Product {
  /// Bytes of a panel of B: it stays in the first cache while the tiles of a block of A are added.
  private static final int PANEL_BYTES = FirstCache.bytes() / 4 * 3;

  /// Bytes of a packed block of A, of an L2 of at least 512 KiB.
  private static final int BLOCK_BYTES = 384 << 10;

  /// Panels of B in a slab: 1.5 MiB of 24 KiB each.
  private static final int PANELS = 64;

  private static final ThreadFactory THREADS =
      Thread.ofPlatform().name("tigris-multiply").daemon().factory();

  private final Matrix a;
  private final Matrix b;
  private final Matrix c;
  private final Function<Precision, Kernel> kernels;
  private final AtomicInteger next = new AtomicInteger();

  Product(Matrix a, Matrix b, Matrix c) {
    this(a, b, c, Kernel::of);
  }

  /// @param kernels makes a kernel for each thread
  Product(Matrix a, Matrix b, Matrix c, Function<Precision, Kernel> kernels) {
    this.a = a;
    this.b = b;
    this.c = c;
    this.kernels = kernels;
  }

  /// Multiplies. The calling thread is one of the threads. C is not written any more when this
  /// returns, also if it fails or the thread is interrupted.
  ///
  /// @param meanwhile is run by the calling thread after each block
  void run(int threads, Runnable meanwhile) {
    Kernel kernel = kernels.apply(c.precision());
    List<Part> parts = parts(kernel.columns(), 4 * height(kernel), threads);
    List<Future<?>> others = new ArrayList<>();
    try (ExecutorService helpers = Executors.newThreadPerTaskExecutor(THREADS)) {
      for (int i = 1; i < Math.min(threads, parts.size()); i++) {
        others.add(helpers.submit(() -> work(parts, kernels.apply(c.precision()), () -> {})));
      }
      work(parts, kernel, meanwhile);
    }
    for (Future<?> other : others) {
      if (other.state() == Future.State.FAILED) {
        switch (other.exceptionNow()) {
          case RuntimeException e -> throw e;
          case Error e -> throw e;
          case Throwable e -> throw new IllegalStateException(e);
        }
      }
    }
  }

  /// Returns how many of A's columns a panel of B meets.
  private int depth(Kernel kernel) {
    return Math.max(1, PANEL_BYTES / (kernel.columns() * c.precision().bytes()));
  }

  /// Returns how many of A's rows are packed at a time.
  private int height(Kernel kernel) {
    return BLOCK_BYTES / (depth(kernel) * c.precision().bytes()) / Kernel.ROWS * Kernel.ROWS;
  }

  /// Cuts the product into independent parts, by C's columns or by its rows, at least two for each
  /// thread where the sizes allow.
  private List<Part> parts(int columns, int rows, int threads) {
    List<Part> parts = new ArrayList<>();
    boolean isWide = c.columns() >= c.rows();
    int size = isWide ? c.columns() : c.rows();
    int tile = isWide ? columns : Kernel.ROWS;
    int most = isWide ? columns * PANELS : rows;
    int fair = Math.ceilDiv(Math.ceilDiv(size, 2 * threads), tile) * tile;
    int step = threads == 1 ? size : Math.min(most, fair);
    for (int from = 0; from < size; from += step) {
      int count = Math.min(step, size - from);
      parts.add(
          isWide
              ? new Part(a, b.block(0, from, b.rows(), count), c.block(0, from, c.rows(), count))
              : new Part(
                  a.block(from, 0, count, a.columns()), b, c.block(from, 0, count, c.columns())));
    }
    return parts;
  }

  /// Takes parts until there is none. If it fails, the others stop at their next part.
  private void work(List<Part> parts, Kernel kernel, Runnable meanwhile) {
    try {
      Blocks blocks = new Blocks(kernel, depth(kernel), height(kernel), meanwhile);
      for (int i = next.getAndIncrement(); i < parts.size(); i = next.getAndIncrement()) {
        Part part = parts.get(i);
        blocks.add(part.a, part.b, part.c);
      }
    } catch (RuntimeException | Error e) {
      next.set(parts.size());
      throw e;
    }
  }

  /// A product that no other one shares elements of C with.
  private record Part(Matrix a, Matrix b, Matrix c) {}

  /// The blocks of one thread.
  private static final class Blocks {
    private final Kernel kernel;
    private final int columns;
    private final int mostDepth;
    private final int mostHeight;
    private final Runnable meanwhile;

    /// A tile at the edge of C is made here first.
    private final MemorySegment edge;

    Blocks(Kernel kernel, int mostDepth, int mostHeight, Runnable meanwhile) {
      this.kernel = kernel;
      this.mostDepth = mostDepth;
      this.mostHeight = mostHeight;
      this.meanwhile = meanwhile;
      this.columns = kernel.columns();
      this.edge = Arena.ofAuto().allocate((long) Kernel.ROWS * columns * Double.BYTES, 64);
    }

    void add(Matrix a, Matrix b, Matrix c) {
      int slab = PANELS * columns;
      int most = Math.min(mostDepth, a.columns());
      kernel.reserve(
          most * Math.min(mostHeight, Math.ceilDiv(c.rows(), Kernel.ROWS) * Kernel.ROWS),
          most * Math.min(slab, Math.ceilDiv(c.columns(), columns) * columns));
      for (int column = 0; column < c.columns(); column += slab) {
        int width = Math.min(slab, c.columns() - column);
        for (int from = 0; from < a.columns(); from += mostDepth) {
          int depth = Math.min(mostDepth, a.columns() - from);
          packRight(b.block(from, column, depth, width));
          for (int row = 0; row < a.rows(); row += mostHeight) {
            int height = Math.min(mostHeight, a.rows() - row);
            packLeft(a.block(row, from, height, depth));
            addTiles(depth, c.block(row, column, height, width));
            meanwhile.run();
          }
        }
      }
    }

    private void packLeft(Matrix a) {
      for (int row = 0; row < a.rows(); row += Kernel.ROWS) {
        kernel.pack(
            true,
            a.memory(),
            a.start() + row * a.rowStride(),
            a.rowStride(),
            a.columnStride(),
            Math.min(Kernel.ROWS, a.rows() - row),
            a.columns(),
            row * a.columns());
      }
    }

    private void packRight(Matrix b) {
      for (int column = 0; column < b.columns(); column += columns) {
        kernel.pack(
            false,
            b.memory(),
            b.start() + column * b.columnStride(),
            b.columnStride(),
            b.rowStride(),
            Math.min(columns, b.columns() - column),
            b.rows(),
            column * b.rows());
      }
    }

    private void addTiles(int depth, Matrix c) {
      for (int column = 0; column < c.columns(); column += columns) {
        int width = Math.min(columns, c.columns() - column);
        for (int row = 0; row < c.rows(); row += Kernel.ROWS) {
          int height = Math.min(Kernel.ROWS, c.rows() - row);
          if (width == columns && height == Kernel.ROWS) {
            long at = c.start() + row * c.rowStride() + column * c.columnStride();
            kernel.add(depth, row * depth, column * depth, c.memory(), at, c.rowStride());
          } else {
            edge.fill((byte) 0);
            long stride = (long) columns * c.precision().bytes();
            kernel.add(depth, row * depth, column * depth, edge, 0, stride);
            addEdge(c.block(row, column, height, width), stride);
          }
        }
      }
    }

    private void addEdge(Matrix c, long stride) {
      Precision precision = c.precision();
      for (int row = 0; row < c.rows(); row++) {
        for (int column = 0; column < c.columns(); column++) {
          double sum = precision.get(edge, row * stride + (long) column * precision.bytes());
          c.set(row, column, c.get(row, column) + sum);
        }
      }
    }
  }
}
