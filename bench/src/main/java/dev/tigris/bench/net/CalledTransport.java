package dev.tigris.bench.net;

import dev.tigris.bench.WrongResultException;
import dev.tigris.bench.c.CalledInterface;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/// The same program as [TigrisTransport] and `net.c`, over the provider's twin in C: what an
/// interface costs that is called and not written in Java (Welsh, *Jaguar*, figure 4, where the
/// calls are JNI's and their cost is estimated).
///
/// Descriptors and messages lie in one range of memory:
///
/// ```text
///   0                            32 * count
///   +----------+-- ... --------+-----------+-- ... ---
///   | transfer | one for each  | message 0 | ...
///   +----------+-- ... --------+-----------+-- ... ---
///
///   transfer:  0 address of the message | 8 bytes | 12 tag | 16 whether it is sent | 24 twin's own
/// ```
final class CalledTransport implements Transport {
  /// As in `CompletionQueue.await`.
  private static final int POLLS_BETWEEN_CLOCKS = 16;

  private static final long YIELD_AFTER_NANOS = 15_000;
  private static final long SPIN_NANOS = 50_000;
  private static final long LONG_YIELD_NANOS = 1_000_000;
  private static final long WITHOUT_YIELD_NANOS = 1_000_000_000;

  private static final int TRANSFER_BYTES = 40;
  private static final int BYTES = 8;
  private static final int TAG = 12;
  private static final int IS_SEND = 16;

  /// What is called.
  enum Kind {
    /// The functions of the interface: 2 to post and 2 to poll for a round trip, as in the paper,
    /// and one for every time that is polled in vain.
    FUNCTIONS,

    /// As well as every access to a descriptor or a message: 9 more for a round trip.
    ACCESSES
  }

  private final Kind kind;
  private final CalledInterface twin;
  private @Nullable Client client;

  /// Since when there are no yields, if that is not long ago.
  private long longYield = System.nanoTime() - WITHOUT_YIELD_NANOS;

  /// A connection for messages of one size.
  private record Client(long vi, int bytes, Memory sends, Memory receives) {}

  CalledTransport(Kind kind, Path library) {
    this.kind = kind;
    this.twin = new CalledInterface(library);
  }

  /// Descriptors of messages of one size. A process has one kind.
  private abstract static class Memory {
    final CalledInterface twin;
    final MemorySegment all;
    final long start;
    final int count;

    Memory(CalledInterface twin, int bytes, int count) {
      int stride = (bytes + 63) & -64;
      int first = (TRANSFER_BYTES * count + 63) & -64;
      this.twin = twin;
      this.all = twin.allocate(first + (long) stride * count);
      this.start = all.address();
      this.count = count;
      for (int i = 0; i < count; i++) {
        long transfer = (long) i * TRANSFER_BYTES;
        all.set(ValueLayout.JAVA_LONG, transfer, start + first + (long) i * stride);
        all.set(ValueLayout.JAVA_INT, transfer + BYTES, bytes);
      }
    }

    void free() {
      twin.free(all);
    }

    long transfer(int index) {
      return start + (long) index * TRANSFER_BYTES;
    }

    boolean has(long transfer) {
      return transfer >= start && transfer < start + all.byteSize();
    }

    long message(long transfer) {
      return all.get(ValueLayout.JAVA_LONG, transfer - start);
    }

    abstract int get(long address);

    abstract void set(long address, int value);

    void stamp(long transfer, int bytes, int number) {
      long message = message(transfer);
      set(message, number);
      set(message + bytes - Integer.BYTES, number);
    }

    /// Returns the number.
    int check(long transfer) {
      long message = message(transfer);
      int number = get(message);
      if (get(message + get(transfer + BYTES) - Integer.BYTES) != number) {
        throw new WrongResultException("a message has arrived damaged");
      }
      return number;
    }
  }

  /// Looked at in place.
  private static final class InPlace extends Memory {
    InPlace(CalledInterface twin, int bytes, int count) {
      super(twin, bytes, count);
    }

    @Override
    int get(long address) {
      return all.get(ValueLayout.JAVA_INT, address - start);
    }

    @Override
    void set(long address, int value) {
      all.set(ValueLayout.JAVA_INT, address - start, value);
    }
  }

  /// Looked at by calls.
  private static final class Called extends Memory {
    Called(CalledInterface twin, int bytes, int count) {
      super(twin, bytes, count);
    }

    @Override
    int get(long address) {
      return twin.get(address);
    }

    @Override
    void set(long address, int value) {
      twin.set(address, value);
    }
  }

  private Memory memory(long vi, int bytes, int count) {
    Memory made =
        switch (kind) {
          case FUNCTIONS -> new InPlace(twin, bytes, count);
          case ACCESSES -> new Called(twin, bytes, count);
        };
    twin.register(vi, made.all);
    return made;
  }

  private void postReceive(long vi, Memory memory, long transfer, int room) {
    memory.set(transfer + IS_SEND, 0);
    memory.set(transfer + BYTES, room);
    twin.post(vi, transfer);
  }

  private void postSend(long vi, Memory memory, long transfer, int tag) {
    memory.set(transfer + IS_SEND, 1);
    memory.set(transfer + TAG, tag);
    twin.post(vi, transfer);
  }

  /// The next descriptor that is complete; 0 if the peer has closed or nothing comes.
  private long await(long vi) {
    long ready = twin.poll(vi);
    if (ready != 0) {
      return ready;
    }
    long start = System.nanoTime();
    boolean yields = false;
    for (int polls = 1; ; polls++) {
      ready = twin.poll(vi);
      if (ready != 0) {
        return ready;
      }
      if (polls % POLLS_BETWEEN_CLOCKS == 0) {
        long waited = System.nanoTime() - start;
        if (waited >= SPIN_NANOS || !twin.isConnected(vi)) {
          return park(vi, start);
        }
        yields = waited >= YIELD_AFTER_NANOS && start - longYield >= WITHOUT_YIELD_NANOS;
      }
      if (yields) {
        yields = yieldBriefly();
      } else {
        Thread.onSpinWait();
      }
    }
  }

  @SuppressWarnings("ThreadPriorityCheck") // as Tigris does: yielding is a step before sleeping
  private boolean yieldBriefly() {
    long start = System.nanoTime();
    Thread.yield();
    long now = System.nanoTime();
    if (now - start < LONG_YIELD_NANOS) {
      return true;
    }
    longYield = now;
    return false;
  }

  private long park(long vi, long start) {
    while (twin.isConnected(vi)) {
      long left = PATIENCE_NANOS - (System.nanoTime() - start);
      if (left <= 0) {
        return 0;
      }
      twin.park(vi, left);
      long ready = twin.poll(vi);
      if (ready != 0) {
        return ready;
      }
    }
    return 0;
  }

  // ---- the side that answers

  @Override
  public String listen(String address) {
    return twin.listen(address);
  }

  @Override
  public void serve() {
    MemorySegment tag = Arena.global().allocate(ValueLayout.JAVA_LONG);
    while (true) {
      long vi = twin.accept(tag);
      serve(vi, (int) tag.get(ValueLayout.JAVA_LONG, 0));
    }
  }

  private void serve(long vi, int bytes) {
    Memory receives = memory(vi, bytes, Transport.countFor(bytes));
    Memory answers = memory(vi, ANSWER_BYTES, 1);
    for (int i = 0; i < receives.count; i++) {
      postReceive(vi, receives, receives.transfer(i), bytes);
    }
    int messages = 0;
    while (twin.isConnected(vi)) {
      long ready = await(vi);
      if (ready == 0 || answers.has(ready)) {
        continue;
      }
      if (receives.get(ready + IS_SEND) == 1) {
        postReceive(vi, receives, ready, bytes);
        continue;
      }
      int tag = receives.get(ready + TAG);
      receives.check(ready);
      if (tag == ECHO) {
        postSend(vi, receives, ready, ECHO);
        continue;
      }
      messages++;
      postReceive(vi, receives, ready, bytes);
      if (tag == LAST) {
        answers.stamp(answers.transfer(0), Integer.BYTES, messages);
        postSend(vi, answers, answers.transfer(0), LAST);
        messages = 0;
      }
    }
    twin.close(vi);
    receives.free();
    answers.free();
  }

  // ---- the side that measures

  private Client connect(String address, int bytes) {
    Client connected = client;
    if (connected == null || connected.bytes() != bytes) {
      disconnect();
      long vi = twin.connect(address, bytes);
      Memory sends = memory(vi, bytes, Transport.countFor(bytes));
      Memory receives = memory(vi, Math.max(bytes, ANSWER_BYTES), 1);
      connected = new Client(vi, bytes, sends, receives);
      client = connected;
    }
    return connected;
  }

  @Override
  public void disconnect() {
    Client connected = client;
    if (connected != null) {
      twin.close(connected.vi());
      connected.sends().free();
      connected.receives().free();
      client = null;
    }
  }

  private long next(long vi) {
    long next = await(vi);
    if (next == 0) {
      throw new IllegalStateException("nothing came for 10 seconds, or the peer has closed");
    }
    return next;
  }

  @Override
  public RoundTrips pingPong(String address, int bytes, int count) {
    Client connected = connect(address, bytes);
    long vi = connected.vi();
    Memory sends = connected.sends();
    Memory receives = connected.receives();
    long message = sends.transfer(0);
    long memory = receives.transfer(0);
    long[] nanos = new long[count];
    long before = System.nanoTime();
    for (int i = 0; i < count; i++) {
      postReceive(vi, receives, memory, bytes);
      sends.stamp(message, bytes, i);
      postSend(vi, sends, message, ECHO);
      next(vi);
      next(vi);
      if (receives.check(memory) != i) {
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
    Client connected = connect(address, bytes);
    long vi = connected.vi();
    Memory sends = connected.sends();
    long memory = connected.receives().transfer(0);
    long start = System.nanoTime();
    int out = 0;
    boolean answered = false;
    postReceive(vi, connected.receives(), memory, ANSWER_BYTES);
    for (int i = 0; i < count; i++) {
      long message = i < sends.count ? sends.transfer(out++) : next(vi);
      sends.stamp(message, bytes, i);
      postSend(vi, sends, message, i == count - 1 ? LAST : ONE_WAY);
    }
    while (out > 0 || !answered) {
      if (next(vi) == memory) {
        answered = true;
      } else {
        out--;
      }
    }
    long nanos = System.nanoTime() - start;
    int arrived = connected.receives().get(connected.receives().message(memory));
    WrongResultException.check("messages that have arrived", count, arrived);
    return new OneWay(nanos, 0, 0);
  }
}
