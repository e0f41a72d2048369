package dev.tigris.bench.objects;

import dev.tigris.memory.Bytes;
import dev.tigris.memory.Container;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import org.apache.fory.Fory;
import org.apache.fory.memory.MemoryBuffer;
import org.jspecify.annotations.Nullable;

/// A linked list of [#OBJECTS] objects of nine fields (Welsh, MS thesis, 1999, figure 9) as a
/// message: how it is brought into a buffer, and read from one at the other side.
public interface ListCodec {
  /// How many objects a list has.
  int OBJECTS = 128;

  /// Assigns every field of every object of the list, brings it into the buffer for messages, and
  /// returns the length there.
  long write(int seed) throws IOException;

  /// Adds up every field of every object of the list that lies in the buffer for what arrives.
  long sum(long bytes) throws IOException, ClassNotFoundException;

  /// The kinds, by the names that they have in the results.
  enum Kind {
    /// Pre-serialized objects: the list is kept in the buffer, and sent from where it is. At the
    /// other side it arrives in the same place each time.
    OBJECTS("pre-serialized objects"),
    /// The JDK's object streams.
    SERIALIZATION(RoundTripSuite.JAVA),
    /// Apache Fory, with classes registered and without tracking of references.
    FORY(RoundTripSuite.FORY);

    private final String title;

    Kind(String title) {
      this.title = title;
    }

    /// The name.
    public String title() {
      return title;
    }

    /// A codec over these buffers, which have room for 16 KiB.
    ///
    /// @param out where messages are brought
    /// @param in where they arrive
    public ListCodec over(Bytes out, Bytes in) {
      return switch (this) {
        case OBJECTS -> new InPlace(out, in);
        case SERIALIZATION -> new Serialized(out, in);
        case FORY -> new Forys(out, in);
      };
    }
  }

  /// The result of [#sum] for a list that was written with this seed.
  static long expected(int seed) {
    PlainItem item = new PlainItem();
    long sum = 0;
    for (int i = 0; i < OBJECTS; i++) {
      item.fill(seed + i);
      sum += item.sum();
    }
    return sum;
  }

  private static PlainItem plainList() {
    PlainItem head = new PlainItem();
    PlainItem last = head;
    for (int i = 1; i < OBJECTS; i++) {
      PlainItem item = new PlainItem();
      last.next = item;
      last = item;
    }
    return head;
  }

  private static void fill(PlainItem head, int seed) {
    int next = seed;
    for (PlainItem item = head; item != null; item = item.next) {
      item.fill(next++);
    }
  }

  private static long sum(@Nullable PlainItem head) {
    long sum = 0;
    for (PlainItem item = head; item != null; item = item.next) {
      sum += item.sum();
    }
    return sum;
  }

  /// Nothing is brought anywhere.
  final class InPlace implements ListCodec {
    private final Container kept;
    private final Item head;
    private final Container arrived;

    private InPlace(Bytes out, Bytes in) {
      kept = out.asContainer();
      head = new Item(kept);
      kept.root(head);
      Item last = head;
      for (int i = 1; i < OBJECTS; i++) {
        Item item = new Item(kept);
        last.next = item;
        last = item;
      }
      arrived = in.asContainer();
    }

    @Override
    public long write(int seed) {
      int next = seed;
      for (Item item = head; item != null; item = item.next) {
        item.fill(next++);
      }
      return kept.usedBytes();
    }

    @Override
    public long sum(long bytes) {
      long sum = 0;
      for (Item item = arrived.root(Item.class); item != null; item = item.next) {
        sum += item.sum();
      }
      return sum;
    }
  }

  /// Through an array. Java's streams cannot be used again for independent messages.
  final class Serialized implements ListCodec {
    private final PlainItem head = plainList();
    private final Bytes out;
    private final Bytes in;
    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();

    private Serialized(Bytes out, Bytes in) {
      this.out = out;
      this.in = in;
    }

    @Override
    public long write(int seed) throws IOException {
      fill(head, seed);
      bytes.reset();
      try (ObjectOutputStream stream = new ObjectOutputStream(bytes)) {
        stream.writeObject(head);
      }
      byte[] message = bytes.toByteArray();
      out.copyFrom(0, message, 0, message.length);
      return message.length;
    }

    @Override
    public long sum(long length) throws IOException, ClassNotFoundException {
      byte[] message = new byte[(int) length];
      in.copyTo(0, message, 0, message.length);
      try (ObjectInputStream stream = new ObjectInputStream(new ByteArrayInputStream(message))) {
        return ListCodec.sum((PlainItem) stream.readObject());
      }
    }
  }

  /// Through arrays that are used again.
  final class Forys implements ListCodec {
    private final PlainItem head = plainList();
    private final Bytes out;
    private final Bytes in;
    private final Fory fory = RoundTripSuite.fory();
    private final MemoryBuffer writes;
    private final byte[] arrived;
    private final MemoryBuffer reads;

    private Forys(Bytes out, Bytes in) {
      this.out = out;
      this.in = in;
      this.writes = MemoryBuffer.newHeapBuffer((int) out.length());
      this.arrived = new byte[(int) in.length()];
      this.reads = MemoryBuffer.fromByteArray(arrived);
    }

    @Override
    public long write(int seed) {
      fill(head, seed);
      writes.writerIndex(0);
      fory.serialize(writes, head);
      out.copyFrom(0, writes.getHeapMemory(), 0, writes.writerIndex());
      return writes.writerIndex();
    }

    @Override
    public long sum(long length) {
      in.copyTo(0, arrived, 0, (int) length);
      reads.readerIndex(0);
      return ListCodec.sum((PlainItem) fory.deserialize(reads));
    }
  }
}
