package dev.tigris.bench.objects;

import com.esotericsoftware.kryo.Kryo;
import com.esotericsoftware.kryo.io.Input;
import com.esotericsoftware.kryo.io.Output;
import dev.tigris.bench.Scale;
import dev.tigris.bench.fork.Contest;
import dev.tigris.bench.fork.Suite;
import dev.tigris.bench.fork.Trial;
import dev.tigris.memory.Bytes;
import dev.tigris.memory.Container;
import dev.tigris.memory.Jbuf;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.util.List;
import java.util.function.IntFunction;
import org.apache.fory.Fory;
import org.apache.fory.memory.MemoryBuffer;
import org.jspecify.annotations.Nullable;

/// A linked list of 128 objects of nine fields into a buffer and back (Welsh, MS thesis, 1999,
/// figure 9).
///
/// Every contestant has the list, assigns every field of it, brings it into a buffer, and at the
/// other side reads every field of what comes out. With pre-serialized objects that is to write to
/// them where they are, as the thesis does; to copy their container as a transport would; and to
/// read them at the other side, where they lie in the same place each time and have been recovered
/// before. The libraries make their objects anew each time, as they know no other way.
///
/// `fresh` is the other extreme: both sides make everything anew. The list is allocated in an empty
/// container each time, and recovered from one that was not read before. Each of the two is
/// measured in processes of its own: where both run, the list that is kept takes a tenth longer,
/// since the code that follows a reference is then compiled for either case.
///
/// The peers are set up for what they are best at: classes registered, both sides with the same
/// version of them, no tracking of shared references (the list has none), their streams and buffers
/// used again. Java's own streams cannot be used again for independent messages.
public final class RoundTripSuite implements Suite {
  static final String FIGURE = "objects.roundtrip";
  static final String FRESH = "objects.roundtrip.fresh";
  static final String JAVA = "Java serialization";
  static final String KRYO = "Kryo";
  static final String FORY = "Fory";

  private static final int OBJECTS = 128;
  private static final int BUFFER_BYTES = 16 << 10;

  private final Bytes keptBytes = Jbuf.allocate(BUFFER_BYTES, "bench").asBytes();
  private final Container kept = keptBytes.asContainer();
  private final Item items = list(kept);
  private final Bytes arrivedBytes = Jbuf.allocate(BUFFER_BYTES, "bench").asBytes();
  private final Container arrived = arrivedBytes.asContainer();
  private final PlainItem plainItems = freshPlain(0);

  private final Bytes sentBytes = Jbuf.allocate(BUFFER_BYTES, "bench").asBytes();
  private final Container sent = sentBytes.asContainer();
  private final Bytes received = Jbuf.allocate(BUFFER_BYTES, "bench").asBytes();

  private final Kryo kryo = kryo();
  private final Output kryoOutput = new Output(BUFFER_BYTES);
  private final Input kryoInput = new Input();

  private final Fory fory = fory();
  private final MemoryBuffer foryBuffer = MemoryBuffer.newHeapBuffer(BUFFER_BYTES);

  /// Makes a suite; the measuring process calls this.
  public RoundTripSuite() {}

  private static Kryo kryo() {
    Kryo kryo = new Kryo();
    kryo.setReferences(false);
    kryo.register(PlainItem.class);
    return kryo;
  }

  static Fory fory() {
    Fory fory =
        Fory.builder()
            .withXlang(false)
            .withRefTracking(false)
            .requireClassRegistration(true)
            .withCompatible(false)
            .withMaxDepth(2 * OBJECTS)
            .build();
    fory.register(PlainItem.class);
    return fory;
  }

  @Override
  public List<Contest> contests(Scale scale) {
    Trial objects = trial("a list of pre-serialized objects", this::objects);
    Trial fresh = trial("a fresh list of pre-serialized objects", this::freshObjects);
    Trial serialization = trial("a serialized list", rounds -> serialization(rounds, this::plain));
    Trial kryos = trial("a list through Kryo", rounds -> kryos(rounds, this::plain));
    Trial forys = trial("a list through Fory", rounds -> forys(rounds, this::plain));
    return List.of(
        Contest.timed(FIGURE, JAVA, 1, objects, serialization),
        Contest.timed(FIGURE, KRYO, 1, objects, kryos),
        Contest.timed(FIGURE, FORY, 1, objects, forys),
        Contest.timed(
            FRESH,
            JAVA,
            1,
            fresh,
            trial("a fresh serialized list", rounds -> serialization(rounds, this::freshPlain))),
        Contest.timed(
            FRESH,
            KRYO,
            1,
            fresh,
            trial("a fresh list through Kryo", rounds -> kryos(rounds, this::freshPlain))),
        Contest.timed(
            FRESH,
            FORY,
            1,
            fresh,
            trial("a fresh list through Fory", rounds -> forys(rounds, this::freshPlain))));
  }

  private static Trial trial(String what, Trial.Body body) {
    return Trial.of(what, body, RoundTripSuite::expected);
  }

  private static long expected(int rounds) {
    PlainItem item = new PlainItem();
    long sum = 0;
    for (int round = 0; round < rounds; round++) {
      for (int i = 0; i < OBJECTS; i++) {
        item.fill(round + i);
        sum += item.sum();
      }
    }
    return sum;
  }

  private long objects(int rounds) {
    long sum = 0;
    for (int round = 0; round < rounds; round++) {
      int seed = round;
      for (Item item = items; item != null; item = item.next) {
        item.fill(seed++);
      }
      keptBytes.copyTo(0, arrivedBytes, 0, kept.usedBytes());
      for (Item item = arrived.root(Item.class); item != null; item = item.next) {
        sum += item.sum();
      }
    }
    return sum;
  }

  private static Item list(Container container) {
    Item head = new Item(container);
    container.root(head);
    Item last = head;
    for (int i = 1; i < OBJECTS; i++) {
      last.next = new Item(container);
      last = last.next;
    }
    return head;
  }

  private long freshObjects(int rounds) {
    long sum = 0;
    for (int round = 0; round < rounds; round++) {
      sent.clear();
      Item head = new Item(sent);
      sent.root(head);
      Item last = head;
      last.fill(round);
      for (int i = 1; i < OBJECTS; i++) {
        Item item = new Item(sent);
        item.fill(round + i);
        last.next = item;
        last = item;
      }
      sentBytes.copyTo(0, received, 0, sent.usedBytes());
      for (Item item = received.asContainer().root(Item.class); item != null; item = item.next) {
        sum += item.sum();
      }
    }
    return sum;
  }

  private PlainItem plain(int round) {
    int seed = round;
    for (PlainItem item = plainItems; item != null; item = item.next) {
      item.fill(seed++);
    }
    return plainItems;
  }

  private PlainItem freshPlain(int round) {
    PlainItem head = new PlainItem();
    head.fill(round);
    PlainItem last = head;
    for (int i = 1; i < OBJECTS; i++) {
      PlainItem item = new PlainItem();
      item.fill(round + i);
      last.next = item;
      last = item;
    }
    return head;
  }

  private static long sum(@Nullable PlainItem head) {
    long sum = 0;
    for (PlainItem item = head; item != null; item = item.next) {
      sum += item.sum();
    }
    return sum;
  }

  private long serialization(int rounds, IntFunction<PlainItem> list)
      throws IOException, ClassNotFoundException {
    long sum = 0;
    ByteArrayOutputStream bytes = new ByteArrayOutputStream(BUFFER_BYTES);
    for (int round = 0; round < rounds; round++) {
      bytes.reset();
      try (ObjectOutputStream stream = new ObjectOutputStream(bytes)) {
        stream.writeObject(list.apply(round));
      }
      byte[] message = bytes.toByteArray();
      try (ObjectInputStream stream = new ObjectInputStream(new ByteArrayInputStream(message))) {
        sum += sum((PlainItem) stream.readObject());
      }
    }
    return sum;
  }

  private long kryos(int rounds, IntFunction<PlainItem> list) {
    long sum = 0;
    for (int round = 0; round < rounds; round++) {
      kryoOutput.reset();
      kryo.writeObject(kryoOutput, list.apply(round));
      kryoInput.setBuffer(kryoOutput.getBuffer(), 0, kryoOutput.position());
      sum += sum(kryo.readObject(kryoInput, PlainItem.class));
    }
    return sum;
  }

  private long forys(int rounds, IntFunction<PlainItem> list) {
    long sum = 0;
    for (int round = 0; round < rounds; round++) {
      foryBuffer.writerIndex(0);
      foryBuffer.readerIndex(0);
      fory.serialize(foryBuffer, list.apply(round));
      sum += sum((PlainItem) fory.deserialize(foryBuffer));
    }
    return sum;
  }
}
