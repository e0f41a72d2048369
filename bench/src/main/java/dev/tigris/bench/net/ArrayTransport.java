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

  private final Kind kind;
  private final Fabric fabric;
  private final CompletionQueue queue;
  private @Nullable Listener listener;
  private @Nullable Client client;

  private record Client(ArrayInterface arrays, int bytes, Inbox inbox) {}

  ArrayTransport(String provider, Kind kind) {
    this.kind = kind;
    this.fabric = Fabric.open(provider);
    this.queue = fabric.completionQueue();
  }

  /// Where messages are received. A process has one kind.
  private abstract static class Inbox {
    int[] array = {};
    int tag;

    /// Waits for the next message. Returns false if the peer closes before it comes.
    abstract boolean take();

    /// Gives the array of the last message back.
    abstract void giveBack();

    /// Returns the number in the message.
    int check(int count) {
      if (array[0] != array[count - 1]) {
        throw new WrongResultException("a message has arrived damaged");
      }
      return array[0];
    }
  }

  /// Arrays that are posted in turn.
  private static final class PostedInbox extends Inbox {
    private final ArrayInterface arrays;
    private final int[][] memory;
    private final ArrayInterface.Posted[] posted;
    private int next;

    PostedInbox(ArrayInterface arrays, int count, int posts) {
      this.arrays = arrays;
      this.memory = new int[posts][count];
      this.posted = new ArrayInterface.Posted[posts];
      for (int i = 0; i < posts; i++) {
        post(i);
      }
    }

    private void post(int index) {
      int[] room = memory[index];
      posted[index] =
          Objects.requireNonNull(arrays.postReceive(ArrayType.INTS, room, 0, room.length));
    }

    @Override
    boolean take() {
      ArrayInterface.Posted first = posted[next];
      while (!arrays.await(first, PATIENCE_NANOS)) {
        // the peer waits for its turn
      }
      array = memory[next];
      tag = first.tag();
      return first.status() == Status.DONE;
    }

    @Override
    void giveBack() {
      if (arrays.virtualInterface().state() == InterfaceState.CONNECTED) {
        post(next);
      }
      next = (next + 1) % posted.length;
    }
  }

  /// An array for each message.
  private static final class BlockingInbox extends Inbox {
    private final ArrayInterface arrays;

    BlockingInbox(ArrayInterface arrays) {
      this.arrays = arrays;
    }

    @Override
    boolean take() {
      try {
        ArrayInterface.Message<int[]> message = null;
        while (message == null) {
          message = arrays.receive(ArrayType.INTS, PATIENCE_NANOS);
        }
        array = message.array();
        tag = message.tag();
        return true;
      } catch (NetException e) {
        if (arrays.virtualInterface().state() == InterfaceState.ENDED) {
          return false;
        }
        throw e;
      }
    }

    @Override
    void giveBack() {}
  }

  /// @param posts how many receives are posted, if they are
  private Inbox inbox(ArrayInterface arrays, int bytes, int posts) {
    return switch (kind) {
      case POSTED -> new PostedInbox(arrays, bytes / Integer.BYTES, posts);
      case BLOCKING -> new BlockingInbox(arrays);
    };
  }

  private static void send(ArrayInterface arrays, int[] message, int tag) {
    if (!arrays.send(ArrayType.INTS, message, 0, message.length, tag, PATIENCE_NANOS)) {
      throw new IllegalStateException("no buffer became free for 10 seconds");
    }
  }

  /// As [#send], to leave with those that follow, or with the next wait.
  private static void post(ArrayInterface arrays, int[] message, int tag) {
    if (arrays.postSend(ArrayType.INTS, message, 0, message.length, tag) == null) {
      send(arrays, message, tag);
    }
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
        int bytes = (int) request.tag();
        int room = Math.max(bytes, ANSWER_BYTES);
        try (ArrayInterface arrays =
            new ArrayInterface(
                request.accept(queue, Attributes.DEFAULT), room, Transport.countFor(bytes))) {
          serve(arrays, bytes);
        }
      }
    }
  }

  private void serve(ArrayInterface arrays, int bytes) {
    Inbox inbox = inbox(arrays, bytes, Transport.countFor(bytes));
    int[] answer = new int[ANSWER_BYTES / Integer.BYTES];
    while (inbox.take()) {
      inbox.check(bytes / Integer.BYTES);
      if (inbox.tag == ECHO) {
        send(arrays, inbox.array, ECHO);
      } else {
        answer[0]++;
      }
      inbox.giveBack();
      if (inbox.tag == LAST) {
        send(arrays, answer, LAST);
        answer[0] = 0;
      }
    }
  }

  // ---- the side that measures

  private Client connect(String address, int bytes) {
    Client connected = client;
    if (connected == null || connected.bytes() != bytes) {
      disconnect();
      int room = Math.max(bytes, ANSWER_BYTES);
      ArrayInterface arrays =
          new ArrayInterface(
              fabric.connect(address, bytes, queue, Attributes.DEFAULT, PATIENCE).get(),
              room,
              Transport.countFor(bytes));
      connected = new Client(arrays, bytes, inbox(arrays, room, 1));
      client = connected;
    }
    return connected;
  }

  @Override
  public void disconnect() {
    if (client != null) {
      client.arrays().close();
      client = null;
    }
  }

  private static void take(Inbox inbox) {
    if (!inbox.take()) {
      throw new IllegalStateException("the peer has closed");
    }
  }

  @Override
  public RoundTrips pingPong(String address, int bytes, int count) {
    Client connected = connect(address, bytes);
    Inbox inbox = connected.inbox();
    int[] message = new int[bytes / Integer.BYTES];
    long[] nanos = new long[count];
    long before = System.nanoTime();
    for (int i = 0; i < count; i++) {
      message[0] = i;
      message[message.length - 1] = i;
      send(connected.arrays(), message, ECHO);
      take(inbox);
      if (inbox.check(message.length) != i) {
        throw new WrongResultException("another message came back");
      }
      inbox.giveBack();
      long after = System.nanoTime();
      nanos[i] = after - before;
      before = after;
    }
    return RoundTrips.of(nanos, 0);
  }

  @Override
  public OneWay bandwidth(String address, int bytes, int count) {
    Client connected = connect(address, bytes);
    Inbox inbox = connected.inbox();
    int[] message = new int[bytes / Integer.BYTES];
    long start = System.nanoTime();
    for (int i = 0; i < count; i++) {
      message[0] = i;
      message[message.length - 1] = i;
      post(connected.arrays(), message, i == count - 1 ? LAST : ONE_WAY);
    }
    take(inbox);
    long nanos = System.nanoTime() - start;
    WrongResultException.check("messages that have arrived", count, inbox.array[0]);
    inbox.giveBack();
    return new OneWay(nanos, 0, 0);
  }
}
