package dev.tigris.bench.memory;

import dev.tigris.bench.Scale;
import dev.tigris.bench.WrongResultException;
import dev.tigris.bench.fork.Contest;
import dev.tigris.bench.fork.Suite;
import dev.tigris.bench.fork.Trial;
import dev.tigris.memory.Container;
import dev.tigris.memory.Jbuf;
import dev.tigris.memory.Pso;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Making objects, and following their references for the first time and again.
///
/// References are followed along a ring of 64 objects; an operation is one step, which reads the
/// reference and an int. `first` makes the object it finds, `again` finds it made. The second peer
/// is what one would write without objects: the same ring in a direct ByteBuffer, with offsets for
/// references.
public final class ObjectSuite implements Suite {
  static final List<String> FIGURES =
      List.of("memory.object.create", "memory.reference.first", "memory.reference.again");
  private static final String PLAIN = "plain object";
  private static final String BYTE_BUFFER = "ByteBuffer getter";
  private static final int RING = 64;
  private static final int KEPT = 1024;
  private static final int VALUE_AT = 0;
  private static final int NEXT_AT = 8;
  private static final int STRIDE = 16;

  private final Container container = Jbuf.allocate(1 << 16, "bench").asContainer();
  private final Container newcomers = Jbuf.allocate(1 << 16, "bench").asContainer();
  private final Node head;
  private final PlainNode plainHead;
  private final ByteBuffer buffer =
      ByteBuffer.allocateDirect(RING * STRIDE).order(ByteOrder.LITTLE_ENDIAN);
  private final Node[] kept = new Node[KEPT];
  private final PlainNode[] keptPlain = new PlainNode[KEPT];

  /// The peer of [Node].
  private static final class PlainNode {
    int value;
    @Nullable PlainNode next;
  }

  /// Another class, to make a container forget the object it knows as its root.
  private static final class Stranger extends Pso {
    @SuppressWarnings("UnusedMethod") // objects are made by the library only
    Stranger(Container container) {
      super(container);
    }
  }

  /// Made by the measuring process.
  public ObjectSuite() {
    head = new Node(container);
    plainHead = new PlainNode();
    Node last = head;
    PlainNode plainLast = plainHead;
    for (int i = 1; i < RING; i++) {
      Node node = new Node(container);
      node.value = i;
      last.next = node;
      last = node;
      PlainNode plain = new PlainNode();
      plain.value = i;
      plainLast.next = plain;
      plainLast = plain;
    }
    last.next = head;
    plainLast.next = plainHead;
    container.root(head);
    for (int i = 0; i < RING; i++) {
      buffer.putInt(i * STRIDE + VALUE_AT, i);
      buffer.putInt(i * STRIDE + NEXT_AT, (i + 1) % RING * STRIDE);
    }
  }

  @Override
  public List<Contest> contests(Scale scale) {
    Trial again = around("references again", this::follow);
    Trial plain = around("plain references", this::followPlain);
    Trial bytes = around("offsets in a ByteBuffer", this::followBytes);
    return List.of(
        Contest.timed(FIGURES.get(0), PLAIN, 1, this::create, this::createPlain),
        Contest.timed(FIGURES.get(1), PLAIN, RING, this::followFirst, plain),
        Contest.timed(FIGURES.get(1), BYTE_BUFFER, RING, this::followFirst, bytes),
        Contest.timed(FIGURES.get(2), PLAIN, RING, again, plain),
        Contest.timed(FIGURES.get(2), BYTE_BUFFER, RING, again, bytes));
  }

  /// `count` times around the ring, all in one walk.
  private static Trial around(String what, Trial.Body body) {
    return Trial.of(what, body, ObjectSuite::ringSum);
  }

  private static long ringSum(int rounds) {
    return (long) rounds * (RING * (RING - 1) / 2);
  }

  private long create(int count) {
    long start = System.nanoTime();
    for (int i = 0; i < count; i++) {
      int index = i % KEPT;
      if (index == 0) {
        newcomers.clear();
      }
      Node node = new Node(newcomers);
      node.value = i;
      kept[index] = node;
    }
    long nanos = System.nanoTime() - start;
    for (int i = Math.max(0, count - count % KEPT); i < count; i++) {
      WrongResultException.check("value of a new object", i, kept[i % KEPT].value);
    }
    return nanos;
  }

  private long createPlain(int count) {
    long start = System.nanoTime();
    for (int i = 0; i < count; i++) {
      PlainNode node = new PlainNode();
      node.value = i;
      keptPlain[i % KEPT] = node;
    }
    long nanos = System.nanoTime() - start;
    for (int i = Math.max(0, count - KEPT); i < count; i++) {
      WrongResultException.check("value of a plain object", i, keptPlain[i % KEPT].value);
    }
    return nanos;
  }

  /// Each round begins at an object that has followed no reference yet, and ends before the ring
  /// closes.
  private long followFirst(int rounds) {
    long sum = 0;
    long nanos = 0;
    for (int round = 0; round < rounds; round++) {
      container.root(Stranger.class);
      Node node = container.root(Node.class);
      long start = System.nanoTime();
      for (int i = 0; i < RING && node != null; i++) {
        sum += node.value;
        node = node.next;
      }
      nanos += System.nanoTime() - start;
    }
    WrongResultException.check("first references", ringSum(rounds), sum);
    return nanos;
  }

  private long follow(int rounds) {
    long sum = 0;
    Node node = head;
    for (long i = (long) rounds * RING; i > 0 && node != null; i--) {
      sum += node.value;
      node = node.next;
    }
    return sum;
  }

  private long followPlain(int rounds) {
    long sum = 0;
    PlainNode node = plainHead;
    for (long i = (long) rounds * RING; i > 0 && node != null; i--) {
      sum += node.value;
      node = node.next;
    }
    return sum;
  }

  private long followBytes(int rounds) {
    long sum = 0;
    int at = 0;
    for (long i = (long) rounds * RING; i > 0; i--) {
      sum += buffer.getInt(at + VALUE_AT);
      at = buffer.getInt(at + NEXT_AT);
    }
    return sum;
  }
}
