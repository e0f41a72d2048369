package dev.tigris.cluster.run;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tigris.cluster.run.HostEngine.Door;
import dev.tigris.testing.Slow;
import dev.tigris.testing.Wait;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Runs whose workers an engine of hosts starts.
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class HostEngineTest {
  private static final Optional<Door> DOOR = Optional.of(new Door("127.0.0.1", 0, false));

  @TempDir private Path runs;

  private Cluster on(HostEngine engine) {
    return Cluster.on(engine).withRuns(runs).withHangLimit(RunsSums.HANG);
  }

  @Test
  void workersGoThroughAWholeRun() throws Exception {
    ClusterRun run = on(PlainEngine.threads(2)).start(Sums.class, "200");
    assertEquals(Sums.expected(200), run.await().number("sum"));
    assertEquals(1, run.progress().attempt());
  }

  @Test
  void workersThatSeeNoFolderOfTheRunHaveOneOfTheirOwn() throws Exception {
    Path own = runs.resolve("own");
    PlainEngine engine = new PlainEngine(2, DOOR, true, HostEngineTest::elsewhere, own);
    Path folder = Files.createDirectory(runs.resolve("outputs"));
    ClusterRun run = on(engine).start(Writes.class, folder.toString());
    var _ = run.await();
    for (int i = 0; i < Writes.REPLICAS; i++) {
      assertEquals(Writes.WATERS * Writes.WATER_BYTES, Files.size(Writes.output(folder, i)));
    }
    try (var made = Files.list(own)) {
      assertTrue(made.allMatch(each -> Files.exists(each.resolve("over"))));
    }
    assertFalse(Files.exists(run.folder().orElseThrow().resolve("elsewhere")));
  }

  /// Changes a ticket so that its holder does not find the folder of the run.
  private static EngineTicket elsewhere(EngineTicket ticket) {
    Map<String, String> facts = ticket.facts();
    facts.put(EngineTicket.FOLDER, "/nowhere");
    return new EngineTicket(facts);
  }

  @Test
  void aModuleThatThrowsIsTriedOnce() throws Exception {
    ClusterRun run = on(PlainEngine.threads(2)).start(Sums.class, "200", "throws", "7");
    RunException e = assertThrows(RunException.class, run::await);
    assertEquals(RunException.Kind.MODULE, e.kind());
    assertEquals(1, e.attempts());
    assertTrue(String.valueOf(e.getCause()).contains("the number 7 is bad"), e::toString);
  }

  @Test
  void anEngineThatHasNoRoomRefusesTheRun() {
    RunException e =
        assertThrows(RunException.class, () -> on(PlainEngine.threads(5)).start(Sums.class, "200"));
    assertEquals(RunException.Kind.START, e.kind());
    assertTrue(String.valueOf(e.getMessage()).contains("4 slots"), e::toString);
    assertThrows(IllegalArgumentException.class, () -> Cluster.on(PlainEngine.threads(0)));
  }

  @Test
  void anEngineWhoseWorkersCannotRunIsNotTriedAgain() throws Exception {
    ClusterRun run = on(new OldJava(PlainEngine.threads(2))).start(Sums.class, "200");
    RunException e = assertThrows(RunException.class, run::await);
    assertEquals(RunException.Kind.START, e.kind());
    assertEquals(1, e.attempts());
    assertTrue(String.valueOf(e.getMessage()).contains("an older Java"), e::toString);
  }

  /// An engine that has no Java for workers. Each tells of its end, too.
  private record OldJava(HostEngine engine) implements HostEngine {
    @Override
    public String name() {
      return engine.name();
    }

    @Override
    public int workers() {
      return engine.workers();
    }

    @Override
    public int processors() {
      return engine.processors();
    }

    @Override
    public Optional<Door> door() {
      return engine.door();
    }

    @Override
    public void check() throws IOException {
      engine.check();
    }

    @Override
    public Gang start(EngineTicket ticket, Ended ended) throws IOException {
      ended.refused("an older Java is there");
      return engine.start(new EngineTicket(Map.of()), ended);
    }
  }

  @Test
  void aTicketHidesItsSecretAndArrivesWhole() throws Exception {
    EngineTicket ticket =
        new EngineTicket(
            Map.of(EngineTicket.RUN, "7a", EngineTicket.ATTEMPT, "3", "token", "beef"));
    assertFalse(ticket.toString().contains("beef"));
    assertEquals(ticket.facts(), EngineTicket.of(ticket.bytes()).facts());
    assertEquals(3, ticket.attempt());
  }

  @Test
  void aRunThatIsCancelledEndsItsWorkers() throws Exception {
    Path hangs = runs.resolve("hangs");
    PlainEngine engine = PlainEngine.threads(2);
    ClusterRun run = on(engine).start(Sums.class, "3000", "hangs", hangs.toString());
    Wait.until("the source hangs", () -> Files.exists(hangs));
    run.cancel();
    assertThrows(CancellationException.class, run::await);
  }

  @Test
  @Slow("starts JVMs")
  void withTlsARunIsTriedAgainWhenTheEngineLosesAWorker() throws Exception {
    Path hangs = runs.resolve("hangs");
    AtomicInteger attempts = new AtomicInteger();
    UnaryOperator<EngineTicket> counts =
        ticket -> {
          attempts.set(ticket.attempt());
          return ticket;
        };
    PlainEngine engine =
        new PlainEngine(2, Optional.of(new Door("127.0.0.1", 0, true)), false, counts, null);
    ClusterRun run =
        Cluster.on(engine)
            .withRuns(runs)
            .withHangLimit(Duration.ofSeconds(20))
            .start(Sums.class, "3000", "hangs", hangs.toString());
    Wait.until("the source hangs", () -> Files.exists(hangs));
    engine.children.get(1).kill();
    assertEquals(Sums.expected(3000), run.await().number("sum"));
    assertEquals(2, attempts.get());
  }
}
