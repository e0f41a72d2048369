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
    IN_PLACE,
    /// All in one buffer at either side, which is neither written nor read after the first: as
    /// `ucx_perftest` has its tagged messages.
    ONE_BUFFER,
    /// The same, but messages that the provider copies are left where they have arrived: as
    /// `ucx_perftest` has its active messages.
    ONE_BUFFER_IN_PLACE,
    /// Written and read as a whole by both sides, as active messages are in their bench: left where
    /// it has arrived if it fits a packet of theirs, and else brought to the receiver's memory.
    WHOLE;

    /// Whether messages of a size are left where they have arrived.
    boolean leaves(int bytes) {
      return switch (this) {
        case IN_PLACE -> true;
        case ONE_BUFFER_IN_PLACE -> bytes <= COPIED_BYTES;
        case WHOLE -> bytes <= MessageTransport.PACKET_BYTES;
        case BUFFERS, ARRAYS, ONE_BUFFER -> false;
      };
    }

    /// Whether what is echoed is sent from other memory than what has arrived.
    boolean echoesApart() {
      return this != BUFFERS && this != ARRAYS;
    }
  }

  /// Up to this length shm copies messages that are left where they lie; longer ones are written by
  /// who sends them.
  private static final int COPIED_BYTES = 8192;

  private final VirtualInterface link;
  final Ticket[] tickets;

  /// @param all registers all of the memory
  private Messages(VirtualInterface link, int bytes, int count, Supplier<Ticket> all) {
    this(link, bytes, stride(bytes), count, all);
  }

  /// @param stride from one message to the next
  private Messages(VirtualInterface link, int bytes, int stride, int count, Supplier<Ticket> all) {
    this.link = link;
    this.tickets = new Ticket[count];
    for (int i = 0; i < count; i++) {
      tickets[i] = all.get().range((long) i * stride, bytes);
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
      case ONE_BUFFER, ONE_BUFFER_IN_PLACE ->
          OneBuffer.of(link, bytes, count, kind.leaves(bytes), pages);
      case WHOLE -> Whole.of(link, bytes, count, kind.leaves(bytes), pages);
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
  int check(Ticket message) {
    int number = get(message, 0);
    if (get(message, (int) (message.transferredBytes() >> 2) - 1) != number) {
      throw new WrongResultException("a message has arrived damaged");
    }
    return number;
  }

  /// A message that was sent with this number has come back.
  void check(Ticket message, int number) {
    if (check(message) != number) {
      throw new WrongResultException("another message came back");
    }
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

  /// Level II with messages that may have been left where they have arrived.
  private abstract static class Left extends Messages {
    final Buffers buffers;

    private Left(
        VirtualInterface link,
        int bytes,
        int stride,
        int count,
        Buffers buffers,
        Supplier<Ticket> all) {
      super(link, bytes, stride, count, all);
      this.buffers = buffers;
    }

    @Override
    final int get(long index) {
      return buffers.get(index);
    }

    @Override
    final int get(Ticket message, int index) {
      return message
          .memory()
          .get(ValueLayout.JAVA_INT, message.memoryOffset() + (long) index * Integer.BYTES);
    }

    @Override
    final void set(long index, int value) {
      buffers.set(index, value);
    }

    @Override
    final void free() {
      super.free();
      buffers.free();
    }
  }

  /// Level II without a copy at the receiver.
  private static final class InPlace extends Left {
    /// Of a message that is written as a whole before it is sent; else empty.
    private final int[] content;

    private InPlace(VirtualInterface link, int bytes, int count, Buffers buffers) {
      super(
          link,
          bytes,
          stride(bytes),
          count,
          buffers,
          () -> link.register(buffers.ints).inPlace(true));
      this.content = new int[bytes > COPIED_BYTES ? bytes / Integer.BYTES : 0];
    }

    static InPlace of(VirtualInterface link, int bytes, int count) {
      PageKind pages = bytes > COPIED_BYTES ? PageKind.SHARED : PageKind.ORDINARY;
      return new InPlace(link, bytes, count, Buffers.of(link, bytes, count, pages));
    }

    @Override
    void stamp(Ticket message, int number) {
      buffers.ints.copyFrom(message.offset() >> 2, content, 0, content.length);
      super.stamp(message, number);
    }
  }

  /// Level II with messages that both sides write and read as a whole.
  private static final class Whole extends Left {
    private final Content content = new Content();
    private final int ints;

    private Whole(VirtualInterface link, int bytes, int count, boolean left, Buffers buffers) {
      super(
          link,
          bytes,
          stride(bytes),
          count,
          buffers,
          () -> link.register(buffers.ints).inPlace(left));
      this.ints = bytes / Integer.BYTES;
    }

    static Whole of(VirtualInterface link, int bytes, int count, boolean left, PageKind pages) {
      PageKind copied = bytes > COPIED_BYTES ? pages : PageKind.ORDINARY;
      return new Whole(link, bytes, count, left, Buffers.of(link, bytes, count, copied));
    }

    @Override
    void stamp(Ticket message, int number) {
      buffers.ints.copyFrom(message.offset() >> 2, content.ints(), 0, ints);
      super.stamp(message, number);
    }

    @Override
    int check(Ticket message) {
      return content.check(
          message.memory(), message.memoryOffset(), (int) message.transferredBytes());
    }
  }

  /// Level II with one message's memory for all of them. It is written before the first message is
  /// sent, and looked at when the first has arrived; later ones are only counted.
  private static final class OneBuffer extends Left {
    /// Whether the first message was written, or looked at.
    private boolean known;

    private OneBuffer(VirtualInterface link, int bytes, int count, boolean left, Buffers buffer) {
      super(link, bytes, 0, count, buffer, () -> link.register(buffer.ints).inPlace(left));
    }

    static OneBuffer of(VirtualInterface link, int bytes, int count, boolean left, PageKind pages) {
      PageKind copied = left ? PageKind.ORDINARY : pages;
      return new OneBuffer(link, bytes, count, left, Buffers.of(link, bytes, 1, copied));
    }

    @Override
    void stamp(Ticket message, int number) {
      if (!known) {
        known = true;
        for (int i = 0; i < message.length() >> 2; i++) {
          set(i, content(i));
        }
      }
    }

    private static int content(int index) {
      return -1 - index;
    }

    @Override
    int check(Ticket message) {
      WrongResultException.check("bytes", message.length(), message.transferredBytes());
      if (!known) {
        known = true;
        for (int i = 0; i < message.length() >> 2; i++) {
          WrongResultException.check("an int of a message", content(i), get(message, i));
        }
      }
      return 0;
    }

    @Override
    void check(Ticket message, int number) {
      check(message);
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
