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
      data.fill(group.rank() + 1);
      group.allReduce(data, Reduction.SUM);
      int sum = group.size() * (group.size() + 1) / 2;
      boolean isRight = true;
      for (long i = 0; i < data.length(); i++) {
        isRight &= data.get(i) == sum;
      }
      WrongResultException.check("a sum", 1, isRight ? 1 : 0);
      data.fill(0);
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
      int size = group.size();
      Bytes from = Jbuf.allocate((long) bytes * size).asBytes();
      Bytes to = Jbuf.allocate((long) bytes * size).asBytes();
      for (int member = 0; member < size; member++) {
        from.slice((long) member * bytes, bytes).fill((byte) (1 + group.rank() * size + member));
      }
      group.allToAll(from, to);
      boolean isRight = true;
      for (int member = 0; member < size; member++) {
        int expected = 1 + member * size + group.rank();
        Bytes part = to.slice((long) member * bytes, bytes);
        for (long i = 0; i < bytes; i++) {
          isRight &= part.get(i) == expected;
        }
      }
      WrongResultException.check("a part", 1, isRight ? 1 : 0);
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
