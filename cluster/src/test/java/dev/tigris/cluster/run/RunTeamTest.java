package dev.tigris.cluster.run;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tigris.flow.Flow;
import dev.tigris.flow.FlowEngine.Answer;
import dev.tigris.flow.FlowSnapshot;
import dev.tigris.flow.Operation.End;
import dev.tigris.flow.Reservoir;
import dev.tigris.flow.Resizing;
import java.io.DataInputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;

/// Changes over a network that loses, doubles and reorders messages: each step is made once, in the
/// order of its module, by the worker that has the module, and each change ends.
class RunTeamTest {
  private static final int PROCESSES = 3;

  private final List<StepLog.Making> workers = new ArrayList<>();
  private final List<List<RunProgress.Replica>> ended = new ArrayList<>();
  private final List<StepLog.Numbered> made = new ArrayList<>();
  private final Set<String> once = new HashSet<>();
  private final RunTeam team = new RunTeam(described(), PROCESSES);

  private static Described described() {
    FlowProgram program =
        arguments ->
            Flow.named("t")
                .source("s", () -> out -> false, 3)
                .reservoir(Reservoir.lottery())
                .stage("m", () -> (in, out) -> {}, 3)
                .reservoir(Reservoir.lottery())
                .stage("e", () -> (in, out) -> {}, 2)
                .build();
    try {
      Arguments arguments =
          Arguments.looking(
              List.of(), PROCESSES, PROCESSES, 1, Instant.EPOCH, new FilePlaces.OneHost(PROCESSES));
      return Described.of(program, arguments);
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }

  RunTeamTest() {
    for (int i = 0; i < PROCESSES; i++) {
      workers.add(new StepLog.Making());
      ended.add(new ArrayList<>());
    }
  }

  /// An order, as bytes that travel.
  private record Flight(int worker, ByteBuffer bytes) {}

  private static Flight flight(int worker, List<StepLog.Numbered> open) {
    return new Flight(worker, ByteBuffer.wrap(Frame.bytes(out -> StepLog.write(out, open))));
  }

  private static Map<Long, Answer> copied(Map<Long, Answer> answers) throws IOException {
    byte[] bytes = Frame.bytes(out -> StepLog.writeAnswers(out, answers));
    try (DataInputStream in = Frame.reading(bytes)) {
      return StepLog.readAnswers(in);
    }
  }

  private void arrive(Flight order, boolean isLate) throws IOException {
    StepLog.Making worker = workers.get(order.worker());
    try (DataInputStream in = Frame.reading(order.bytes())) {
      for (StepLog.Numbered each : worker.take(StepLog.read(in))) {
        assertEquals(order.worker(), each.processes().get(each.step().module()));
        assertTrue(once.add(order.worker() + ":" + each.number()), each::toString);
        made.add(each);
        boolean ends = isLate && each.step().kind() == Resizing.Kind.RESERVE;
        worker.answered(each.number(), ends ? Answer.ENDED : Answer.APPLIED);
      }
    }
  }

  @Property(tries = 20)
  void eachStepIsMadeOnceAndEachChangeEnds(@ForAll long seed) throws Exception {
    SplittableRandom random = new SplittableRandom(seed);
    for (int count : new int[] {5, 2, 4}) {
      made.clear();
      CompletableFuture<Void> promised = new CompletableFuture<>();
      team.resize("m", count, promised);
      List<Flight> flights = new ArrayList<>();
      for (int beat = 0; !promised.isDone(); beat++) {
        assertTrue(beat < 10_000, "it does not end: " + team.waitsFor());
        int worker = random.nextInt(PROCESSES);
        List<StepLog.Numbered> open = team.open(worker);
        flights.add(flight(worker, open));
        if (random.nextBoolean()) {
          int which = random.nextInt(flights.size());
          Flight flight =
              random.nextInt(4) == 0 ? flights.get(which) : flights.remove(which); // again later
          if (random.nextInt(3) > 0) {
            arrive(flight, false);
          }
        }
        leaves(team.waitsFor());
        if (random.nextInt(3) > 0) {
          int reporter = random.nextInt(PROCESSES);
          boolean _ =
              team.heard(reporter, copied(workers.get(reporter).answers()), ended.get(reporter));
        }
      }
      promised.join();
      checkOrder();
    }
  }

  /// Lets a replica end all of whose outputs were closed.
  private void leaves(String waitsFor) {
    if (waitsFor.matches("m\\[\\d+] in process \\d")
        && team.open(0).isEmpty()
        && team.open(1).isEmpty()
        && team.open(2).isEmpty()) {
      int replica = Integer.parseInt(waitsFor.replaceAll("m\\[(\\d+)].*", "$1"));
      int process = Integer.parseInt(waitsFor.replaceAll(".* ", ""));
      ended
          .get(process)
          .add(
              new RunProgress.Replica(
                  process, new FlowSnapshot.Replica("m", replica, 1, 1, 1, 1, 0, true)));
    }
  }

  /// Checks that no sender has a stream to a replica before the replica was started.
  private void checkOrder() {
    List<End> started = new ArrayList<>();
    for (StepLog.Numbered each : made) {
      Resizing.Step step = each.step();
      Resizing.Link link = step.link();
      if (step.kind() == Resizing.Kind.START) {
        started.add(step.module());
      }
      if (step.kind() == Resizing.Kind.ATTACH_OUTPUT
          && link != null
          && step.module().name().equals("s")) {
        assertTrue(started.contains(link.to()), step::toString);
      }
    }
  }

  @Test
  void aReplicaWhoseReceiverFinishesIsRefusedAndDropped() throws Exception {
    CompletableFuture<Void> promised = new CompletableFuture<>();
    team.resize("m", 4, promised);
    for (int i = 0; i < 50 && !promised.isDone(); i++) {
      int worker = i % PROCESSES;
      List<StepLog.Numbered> open = team.open(worker);
      arrive(flight(worker, open), true);
      boolean _ = team.heard(worker, copied(workers.get(worker).answers()), List.of());
    }
    ExecutionException refused = assertThrows(ExecutionException.class, promised::get);
    assertTrue(String.valueOf(refused.getCause()).contains("finishes already"));
    assertEquals(Resizing.Kind.DROP, made.getLast().step().kind());
    assertEquals("", team.waitsFor());
  }

  @Test
  void aSecondChangeWaitsItsTurn() {
    CompletableFuture<Void> first = new CompletableFuture<>();
    team.resize("m", 4, first);
    CompletableFuture<Void> second = new CompletableFuture<>();
    team.resize("e", 3, second);
    assertTrue(second.isCompletedExceptionally());
    team.failed("the run is over");
    assertTrue(first.isCompletedExceptionally());
  }
}
