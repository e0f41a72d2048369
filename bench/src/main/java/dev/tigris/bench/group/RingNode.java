package dev.tigris.bench.group;

import dev.tigris.memory.Doubles;
import dev.tigris.memory.Jbuf;
import dev.tigris.net.ArrayInterface;
import dev.tigris.net.ArrayType;
import dev.tigris.net.CompletionQueue;
import dev.tigris.net.Descriptor;
import dev.tigris.net.Status;
import dev.tigris.net.Ticket;
import dev.tigris.net.VirtualInterface;
import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// One node of a [Ring]: its columns of B and C, and the block of A that is there.
abstract class RingNode implements AutoCloseable {
  final Ring ring;
  final int self;
  final int columns;
  final double[][] b;
  final double[][] c;

  private RingNode(Ring ring, int self) {
    this.ring = ring;
    this.self = self;
    this.columns = ring.size() / ring.nodes();
    this.b = new double[columns][ring.size()];
    this.c = new double[columns][ring.size()];
    for (int column = 0; column < columns; column++) {
      Arrays.fill(b[column], self * columns + column + 1);
    }
  }

  /// A connection to a neighbour, and its queue.
  record Link(VirtualInterface end, CompletionQueue queue) {}

  /// @param left null, as `right`, where there is one node
  static RingNode of(Ring ring, int self, @Nullable Link left, @Nullable Link right) {
    return switch (ring.way()) {
      case JBUFS -> new OfBuffers(ring, self, left, right);
      case COPY_ASYNC -> new OfArrays(ring, self, left, right, false);
      case COPY_ALLOC -> new OfArrays(ring, self, left, right, true);
    };
  }

  /// Makes one product.
  abstract void goRound(boolean computes);

  /// Requires the results of so many products.
  final void check(int count) {
    for (int column = 0; column < columns; column++) {
      ring.check(c[column], self * columns + column, count);
    }
  }

  /// Returns whose block is there at a step.
  final int owner(int step) {
    return Math.floorMod(self - step, ring.nodes());
  }

  final void require(double first, int owner) {
    if (first != Ring.element(0, owner)) {
      throw new IllegalStateException("the block of %d is not there".formatted(owner));
    }
  }

  @Override
  public void close() {}

  /// Level II.
  private static final class OfBuffers extends RingNode {
    private final @Nullable Link left;
    private final @Nullable Link right;

    /// Its own block, and two for those of others.
    private final Doubles[][] blocks = new Doubles[3][];

    private final Ticket[][] sends = new Ticket[3][];
    private final Ticket[][] receives = new Ticket[3][];

    OfBuffers(Ring ring, int self, @Nullable Link left, @Nullable Link right) {
      super(ring, self);
      this.left = left;
      this.right = right;
      for (int i = 0; i < blocks.length; i++) {
        blocks[i] = new Doubles[columns];
        sends[i] = new Ticket[columns];
        receives[i] = new Ticket[columns];
        for (int column = 0; column < columns; column++) {
          Doubles made = Jbuf.allocate((long) ring.size() * Double.BYTES).asDoubles();
          for (int row = 0; row < ring.size(); row++) {
            made.set(row, Ring.element(row, self));
          }
          blocks[i][column] = made;
          if (left != null && right != null) {
            sends[i][column] = right.end().register(made);
            receives[i][column] = left.end().register(made);
          }
        }
      }
    }

    @Override
    void goRound(boolean computes) {
      int here = 0;
      for (int step = 0; step < ring.nodes(); step++) {
        int next = 1 + step % 2;
        Link from = left;
        Link to = right;
        boolean moves = from != null && to != null && step < ring.nodes() - 1;
        if (moves && from != null && to != null) {
          for (int column = 0; column < columns; column++) {
            from.end().postReceive(receives[next][column]).orThrow();
          }
          for (int column = 0; column < columns; column++) {
            to.end().postSend(sends[here][column]).orThrow();
          }
          to.end().ring();
        }
        require(blocks[here][0].get(0), owner(step));
        if (computes) {
          multiply(blocks[here], owner(step) * columns);
        }
        if (moves && to != null) {
          complete(to.queue());
          here = next;
        }
      }
    }

    /// Waits until all columns have left and all others have arrived.
    private void complete(CompletionQueue queue) {
      for (int i = 0; i < 2 * columns; i++) {
        Descriptor done = queue.await(Ring.PATIENCE);
        if (done == null || done.status() != Status.DONE) {
          throw new IllegalStateException("a neighbour is gone");
        }
      }
    }

    private void multiply(Doubles[] a, int stride) {
      for (int j = 0; j < columns; j++) {
        double[] sums = c[j];
        for (int k = 0; k < columns; k++) {
          double factor = b[j][stride + k];
          Doubles block = a[k];
          for (int i = 0; i < sums.length; i++) {
            sums[i] += block.get((long) i) * factor;
          }
        }
      }
    }

    @Override
    public void close() {
      if (left != null && right != null) {
        left.end().close();
        right.end().close();
      }
    }
  }

  /// Level I.
  private static final class OfArrays extends RingNode {
    private static final long TURN_NANOS = 100_000;

    private final @Nullable ArrayInterface left;
    private final @Nullable ArrayInterface right;
    private final boolean allocates;
    private final double[][] own;
    private final double[][][] rooms;
    private final ArrayInterface.Posted[] posted;
    private final ArrayInterface.Posted[] sent;

    OfArrays(Ring ring, int self, @Nullable Link left, @Nullable Link right, boolean allocates) {
      super(ring, self);
      int bytes = ring.size() * Double.BYTES;
      this.left = left == null ? null : new ArrayInterface(left.end(), bytes, columns);
      this.right = right == null ? null : new ArrayInterface(right.end(), bytes, columns);
      this.allocates = allocates;
      this.own = new double[columns][ring.size()];
      this.rooms = new double[2][columns][ring.size()];
      this.posted = new ArrayInterface.Posted[columns];
      this.sent = new ArrayInterface.Posted[columns];
      for (double[] each : own) {
        for (int row = 0; row < each.length; row++) {
          each[row] = Ring.element(row, self);
        }
      }
    }

    @Override
    void goRound(boolean computes) {
      double[][] here = own;
      for (int step = 0; step < ring.nodes(); step++) {
        boolean isLast = step == ring.nodes() - 1;
        double[][] next = rooms[step % 2];
        if (!isLast && !allocates) {
          for (int column = 0; column < columns; column++) {
            posted[column] =
                Objects.requireNonNull(
                    left().postReceive(ArrayType.DOUBLES, next[column], 0, ring.size()));
          }
        }
        if (!isLast) {
          for (int column = 0; column < columns; column++) {
            sent[column] =
                Objects.requireNonNull(
                    right().postSend(ArrayType.DOUBLES, here[column], 0, ring.size(), 0));
          }
          right().ring();
        }
        require(here[0][0], owner(step));
        if (computes) {
          multiply(here, owner(step) * columns);
        }
        if (!isLast) {
          take(next);
          here = next;
        }
      }
    }

    /// Waits until all columns have left and all others have arrived. Each of the two queues moves
    /// its messages while it is waited for alone, and both have to.
    private void take(double[][] next) {
      long begun = System.nanoTime();
      int taken = 0;
      while (taken < columns || !sent[columns - 1].isComplete()) {
        while (taken < columns && isTaken(next, taken)) {
          taken++;
        }
        boolean _ = right().await(sent[columns - 1], taken < columns ? 0 : TURN_NANOS);
        if (System.nanoTime() - begun > Ring.PATIENCE.toNanos()) {
          throw new IllegalStateException("a neighbour is gone");
        }
      }
    }

    /// Waits for a column, for a while.
    private boolean isTaken(double[][] next, int column) {
      if (!allocates) {
        return left().await(posted[column], TURN_NANOS) && posted[column].status() == Status.DONE;
      }
      ArrayInterface.Message<double[]> message = left().receive(ArrayType.DOUBLES, TURN_NANOS);
      if (message != null) {
        next[column] = message.array();
      }
      return message != null;
    }

    private ArrayInterface left() {
      return Objects.requireNonNull(left);
    }

    private ArrayInterface right() {
      return Objects.requireNonNull(right);
    }

    private void multiply(double[][] a, int stride) {
      for (int j = 0; j < columns; j++) {
        double[] sums = c[j];
        for (int k = 0; k < columns; k++) {
          double factor = b[j][stride + k];
          double[] block = a[k];
          for (int i = 0; i < sums.length; i++) {
            sums[i] += block[i] * factor;
          }
        }
      }
    }

    @Override
    public void close() {
      if (left != null && right != null) {
        left.close();
        right.close();
      }
    }
  }
}
