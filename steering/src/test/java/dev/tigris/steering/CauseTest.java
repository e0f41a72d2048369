package dev.tigris.steering;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tigris.cluster.run.RunProgress;
import dev.tigris.flow.FlowLoad;
import dev.tigris.flow.FlowSnapshot;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/// Why a part is slow, from the numbers of its replicas and of the streams to them.
class CauseTest {
  private static final long SECOND = 1_000_000_000;
  private static final double TINY = 1e-6;
  private static final int LOOKS = 8;

  private final FakeRun before = new FakeRun();
  private final FakeRun after = new FakeRun();

  CauseTest() {
    before.elapsedNanos = SECOND;
    after.elapsedNanos = 3 * SECOND;
  }

  /// A replica with shares of the time, in percent; the rest is busy.
  private void replica(String stage, int replica, int process, int disk, int input, int credit) {
    for (FakeRun each : List.of(before, after)) {
      long part = each == before ? 0 : 2 * SECOND / 100;
      each.set(
          process,
          new FlowSnapshot.Replica(
              stage,
              replica,
              each == before ? 0 : 200,
              SECOND / 1000,
              input * part,
              credit * part,
              disk * part,
              false));
    }
  }

  /// Streams from a process to `work[0]`, whose windows of 16 have so many waters of which so many
  /// have arrived, on average.
  private void traffic(String from, int process, int outstanding, int arrived) {
    edge(process, from, new FlowLoad.Receiver(0, 1, 100, 100 << 10, 0, outstanding, 16, 0));
    edge(1, from, new FlowLoad.Receiver(0, 0, 0, 0, 0, 0, 0, arrived));
  }

  private void edge(int process, String from, FlowLoad.Receiver each) {
    edge(process, from, "work", SECOND, List.of(each));
  }

  private void edge(
      int process, String from, String to, long credit, List<FlowLoad.Receiver> each) {
    for (FakeRun run : List.of(before, after)) {
      int looks = run == before ? 3 : 3 + LOOKS;
      List<FlowLoad.Receiver> receivers = new ArrayList<>();
      for (FlowLoad.Receiver one : each) {
        receivers.add(
            new FlowLoad.Receiver(
                one.replica(),
                one.streams(),
                one.waters() * looks,
                one.bytes() * looks,
                0,
                one.outstanding() * looks,
                one.window() * looks,
                one.arrived() * looks));
      }
      run.edges.add(
          new RunProgress.Edge(
              process,
              looks,
              new FlowLoad.Edge(to, from, to, 1, run == before ? 0 : credit, receivers)));
    }
  }

  private Load load() {
    return Load.between(before.progress(), after.progress());
  }

  private Load.Replica work() {
    return load().working("work").getFirst();
  }

  private @Nullable Culprit culprit() {
    return Culprit.of(FakeRun.chain("read", "work", "write"), load());
  }

  @Test
  void sharesOfTheTimeAreOneTogether() {
    replica("work", 0, 1, 20, 30, 10);
    Load.Replica work = work();
    assertEquals(0.4, work.busy(), TINY);
    assertEquals(0.2, work.disk(), TINY);
    assertEquals(1, work.busy() + work.disk() + work.waitsForInput() + work.waitsForCredit(), TINY);
  }

  @Test
  void sharesOfAReportThatCameLateAreOneTogetherToo() {
    replica("work", 0, 1, 60, 60, 30);
    Load.Replica work = work();
    assertEquals(0, work.busy(), TINY);
    assertEquals(1, work.disk() + work.waitsForInput() + work.waitsForCredit(), TINY);
  }

  @Test
  void writersThatAreMostlyWithFilesAreLimitedByTheDisk() {
    replica("read", 0, 0, 0, 0, 91);
    replica("work", 0, 1, 0, 5, 90);
    replica("write", 0, 1, 83, 2, 0);
    Culprit culprit = culprit();
    assertEquals(Culprit.Cause.DISK, culprit.cause());
    assertEquals("write", culprit.name());
    assertTrue(culprit.reason().contains("with files 83 % of the time"), culprit::reason);
    assertEquals("disk", culprit.members().get("cause"));
  }

  @Test
  void writersThatAreMostlyBusyAreNot() {
    replica("read", 0, 0, 0, 0, 91);
    replica("work", 0, 1, 0, 5, 90);
    replica("write", 0, 1, 30, 2, 0);
    assertEquals(Culprit.Cause.MODULE, culprit().cause());
  }

  @Test
  void aSourceOnASlowDiskIsLimitedByIt() {
    replica("read", 0, 0, 92, 0, 0);
    replica("work", 0, 1, 0, 95, 0);
    replica("write", 0, 1, 0, 96, 0);
    Culprit culprit = culprit();
    assertEquals(Culprit.Cause.DISK, culprit.cause());
    assertEquals("read", culprit.name());
    assertEquals(
        "work waits for its input; the replicas of this stage are with files 92 % of the time",
        culprit.reason());
  }

  @Test
  void aReceiverThatWaitsForWatersOnTheirWayIsLimitedByTheNetwork() {
    replica("read", 0, 0, 0, 0, 91);
    replica("work", 0, 1, 0, 95, 0);
    replica("write", 0, 1, 0, 96, 0);
    traffic("read", 0, 15, 2); // 13 of 16
    assertEquals(0.95 + 13 / 16.0 - 1, work().network(), TINY);
    Culprit culprit = culprit();
    assertEquals(Culprit.Cause.NETWORK, culprit.cause());
    assertEquals("work", culprit.name());
    assertEquals(
        "read waits for credit 91 % of the time; waters to work[0] in process 1 are on their way from process 0 76 % of the time",
        culprit.reason());
  }

  @Test
  void aSlowReceiverIsNotASlowNetwork() {
    replica("read", 0, 0, 0, 0, 91);
    replica("work", 0, 1, 0, 3, 0);
    replica("write", 0, 1, 0, 96, 0);
    traffic("read", 0, 16, 0); // none of them seen yet by a receiver in a long call
    assertEquals(0.03, work().network(), TINY);
    assertEquals(Culprit.Cause.MODULE, culprit().cause());
  }

  @Test
  void aSlowSenderIsNotASlowNetwork() {
    replica("read", 0, 0, 0, 0, 0);
    replica("work", 0, 1, 0, 99, 0);
    replica("write", 0, 1, 0, 99, 0);
    traffic("read", 0, 1, 0);
    assertEquals(0.0525, work().network(), TINY);
    Culprit culprit = culprit();
    assertEquals("read", culprit.name());
    assertEquals(Culprit.Cause.MODULE, culprit.cause());
  }

  @Test
  void watersThatHaveArrivedAreNotOnTheirWay() {
    replica("read", 0, 0, 0, 0, 91);
    replica("work", 0, 1, 0, 99, 0); // it takes from one of its inputs, and others have come
    traffic("read", 0, 16, 16);
    assertEquals(0, work().network());
  }

  @Test
  void watersOfTheSameProcessAreNotOnTheirWay() {
    replica("work", 0, 1, 0, 99, 0);
    traffic("read", 1, 16, 0);
    assertEquals(0, work().network());
  }

  @Test
  void oneOfSeveralIsBehindASlowLink() {
    replica("read", 0, 0, 0, 0, 91);
    replica("work", 0, 1, 0, 95, 0);
    replica("work", 1, 0, 0, 95, 0);
    replica("work", 2, 0, 0, 95, 0);
    replica("write", 0, 1, 0, 96, 0);
    traffic("read", 0, 15, 0);
    Culprit culprit = culprit();
    assertEquals("work[0]", culprit.name());
    assertEquals(Culprit.Cause.NETWORK, culprit.cause());
  }

  @Test
  void anIdleRunIsBlamedOnNobody() {
    replica("read", 0, 0, 0, 99, 0);
    replica("work", 0, 1, 0, 99, 0);
    traffic("read", 0, 0, 0);
    assertNull(culprit());
  }

  @Test
  void anEdgeIsAddedUpOverProcessesAndItsOddReceiversAreMarked() {
    replica("work", 0, 1, 0, 99, 0);
    replica("work", 1, 2, 0, 99, 0);
    replica("work", 2, 2, 0, 99, 0);
    for (int process = 0; process < 2; process++) {
      edge(
          process,
          "read",
          "work",
          SECOND,
          List.of(
              new FlowLoad.Receiver(0, 2, 100, 100 << 10, 0, 4, 16, 0),
              new FlowLoad.Receiver(1, 2, 100, 100 << 10, 0, 12, 16, 0),
              new FlowLoad.Receiver(2, 2, 50, 50 << 10, 0, 2, 16, 0)));
    }
    EdgeLoad edge = load().edges().getFirst();
    assertEquals(1, load().edges().size());
    assertEquals(0.5, edge.waitsForCredit(), TINY); // two senders wait for a second of two
    assertEquals(12, edge.sum(EdgeLoad.Receiver::streams), TINY);
    assertEquals(2 * 250 * LOOKS / 2.0, edge.sum(EdgeLoad.Receiver::watersPerSecond), TINY);
    assertEquals(18 / 48.0, edge.fill(), TINY);
    assertEquals(
        List.of(false, true, true),
        edge.receivers().stream().map(EdgeLoad.Receiver::isOdd).toList());
    assertEquals(
        List.of(1, 2, 2), edge.receivers().stream().map(EdgeLoad.Receiver::process).toList());
  }
}
