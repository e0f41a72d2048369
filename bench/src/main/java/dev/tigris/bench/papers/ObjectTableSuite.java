package dev.tigris.bench.papers;

import dev.tigris.bench.Scale;
import dev.tigris.bench.WrongResultException;
import dev.tigris.bench.fork.Contest;
import dev.tigris.bench.fork.Suite;
import dev.tigris.bench.fork.Trial;
import dev.tigris.memory.Bytes;
import dev.tigris.memory.Container;
import dev.tigris.memory.Ints;
import dev.tigris.memory.Jbuf;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Repeats the measurements of pre-serialized objects in Welsh, MS thesis, 1999, section 5.3. A
/// linked list that fills a container of one megabyte is made, forgotten and recovered, followed
/// again, and an int of each object assigned. The peer does the same with plain objects. Then a
/// megabyte of ints, written and read as a view and as an array.
public final class ObjectTableSuite implements Suite {
  private static final String PEER = "plain Java";
  private static final int CONTAINER_BYTES = 1 << 20;
  private static final int OBJECT_BYTES = 16;
  private static final int OBJECTS = (CONTAINER_BYTES - 64) / OBJECT_BYTES;
  private static final int INTS = CONTAINER_BYTES / Integer.BYTES;

  private final Bytes bytes = Jbuf.allocate(CONTAINER_BYTES, "bench").asBytes();
  private Container container = bytes.asContainer();
  private @Nullable MyObject head;
  private final PlainObject plainHead = new PlainObject();
  private final Ints ints = Jbuf.allocate(CONTAINER_BYTES, "bench").asInts();
  private final int[] array = new int[INTS];

  /// The peer of [MyObject].
  private static final class PlainObject {
    int someInt;

    @SuppressWarnings("UnusedVariable") // written as the other's is
    byte someByte;

    @Nullable PlainObject someRef;
  }

  /// Makes a suite; the measuring process calls this.
  public ObjectTableSuite() {
    fill();
    fill(plainHead);
  }

  @Override
  public List<Contest> contests(Scale scale) {
    return List.of(
        contest(ObjectTable.CREATE, this::create, this::createPlain),
        contest(ObjectTable.RECOVER, this::recover, rounds(this::follow, plainHead)),
        contest(ObjectTable.FOLLOW, this::followAgain, rounds(this::follow, plainHead)),
        contest(ObjectTable.ASSIGN, this::assign, this::assignPlain),
        arrays(ObjectTable.WRITE, this::writeInts, this::writeArray),
        arrays(ObjectTable.READ, this::readInts, this::readArray));
  }

  private static Contest contest(ObjectTable row, Trial subject, Trial rival) {
    return Contest.timed(row.key(), PEER, OBJECTS, subject, rival);
  }

  private static Contest arrays(ObjectTable row, Trial subject, Trial rival) {
    return Contest.timed(row.key(), PEER, INTS, subject, rival);
  }

  private interface Walk {
    long from(PlainObject head);
  }

  private static Trial rounds(Walk walk, PlainObject head) {
    return count -> {
      long nanos = 0;
      for (int round = 0; round < count; round++) {
        long start = System.nanoTime();
        long sum = walk.from(head);
        nanos += System.nanoTime() - start;
        check(sum);
      }
      return nanos;
    };
  }

  private static void check(long sum) {
    WrongResultException.check("the sum of a list", (long) OBJECTS * (OBJECTS - 1) / 2, sum);
  }

  private void fill() {
    container.clear();
    MyObject first = new MyObject(container);
    container.root(first);
    MyObject last = first;
    for (int i = 1; i < OBJECTS; i++) {
      MyObject object = new MyObject(container);
      object.someInt = i;
      object.someByte = (byte) i;
      last.someRef = object;
      last = object;
    }
    head = first;
  }

  private static void fill(PlainObject first) {
    PlainObject last = first;
    for (int i = 1; i < OBJECTS; i++) {
      PlainObject object = new PlainObject();
      object.someInt = i;
      object.someByte = (byte) i;
      last.someRef = object;
      last = object;
    }
  }

  private long create(int rounds) {
    long start = System.nanoTime();
    for (int round = 0; round < rounds; round++) {
      fill();
    }
    long nanos = System.nanoTime() - start;
    check(walk(head));
    return nanos;
  }

  private long createPlain(int rounds) {
    PlainObject first = new PlainObject();
    long start = System.nanoTime();
    for (int round = 0; round < rounds; round++) {
      first = new PlainObject();
      fill(first);
    }
    long nanos = System.nanoTime() - start;
    check(follow(first));
    return nanos;
  }

  private static long walk(@Nullable MyObject first) {
    long sum = 0;
    for (MyObject object = first; object != null; object = object.someRef) {
      sum += object.someInt;
    }
    return sum;
  }

  /// A container that is opened anew knows none of its objects.
  private long recover(int rounds) {
    long nanos = 0;
    for (int round = 0; round < rounds; round++) {
      container = bytes.asContainer();
      head = container.root(MyObject.class);
      long start = System.nanoTime();
      long sum = walk(head);
      nanos += System.nanoTime() - start;
      check(sum);
    }
    return nanos;
  }

  private long followAgain(int rounds) {
    long nanos = 0;
    check(walk(head));
    for (int round = 0; round < rounds; round++) {
      long start = System.nanoTime();
      long sum = walk(head);
      nanos += System.nanoTime() - start;
      check(sum);
    }
    return nanos;
  }

  private long follow(PlainObject first) {
    long sum = 0;
    for (PlainObject object = first; object != null; object = object.someRef) {
      sum += object.someInt;
    }
    return sum;
  }

  /// Along the list, as the values are in the paper: what is timed is the walk and the assignment.
  private long assign(int rounds) {
    check(walk(head));
    long start = System.nanoTime();
    for (int round = 0; round < rounds; round++) {
      int value = 0;
      for (MyObject object = head; object != null; object = object.someRef) {
        object.someInt = value++;
      }
    }
    long nanos = System.nanoTime() - start;
    check(walk(head));
    return nanos;
  }

  private long assignPlain(int rounds) {
    long start = System.nanoTime();
    for (int round = 0; round < rounds; round++) {
      int value = 0;
      for (PlainObject object = plainHead; object != null; object = object.someRef) {
        object.someInt = value++;
      }
    }
    long nanos = System.nanoTime() - start;
    check(follow(plainHead));
    return nanos;
  }

  private long writeInts(int rounds) {
    long start = System.nanoTime();
    for (int round = 0; round < rounds; round++) {
      for (long i = 0; i < INTS; i++) {
        ints.set(i, (int) i + round);
      }
    }
    long nanos = System.nanoTime() - start;
    WrongResultException.check("the last int", INTS - 1 + rounds - 1, ints.get(INTS - 1));
    return nanos;
  }

  private long writeArray(int rounds) {
    long start = System.nanoTime();
    for (int round = 0; round < rounds; round++) {
      for (int i = 0; i < INTS; i++) {
        array[i] = i + round;
      }
    }
    long nanos = System.nanoTime() - start;
    WrongResultException.check("the last int", INTS - 1 + rounds - 1, array[INTS - 1]);
    return nanos;
  }

  private long readInts(int rounds) {
    writeInts(1);
    long sum = 0;
    long start = System.nanoTime();
    for (int round = 0; round < rounds; round++) {
      for (long i = 0; i < INTS; i++) {
        sum += ints.get(i);
      }
    }
    long nanos = System.nanoTime() - start;
    WrongResultException.check("the sum of ints", (long) rounds * INTS * (INTS - 1) / 2, sum);
    return nanos;
  }

  private long readArray(int rounds) {
    writeArray(1);
    long sum = 0;
    long start = System.nanoTime();
    for (int round = 0; round < rounds; round++) {
      for (int i = 0; i < INTS; i++) {
        sum += array[i];
      }
    }
    long nanos = System.nanoTime() - start;
    WrongResultException.check("the sum of ints", (long) rounds * INTS * (INTS - 1) / 2, sum);
    return nanos;
  }
}
