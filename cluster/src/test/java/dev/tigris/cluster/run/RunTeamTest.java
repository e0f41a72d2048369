package dev.tigris.cluster.run;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tigris.cluster.Reach;
import dev.tigris.flow.Flow;
import dev.tigris.flow.FlowEngine.Answer;
import dev.tigris.flow.FlowGraph;
import dev.tigris.flow.FlowSnapshot;
import dev.tigris.flow.Guest;
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

  /// Which worker knows which guest.
  private final Set<String> known = new HashSet<>();

  private long guests;

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

  private static StepLog.Work.OfChange change(StepLog.Numbered each) {
    return (StepLog.Work.OfChange) each.work();
  }

  private void arrive(Flight order, boolean isLate) throws IOException {
    StepLog.Making worker = workers.get(order.worker());
    try (DataInputStream in = Frame.reading(order.bytes())) {
      for (StepLog.Numbered each : worker.take(StepLog.read(in))) {
        if (each.work() instanceof StepLog.Work.OfGuest(GuestOrder guest, int process)) {
          assertTrue(process >= PROCESSES, guest::toString);
          assertTrue(known.add(order.worker() + " " + guest.guest().key()), guest::toString);
          worker.answered(each.number(), Answer.APPLIED);
          continue;
        }
        assertEquals(order.worker(), change(each).processes().get(change(each).step().module()));
        assertTrue(once.add(order.worker() + ":" + each.number()), each::toString);
        made.add(each);
        boolean ends = isLate && change(each).step().kind() == Resizing.Kind.RESERVE;
        worker.answered(each.number(), ends ? Answer.ENDED : Answer.APPLIED);
      }
    }
  }

  private static GuestOrder order(boolean gives, long key) {
    Reach reach = new Reach("x", List.of(new Reach.Way("tcp", "127.0.0.1:1")));
    return new GuestOrder(new Guest(gives ? "e" : "m", gives, 1, key), reach, (int) key % 3);
  }

  @Property(tries = 20)
  void guestsJoinAndLeaveInTurn(@ForAll long seed) throws Exception {
    SplittableRandom random = new SplittableRandom(seed);
    made.clear();
    List<CompletableFuture<Void>> joins = new ArrayList<>();
    long first = guests; // the team is that of the tries before
    guests += 4;
    for (long key = first; key < guests; key++) {
      joins.add(new CompletableFuture<>());
      team.join(order(key % 2 == 0, key), joins.getLast());
    }
    CompletableFuture<Void> all = CompletableFuture.allOf(joins.toArray(CompletableFuture[]::new));
    goOn(all, random);
    all.join();
    for (long key = first; key < guests; key++) {
      for (int worker = 0; worker < PROCESSES; worker++) {
        assertTrue(known.contains(worker + " " + key), "worker " + worker + " knows " + key);
      }
    }
    checkOrder();
    List<Resizing.Kind> kinds =
        made.stream().map(each -> change(each).step().kind()).distinct().toList();
    assertTrue(kinds.contains(Resizing.Kind.REQUIRE), kinds::toString);
    CompletableFuture<Void> left = new CompletableFuture<>();
    team.leave(order(false, first + 1).guest(), left);
    goOn(left, random);
    left.join();
    CompletableFuture<Void> again = new CompletableFuture<>();
    team.join(order(true, first + 2), again);
    assertTrue(String.valueOf(again.exceptionNow().getMessage()).contains("has joined before"));
    assertEquals(
        List.of("s", "m", "e", "e.given", "e.givers", "m.taken", "m.takers"),
        team.graph().stages().stream().map(FlowGraph.Stage::name).toList());
  }

  @Property(tries = 20)
  void eachStepIsMadeOnceAndEachChangeEnds(@ForAll long seed) throws Exception {
    SplittableRandom random = new SplittableRandom(seed);
    for (int count : new int[] {5, 2, 4}) {
      made.clear();
      CompletableFuture<Void> promised = new CompletableFuture<>();
      team.resize("m", count, promised);
      goOn(promised, random);
      promised.join();
      checkOrder();
    }
  }

  /// Lets messages travel until a change was made.
  private void goOn(CompletableFuture<Void> promised, SplittableRandom random) throws Exception {
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
  }

  /// Lets a replica end all of whose outputs were closed.
  private void leaves(String waitsFor) {
    if (waitsFor.matches("[m.taken]+\\[\\d+] in process \\d")
        && team.open(0).isEmpty()
        && team.open(1).isEmpty()
        && team.open(2).isEmpty()) {
      String stage = waitsFor.substring(0, waitsFor.indexOf('['));
      int replica = Integer.parseInt(waitsFor.replaceAll(".*\\[(\\d+)].*", "$1"));
      int process = Integer.parseInt(waitsFor.replaceAll(".* ", ""));
      ended
          .get(process)
          .add(
              new RunProgress.Replica(
                  process, new FlowSnapshot.Replica(stage, replica, 1, 1, 1, 1, 0, true)));
    }
  }

  /// Checks that no sender has a stream to a replica before the replica was started.
  private void checkOrder() {
    List<End> started = new ArrayList<>();
    for (StepLog.Numbered each : made) {
      Resizing.Step step = change(each).step();
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
    assertEquals(Resizing.Kind.DROP, change(made.getLast()).step().kind());
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
