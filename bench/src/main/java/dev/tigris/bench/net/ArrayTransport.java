package dev.tigris.bench.net;

import dev.tigris.bench.WrongResultException;
import dev.tigris.net.ArrayInterface;
import dev.tigris.net.ArrayType;
import dev.tigris.net.Attributes;
import dev.tigris.net.CompletionQueue;
import dev.tigris.net.ConnectionRequest;
import dev.tigris.net.Fabric;
import dev.tigris.net.InterfaceState;
import dev.tigris.net.Listener;
import dev.tigris.net.NetException;
import dev.tigris.net.Status;
import dev.tigris.net.VirtualInterface;
import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// Level I of a provider: messages are arrays of ints on the heap, copied on their way.
final class ArrayTransport implements Transport {
  /// How a message is received.
  enum Kind {
    /// Into an array of the caller's, posted before: what the papers call *copy*.
    POSTED,
    /// Into a new array, by a call that waits for it: *copy+alloc*.
    BLOCKING
  }

  private static final Duration PATIENCE = Duration.ofSeconds(10);
  private static final long PATIENCE_NANOS = PATIENCE.toNanos();
  private static final int SLOTS = 16;

  private final Kind kind;
  private final Fabric fabric;
  private final CompletionQueue queue;
  private @Nullable Listener listener;
  private @Nullable Client client;

  private record Client(ArrayInterface arrays, int bytes) {}

  ArrayTransport(String provider, Kind kind) {
    this.kind = kind;
    this.fabric = Fabric.open(provider);
    this.queue = fabric.completionQueue();
  }

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
        int bytes = (int) request.tag();
        VirtualInterface link = request.accept(queue, Attributes.DEFAULT);
        try (ArrayInterface arrays = new ArrayInterface(link, bytes, SLOTS)) {
          echo(arrays, bytes / Integer.BYTES);
        }
      }
    }
  }

  private void echo(ArrayInterface arrays, int count) {
    int[] array = new int[count];
    VirtualInterface link = arrays.virtualInterface();
    while (link.state() == InterfaceState.CONNECTED) {
      int[] arrived = receive(arrays, array);
      if (arrived != null) {
        check(arrived);
        send(arrays, arrived);
      }
    }
  }

  private void send(ArrayInterface arrays, int[] message) {
    if (!arrays.send(ArrayType.INTS, message, 0, message.length, 0, PATIENCE_NANOS)) {
      throw new IllegalStateException("no buffer became free for 10 seconds");
    }
  }

  /// Returns null if the peer closes before a message comes.
  private int @Nullable [] receive(ArrayInterface arrays, int[] array) {
    return switch (kind) {
      case POSTED -> posted(arrays, array);
      case BLOCKING -> blocking(arrays);
    };
  }

  private static int @Nullable [] posted(ArrayInterface arrays, int[] array) {
    ArrayInterface.Posted posted = arrays.postReceive(ArrayType.INTS, array, 0, array.length);
    if (posted == null) {
      throw new IllegalStateException("more receives are posted than this one");
    }
    while (!arrays.await(posted, PATIENCE_NANOS)) {
      // the peer waits for its turn
    }
    return posted.status() == Status.DONE ? array : null;
  }

  private static int @Nullable [] blocking(ArrayInterface arrays) {
    try {
      ArrayInterface.Message<int[]> message = arrays.receive(ArrayType.INTS, PATIENCE_NANOS);
      return message == null ? null : message.array();
    } catch (NetException e) {
      if (arrays.virtualInterface().state() == InterfaceState.ENDED) {
        return null;
      }
      throw e;
    }
  }

  private static int check(int[] message) {
    if (message[0] != message[message.length - 1]) {
      throw new WrongResultException("a message has arrived damaged");
    }
    return message[0];
  }

  private ArrayInterface connect(String address, int bytes) {
    Client connected = client;
    if (connected == null || connected.bytes() != bytes) {
      disconnect();
      VirtualInterface link =
          fabric.connect(address, bytes, queue, Attributes.DEFAULT, PATIENCE).get();
      connected = new Client(new ArrayInterface(link, bytes, SLOTS), bytes);
      client = connected;
    }
    return connected.arrays();
  }

  @Override
  public void disconnect() {
    if (client != null) {
      client.arrays().close();
      client = null;
    }
  }

  @Override
  public RoundTrips pingPong(String address, int bytes, int count) {
    ArrayInterface arrays = connect(address, bytes);
    int[] message = new int[bytes / Integer.BYTES];
    int[] array = new int[message.length];
    long[] nanos = new long[count];
    long before = System.nanoTime();
    for (int i = 0; i < count; i++) {
      message[0] = i;
      message[message.length - 1] = i;
      send(arrays, message);
      int[] arrived = receive(arrays, array);
      if (arrived == null || check(arrived) != i) {
        throw new WrongResultException("another message came back");
      }
      long after = System.nanoTime();
      nanos[i] = after - before;
      before = after;
    }
    return RoundTrips.of(nanos, 0);
  }

  @Override
  public OneWay bandwidth(String address, int bytes, int count) {
    throw new UnsupportedOperationException("the papers' tables are of round trips");
  }
}
