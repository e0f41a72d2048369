package dev.tigris.cluster.run.protocol;

import static java.util.Objects.requireNonNull;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/// Rules of the protocol of a run of which the simulator sees no difference: what is sent how
/// often, and for how long it is waited.
class RunProtocolTest {
  private static final RunId RUN = new RunId(1, 2);
  private static final Epoch EPOCH = new Epoch(RUN, 1);
  private static final Map<String, String> FINGERPRINT = Map.of("flow", "sums");

  /// Two workers, one attempt; beat 10, hang limit 1000, fence 50, and 100 to report first.
  private static final Limits LIMITS = new Limits(2, 1, 10, 1000, 50, 100);

  private final CoordinatorProtocol coordinator = new CoordinatorProtocol(RUN, LIMITS, FINGERPRINT);
  private final long[] numbers = new long[LIMITS.workers()];

  private List<CoordinatorAct> say(int worker, Word word, long now) {
    numbers[worker]++;
    List<CoordinatorAct> acts =
        coordinator.receive(new Report(EPOCH, worker, numbers[worker], word), now);
    coordinator.checkInvariants();
    return acts;
  }

  private List<CoordinatorAct> sayAll(Word word, long now) {
    List<CoordinatorAct> acts = new ArrayList<>();
    for (int worker = 0; worker < LIMITS.workers(); worker++) {
      acts.addAll(say(worker, word, now));
    }
    return acts;
  }

  private void comeTo(CoordinatorProtocol.Phase phase) {
    List<CoordinatorAct> _ = coordinator.start(0);
    List<Word> words =
        List.of(
            new Word.Joined("here"),
            new Word.Described(FINGERPRINT),
            new Word.Wired(),
            new Word.Initialized(),
            new Word.Ended(ByteBuffer.wrap(new byte[] {7})),
            new Word.Prepared());
    for (Word word : words) {
      if (coordinator.phase() == phase) {
        return;
      }
      List<CoordinatorAct> _ = sayAll(word, 0);
    }
    List<CoordinatorAct> _ = coordinator.decided(EPOCH, 0);
    assertEquals(phase, coordinator.phase());
  }

  private static Report sent(List<WorkerAct> acts) {
    return acts.stream()
        .filter(WorkerAct.Send.class::isInstance)
        .map(act -> ((WorkerAct.Send) act).report())
        .findFirst()
        .orElseThrow();
  }

  @Test
  void resultsTravelOnceAndCountOnce() {
    comeTo(CoordinatorProtocol.Phase.RUNNING);
    WorkerProtocol worker = new WorkerProtocol(EPOCH, 0, "here", LIMITS, 0);
    List<WorkerAct> _ = worker.start(0);
    for (Order.Step step :
        List.of(
            new Order.Step.Describe(),
            new Order.Step.Wire(List.of("")),
            new Order.Step.Initialize(),
            new Order.Step.Run())) {
      List<WorkerAct> _ = worker.receive(new Order(EPOCH, 1, step), 0);
      List<WorkerAct> _ = worker.described(FINGERPRINT, 0);
      List<WorkerAct> _ = worker.wired(0);
      List<WorkerAct> _ = worker.initialized(0);
    }
    Report first = sent(worker.ended(ByteBuffer.wrap(new byte[] {7}), 20));
    assertTrue(assertInstanceOf(Word.Ended.class, first.word()).results().hasRemaining());
    Report unanswered = sent(worker.tick(40));
    assertTrue(assertInstanceOf(Word.Ended.class, unanswered.word()).results().hasRemaining());
    List<WorkerAct> _ = worker.receive(new Order(EPOCH, first.number(), new Order.Step.Run()), 41);
    Report repeated = sent(worker.tick(60));
    assertFalse(assertInstanceOf(Word.Ended.class, repeated.word()).results().hasRemaining());

    numbers[0] = first.number();
    List<CoordinatorAct> _ = coordinator.receive(first, 20);
    List<CoordinatorAct> _ = coordinator.receive(repeated, 60);
    List<CoordinatorAct> _ = say(1, new Word.Ended(ByteBuffer.wrap(new byte[] {8})), 70);
    numbers[0] = repeated.number();
    List<CoordinatorAct> _ = sayAll(new Word.Prepared(), 80);
    List<CoordinatorAct> _ = coordinator.decided(EPOCH, 80);
    List<CoordinatorAct> _ = sayAll(new Word.Published(List.of(), List.of()), 90);
    Outcome.Done done = assertInstanceOf(Outcome.Done.class, coordinator.outcome());
    assertEquals(
        List.of(ByteBuffer.wrap(new byte[] {7}), ByteBuffer.wrap(new byte[] {8})), done.results());
  }

  @Test
  void workersThatCannotRunAreNotTriedAgain() {
    CoordinatorProtocol coordinator =
        new CoordinatorProtocol(RUN, new Limits(2, 3, 10, 1000, 50, 100), FINGERPRINT);
    List<CoordinatorAct> _ = coordinator.start(0);
    Epoch epoch = coordinator.epoch();
    List<CoordinatorAct> _ = coordinator.refused(epoch, "an older Java", 10);
    List<CoordinatorAct> _ = coordinator.died(epoch, 0, "its stage is over", 10);
    Outcome.Failed failed = assertInstanceOf(Outcome.Failed.class, coordinator.outcome());
    assertEquals(
        new Failure(Failure.Kind.REFUSED, Failure.NO_WORKER, "an older Java"), failed.failure());
    assertEquals(1, failed.attempts());
  }

  @Test
  void aDescriptionThatDoesNotEndIsGivenUp() {
    comeTo(CoordinatorProtocol.Phase.DESCRIBING);
    List<CoordinatorAct> _ = say(0, new Word.Described(FINGERPRINT), 50);
    List<CoordinatorAct> _ = say(1, new Word.Joined("here"), 90);
    assertEquals(List.of(1), coordinator.behind());
    List<CoordinatorAct> _ = coordinator.tick(100);
    assertEquals(CoordinatorProtocol.Phase.DESCRIBING, coordinator.phase());
    List<CoordinatorAct> _ = coordinator.tick(101);
    assertEquals(CoordinatorProtocol.Phase.ABORTING, coordinator.phase());
    List<CoordinatorAct> _ = sayAll(new Word.Aborted(), 110);
    Outcome.Failed failed = assertInstanceOf(Outcome.Failed.class, coordinator.outcome());
    assertEquals(Failure.Kind.START, failed.failure().kind());
    assertEquals(1, failed.failure().worker());
    assertTrue(
        failed.failure().message().contains("has not described the flow"),
        failed.failure()::message);
  }

  /// A module may load for minutes in `init`.
  @Test
  void modulesAreWaitedForAsLongAsTheirWorkersAnswer() {
    comeTo(CoordinatorProtocol.Phase.INITIALIZING);
    List<CoordinatorAct> _ = say(0, new Word.Initialized(), 50);
    long now = 50;
    for (; now < 50 * LIMITS.joinNanos(); now += LIMITS.hangNanos() / 2) {
      List<CoordinatorAct> _ = say(0, new Word.Initialized(), now);
      List<CoordinatorAct> _ = say(1, new Word.Wired(), now);
      List<CoordinatorAct> _ = coordinator.tick(now);
      assertEquals(CoordinatorProtocol.Phase.INITIALIZING, coordinator.phase());
      assertEquals(List.of(1), coordinator.behind());
    }
    List<CoordinatorAct> _ = say(1, new Word.Initialized(), now);
    assertEquals(CoordinatorProtocol.Phase.RUNNING, coordinator.phase());
  }

  /// The system may tell of the death when the streams have broken already, and another worker has
  /// reported that.
  @Test
  void theDeathOfAProcessCountsMoreThanTheStreamsThatItBreaks() {
    comeTo(CoordinatorProtocol.Phase.RUNNING);
    Failure broken = new Failure(Failure.Kind.LOST_PEER, 0, "a stream is lost");
    List<CoordinatorAct> _ = say(0, new Word.Failing(broken), 10);
    assertEquals(CoordinatorProtocol.Phase.ABORTING, coordinator.phase());
    List<CoordinatorAct> _ = say(0, new Word.Failed(broken), 20);
    List<CoordinatorAct> _ = coordinator.died(EPOCH, 1, "killed", 30);
    Outcome.Failed failed = assertInstanceOf(Outcome.Failed.class, coordinator.outcome());
    assertEquals(new Failure(Failure.Kind.DIED, 1, "killed"), failed.failure());
  }

  @Test
  void aWorkerThatHasNotReportedIsNotWaitedForWhenItsHostIsLost() {
    List<CoordinatorAct> _ = coordinator.start(0);
    List<CoordinatorAct> _ = say(0, new Word.Joined("here"), 5);
    assertEquals(List.of(), coordinator.lost(EPOCH, 0, "its host is lost", 10));
    assertEquals(List.of(), coordinator.lost(EPOCH.next(), 1, "its host is lost", 10));
    assertEquals(CoordinatorProtocol.Phase.STARTING, coordinator.phase());
    List<CoordinatorAct> _ = coordinator.lost(EPOCH, 1, "its host is lost", 10);
    assertEquals(CoordinatorProtocol.Phase.ABORTING, coordinator.phase());
    List<CoordinatorAct> _ = say(0, new Word.Aborted(), 20);
    Outcome.Failed failed = assertInstanceOf(Outcome.Failed.class, coordinator.outcome());
    assertEquals(new Failure(Failure.Kind.DIED, 1, "its host is lost"), failed.failure());
  }

  @Test
  void anotherAttemptKnowsWhyTheLastHasFailed() {
    Limits twice = new Limits(2, 2, 10, 1000, 50, 100);
    CoordinatorProtocol coordinator = new CoordinatorProtocol(RUN, twice, FINGERPRINT);
    List<CoordinatorAct> _ = coordinator.start(0);
    assertNull(coordinator.failureBefore());
    List<CoordinatorAct> _ = coordinator.died(EPOCH, 1, "was killed", 1);
    assertEquals(2, coordinator.epoch().attempt());
    assertEquals("was killed", requireNonNull(coordinator.failureBefore()).message());
  }

  @Test
  void namingThatDoesNotEndIsLeftToRecovery() {
    comeTo(CoordinatorProtocol.Phase.PUBLISHING);
    List<CoordinatorAct> _ = say(1, new Word.Published(List.of(), List.of()), 400);
    List<CoordinatorAct> _ = say(0, new Word.Prepared(), 450);
    List<CoordinatorAct> _ = coordinator.tick(500);
    assertEquals(CoordinatorProtocol.Phase.PUBLISHING, coordinator.phase());
    List<CoordinatorAct> _ = coordinator.tick(501);
    Outcome.Done done = assertInstanceOf(Outcome.Done.class, coordinator.outcome());
    assertEquals(1, done.unnamed().size());
    assertTrue(done.unnamed().getFirst().contains("worker 0"), done.unnamed()::getFirst);
  }

  @Test
  void theFirstLeaseCountsFromTheFirstReport() {
    WorkerProtocol worker = new WorkerProtocol(EPOCH, 0, "here", LIMITS, 0);
    List<WorkerAct> _ = worker.start(5000); // to reach the coordinator has taken long
    List<WorkerAct> _ = worker.tick(5900);
    assertFalse(worker.isStopping());
    List<WorkerAct> _ = worker.tick(6001);
    assertTrue(worker.isStopping());
  }

  @Test
  void theFirstAnswerMayTakeAsLongAsAStart() {
    Limits patient = new Limits(2, 1, 10, 1000, 50, 3000);
    WorkerProtocol worker = new WorkerProtocol(EPOCH, 0, "here", patient, 0);
    List<WorkerAct> _ = worker.start(0);
    List<WorkerAct> _ = worker.tick(2000); // the coordinator is connecting to others
    assertFalse(worker.isStopping());
    long number = sent(worker.tick(2500)).number();
    List<WorkerAct> _ = worker.receive(new Order(EPOCH, number, new Order.Step.Wait()), 2600);
    List<WorkerAct> _ = worker.tick(3400);
    assertFalse(worker.isStopping());
    List<WorkerAct> _ = worker.tick(3501); // from the first answer on, the lease is the usual one
    assertTrue(worker.isStopping());
  }

  @Test
  void anOldFirstAnswerGivesNoLease() {
    Limits patient = new Limits(2, 1, 10, 1000, 50, 3000);
    WorkerProtocol worker = new WorkerProtocol(EPOCH, 0, "here", patient, 0);
    long number = sent(worker.start(0)).number();
    List<WorkerAct> _ = worker.tick(2000);
    List<WorkerAct> _ = worker.receive(new Order(EPOCH, number, new Order.Step.Wait()), 2100);
    List<WorkerAct> _ = worker.tick(2110);
    assertTrue(worker.isStopping());
  }

  @Test
  void aFailureThatIsToldAfterTheStopIsNoneAnyMore() {
    WorkerProtocol worker = new WorkerProtocol(EPOCH, 0, "here", LIMITS, 0);
    List<WorkerAct> _ = worker.start(0);
    List<WorkerAct> _ = worker.receive(new Order(EPOCH, 1, new Order.Step.Abort("over")), 10);
    assertTrue(worker.isStopping());
    List<WorkerAct> _ = worker.stopped(20);
    assertEquals(List.of(), worker.failed(Failure.Kind.MODULE, "the stop broke a stream", 30));
    assertFalse(worker.isStopping()); // else it would wait for a second stop, for ever
    assertTrue(worker.coordinatorDied().contains(new WorkerAct.Leave()));
  }
}
