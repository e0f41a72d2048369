package dev.tigris.cluster.run;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tigris.cluster.run.outputs.RunRecovery;
import dev.tigris.testing.EveryTier;
import dev.tigris.testing.Slow;
import dev.tigris.testing.Tier;
import dev.tigris.testing.Wait;
import dev.tigris.testing.process.Child;
import dev.tigris.testing.process.Command;
import dev.tigris.testing.process.Jvm;
import dev.tigris.testing.process.Signal;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Any process of a run is killed, or stopped for shorter or longer than the hang limit, at any
/// moment: the run ends as it should, with all of its outputs or none, and leaves nothing. The
/// kernel frees memory that processes share when the last of them has ended.
@Timeout(value = 6, unit = TimeUnit.HOURS)
class RandomDeathTest {
  private static final int COUNT = 1500;

  /// A run that nothing disturbs takes about as long from when it has told its folder.
  private static final int RUN_MILLIS = 2500;

  private static final int HANG_MILLIS = 3000;

  /// Where nothing hangs, a busy machine must not look like it.
  private static final int LONG_HANG_MILLIS = 20_000;

  /// More than one that is lost, for a machine on which processes stand still by themselves.
  private static final String ATTEMPTS = "4";

  private static final String WELL = "WELL";

  /// Less than for how long a worker tries to reach its coordinator.
  private static final Duration GONE = Duration.ofSeconds(20);

  @TempDir private Path temporary;

  /// What becomes of a process.
  private enum Fate {
    KILLED,
    STOPPED_SHORTLY,
    STOPPED_FOR_LONG
  }

  @EveryTier(
      "a run of four JVMs is killed once in the quick one, and hundreds of times in the soak")
  @Test
  void anyProcessIsKilledOrStoppedAtAnyMoment() throws Exception {
    int times = Tier.choose(1, 3, 400);
    Random seeds = new Random();
    for (int i = 0; i < times; i++) {
      long seed = seeds.nextLong();
      System.out.printf("a process dies or stands still, by seed %d%n", seed);
      try {
        disturb(new Random(seed), temporary.resolve(String.valueOf(i)));
      } catch (Throwable e) {
        throw new AssertionError("with seed " + seed, e);
      }
    }
  }

  @Slow("it starts four JVMs, and ends while these start")
  @Test
  void workersThatHaveNotReachedTheirCoordinatorEndWithIt() throws Exception {
    Path runs = Files.createDirectories(temporary.resolve("runs"));
    Path outputs = Files.createDirectories(temporary.resolve("outputs"));
    try (Child coordinator =
        Jvm.of(Numbered.Runs.class)
            .quick()
            .command(
                runs.toString(),
                ATTEMPTS,
                String.valueOf(LONG_HANG_MILLIS),
                outputs.toString(),
                String.valueOf(COUNT))
            .start()) {
      assertTrue(coordinator.nextLine() != null);
      ProcessHandle handle = coordinator.handle();
      Wait.until(
          () -> "no worker has started",
          GONE,
          () -> handle.children().anyMatch(RandomDeathTest::isWorker));
      signal(handle, Signal.KILL);
      requireNoProcess(runs);
    }
  }

  private static void disturb(Random random, Path folder) throws Exception {
    Path runs = Files.createDirectories(folder.resolve("runs"));
    Path outputs = Files.createDirectories(folder.resolve("outputs"));
    boolean isQuick = Tier.current() == Tier.QUICK;
    Fate fate = isQuick ? Fate.KILLED : Fate.values()[random.nextInt(Fate.values().length)];
    try (Child coordinator =
        Jvm.of(Numbered.Runs.class)
            .quick()
            .command(
                runs.toString(),
                ATTEMPTS,
                String.valueOf(fate == Fate.STOPPED_FOR_LONG ? HANG_MILLIS : LONG_HANG_MILLIS),
                outputs.toString(),
                String.valueOf(COUNT))
            .start()) {
      Path run = Path.of(Objects.requireNonNull(coordinator.nextLine()));
      boolean isOver = coordinator.endsWithin(Duration.ofMillis(random.nextInt(RUN_MILLIS)));
      ProcessHandle victim = isOver ? coordinator.handle() : anyOf(coordinator, random);
      boolean isCoordinator = victim.equals(coordinator.handle());
      String what = "%s, the %s".formatted(fate, isCoordinator ? "coordinator" : "worker");
      suffer(victim, fate, random, coordinator);
      String printed = coordinator.outcome().output();
      requireNoProcess(runs);
      if (isCoordinator && fate == Fate.KILLED && !printed.contains(WELL)) {
        recover(run, outputs, what);
      } else {
        assertTrue(printed.contains(WELL), () -> what + ": " + printed);
        Numbered.requireAll(outputs, COUNT);
      }
      requireTidy(run, what);
    }
  }

  private static ProcessHandle anyOf(Child coordinator, Random random) {
    List<ProcessHandle> all = new ArrayList<>(List.of(coordinator.handle()));
    coordinator.handle().children().filter(RandomDeathTest::isWorker).forEach(all::add);
    return all.get(random.nextInt(all.size()));
  }

  /// The JDK starts a process by a short-lived one of its own.
  private static boolean isWorker(ProcessHandle child) {
    return !child.info().command().orElse("").endsWith("jspawnhelper");
  }

  private static void suffer(ProcessHandle victim, Fate fate, Random random, Child coordinator) {
    switch (fate) {
      case KILLED -> signal(victim, Signal.KILL);
      case STOPPED_SHORTLY -> stop(victim, random.nextInt(500), coordinator);
      case STOPPED_FOR_LONG -> stop(victim, HANG_MILLIS * 2 + random.nextInt(1000), coordinator);
    }
  }

  private static void stop(ProcessHandle victim, int millis, Child coordinator) {
    signal(victim, Signal.STOP);
    boolean _ = coordinator.endsWithin(Duration.ofMillis(millis));
    signal(victim, Signal.CONT);
  }

  /// The process may have ended.
  private static void signal(ProcessHandle process, Signal signal) {
    boolean _ = Command.of("kill", "-" + signal, String.valueOf(process.pid())).succeeds();
  }

  /// All processes of a run have a path in its folder among their arguments.
  private static void requireNoProcess(Path runs) {
    Wait.until(() -> "there are " + processesOf(runs), GONE, () -> processesOf(runs).isEmpty());
  }

  private static List<String> processesOf(Path runs) {
    return ProcessHandle.allProcesses()
        .map(each -> each.info().commandLine().orElse(""))
        .filter(line -> line.contains(runs.toString()))
        .toList();
  }

  private static void recover(Path run, Path outputs, String what) throws IOException {
    RunRecovery.Result result;
    try (RunRecovery recovery = RunRecovery.of(run)) {
      result = recovery.finish();
    }
    assertEquals(List.of(), result.unnamed(), what);
    if (!names(outputs).isEmpty()) {
      Numbered.requireAll(outputs, COUNT);
    }
  }

  private static List<String> names(Path folder) throws IOException {
    try (Stream<Path> all = Files.list(folder)) {
      return all.map(each -> String.valueOf(each.getFileName())).sorted().toList();
    }
  }

  /// Only what is of use later is left in the folder of a run.
  private static void requireTidy(Path run, String what) throws IOException {
    List<String> left =
        names(run).stream()
            .filter(name -> !name.matches("run|over|decision|worker-\\d+\\.\\d+\\.log"))
            .toList();
    assertEquals(List.of(), left, what);
    assertTrue(Files.exists(run.resolve("over")), what);
  }
}
