package dev.tigris.matrix;

import dev.tigris.cluster.group.Group;
import dev.tigris.cluster.group.Pending;
import dev.tigris.memory.Bytes;
import dev.tigris.memory.Jbuf;
import dev.tigris.memory.Longs;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The product of matrices whose columns are shared out to the members of a group, as pMM makes it
/// (Chang, *Safe and Explicit Memory Management*, section 3.3).
///
/// Each member has a block of columns of A, of B and of C. The blocks of A go round a ring, so that
/// each member has all of them, one after the other:
///
/// ```
///   step 0     member 0 has A0      member 1 has A1      member 2 has A2
///   step 1              A2                   A0                   A1        each to the right
///   step 2              A1                   A2                   A0
/// ```
///
/// While a member multiplies by one block, it sends that block and receives the next. Messages move
/// between blocks of the product, about every millisecond. They leave the memory that is
/// multiplied, and arrive in memory that is multiplied next.
///
/// Thread rule: the member's thread.
public final class GroupProduct {
  /// The tag of the blocks' messages: a program that multiplies takes others.
  public static final int TAG = Integer.MAX_VALUE;

  private static final String OWNER = "matrix";

  /// Bytes of one message at most: a block may be larger.
  private static final long LONGEST_MESSAGE = 512L << 20;

  /// Each member tells so many facts of its part: rows, all of A's columns, bytes of an element,
  // order.
  private static final int FACTS = 4;

  private final Group group;
  private final Matrix b;
  private final int threads;
  private final Longs facts;

  /// The blocks that arrive; null until the first does.
  private final @Nullable Bytes[] rooms = new @Nullable Bytes[2];

  private long communicationNanos;

  private GroupProduct(Group group, Matrix b, int threads) {
    this.group = group;
    this.b = b;
    this.threads = threads;
    this.facts = Jbuf.allocate((long) FACTS * Long.BYTES * group.size(), OWNER).asLongs();
  }

  /// Durations of one product in one member.
  ///
  /// @param nanos of all
  /// @param communicationNanos of calls of the group: moving messages and waiting for them
  public record Times(long nanos, long communicationNanos) {}

  /// Returns the first of the columns that a member has. Those of the next follow it.
  ///
  /// @param columns of the whole matrix
  /// @param member from 0 to the number of members, with which it returns `columns`
  public static int firstColumn(int columns, int members, int member) {
    return columns / members * member + Math.min(member, columns % members);
  }

  /// Returns how many columns a member has.
  ///
  /// @param columns of the whole matrix
  public static int columnCount(int columns, int members, int member) {
    return firstColumn(columns, members, member + 1) - firstColumn(columns, members, member);
  }

  /// Adds a product: C += A B. All members call it, as they do a collective operation.
  ///
  /// An element of the result differs from the exact one by as much as [Matrix#addProduct] says.
  /// The order of its sum depends on the number of members, too.
  ///
  /// @param a this member's columns of A: as many as [#columnCount] gives
  /// @param b this member's columns of B, with as many rows as all of A has columns
  /// @param c this member's columns of C
  /// @param threads is how many threads multiply in this process at most
  /// @throws IllegalArgumentException if sizes or precisions do not fit one another, here or
  ///     between members: then all members throw it, and the group can go on
  /// @throws dev.tigris.cluster.group.GroupException if a member is lost
  /// @throws dev.tigris.memory.MemoryBudgetException if there is no memory for two blocks of A
  public static Times addProduct(Group group, Matrix a, Matrix b, Matrix c, int threads)
      throws InterruptedException {
    long begun = System.nanoTime();
    GroupProduct product = new GroupProduct(group, b, threads);
    product.compare(a, c);
    product.goRound(a, c);
    return new Times(System.nanoTime() - begun, product.communicationNanos);
  }

  // -- Agreement.

  /// Tells the others what this member has, and compares what all have.
  private void compare(Matrix a, Matrix c) throws InterruptedException {
    boolean fits =
        a.precision() == b.precision()
            && c.precision() == b.precision()
            && c.rows() == a.rows()
            && c.columns() == b.columns()
            && a.columns() == columnCount(b.rows(), group.size(), group.rank());
    Longs own = Jbuf.allocate((long) FACTS * Long.BYTES, OWNER).asLongs();
    own.set(0, fits ? a.rows() : -1);
    own.set(1, b.rows());
    own.set(2, b.precision().bytes());
    own.set(3, isByColumns(a) ? 1 : 0);
    long begun = System.nanoTime();
    group.allGather(own, facts);
    communicationNanos += System.nanoTime() - begun;
    if (!fits) {
      throw new IllegalArgumentException(
          "member %d of %d has %s of A, %s of B, %s of C: give it its columns of A, all rows of B, and a C that fits"
              .formatted(group.rank(), group.size(), a, b, c));
    }
    for (int member = 0; member < group.size(); member++) {
      if (fact(member, 0) < 0) {
        throw new IllegalArgumentException(
            "the parts of member %d do not fit one another".formatted(member));
      }
      for (int i = 0; i < FACTS - 1; i++) {
        if (fact(member, i) != fact(0, i)) {
          throw new IllegalArgumentException(
              "member 0 has %s, and member %d has %s: all multiply the same matrices"
                  .formatted(told(0), member, told(member)));
        }
      }
    }
  }

  private long fact(int member, int which) {
    return facts.get((long) member * FACTS + which);
  }

  private String told(int member) {
    return "%d rows of A, %d of B, %d bits"
        .formatted(fact(member, 0), fact(member, 1), Byte.SIZE * fact(member, 2));
  }

  private static boolean isByColumns(Matrix a) {
    return !a.isContiguous() && a.transposed().isContiguous();
  }

  // -- The ring.

  private void goRound(Matrix a, Matrix c) throws InterruptedException {
    int size = group.size();
    Matrix here = a.isContiguous() || isByColumns(a) ? a : a.copy(a.precision());
    for (int step = 0; step < size; step++) {
      int owner = Math.floorMod(group.rank() - step, size);
      Matrix next = null;
      List<Pending> pending = new ArrayList<>();
      if (step < size - 1) {
        next = room(step % 2, Math.floorMod(owner - 1, size), a.rows());
        begin(pending, here, next);
      }
      Matrix part = b.block(firstColumn(b.rows(), size, owner), 0, here.columns(), b.columns());
      Matrix.addProduct(here, part, c, threads, () -> move(pending));
      if (next != null) {
        await(pending);
        here = next;
      }
    }
  }

  /// Returns memory for the block of a member.
  private Matrix room(int which, int owner, int rows) {
    int columns = columnCount(b.rows(), group.size(), owner);
    Precision precision = b.precision();
    long most = (long) rows * columnCount(b.rows(), group.size(), 0) * precision.bytes();
    if (rooms[which] == null && most > 0) {
      rooms[which] = Jbuf.allocate(most, OWNER).asBytes();
    }
    return fact(owner, FACTS - 1) == 1
        ? Matrix.over(rooms[which], precision, columns, rows).transposed()
        : Matrix.over(rooms[which], precision, rows, columns);
  }

  private void begin(List<Pending> pending, Matrix given, Matrix taken) {
    long begun = System.nanoTime();
    int right = (group.rank() + 1) % group.size();
    int left = Math.floorMod(group.rank() - 1, group.size());
    for (Bytes each : messages(taken)) {
      pending.add(group.startReceive(each, left, TAG));
    }
    for (Bytes each : messages(given)) {
      pending.add(group.startSend(each, right, TAG));
    }
    communicationNanos += System.nanoTime() - begun;
  }

  private static List<Bytes> messages(Matrix block) {
    List<Bytes> messages = new ArrayList<>();
    if (block.rows() > 0 && block.columns() > 0) {
      Bytes all = (block.isContiguous() ? block : block.transposed()).message();
      for (long at = 0; at < all.capacityBytes(); at += LONGEST_MESSAGE) {
        messages.add(all.slice(at, Math.min(LONGEST_MESSAGE, all.capacityBytes() - at)));
      }
    }
    return messages;
  }

  /// Moves messages while the member multiplies.
  private void move(List<Pending> pending) {
    long begun = System.nanoTime();
    pending.removeIf(Pending::isDone);
    communicationNanos += System.nanoTime() - begun;
  }

  private void await(List<Pending> pending) throws InterruptedException {
    long begun = System.nanoTime();
    for (Pending each : pending) {
      each.await();
    }
    communicationNanos += System.nanoTime() - begun;
  }

  @Override
  public String toString() {
    return "GroupProduct[%s, %s]".formatted(group, b);
  }
}
