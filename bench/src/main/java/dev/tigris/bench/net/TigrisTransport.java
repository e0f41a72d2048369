package dev.tigris.bench.net;

import dev.tigris.bench.WrongResultException;
import dev.tigris.memory.PageKind;
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
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// Level II of a provider: registered buffers, nothing copied by the application; or arrays on the
/// heap that are registered as buffers are, where the provider takes them; or buffers from which a
/// message is left where it lies, and written as a whole by who sends it. `net.c` is the same in C;
/// a change here is a change there.
final class TigrisTransport implements Transport {
  private final Messages.Kind kind;
  private final PageKind pages;
  private final Fabric fabric;
  private final CompletionQueue queue;
  private @Nullable Listener listener;
  private @Nullable Client client;

  TigrisTransport(String provider, Messages.Kind kind) {
    this.kind = kind;
    // Over shm the peer reads long messages where they lie.
    this.pages = provider.equals("shm") ? PageKind.SHARED : PageKind.ORDINARY;
    this.fabric = Fabric.open(provider);
    this.queue = fabric.completionQueue();
  }

  /// A connection for messages of one size.
  private record Client(VirtualInterface link, int bytes, Messages sends, Messages receives) {}

  private Messages messages(VirtualInterface link, int bytes, int count) {
    return Messages.of(kind, link, bytes, count, pages);
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
    Messages receives = messages(link, bytes, Transport.countFor(bytes));
    Messages answers = messages(link, ANSWER_BYTES, 1);
    Ticket answer = answers.tickets[0];
    boolean apart = kind.echoesApart();
    Messages echoes = messages(link, bytes, apart ? FEWEST_POSTED : 1);
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
        if (!apart) {
          link.postReceive(ready).orThrow();
        }
        continue;
      }
      int tag = ready.tag();
      int number = receives.check(ready);
      if (tag == ECHO && apart) {
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
      Messages sends = messages(link, bytes, Transport.countFor(bytes));
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
      receives.check(memory, i);
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
