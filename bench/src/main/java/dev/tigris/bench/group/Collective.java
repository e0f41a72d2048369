package dev.tigris.bench.group;

import dev.tigris.bench.WrongResultException;
import dev.tigris.cluster.group.Group;
import dev.tigris.cluster.group.Reduction;
import dev.tigris.memory.Bytes;
import dev.tigris.memory.Doubles;
import dev.tigris.memory.Jbuf;
import java.util.Locale;

/// The collective operations that are timed, here and in C (`collectives.c`).
enum Collective {
  BARRIER {
    @Override
    long nanos(Group group, int bytes, int count) throws InterruptedException {
      group.barrier();
      long begun = System.nanoTime();
      for (int i = 0; i < count; i++) {
        group.barrier();
      }
      return System.nanoTime() - begun;
    }
  },
  /// A sum of doubles.
  ALLREDUCE {
    @Override
    long nanos(Group group, int bytes, int count) throws InterruptedException {
      Doubles data = Jbuf.allocate(bytes).asDoubles();
      int elements = bytes / Double.BYTES;
      for (int i = 0; i < elements; i++) {
        data.set(i, group.rank() + 1);
      }
      group.allReduce(data, Reduction.SUM);
      long expected = (long) group.size() * (group.size() + 1) / 2;
      for (int i = 0; i < elements; i++) {
        WrongResultException.check(word(), expected, Math.round(data.get(i)));
        data.set(i, 0);
      }
      group.barrier();
      long begun = System.nanoTime();
      for (int i = 0; i < count; i++) {
        group.allReduce(data, Reduction.SUM);
      }
      return System.nanoTime() - begun;
    }
  },
  /// The size is that of the part for each member.
  ALLTOALL {
    @Override
    long nanos(Group group, int bytes, int count) throws InterruptedException {
      int all = bytes * group.size();
      Bytes from = Jbuf.allocate(all).asBytes();
      Bytes to = Jbuf.allocate(all).asBytes();
      for (int i = 0; i < all; i++) {
        from.set(i, (byte) (1 + group.rank() * group.size() + i / bytes));
      }
      group.allToAll(from, to);
      for (int i = 0; i < all; i++) {
        WrongResultException.check(
            word(), 1 + (long) (i / bytes) * group.size() + group.rank(), to.get(i));
      }
      group.barrier();
      long begun = System.nanoTime();
      for (int i = 0; i < count; i++) {
        group.allToAll(from, to);
      }
      return System.nanoTime() - begun;
    }
  };

  /// Runs it so often, and returns the nanoseconds that it took. It was run and checked before.
  ///
  /// @param bytes the size; nothing to a barrier
  abstract long nanos(Group group, int bytes, int count) throws InterruptedException;

  /// Returns its name in figures and in commands.
  String word() {
    return name().toLowerCase(Locale.ROOT);
  }

  /// Returns the one of a name.
  static Collective of(String word) {
    return valueOf(word.toUpperCase(Locale.ROOT));
  }
}
