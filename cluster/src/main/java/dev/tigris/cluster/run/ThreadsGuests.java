package dev.tigris.cluster.run;

import dev.tigris.cluster.Exchange;
import dev.tigris.cluster.ProcessPart;
import dev.tigris.cluster.Reach;
import dev.tigris.cluster.StreamOptions;
import dev.tigris.flow.Flow;
import dev.tigris.flow.FlowException;
import dev.tigris.flow.FlowRun;
import dev.tigris.net.Fabric;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/// The guests of a run on threads. It listens for them from the first call on, until the flow is
/// over.
///
/// Thread rule: any thread.
final class ThreadsGuests {
  private final Flow described;
  private final FlowRun flow;
  private final List<Fabric> fabrics = new ArrayList<>();
  private @Nullable Exchange exchange;

  ThreadsGuests(Flow described, FlowRun flow) {
    this.described = described;
    this.flow = flow;
  }

  /// Returns where the run listens; empty when the flow is over.
  List<Reach> reaches() {
    return flow.isDone() ? List.of() : List.of(exchange().reach());
  }

  private synchronized Exchange exchange() {
    if (exchange == null) {
      exchange = new Exchange(new SecureRandom().nextLong(), 0, StreamOptions.DEFAULT);
      Thread _ = Thread.ofVirtual().name("tigris-guests-end").start(this::close);
    }
    var network = Network.OneHost.best();
    for (String each : List.of(network.provider(), Network.OneHost.SOCKETS)) {
      if (fabrics.stream().noneMatch(known -> known.provider().equals(each))) {
        Fabric fabric = Fabric.open(each);
        fabrics.add(fabric);
        String _ = exchange.listen(fabric, network.anywhere(fabric));
      }
    }
    return exchange;
  }

  CompletableFuture<Void> join(GuestOrder order) {
    if (order.process() != 0) {
      return CompletableFuture.failedFuture(
          new IllegalStateException(
              "there is no process %d: all of the run is in process 0".formatted(order.process())));
    }
    Exchange its = exchange();
    ProcessPart part =
        its.part(
            described,
            replica -> replica.name().equals(order.guest().elsewhere()) ? 1 : 0,
            0,
            List.of(its.reach()));
    part.meet(1, order.reach(), order.guest().key());
    return flow.join(order.guest(), part);
  }

  /// Stops listening when the flow is over.
  private void close() {
    try {
      flow.await();
    } catch (FlowException | CancellationException e) {
      // it is over
    } catch (InterruptedException e) {
      throw new IllegalStateException("this thread is interrupted by none", e);
    }
    synchronized (this) {
      if (exchange != null) {
        exchange.close();
      }
      fabrics.forEach(Fabric::close);
    }
  }
}
