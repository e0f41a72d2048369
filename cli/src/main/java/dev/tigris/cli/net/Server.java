package dev.tigris.cli.net;

import dev.tigris.memory.Jbuf;
import dev.tigris.memory.MemoryBudgetException;
import dev.tigris.net.Attributes;
import dev.tigris.net.CompletionQueue;
import dev.tigris.net.ConnectionRequest;
import dev.tigris.net.Fabric;
import dev.tigris.net.InterfaceState;
import dev.tigris.net.Listener;
import dev.tigris.net.NetException;
import dev.tigris.net.Posting;
import dev.tigris.net.Status;
import dev.tigris.net.Ticket;
import dev.tigris.net.VirtualInterface;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/// The server of `tigris net`, which answers every client on a thread of its own.
public final class Server implements AutoCloseable {
  /// The tag of the last message of a measurement of bandwidth, and of the answer to it.
  static final int LAST = 1;

  private static final long ROUND_NANOS = 100_000_000;

  private static final System.Logger LOG = System.getLogger(Server.class.getName());

  private final Fabric fabric;
  private final Listener listener;
  private final Set<Thread> serving = ConcurrentHashMap.newKeySet();
  private volatile boolean closing;

  /// Why the listener could take no connection when it was last asked; empty if it could.
  private String obstacle = "";

  /// Listens at an address of the fabric's own form.
  ///
  /// @throws NetException if that is not possible
  /// @throws MisuseException if it is no address
  public Server(Fabric fabric, String address) {
    this.fabric = fabric;
    this.listener = MisuseException.asWritten(() -> fabric.listen(address));
  }

  /// Returns the address at which it listens.
  public String address() {
    return listener.address();
  }

  /// Serves until it is closed, or its thread is interrupted.
  public void run() {
    while (!closing && !Thread.currentThread().isInterrupted()) {
      ConnectionRequest request = next();
      if (request == null) {
        continue;
      }
      Mode mode = Mode.of(request.tag());
      if (mode == null) {
        request.reject();
      } else {
        Thread thread =
            Thread.ofPlatform()
                .name("tigris-net-server")
                .daemon()
                .unstarted(() -> serveAndLeave(request, mode));
        serving.add(thread);
        start(thread, request);
      }
    }
  }

  /// Returns the next request; null if none came. Where the system gives no more files, whoever has
  /// come waits until others are gone.
  private @Nullable ConnectionRequest next() {
    try {
      ConnectionRequest request = listener.next(Duration.ofSeconds(1));
      obstacle = "";
      return request;
    } catch (NetException e) {
      String found = String.valueOf(e.getMessage());
      if (!found.equals(obstacle)) { // or else it has been said
        LOG.log(System.Logger.Level.WARNING, found);
      }
      obstacle = found;
      LockSupport.parkNanos(ROUND_NANOS);
      return null;
    }
  }

  /// Where the system gives no more threads, who has come is rejected, and others are served.
  private void start(Thread thread, ConnectionRequest request) {
    try {
      thread.start();
    } catch (OutOfMemoryError e) {
      serving.remove(thread);
      request.close();
      notServed(request, e);
    }
  }

  private static void notServed(ConnectionRequest request, Throwable why) {
    LOG.log(
        System.Logger.Level.WARNING, "{0} is not served: {1}", request.peer(), why.getMessage());
  }

  private void serveAndLeave(ConnectionRequest request, Mode mode) {
    try (request) { // rejected if there is no queue for it
      serve(request, mode, Mode.bytes(request.tag()));
    } catch (NetException | MemoryBudgetException e) {
      notServed(request, e);
    } finally {
      serving.remove(Thread.currentThread());
    }
  }

  private void serve(ConnectionRequest request, Mode mode, int bytes) {
    try (CompletionQueue queue = fabric.completionQueue()) {
      VirtualInterface peer = request.accept(queue, Attributes.DEFAULT);
      try (Buffers receives = new Buffers(peer, bytes, Buffers.countFor(bytes));
          Buffers answer = new Buffers(peer, 1, 1)) {
        serve(queue, peer, mode, receives, answer.ticket(0));
        receives.free();
        answer.free();
        peer.close();
        while (queue.poll() != null) {
          // what was posted comes back
        }
      }
    }
  }

  private void serve(
      CompletionQueue queue, VirtualInterface peer, Mode mode, Buffers receives, Ticket answer) {
    for (int i = 0; i < receives.count(); i++) {
      expectRoom(peer.postReceive(receives.ticket(i)));
    }
    while (!closing && peer.state() == InterfaceState.CONNECTED) {
      Ticket next = (Ticket) queue.await(ROUND_NANOS);
      if (next != null && next.status() == Status.DONE) {
        switch (mode) {
          case PING_PONG -> echo(peer, next, receives.bytes());
          case BANDWIDTH -> sink(peer, next, answer);
        }
      }
    }
  }

  /// A message that has arrived goes back; one that has gone makes room for the next.
  private static void echo(VirtualInterface peer, Ticket next, long bytes) {
    Posting posting =
        next.isSend()
            ? peer.postReceive(next.range(0, bytes))
            : peer.postSend(next.range(0, next.transferredBytes()));
    expectRoom(posting);
  }

  private static void sink(VirtualInterface peer, Ticket next, Ticket answer) {
    if (!next.isSend()) {
      boolean last = next.tag() == LAST;
      expectRoom(peer.postReceive(next));
      if (last && answer.status() != Status.POSTED) {
        expectRoom(peer.postSend(answer.range(0, 0).tag(LAST)));
      }
    }
  }

  private static void expectRoom(Posting posting) {
    if (posting == Posting.QUEUE_FULL) {
      throw new IllegalStateException("more buffers than the queues have room for");
    }
  }

  /// Stops listening and lets all clients go, so that [#run] ends soon. Any thread may call it.
  public void stop() {
    closing = true;
    listener.wake();
  }

  /// Stops listening, and waits until the last client is served.
  @Override
  public void close() {
    stop();
    boolean interrupted = false;
    for (Thread thread : serving) {
      while (thread.isAlive()) {
        try {
          thread.join();
        } catch (InterruptedException e) {
          interrupted = true;
        }
      }
    }
    listener.close();
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  /// Buffers of one size, registered.
  static final class Buffers implements AutoCloseable {
    private final VirtualInterface link;
    private final long bytes;
    private final Jbuf[] jbufs;
    private final Ticket[] tickets;

    Buffers(VirtualInterface link, int bytes, int count) {
      this.link = link;
      this.bytes = Math.max(1, bytes);
      this.jbufs = new Jbuf[count];
      this.tickets = new Ticket[count];
      for (int i = 0; i < count; i++) {
        jbufs[i] = Jbuf.allocate(this.bytes, "net");
        tickets[i] = link.register(jbufs[i].asBytes());
      }
    }

    /// As many as keep a network busy, within 64 MiB.
    static int countFor(int bytes) {
      return Math.clamp((64L << 20) / Math.max(1, bytes), 2, 32);
    }

    int count() {
      return tickets.length;
    }

    /// Returns the size of each.
    long bytes() {
      return bytes;
    }

    Ticket ticket(int index) {
      return tickets[index];
    }

    Jbuf jbuf(int index) {
      return jbufs[index];
    }

    @Override
    public void close() {
      free();
    }

    /// Gives all of them back that are not posted.
    void free() {
      for (int i = 0; i < tickets.length; i++) {
        if (tickets[i].isRegistered() && tickets[i].status() != Status.POSTED) {
          link.deregister(tickets[i]);
          jbufs[i].unreference(Jbuf::free);
        }
      }
    }
  }
}
