package dev.tigris.bench.net;

import dev.tigris.bench.WrongResultException;
import dev.tigris.memory.Ints;
import dev.tigris.memory.Jbuf;
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
import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// Level II of a provider: registered buffers, nothing copied by the application. `net.c` is the
/// same in C; a change here is a change there.
final class TigrisTransport implements Transport {
  private static final Duration PATIENCE = Duration.ofSeconds(10);
  private static final long PATIENCE_NANOS = PATIENCE.toNanos();

  private static final int MOST_POSTED = 64;
  private static final int FEWEST_POSTED = 4;
  private static final int POSTED_BYTES = 8 << 20;
  private static final int ANSWER_BYTES = 8;

  /// What the receiver of a message is to do with it.
  private static final int ECHO = 0;
  private static final int ONE_WAY = 1;
  private static final int LAST = 2;

  private final Fabric fabric;
  private final CompletionQueue queue;
  private @Nullable Listener listener;
  private @Nullable Client client;

  TigrisTransport(String provider) {
    this.fabric = Fabric.open(provider);
    this.queue = fabric.completionQueue();
  }

  /// A connection for messages of one size.
  private record Client(VirtualInterface link, int bytes, Buffers sends, Buffers receives) {}

  /// Buffers of one size in one view: a ticket each.
  private static final class Buffers {
    final VirtualInterface link;
    final Jbuf jbuf;
    final Ints ints;
    final Ticket[] tickets;

    Buffers(VirtualInterface link, int bytes, int count) {
      int stride = (bytes + 63) & -64;
      this.link = link;
      this.jbuf = Jbuf.allocate((long) stride * count, "bench.net");
      this.ints = jbuf.asInts();
      this.tickets = new Ticket[count];
      for (int i = 0; i < count; i++) {
        tickets[i] = link.register(ints).range((long) i * stride, bytes);
      }
    }

    void stamp(Ticket message, int number) {
      long first = message.offset() >> 2;
      ints.set(first, number);
      ints.set(first + (message.length() >> 2) - 1, number);
    }

    /// Returns the number.
    int check(Ticket message) {
      long first = message.offset() >> 2;
      int number = ints.get(first);
      if (ints.get(first + (message.transferredBytes() >> 2) - 1) != number) {
        throw new WrongResultException("a message has arrived damaged");
      }
      return number;
    }

    /// None of them is posted.
    void free() {
      for (Ticket ticket : tickets) {
        link.deregister(ticket);
      }
      jbuf.unreference(Jbuf::free);
    }
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
    Buffers receives = new Buffers(link, bytes, countFor(bytes));
    Buffers answers = new Buffers(link, ANSWER_BYTES, 1);
    Ticket answer = answers.tickets[0];
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
        link.postReceive(ready).orThrow();
        continue;
      }
      int tag = ready.tag();
      receives.check(ready);
      if (tag == ECHO) {
        link.postSend(ready).orThrow();
        continue;
      }
      if (messages++ == 0) {
        before = WorkerMain.allocatedBytes();
      }
      link.postReceive(ready).orThrow();
      if (tag == LAST) {
        answers.ints.set(0, messages);
        answers.ints.set(1, (int) (WorkerMain.allocatedBytes() - before));
        link.postSend(answer.tag(LAST)).orThrow();
        messages = 0;
      }
    }
    while (queue.poll() != null) {
      // what was posted comes back
    }
    receives.free();
    answers.free();
    link.close();
  }

  // ---- the side that measures

  private Client connect(String address, int bytes) {
    Client connected = client;
    if (connected == null || connected.bytes() != bytes) {
      disconnect();
      VirtualInterface link =
          fabric.connect(address, bytes, queue, Attributes.DEFAULT, PATIENCE).get();
      Buffers sends = new Buffers(link, bytes, countFor(bytes));
      Buffers receives = new Buffers(link, Math.max(bytes, ANSWER_BYTES), 1);
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
    Buffers sends = connected.sends();
    Buffers receives = connected.receives();
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
    Buffers sends = connected.sends();
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
    Ints content = connected.receives().ints;
    WrongResultException.check("messages that have arrived", count, content.get(0));
    return new OneWay(nanos, allocated, content.get(1));
  }
}
