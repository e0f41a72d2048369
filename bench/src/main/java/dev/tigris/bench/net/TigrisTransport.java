// Over 400 lines: both sides of one exchange, with the kinds of memory that they share.
package dev.tigris.bench.net;

import dev.tigris.bench.WrongResultException;
import dev.tigris.memory.Ints;
import dev.tigris.memory.Jbuf;
import dev.tigris.memory.PageKind;
import dev.tigris.net.ArrayType;
import dev.tigris.net.Attributes;
import dev.tigris.net.CompletionQueue;
import dev.tigris.net.ConnectionRequest;
import dev.tigris.net.Descriptor;
import dev.tigris.net.Fabric;
import dev.tigris.net.InterfaceState;
import dev.tigris.net.Listener;
import dev.tigris.net.Status;
import dev.tigris.net.Ticket;
import dev.tigris.net.VirtualInterface;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.Objects;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// Level II of a provider: registered buffers, nothing copied by the application; or arrays on the
/// heap that are registered as buffers are, where the provider takes them; or buffers from which a
/// message is left where it lies, and written as a whole by who sends it. `net.c` is the same in C;
/// a change here is a change there.
final class TigrisTransport implements Transport {
  private static final Duration PATIENCE = Duration.ofSeconds(10);
  private static final long PATIENCE_NANOS = PATIENCE.toNanos();

  private static final int MOST_POSTED = 64;
  private static final int FEWEST_POSTED = 4;
  private static final int POSTED_BYTES = 8 << 20;
  private static final int ANSWER_BYTES = 8;

  /// Up to this length shm copies messages that are left where they lie; longer ones are written by
  /// who sends them.
  private static final int COPIED_BYTES = 8192;

  /// What the receiver of a message is to do with it.
  private static final int ECHO = 0;
  private static final int ONE_WAY = 1;
  private static final int LAST = 2;

  private final Memory memory;
  private final PageKind pages;
  private final Fabric fabric;
  private final CompletionQueue queue;
  private @Nullable Listener listener;
  private @Nullable Client client;

  /// Where messages lie.
  enum Memory {
    /// In buffers, from one to the other.
    BUFFERS,
    /// In arrays on the heap.
    ARRAYS,
    /// In buffers, and at the receiver where they have arrived.
    IN_PLACE
  }

  TigrisTransport(String provider, Memory memory) {
    this.memory = memory;
    // Over shm the peer reads long messages where they lie.
    this.pages = provider.equals("shm") ? PageKind.SHARED : PageKind.ORDINARY;
    this.fabric = Fabric.open(provider);
    this.queue = fabric.completionQueue();
  }

  /// A connection for messages of one size.
  private record Client(VirtualInterface link, int bytes, Messages sends, Messages receives) {}

  /// Memory of messages of one size: a ticket each, over one buffer or one array.
  private abstract static class Messages {
    final VirtualInterface link;
    final Ticket[] tickets;

    /// @param all registers all of the memory
    Messages(VirtualInterface link, int bytes, int count, Supplier<Ticket> all) {
      this.link = link;
      this.tickets = new Ticket[count];
      for (int i = 0; i < count; i++) {
        tickets[i] = all.get().range((long) i * stride(bytes), bytes);
      }
    }

    static int stride(int bytes) {
      return (bytes + 63) & -64;
    }

    abstract int get(long index);

    abstract void set(long index, int value);

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

  private Messages messages(VirtualInterface link, int bytes, int count) {
    return switch (memory) {
      case BUFFERS -> Buffers.of(link, bytes, count, pages);
      case ARRAYS -> Arrays.of(link, bytes, count);
      case IN_PLACE -> InPlace.of(link, bytes, count);
    };
  }

  private static int countFor(int bytes) {
    return Math.clamp(POSTED_BYTES / bytes, FEWEST_POSTED, MOST_POSTED);
  }

  // ---- the side that answers

  @Override
  public String listen(String address) {
    listener = fabric.listen(address);
    return listener.address();
  }

  @Override
  public void serve() {
    while (true) {
      ConnectionRequest request = Objects.requireNonNull(listener).next(PATIENCE);
      if (request != null) {
        serve(request.accept(queue, Attributes.DEFAULT), (int) request.tag());
      }
    }
  }

  private void serve(VirtualInterface link, int bytes) {
    Messages receives = messages(link, bytes, countFor(bytes));
    Messages answers = messages(link, ANSWER_BYTES, 1);
    Ticket answer = answers.tickets[0];
    boolean inPlace = memory == Memory.IN_PLACE;
    Messages echoes = messages(link, bytes, inPlace ? FEWEST_POSTED : 1);
    int echoed = 0;
    for (Ticket ticket : receives.tickets) {
      link.postReceive(ticket).orThrow();
    }
    int messages = 0;
    long before = 0;
    while (link.state() == InterfaceState.CONNECTED) {
      Ticket ready = (Ticket) queue.await(PATIENCE_NANOS);
      if (ready == null || ready == answer || ready.status() != Status.DONE) {
        continue;
      }
      if (ready.isSend()) {
        if (!inPlace) {
          link.postReceive(ready).orThrow();
        }
        continue;
      }
      int tag = ready.tag();
      int number = receives.check(ready);
      if (tag == ECHO && inPlace) {
        Ticket echo = echoes.tickets[echoed++ % FEWEST_POSTED];
        link.postReceive(ready).orThrow();
        echoes.stamp(echo, number);
        link.postSend(echo).orThrow();
        continue;
      }
      if (tag == ECHO) {
        link.postSend(ready).orThrow();
        continue;
      }
      if (messages++ == 0) {
        before = WorkerMain.allocatedBytes();
      }
      link.postReceive(ready).orThrow();
      if (tag == LAST) {
        answers.set(0, messages);
        answers.set(1, (int) (WorkerMain.allocatedBytes() - before));
        link.postSend(answer.tag(LAST)).orThrow();
        messages = 0;
      }
    }
    while (queue.poll() != null) {
      // what was posted comes back
    }
    receives.free();
    answers.free();
    echoes.free();
    link.close();
  }

  // ---- the side that measures

  private Client connect(String address, int bytes) {
    Client connected = client;
    if (connected == null || connected.bytes() != bytes) {
      disconnect();
      VirtualInterface link =
          fabric.connect(address, bytes, queue, Attributes.DEFAULT, PATIENCE).get();
      Messages sends = messages(link, bytes, countFor(bytes));
      Messages receives = messages(link, Math.max(bytes, ANSWER_BYTES), 1);
      connected = new Client(link, bytes, sends, receives);
      client = connected;
    }
    return connected;
  }

  @Override
  public void disconnect() {
    Client connected = client;
    if (connected != null) {
      connected.sends().free();
      connected.receives().free();
      connected.link().close();
      client = null;
    }
  }

  private Descriptor next() {
    Descriptor next = queue.await(PATIENCE_NANOS);
    if (next == null || next.status() != Status.DONE) {
      throw new IllegalStateException(
          next == null ? "nothing came for 10 seconds" : "the peer has closed: " + next);
    }
    return next;
  }

  @Override
  public RoundTrips pingPong(String address, int bytes, int count) {
    Client connected = connect(address, bytes);
    VirtualInterface link = connected.link();
    Messages sends = connected.sends();
    Messages receives = connected.receives();
    Ticket message = sends.tickets[0].tag(ECHO);
    Ticket memory = receives.tickets[0].range(0, bytes);
    long[] nanos = new long[count];
    long allocated = WorkerMain.allocatedBytes();
    long before = System.nanoTime();
    for (int i = 0; i < count; i++) {
      link.postReceive(memory).orThrow();
      sends.stamp(message, i);
      link.postSend(message).orThrow();
      next();
      next();
      if (receives.check(memory) != i) {
        throw new WrongResultException("another message came back");
      }
      long after = System.nanoTime();
      nanos[i] = after - before;
      before = after;
    }
    return RoundTrips.of(nanos, WorkerMain.allocatedBytes() - allocated);
  }

  @Override
  public OneWay bandwidth(String address, int bytes, int count) {
    Client connected = connect(address, bytes);
    VirtualInterface link = connected.link();
    Messages sends = connected.sends();
    Ticket memory = connected.receives().tickets[0].range(0, ANSWER_BYTES);
    long allocated = WorkerMain.allocatedBytes();
    long start = System.nanoTime();
    int out = 0;
    boolean answered = false;
    link.postReceive(memory).orThrow();
    for (int i = 0; i < count; i++) {
      Ticket message = i < sends.tickets.length ? sends.tickets[out++] : (Ticket) next();
      sends.stamp(message, i);
      link.postSend(message.tag(i == count - 1 ? LAST : ONE_WAY)).orThrow();
    }
    while (out > 0 || !answered) {
      if (next() == memory) {
        answered = true;
      } else {
        out--;
      }
    }
    long nanos = System.nanoTime() - start;
    allocated = WorkerMain.allocatedBytes() - allocated;
    Messages content = connected.receives();
    WrongResultException.check("messages that have arrived", count, content.get(memory, 0));
    return new OneWay(nanos, allocated, content.get(memory, 1));
  }
}
