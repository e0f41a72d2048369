package dev.tigris.cluster.run;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tigris.cluster.GuestStreams;
import dev.tigris.cluster.Reach;
import dev.tigris.flow.Flow;
import dev.tigris.flow.FlowException;
import dev.tigris.flow.FlowRun;
import dev.tigris.flow.Guest;
import dev.tigris.flow.Module;
import dev.tigris.flow.Results;
import dev.tigris.flow.Stream;
import dev.tigris.flow.StreamKind;
import dev.tigris.flow.Water;
import dev.tigris.memory.Jbuf;
import dev.tigris.testing.Slow;
import dev.tigris.testing.Wait;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Modules of another program take part in a run, in one process and in two: each water comes once.
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class GuestsTest {
  @TempDir private Path runs;

  private final AtomicLong helped = new AtomicLong();
  private final List<CompletableFuture<Void>> joins = new CopyOnWriteArrayList<>();

  /// Asks a run of this JVM.
  ///
  /// @param run which is asked
  /// @param joins the answers
  private record Asked(ClusterRun run, List<CompletableFuture<Void>> joins)
      implements GuestStreams.Host {
    @Override
    public GuestStreams.Joined join(Guest guest, Reach here) {
      List<Reach> there = run.reaches();
      int process = (int) Math.floorMod(guest.key(), (long) there.size());
      CompletableFuture<Void> done = run.join(new GuestOrder(guest, here, process));
      joins.add(done);
      return new GuestStreams.Joined(there.get(process), done);
    }

    @Override
    public void leave(Guest guest) {
      var _ = run.leave(guest);
    }
  }

  /// Hands on what it gets, and counts it.
  private final class Passing implements Module {
    @Override
    public void process(Water in, Stream out) {
      helped.incrementAndGet();
      out.put(in);
    }
  }

  private FlowRun helper(ClusterRun run, int replicas, Module module) {
    GuestStreams streams = new GuestStreams(new Asked(run, joins));
    return Flow.named("helper")
        .checksums()
        .stage("help", () -> module, replicas)
        .feed("help", kinds(streams.taking("work"), replicas))
        .drain("help", kinds(streams.giving("add"), replicas))
        .build()
        .start();
  }

  private static StreamKind[] kinds(StreamKind kind, int count) {
    return IntStream.range(0, count).mapToObj(i -> kind).toArray(StreamKind[]::new);
  }

  private void helps(ClusterRun run) throws Exception {
    Wait.until("waters flow", () -> run.progress().calls() > 100);
    for (int replicas : new int[] {1, 3}) {
      FlowRun helper = helper(run, replicas, new Passing());
      long before = helped.get();
      Wait.until("they help", () -> helped.get() > before + 1000 || helper.isDone());
      Wait.until("all do", () -> joins.stream().allMatch(CompletableFuture::isDone));
      run.resize("work", replicas + 2).get(60, TimeUnit.SECONDS);
      run.resize("add", replicas).get(60, TimeUnit.SECONDS);
      assertTrue(run.graph().stages().stream().anyMatch(each -> each.name().equals("work.taken")));
      helper.drain();
      helper.await();
    }
    FlowRun last = helper(run, 2, new Passing());
    long before = helped.get();
    Wait.until("they help", () -> helped.get() > before + 1000);
    run.drain(); // which ends the helper, too
    last.await();
    Results results = run.await();
    assertTrue(helped.get() > 3000);
    assertEquals(results.number("made"), results.number("came"));
    assertEquals(results.number("made sum"), results.number("came sum"));
  }

  @Test
  void onThreads() throws Exception {
    helps(Cluster.threads().start(Endless.class));
  }

  @Test
  void onThreadsWithChecksums() throws Exception {
    helps(Cluster.threads().start(Endless.class, "checksums"));
  }

  @Slow("starts two JVMs")
  @Test
  void onProcesses() throws Exception {
    helps(Cluster.processes(2).withRuns(runs).start(Endless.class));
  }

  /// Waters that a lost guest has taken are lost: so is the run.
  @Test
  void aGuestThatFailsFailsTheRun() throws Exception {
    ClusterRun run = Cluster.threads().start(Endless.class);
    Wait.until("waters flow", () -> run.progress().calls() > 100);
    FlowRun helper =
        helper(
            run,
            1,
            (in, out) -> {
              throw new IllegalStateException("broken");
            });
    FlowException thrown = assertThrows(FlowException.class, helper::await);
    assertTrue(String.valueOf(thrown.getCause()).contains("broken"));
    RunException lost = assertThrows(RunException.class, run::await);
    assertTrue(lost.getMessage().matches(".*stage (work.taken|add.given),.*"), lost::getMessage);
  }

  /// A program that fails before it has been given anything leaves the run as it was.
  @Test
  void aGuestThatCannotBeginLeavesTheRun() throws Exception {
    ClusterRun run = Cluster.threads().start(Endless.class);
    try {
      Wait.until("waters flow", () -> run.progress().calls() > 100);
      GuestStreams streams = new GuestStreams(new Asked(run, joins));
      Flow broken =
          Flow.named("broken")
              .stage(
                  "help",
                  () -> {
                    throw new IllegalStateException("broken");
                  })
              .feed("help", streams.taking("work"))
              .drain("help", streams.giving("add"))
              .build();
      assertThrows(FlowException.class, () -> broken.start().await());
      assertEquals(1, joins.size(), "it did not ask to take");
      run.drain();
      Results results = run.await();
      assertEquals(results.number("made"), results.number("came"));
    } finally {
      run.cancelAndAwait();
    }
  }

  /// However wrong it is where a guest says that it listens, the run goes on.
  @Test
  void aGuestThatListensNowhereIsRefused() throws Exception {
    ClusterRun run = Cluster.threads().start(Endless.class);
    try {
      Wait.until("waters flow", () -> run.progress().calls() > 100);
      long key = 0;
      for (String way :
          List.of(
              "",
              "|tcp=nonsense",
              "|tcp=127.0.0.1",
              "|tcp=127.0.0.1:99999",
              "|shm=/etc/passwd",
              "|shm=../../x",
              "|other=1")) {
        var taken =
            run.join(new GuestOrder(new Guest("work", false, 1, key++), Reach.of("x" + way), 0));
        ExecutionException refused =
            assertThrows(ExecutionException.class, () -> taken.get(60, TimeUnit.SECONDS));
        assertTrue(refused.getCause().getMessage().contains("cannot be reached"), way);
      }
      run.resize("work", 3).get(60, TimeUnit.SECONDS);
      run.drain();
      Results results = run.await();
      assertEquals(results.number("made"), results.number("came"));
    } finally {
      run.cancelAndAwait();
    }
  }

  @Test
  void anotherWindowIsRefused() throws Exception {
    ClusterRun run = Cluster.threads().start(Endless.class);
    try {
      GuestStreams streams = new GuestStreams(new Asked(run, joins));
      Flow wide =
          Flow.named("wide")
              .stage("help", () -> (in, out) -> {})
              .feed("help", streams.taking("work").withWindow(8))
              .build();
      FlowException refused = assertThrows(FlowException.class, () -> wide.start().await());
      assertTrue(refused.getMessage().contains("has a window of 8"), refused::getMessage);
      assertEquals(0, joins.size());
    } finally {
      run.cancelAndAwait();
    }
  }

  /// A guest that has gone before the change of another is over leaves in its turn.
  @Test
  void aGuestMayLeaveAtOnce() throws Exception {
    ClusterRun run = Cluster.threads().start(Endless.class);
    try {
      Wait.until("waters flow", () -> run.progress().calls() > 100);
      for (int i = 0; i < 20; i++) {
        FlowRun helper = helper(run, 2, new Passing());
        helper.drain();
        helper.await();
      }
      run.drain();
      Results results = run.await();
      assertEquals(results.number("made"), results.number("came"));
      assertEquals(results.number("made sum"), results.number("came sum"));
    } finally {
      run.cancelAndAwait();
    }
  }

  /// The memory of streams that have ended is given back while the run goes on.
  @Slow("joins and leaves 200 times")
  @Test
  void manyVisitsTakeNoMemory() throws Exception {
    ClusterRun run = Cluster.threads().start(Endless.class);
    try {
      Wait.until("waters flow", () -> run.progress().calls() > 100);
      long before = 0;
      for (int i = 0; i < 200; i++) {
        long seen = helped.get();
        FlowRun helper = helper(run, 1, new Passing());
        Wait.until("it helps", () -> helped.get() > seen || helper.isDone());
        helper.drain();
        helper.await();
        if (i == 20) {
          before = usedBytes();
        }
      }
      long most = before + (64 << 20);
      Wait.until("the memory of streams is free", () -> usedBytes() < most);
    } finally {
      run.cancelAndAwait();
    }
  }

  private static long usedBytes() {
    System.gc();
    return Jbuf.use().usedBytes();
  }

  private void refuses(ClusterRun run, String reservoir, boolean gives, String why)
      throws Exception {
    GuestStreams streams = new GuestStreams(new Asked(run, joins));
    Flow.Builder described = Flow.named("refused");
    if (gives) {
      described.source("s", () -> out -> false).drain("s", streams.giving(reservoir));
    } else {
      described.stage("m", () -> (in, out) -> {}).feed("m", streams.taking(reservoir));
    }
    FlowException refused =
        assertThrows(FlowException.class, () -> described.build().start().await());
    assertTrue(String.valueOf(refused.getMessage()).contains(why), refused::getMessage);
  }

  @Test
  void aGuestOfWhatIsNotThereIsRefused() throws Exception {
    ClusterRun run = Cluster.threads().start(Endless.class);
    try {
      Wait.until("waters flow", () -> run.progress().calls() > 100);
      refuses(run, "nothing", false, "there is no reservoir 'nothing': there are [work, add]");
      refuses(run, "nothing", true, "there is no reservoir 'nothing': there are [work, add]");
      ExecutionException none =
          assertThrows(
              ExecutionException.class,
              () -> run.leave(new Guest("work", false, 1, 7)).get(60, TimeUnit.SECONDS));
      assertTrue(none.getCause().getMessage().contains("no such guest"));
      assertFalse(run.isDone());
    } finally {
      run.cancelAndAwait();
    }
  }

  /// A guest that is not there when it is to be reached leaves the run as it was.
  @Slow("waits for a guest as long as a run does")
  @Test
  void aGuestThatIsNotThereIsRefused() throws Exception {
    ClusterRun run = Cluster.threads().start(Endless.class);
    try {
      Wait.until("waters flow", () -> run.progress().calls() > 100);
      Reach nowhere = new Reach("x", List.of(new Reach.Way("tcp", "127.0.0.1:1")));
      var joined = run.join(new GuestOrder(new Guest("work", false, 1, 7), nowhere, 0));
      run.join(new GuestOrder(new Guest("add", true, 1, 8), nowhere, 0)).get(90, TimeUnit.SECONDS);
      ExecutionException refused =
          assertThrows(ExecutionException.class, () -> joined.get(1, TimeUnit.SECONDS));
      assertTrue(refused.getCause().getMessage().contains("cannot be reached"));
      run.drain();
      Results results = run.await();
      assertEquals(results.number("made"), results.number("came"));
    } finally {
      run.cancelAndAwait();
    }
  }
}
