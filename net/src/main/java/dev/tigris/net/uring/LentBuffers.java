package dev.tigris.net.uring;

import dev.tigris.net.provider.SpareBuffers;
import dev.tigris.net.provider.Staging;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// The buffers that messages arrive in, by the numbers under which the kernel has them. It picks
/// one when something arrives, and has it back when that was taken.
///
/// More are made when links wait for some and the kernel has few: as many as links keep. When it
/// has had more than it needed for a while, as many are not given back to it: they are left to the
/// collector.
///
/// Conserved: buffers made - left = lent to the kernel + kept by links.
///
/// Time is an argument.
final class LentBuffers {
  /// How many the kernel has at least where links wait for some, and may always have.
  static final int ENOUGH = 16;

  /// Lends one.
  interface Kernel {
    void lend(int number, MemorySegment memory);
  }

  private final Kernel kernel;
  private final int most;
  private final List<@Nullable Staging> buffers = new ArrayList<>();
  private final BitSet lent = new BitSet();
  private int lentCount;

  /// Numbers whose buffers were left.
  private final ArrayDeque<Integer> unused = new ArrayDeque<>();

  /// How many the kernel had at least since the last look.
  private int fewestLent;

  /// How many of those that come next are not given back.
  private int surplus;

  private long lookedAt;

  /// None yet, and never more than `most`.
  LentBuffers(Kernel kernel, int most, long nowNanos) {
    this.kernel = kernel;
    this.most = most;
    this.lookedAt = nowNanos;
  }

  /// Links wait for some, so that none is surplus: makes more if the kernel has few, and there may
  /// be more; returns how many it has.
  int replenish() {
    surplus = 0;
    fewestLent = 0;
    while (lentCount < ENOUGH && count() < most) {
      Integer left = unused.poll();
      int number = left == null ? buffers.size() : left;
      if (left == null) {
        buffers.add(null);
      }
      buffers.set(number, Staging.allocate());
      lend(number);
    }
    return lentCount;
  }

  private void lend(int number) {
    lent.set(number);
    lentCount++;
    kernel.lend(number, buffer(number).memory());
  }

  /// The kernel gives one back, with so many bytes in it.
  void filled(int number, int bytes) {
    if (!lent.get(number) || bytes > Staging.BYTES) {
      throw new IllegalStateException(
          "%d bytes in buffer %d, which is%s lent"
              .formatted(bytes, number, lent.get(number) ? "" : " not"));
    }
    lent.clear(number);
    lentCount--;
    fewestLent = Math.min(fewestLent, lentCount);
    buffer(number).bytes().clear().limit(bytes);
  }

  /// One that is filled.
  Staging buffer(int number) {
    return Objects.requireNonNull(buffers.get(number));
  }

  /// All that was in it is taken: the kernel has it again, unless it is surplus.
  void giveBack(int number) {
    if (surplus > 0) {
      surplus--;
      buffers.set(number, null);
      unused.push(number);
    } else {
      lend(number);
    }
  }

  /// Has the kernel use another buffer in the place of one that is filled, which no owner has then.
  ///
  /// @param fresh an empty one of the same size
  Staging exchange(int number, Staging fresh) {
    Staging filled = buffer(number);
    buffers.set(number, fresh);
    lend(number);
    return filled;
  }

  /// Looks how many are not needed, if it is time to.
  void look(long nowNanos) {
    if (nowNanos - lookedAt < SpareBuffers.PERIOD_NANOS) {
      return;
    }
    lookedAt = nowNanos;
    surplus = Math.max(0, fewestLent - ENOUGH);
    fewestLent = lentCount;
  }

  /// How many the kernel has.
  int lent() {
    return lentCount;
  }

  /// How many there are, lent or kept.
  int count() {
    return buffers.size() - unused.size();
  }

  void checkInvariants() {
    if (lentCount != lent.cardinality() || lentCount > count() || count() > most) {
      throw new IllegalStateException(
          "%d of %d are lent, and counted are %d"
              .formatted(lent.cardinality(), count(), lentCount));
    }
  }
}
