package dev.tigris.bench.net;

import dev.tigris.bench.WrongResultException;
import dev.tigris.bench.objects.ListCodec;
import dev.tigris.memory.Bytes;
import dev.tigris.memory.Jbuf;
import dev.tigris.memory.Longs;
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

/// Lists of objects as messages: one side writes to every field and sends, the other reads every
/// field and answers with their sum.
final class ObjectTransport implements Transport {
  private static final int BUFFER_BYTES = 16 << 10;

  private final Fabric fabric;
  private final CompletionQueue queue;
  private final ListCodec codec;
  private final Bytes out = Jbuf.allocate(BUFFER_BYTES, "bench.net").asBytes();
  private final Bytes in = Jbuf.allocate(BUFFER_BYTES, "bench.net").asBytes();
  private final Longs sum = Jbuf.allocate(Long.BYTES, "bench.net").asLongs();
  private @Nullable Listener listener;
  private @Nullable Client client;

  private record Client(VirtualInterface link, Ticket list, Ticket answer) {}

  ObjectTransport(String provider, ListCodec.Kind kind) {
    this.fabric = Fabric.open(provider);
    this.queue = fabric.completionQueue();
    this.codec = kind.over(out, in);
  }

  @Override
  public String listen(String address) {
    listener = fabric.listen(address);
    return listener.address();
  }

  @Override
  public void serve() throws Exception {
    while (true) {
      ConnectionRequest request = Objects.requireNonNull(listener).next(PATIENCE);
      if (request != null) {
        serve(request.accept(queue, Attributes.DEFAULT));
      }
    }
  }

  private void serve(VirtualInterface link) throws Exception {
    Ticket list = link.register(in);
    Ticket answer = link.register(sum);
    link.postReceive(list).orThrow();
    while (link.state() == InterfaceState.CONNECTED) {
      Descriptor ready = queue.await(PATIENCE_NANOS);
      if (ready == list && list.status() == Status.DONE) {
        sum.set(0, codec.sum(list.transferredBytes()));
        link.postReceive(list).orThrow();
        link.postSend(answer).orThrow();
      }
    }
    while (queue.poll() != null) {
      // what was posted comes back
    }
    link.deregister(list);
    link.deregister(answer);
    link.close();
  }

  private Client connect(String address) {
    Client connected = client;
    if (connected == null) {
      VirtualInterface link = fabric.connect(address, 0, queue, Attributes.DEFAULT, PATIENCE).get();
      connected = new Client(link, link.register(out), link.register(sum));
      client = connected;
    }
    return connected;
  }

  @Override
  public void disconnect() {
    Client connected = client;
    if (connected != null) {
      connected.link().deregister(connected.list());
      connected.link().deregister(connected.answer());
      connected.link().close();
      client = null;
    }
  }

  /// Round trips of a list, whatever the size that is asked for.
  @Override
  public RoundTrips pingPong(String address, int bytes, int count) throws Exception {
    Client connected = connect(address);
    VirtualInterface link = connected.link();
    long[] nanos = new long[count];
    for (int i = 0; i < count; i++) {
      long before = System.nanoTime();
      link.postReceive(connected.answer()).orThrow();
      link.postSend(connected.list().range(0, codec.write(i))).orThrow();
      next();
      next();
      nanos[i] = System.nanoTime() - before;
      WrongResultException.check("the sum of all fields", ListCodec.expected(i), sum.get(0));
    }
    return RoundTrips.of(nanos, 0);
  }

  private void next() {
    Descriptor next = queue.await(PATIENCE_NANOS);
    if (next == null || next.status() != Status.DONE) {
      throw new IllegalStateException("nothing came for 10 seconds, or the peer has closed");
    }
  }

  @Override
  public OneWay bandwidth(String address, int bytes, int count) {
    throw new UnsupportedOperationException("lists are answered one by one");
  }
}
