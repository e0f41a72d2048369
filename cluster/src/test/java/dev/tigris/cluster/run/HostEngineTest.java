package dev.tigris.cluster.run;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tigris.cluster.run.HostEngine.Door;
import dev.tigris.cluster.run.outputs.OutputNote;
import dev.tigris.cluster.run.protocol.Epoch;
import dev.tigris.cluster.run.protocol.RunId;
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
    HostEngine engine = PlainEngine.threads(2);
    HostEngine old =
        new StartsOwn(
            engine,
            (ticket, ended) -> {
              ended.refused("an older Java is there"); // and each tells of its end, too
              return engine.start(new EngineTicket(Map.of()), ended);
            });
    ClusterRun run = on(old).start(Sums.class, "200");
    RunException e = assertThrows(RunException.class, run::await);
    assertEquals(RunException.Kind.START, e.kind());
    assertEquals(1, e.attempts());
    assertTrue(String.valueOf(e.getMessage()).contains("an older Java"), e::toString);
  }

  @Test
  void outputsOfAnAttemptWhoseWorkersEndLateAreDeletedAtTheEnd() throws Exception {
    Path left = runs.resolve("left.partial");
    HostEngine engine = PlainEngine.threads(2);
    HostEngine late =
        new StartsOwn(
            engine,
            (ticket, ended) ->
                ticket.attempt() > 1 ? engine.start(ticket, ended) : killed(ticket, ended, left));
    ClusterRun run = on(late).start(Sums.class, "200");
    assertEquals(Sums.expected(200), run.await().number("sum"));
    assertEquals(2, run.progress().attempt());
    assertFalse(Files.exists(left));
  }

  /// An attempt that has an output, dies, and is said to have ended only when it is asked for the
  /// second time.
  private static HostEngine.Gang killed(EngineTicket ticket, HostEngine.Ended ended, Path left)
      throws IOException {
    Map<String, String> facts = ticket.facts();
    Epoch epoch = new Epoch(RunId.parse(ticket.run()), ticket.attempt());
    OutputNote note =
        new OutputNote(Path.of(facts.getOrDefault(EngineTicket.FOLDER, "")), epoch, 0);
    note.making(left, left.resolveSibling("left"));
    Files.write(left, new byte[1]);
    ended.ended(0, "it was killed");
    ended.ended(1, "it was killed");
    AtomicInteger asked = new AtomicInteger();
    return new HostEngine.Gang() {
      @Override
      public void kill(int worker) {}

      @Override
      public void stop() {}

      @Override
      public boolean awaitEnd(Duration timeout) {
        return asked.getAndIncrement() > 0;
      }
    };
  }

  /// Starts the workers of an attempt.
  private interface Start {
    HostEngine.Gang start(EngineTicket ticket, HostEngine.Ended ended) throws IOException;
  }

  /// An engine like another one, but for how it starts workers.
  private record StartsOwn(HostEngine engine, Start start) implements HostEngine {
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
      return start.start(ticket, ended);
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
