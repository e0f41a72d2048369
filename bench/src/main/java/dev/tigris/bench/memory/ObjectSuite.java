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
/// 64 objects form a ring. `first` walks around it, and every step makes the object that it finds;
/// `again` reads every object's reference, and an int of the object it refers to, when all have
/// been read before. The second peer is what one would write without objects: the same ring in a
/// direct ByteBuffer, with offsets for references.
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
  private final Node[] ring = new Node[RING];
  private final PlainNode[] plainRing = new PlainNode[RING];
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

  /// Makes a suite; the measuring process calls this.
  public ObjectSuite() {
    for (int i = 0; i < RING; i++) {
      ring[i] = new Node(container);
      ring[i].value = i;
      plainRing[i] = new PlainNode();
      plainRing[i].value = i;
    }
    for (int i = 0; i < RING; i++) {
      ring[i].next = ring[(i + 1) % RING];
      plainRing[i].next = plainRing[(i + 1) % RING];
    }
    container.root(ring[0]);
    for (int i = 0; i < RING; i++) {
      buffer.putInt(i * STRIDE + VALUE_AT, i);
      buffer.putInt(i * STRIDE + NEXT_AT, (i + 1) % RING * STRIDE);
    }
  }

  @Override
  public List<Contest> contests(Scale scale) {
    Trial walk = rounds("plain references", this::walkPlain);
    Trial walkBytes = rounds("offsets in a ByteBuffer", this::walkBytes);
    Trial again = rounds("references read again", this::readAgain);
    Trial plain = rounds("plain references read again", this::readPlain);
    Trial bytes = rounds("offsets in a ByteBuffer read again", this::readBytes);
    return List.of(
        Contest.timed(FIGURES.get(0), PLAIN, 1, this::create, this::createPlain),
        Contest.timed(FIGURES.get(1), PLAIN, RING, this::walkFirst, walk),
        Contest.timed(FIGURES.get(1), BYTE_BUFFER, RING, this::walkFirst, walkBytes),
        Contest.timed(FIGURES.get(2), PLAIN, RING, again, plain),
        Contest.timed(FIGURES.get(2), BYTE_BUFFER, RING, again, bytes));
  }

  private static Trial rounds(String what, Trial.Body body) {
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
  private long walkFirst(int rounds) {
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

  private long walkPlain(int rounds) {
    long sum = 0;
    PlainNode node = plainRing[0];
    for (long i = (long) rounds * RING; i > 0 && node != null; i--) {
      sum += node.value;
      node = node.next;
    }
    return sum;
  }

  private long walkBytes(int rounds) {
    long sum = 0;
    int at = 0;
    for (long i = (long) rounds * RING; i > 0; i--) {
      sum += buffer.getInt(at + VALUE_AT);
      at = buffer.getInt(at + NEXT_AT);
    }
    return sum;
  }

  private long readAgain(int rounds) {
    long sum = 0;
    for (int round = 0; round < rounds; round++) {
      for (Node node : ring) {
        Node next = node.next;
        sum += next == null ? 0 : next.value;
      }
    }
    return sum;
  }

  private long readPlain(int rounds) {
    long sum = 0;
    for (int round = 0; round < rounds; round++) {
      for (PlainNode node : plainRing) {
        PlainNode next = node.next;
        sum += next == null ? 0 : next.value;
      }
    }
    return sum;
  }

  private long readBytes(int rounds) {
    long sum = 0;
    for (int round = 0; round < rounds; round++) {
      for (int at = 0; at < RING * STRIDE; at += STRIDE) {
        sum += buffer.getInt(buffer.getInt(at + NEXT_AT) + VALUE_AT);
      }
    }
    return sum;
  }
}
