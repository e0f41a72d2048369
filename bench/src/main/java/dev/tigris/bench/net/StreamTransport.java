package dev.tigris.bench.net;

import dev.tigris.bench.WrongResultException;
import dev.tigris.cluster.Exchange;
import dev.tigris.cluster.StreamOptions;
import dev.tigris.flow.Flow;
import dev.tigris.flow.FlowException;
import dev.tigris.flow.FlowRun;
import dev.tigris.flow.Module;
import dev.tigris.flow.Reservoir;
import dev.tigris.flow.Source;
import dev.tigris.flow.Stream;
import dev.tigris.flow.Water;
import dev.tigris.flow.policy.Policy;
import dev.tigris.flow.policy.SenderView;
import dev.tigris.net.Fabric;
import java.nio.LongBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/// A stream from a module of one process to a module of another, for each size. It goes one way
/// only: a turn is over when the sender knows that the receiver has finished all waters. The sender
/// waits for that as for credit, by its policy: the interface below waits for its answer that way,
/// too, and the receiver may need the processor. The last water of a turn has the number of waters,
/// negative, in place of its own number. A round trip is that of a water and of what its sender is
/// told of it.
///
/// As many waters are under way as messages over the interface below.
final class StreamTransport implements Transport {
  /// The sizes that a process serves.
  static final List<Integer> SIZES = List.of(64, 1 << 10, 8 << 10, 64 << 10, 1 << 20);

  private static final int RUN = 1;

  private final Fabric fabric;

  /// A receiver waits for its sender as long as other sizes are measured.
  private final Exchange exchange =
      new Exchange(RUN, 0, StreamOptions.DEFAULT.withPatience(Duration.ofDays(1)));

  private @Nullable Sending sending;

  StreamTransport(String provider) {
    this.fabric = Fabric.open(provider);
  }

  private static String stream(int bytes) {
    return "messages of " + bytes;
  }

  // ---- the side that receives

  @Override
  public String listen(String address) {
    return exchange.listen(fabric, address);
  }

  @Override
  public void serve() throws Exception {
    CompletableFuture<?>[] all =
        SIZES.stream()
            .map(
                bytes -> CompletableFuture.runAsync(() -> serve(bytes), Thread::startVirtualThread))
            .toArray(CompletableFuture[]::new);
    var _ = CompletableFuture.anyOf(all).get(); // ends if one fails
  }

  private void serve(int bytes) {
    while (true) {
      try {
        Flow.named("bench")
            .stage("count", Count::new)
            .feed("count", exchange.receiving(stream(bytes)).withWindow(Transport.countFor(bytes)))
            .build()
            .start()
            .await();
      } catch (InterruptedException | FlowException e) {
        throw new CompletionException(e);
      }
    }
  }

  private static final class Count implements Module {
    private final Content content = new Content();
    private int received;

    @Override
    public void process(Water water, Stream out) {
      int number = content.check(water.bytes(), water.size());
      received++;
      WrongResultException.check("number of a water", received, Math.abs(number));
      if (number < 0) {
        received = 0;
      }
    }
  }

  // ---- the side that measures

  /// Waters to be sent.
  ///
  /// @param count of 0 ends the stream
  /// @param nanos by water, if each is put when the one before is finished: how long that takes;
  ///     else empty
  private record Turn(int count, LongBuffer nanos, CompletableFuture<OneWay> result) {
    boolean isAlone() {
      return nanos.capacity() > 0;
    }
  }

  /// The stream for one size.
  private static final class Sending implements Source {
    final int bytes;
    private final SynchronousQueue<Turn> turns = new SynchronousQueue<>();
    private final Content content = new Content();
    private @Nullable Turn turn;
    private int sent;
    private long start;
    private long before;
    private long allocated;

    /// Set by the thread that measures, which waits for it to end.
    @Nullable FlowRun run;

    /// Whether the waters that were put are to be finished before the next call.
    private boolean isEnding;

    Sending(int bytes) {
      this.bytes = bytes;
    }

    /// The policy.
    int choose(SenderView streams, RandomGenerator random) {
      return streams.credits(0) == 0 || (isEnding && streams.outstanding(0) > 0) ? Policy.WAIT : 0;
    }

    @Override
    public boolean produce(Stream out) throws InterruptedException {
      Turn current = turn;
      if (current == null) {
        current = turns.take();
        turn = current;
        sent = 0;
        allocated = WorkerMain.allocatedBytes();
        start = System.nanoTime();
        before = start;
        return current.count() > 0;
      }
      if (current.isAlone() && sent > 0) {
        long after = System.nanoTime();
        current.nanos().put(sent - 1, after - before);
        before = after;
      }
      if (sent < current.count()) {
        sent++;
        boolean isLast = sent == current.count();
        isEnding = isLast || current.isAlone();
        put(out, isLast ? -sent : sent);
      } else {
        isEnding = false;
        long nanos = System.nanoTime() - start;
        turn = null;
        current.result().complete(new OneWay(nanos, WorkerMain.allocatedBytes() - allocated, 0));
      }
      return true;
    }

    private void put(Stream out, int number) {
      Water water = out.spring().createWater(bytes);
      water.bytes().copyFrom(0, content.bytes(), 0, bytes);
      water.bytes().setInt(0, number);
      water.bytes().setInt(bytes - Integer.BYTES, number);
      out.put(water);
    }

    /// Makes the module take a turn.
    CompletableFuture<OneWay> hand(int count, long... nanos) throws InterruptedException {
      Turn next = new Turn(count, LongBuffer.wrap(nanos), new CompletableFuture<>());
      if (!turns.offer(next, PATIENCE_NANOS, TimeUnit.NANOSECONDS)) {
        throw new IllegalStateException("the module has ended: " + Objects.requireNonNull(run));
      }
      return next.result();
    }
  }

  @Override
  public RoundTrips pingPong(String address, int bytes, int count) throws Exception {
    long[] nanos = new long[count];
    OneWay all =
        connect(address, bytes).hand(count, nanos).get(PATIENCE_NANOS, TimeUnit.NANOSECONDS);
    return RoundTrips.of(nanos, all.allocatedBytes());
  }

  @Override
  public OneWay bandwidth(String address, int bytes, int count) throws Exception {
    return connect(address, bytes).hand(count).get(PATIENCE_NANOS, TimeUnit.NANOSECONDS);
  }

  private Sending connect(String address, int bytes) throws Exception {
    Sending connected = sending;
    if (connected == null || connected.bytes != bytes) {
      disconnect();
      Sending made = new Sending(bytes);
      made.run =
          Flow.named("bench")
              .source("send", () -> made)
              .drain(
                  "send",
                  Reservoir.of(made::choose).withWindow(Transport.countFor(bytes)),
                  exchange.sending(stream(bytes), fabric, address))
              .build()
              .start();
      sending = made;
      connected = made;
    }
    return connected;
  }

  @Override
  public void disconnect() throws Exception {
    Sending connected = sending;
    if (connected != null) {
      sending = null;
      var _ = connected.hand(0);
      Objects.requireNonNull(connected.run).await();
    }
  }
}
