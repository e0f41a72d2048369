package dev.tigris.bench.net;

import dev.tigris.bench.WrongResultException;
import dev.tigris.cluster.Exchange;
import dev.tigris.cluster.StreamOptions;
import dev.tigris.flow.Flow;
import dev.tigris.flow.FlowRun;
import dev.tigris.flow.Module;
import dev.tigris.flow.Reservoir;
import dev.tigris.flow.Source;
import dev.tigris.flow.Stream;
import dev.tigris.flow.Water;
import dev.tigris.net.Fabric;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/// A stream from a module of one process to a module of another. It goes one way only: a turn is
/// over when the receiver has finished all waters. The last water of a turn has the number of
/// waters, negative, in place of its own number. A process serves one connection, for all sizes.
final class StreamTransport implements Transport {
  /// As many waters are under way as messages are over the interface below, up to 128 KiB.
  private static final int WINDOW = 64;

  private static final int RUN = 1;
  private static final String NAME = "messages";

  private final Fabric fabric;
  private final Exchange exchange = new Exchange(RUN, 0, StreamOptions.DEFAULT);
  private final SynchronousQueue<Turn> turns = new SynchronousQueue<>();
  private @Nullable FlowRun run;

  StreamTransport(String provider) {
    this.fabric = Fabric.open(provider);
  }

  // ---- the side that receives

  @Override
  public String listen(String address) {
    return exchange.listen(fabric, address);
  }

  @Override
  public void serve() throws Exception {
    Flow.named("bench")
        .stage("count", Count::new)
        .feed("count", exchange.receiving(NAME).withWindow(WINDOW))
        .build()
        .start()
        .await();
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
  private record Turn(int bytes, int count, CompletableFuture<OneWay> result) {}

  private final class Send implements Source {
    private final Content content = new Content();
    private @Nullable Turn turn;
    private int sent;
    private long start;
    private long allocated;

    @Override
    public boolean produce(Stream out) throws InterruptedException {
      Turn current = turn;
      if (current == null) {
        current = turns.take();
        turn = current;
        sent = 0;
        allocated = WorkerMain.allocatedBytes();
        start = System.nanoTime();
        return current.count() > 0;
      }
      if (sent < current.count()) {
        sent++;
        put(out, current.bytes(), sent == current.count() ? -sent : sent);
      } else if (out.outstanding() == 0) {
        long nanos = System.nanoTime() - start;
        turn = null;
        current.result().complete(new OneWay(nanos, WorkerMain.allocatedBytes() - allocated, 0));
      }
      return true;
    }

    private void put(Stream out, int bytes, int number) {
      Water water = out.spring().createWater(bytes);
      water.bytes().copyFrom(0, content.bytes(), 0, bytes);
      water.bytes().setInt(0, number);
      water.bytes().setInt(bytes - Integer.BYTES, number);
      out.put(water);
    }
  }

  @Override
  public RoundTrips pingPong(String address, int bytes, int count) {
    throw new UnsupportedOperationException("a stream goes one way");
  }

  @Override
  public OneWay bandwidth(String address, int bytes, int count) throws Exception {
    if (run == null) {
      run =
          Flow.named("bench")
              .source("send", Send::new)
              .drain(
                  "send",
                  Reservoir.roundRobin().withWindow(WINDOW),
                  exchange.sending(NAME, fabric, address))
              .build()
              .start();
    }
    return hand(new Turn(bytes, count, new CompletableFuture<>()))
        .get(PATIENCE_NANOS, TimeUnit.NANOSECONDS);
  }

  private CompletableFuture<OneWay> hand(Turn turn) throws InterruptedException {
    if (!turns.offer(turn, PATIENCE_NANOS, TimeUnit.NANOSECONDS)) {
      throw new IllegalStateException("the module has ended: " + Objects.requireNonNull(run));
    }
    return turn.result();
  }

  @Override
  public void disconnect() throws Exception {
    FlowRun started = run;
    if (started != null) {
      var _ = hand(new Turn(0, 0, new CompletableFuture<>()));
      started.await();
      exchange.close();
    }
  }
}
