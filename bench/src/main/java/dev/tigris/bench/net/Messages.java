package dev.tigris.bench.net;

import dev.tigris.bench.WrongResultException;
import dev.tigris.memory.Ints;
import dev.tigris.memory.Jbuf;
import dev.tigris.memory.PageKind;
import dev.tigris.net.ArrayType;
import dev.tigris.net.Ticket;
import dev.tigris.net.VirtualInterface;
import java.lang.foreign.ValueLayout;
import java.util.function.Supplier;

/// Memory of messages of one size: a ticket each, over one buffer or one array.
abstract class Messages {
  /// Where messages lie.
  enum Kind {
    /// In buffers, from one to the other.
    BUFFERS,
    /// In arrays on the heap.
    ARRAYS,
    /// In buffers, and at the receiver where they have arrived.
    IN_PLACE
  }

  /// Up to this length shm copies messages that are left where they lie; longer ones are written by
  /// who sends them.
  private static final int COPIED_BYTES = 8192;

  private final VirtualInterface link;
  final Ticket[] tickets;

  /// @param all registers all of the memory
  private Messages(VirtualInterface link, int bytes, int count, Supplier<Ticket> all) {
    this.link = link;
    this.tickets = new Ticket[count];
    for (int i = 0; i < count; i++) {
      tickets[i] = all.get().range((long) i * stride(bytes), bytes);
    }
  }

  /// Makes some, and registers them.
  ///
  /// @param pages those of buffers
  static Messages of(Kind kind, VirtualInterface link, int bytes, int count, PageKind pages) {
    return switch (kind) {
      case BUFFERS -> Buffers.of(link, bytes, count, pages);
      case ARRAYS -> Arrays.of(link, bytes, count);
      case IN_PLACE -> InPlace.of(link, bytes, count);
    };
  }

  private static int stride(int bytes) {
    return (bytes + 63) & -64;
  }

  /// A number by its index in all of the memory.
  abstract int get(long index);

  abstract void set(long index, int value);

  /// Writes a number to both ends of a message.
  void stamp(Ticket message, int number) {
    long first = message.offset() >> 2;
    set(first, number);
    set(first + (message.length() >> 2) - 1, number);
  }

  /// Returns the number.
  final int check(Ticket message) {
    int number = get(message, 0);
    if (get(message, (int) (message.transferredBytes() >> 2) - 1) != number) {
      throw new WrongResultException("a message has arrived damaged");
    }
    return number;
  }

  /// A number in a message.
  int get(Ticket message, int index) {
    return get((message.offset() >> 2) + index);
  }

  /// None of them is posted.
  void free() {
    for (Ticket ticket : tickets) {
      link.deregister(ticket);
    }
  }

  /// Level II: a buffer outside the heap.
  private static final class Buffers extends Messages {
    private final Jbuf jbuf;
    private final Ints ints;

    private Buffers(VirtualInterface link, int bytes, int count, Jbuf jbuf, Ints ints) {
      super(link, bytes, count, () -> link.register(ints));
      this.jbuf = jbuf;
      this.ints = ints;
    }

    static Buffers of(VirtualInterface link, int bytes, int count, PageKind pages) {
      Jbuf jbuf = Jbuf.allocate((long) stride(bytes) * count, "bench.net", pages);
      return new Buffers(link, bytes, count, jbuf, jbuf.asInts());
    }

    @Override
    int get(long index) {
      return ints.get(index);
    }

    @Override
    void set(long index, int value) {
      ints.set(index, value);
    }

    @Override
    void free() {
      super.free();
      jbuf.unreference(Jbuf::free);
    }
  }

  /// Level II without a copy at the receiver.
  private static final class InPlace extends Messages {
    private final Buffers buffers;

    /// Of a message that is written as a whole before it is sent; else empty.
    private final int[] content;

    private InPlace(VirtualInterface link, int bytes, int count, Buffers buffers) {
      super(link, bytes, count, () -> link.register(buffers.ints).inPlace(true));
      this.buffers = buffers;
      this.content = new int[bytes > COPIED_BYTES ? bytes / Integer.BYTES : 0];
    }

    static InPlace of(VirtualInterface link, int bytes, int count) {
      PageKind pages = bytes > COPIED_BYTES ? PageKind.SHARED : PageKind.ORDINARY;
      return new InPlace(link, bytes, count, Buffers.of(link, bytes, count, pages));
    }

    @Override
    int get(long index) {
      return buffers.get(index);
    }

    @Override
    int get(Ticket message, int index) {
      return message
          .memory()
          .get(ValueLayout.JAVA_INT, message.memoryOffset() + (long) index * Integer.BYTES);
    }

    @Override
    void set(long index, int value) {
      buffers.set(index, value);
    }

    @Override
    void stamp(Ticket message, int number) {
      buffers.ints.copyFrom(message.offset() >> 2, content, 0, content.length);
      super.stamp(message, number);
    }

    @Override
    void free() {
      super.free();
      buffers.free();
    }
  }

  /// Level I without a copy of its own: an array on the heap.
  private static final class Arrays extends Messages {
    private final int[] array;

    private Arrays(VirtualInterface link, int bytes, int count, int[] array) {
      super(link, bytes, count, () -> link.register(ArrayType.INTS, array));
      this.array = array;
    }

    static Arrays of(VirtualInterface link, int bytes, int count) {
      return new Arrays(link, bytes, count, new int[stride(bytes) * count / Integer.BYTES]);
    }

    @Override
    int get(long index) {
      return array[(int) index];
    }

    @Override
    void set(long index, int value) {
      array[(int) index] = value;
    }
  }
}
