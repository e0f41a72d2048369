package dev.tigris.verify.endpoints;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tigris.message.Bundle;
import dev.tigris.message.Endpoint;
import dev.tigris.message.ErrorHandler;
import dev.tigris.message.Options;
import dev.tigris.message.channel.EndpointAccess;
import dev.tigris.net.Fabric;
import dev.tigris.verify.model.FaultSites;
import dev.tigris.verify.model.VirtualTime;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/// A bundle that always has something to do, because its peers flood it, still does what time asks
/// for.
class BusyBundleTest {
  private static final Duration PATIENCE = Duration.ofMillis(200);
  private static final Options OPTIONS =
      Options.DEFAULT.withPayloadBytes(1024).withPatience(PATIENCE);
  private static final long HANDLER_NANOS = 20_000;
  private static final int QUIET_REQUESTS = 20;

  private final VirtualTime time = new VirtualTime();
  private final FaultSites sites = new FaultSites(1);
  private final Turns turns = new Turns(time, 1, 20_000_000_000L);
  private final SimulatedNetwork network = new SimulatedNetwork(turns, time, sites);
  private boolean isOver;
  private int acknowledged;
  private int lost;
  private int handled;

  /// What a thread of a host does.
  private interface Program {
    void run(Bundle bundle);
  }

  private void start(String name, Program program) {
    Turns.Turn _ =
        turns.start(
            name,
            () -> {
              try (Fabric fabric = Fabric.open(network.new Host(name));
                  Bundle bundle =
                      EndpointAccess.ENDPOINTS.open(
                          OPTIONS,
                          List.of(fabric),
                          new SimulatedEnvironment(turns, time, name.hashCode()))) {
                program.run(bundle);
              }
            });
  }

  private void serve(Bundle bundle) {
    Endpoint at = bundle.endpoint("server", 1);
    at.handler(
        1,
        (token, message) -> {
          handled++;
          long end = time.nowNanos() + HANDLER_NANOS;
          while (time.nowNanos() < end) {
            turns.await(end - time.nowNanos()); // it computes, and messages arrive meanwhile
          }
        });
    String _ = bundle.listen("simulated", "server");
    while (!isOver) {
      boolean _ = bundle.await(Duration.ofMillis(1));
    }
  }

  private Endpoint mapped(Bundle bundle) {
    Endpoint from = bundle.endpoint("client", 2);
    from.errorHandler(
        new ErrorHandler() {
          @Override
          public void undelivered(Returned returned) {}

          @Override
          public void lost(int entry, String why) {
            lost += isOver ? 0 : 1; // at the end all lose each other
          }
        });
    from.map(0, "simulated", "server", "server", 1, Duration.ofSeconds(5));
    return from;
  }

  private void flood(Bundle bundle) {
    Endpoint from = mapped(bundle);
    while (!isOver && from.isMapped(0)) {
      from.request(0, 1);
    }
  }

  private void askNowAndThen(Bundle bundle) {
    Endpoint from = mapped(bundle);
    for (int i = 0; i < QUIET_REQUESTS && from.isMapped(0); i++) {
      from.request(0, 1);
      acknowledged += from.drain(PATIENCE.multipliedBy(2)) ? 1 : 0;
      boolean _ = bundle.await(Duration.ofNanos(1_234_567));
    }
    isOver = true;
  }

  @Test
  void acknowledgesAQuietPeerWhileOthersKeepItBusy() throws Throwable {
    start("server", this::serve);
    for (String name : List.of("one", "two", "three")) {
      start(name, this::flood);
    }
    start("quiet", this::askNowAndThen);
    turns.run();
    assertEquals(QUIET_REQUESTS, acknowledged);
    assertEquals(0, lost);
    assertTrue(handled > 1_000, handled + " requests");
  }
}
