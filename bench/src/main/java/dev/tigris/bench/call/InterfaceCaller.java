package dev.tigris.bench.call;

import dev.tigris.bench.WrongResultException;
import dev.tigris.memory.Ints;
import dev.tigris.memory.Jbuf;
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
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/// A request and a reply over the interface below messages and calls, by hand: registered buffers,
/// echoed from where they have arrived; no order, no deadline, no method.
final class InterfaceCaller implements Caller {
  private static final Duration PATIENCE = Duration.ofSeconds(10);
  private static final int MESSAGE_BYTES = 2048;
  private static final Attributes ATTRIBUTES =
      Attributes.DEFAULT.withDepths(4 * OUTSTANDING, 4 * OUTSTANDING);

  private final String provider;
  private final Fabric fabric;
  private @Nullable Client client;
  private volatile boolean isClosed;

  InterfaceCaller(String provider) {
    this.provider = provider;
    this.fabric = Fabric.open(provider);
  }

  /// Memory of messages, with a ticket each.
  private record Memory(List<Ticket> tickets, Ints numbers) {
    private static final int INTS = MESSAGE_BYTES / Integer.BYTES;

    static Memory of(VirtualInterface link, int count, PageKind pages) {
      Ints numbers = Jbuf.allocate((long) count * MESSAGE_BYTES, "bench.call", pages).asInts();
      List<Ticket> tickets = new ArrayList<>(count);
      for (int i = 0; i < count; i++) {
        tickets.add(link.register(numbers).range((long) i * MESSAGE_BYTES, MESSAGE_BYTES));
      }
      return new Memory(tickets, numbers);
    }

    void write(int index, int number) {
      numbers.set((long) index * INTS, number);
    }

    int read(Ticket ticket) {
      return numbers.get(ticket.offset() / Integer.BYTES);
    }
  }

  /// A connection.
  private record Client(
      CompletionQueue queue, VirtualInterface link, Memory sends, Memory receives) {
    /// Sends a message of which no other is under way with this index.
    void send(int index, int bytes, int number) {
      sends.write(index, number);
      link.postReceive(receives.tickets.get(index)).orThrow();
      Ticket ticket = sends.tickets.get(index);
      link.postSend(ticket.range((long) index * MESSAGE_BYTES, bytes)).orThrow();
    }

    /// Returns what has arrived next.
    Ticket next() {
      while (true) {
        Descriptor next = queue.await(PATIENCE);
        if (next == null || next.status() != Status.DONE) {
          throw new IllegalStateException(
              next == null ? "nothing came for 10 seconds" : "the peer has closed: " + next);
        }
        if (!next.isSend()) {
          return (Ticket) next;
        }
      }
    }
  }

  private PageKind pages() {
    return provider.equals("shm") ? PageKind.SHARED : PageKind.ORDINARY;
  }

  @Override
  public String serve() throws Exception {
    CompletableFuture<String> address = new CompletableFuture<>();
    Thread _ = Thread.ofPlatform().daemon().name("echo").start(() -> serve(address));
    return address.get();
  }

  private void serve(CompletableFuture<String> address) {
    Listener listener = fabric.listen(provider.equals("shm") ? "*" : "127.0.0.1:0");
    boolean _ = address.complete(listener.address());
    CompletionQueue queue = fabric.completionQueue();
    while (!isClosed) {
      ConnectionRequest request = listener.next(PATIENCE);
      if (request != null) {
        echo(queue, request.accept(queue, ATTRIBUTES));
      }
    }
  }

  private void echo(CompletionQueue queue, VirtualInterface link) {
    for (Ticket ticket : Memory.of(link, 2 * OUTSTANDING, pages()).tickets) {
      link.postReceive(ticket).orThrow();
    }
    while (!isClosed && link.state() == InterfaceState.CONNECTED) {
      Ticket ready = (Ticket) queue.await(PATIENCE);
      if (ready == null || ready.status() != Status.DONE) {
        continue;
      }
      if (ready.isSend()) {
        link.postReceive(ready.range(ready.offset(), MESSAGE_BYTES)).orThrow();
      } else {
        link.postSend(ready.range(ready.offset(), ready.transferredBytes())).orThrow();
      }
    }
  }

  @Override
  public void connect(String address) {
    CompletionQueue queue = fabric.completionQueue();
    VirtualInterface link = fabric.connect(address, 1, queue, ATTRIBUTES, PATIENCE).get();
    client =
        new Client(
            queue,
            link,
            Memory.of(link, 2 * OUTSTANDING, pages()),
            Memory.of(link, 2 * OUTSTANDING, pages()));
  }

  private Client client() {
    Client its = client;
    if (its == null) {
      throw new IllegalStateException("it is not connected");
    }
    return its;
  }

  @Override
  public long call(int bytes, long number) {
    Client its = client();
    its.send((int) number & 1, bytes, (int) number);
    return its.receives().read(its.next());
  }

  @Override
  public void many(int bytes, int count) {
    Client its = client();
    int back = 0;
    for (int i = 0; i < count; i++) {
      if (i - back == OUTSTANDING) {
        WrongResultException.check("a number", back++, its.receives().read(its.next()));
      }
      its.send(i % (2 * OUTSTANDING), bytes, i);
    }
    while (back < count) {
      WrongResultException.check("a number", back++, its.receives().read(its.next()));
    }
  }

  @Override
  public void close() {
    isClosed = true;
    Client its = client;
    if (its != null) {
      its.link().close();
    }
  }
}
