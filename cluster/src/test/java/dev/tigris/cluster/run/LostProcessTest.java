package dev.tigris.cluster.run;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import dev.tigris.testing.Slow;
import dev.tigris.testing.Wait;
import dev.tigris.testing.process.Child;
import dev.tigris.testing.process.Command;
import dev.tigris.testing.process.Jvm;
import dev.tigris.testing.process.Signal;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Workers and coordinators that are killed or stopped while modules run: the outcome is right, and
/// no process and no memory file is left.
@Slow("starts many JVMs")
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class LostProcessTest {
  private static final String SUM = String.valueOf(Sums.expected(3000));

  @TempDir private Path runs;

  private Path hangs = Path.of("");
  private Set<String> sharedBefore = Set.of();
  private List<ProcessHandle> workers = List.of();

  @BeforeEach
  void lookBefore() throws IOException {
    hangs = runs.resolve("hangs");
    sharedBefore = shared();
  }

  @AfterEach
  void requireNothingLeft() throws IOException {
    for (ProcessHandle worker : workers) {
      Wait.until(() -> worker + " ends", Duration.ofSeconds(10), () -> !worker.isAlive());
    }
    Set<String> more = shared();
    more.removeAll(sharedBefore);
    assertEquals(Set.of(), more);
  }

  private static Set<String> shared() throws IOException {
    Path folder = Path.of("/dev/shm");
    if (!Files.isDirectory(folder)) {
      return new TreeSet<>();
    }
    try (Stream<Path> files = Files.list(folder)) {
      return files
          .map(Path::toString)
          .filter(file -> !file.contains("/fi_")) // libfabric's, whose tests may run beside these
          .collect(Collectors.toCollection(TreeSet::new));
    }
  }

  /// Starts a run of three processes, and waits until a source of it hangs.
  private Child hanging(int attempts) {
    Child coordinator =
        Jvm.of(RunsSums.class)
            .quick()
            .command(
                runs.toString(), "3", String.valueOf(attempts), "3000", "hangs", hangs.toString())
            .errorsApart() // they say why a run is tried again
            .start();
    String _ = Objects.requireNonNull(coordinator.nextLine());
    Wait.until("the source hangs", () -> Files.exists(hangs));
    workers = coordinator.handle().children().toList();
    assertEquals(3, workers.size());
    return coordinator;
  }

  private static void signal(ProcessHandle process, String name) {
    String _ = Command.of("kill", "-" + name, String.valueOf(process.pid())).output();
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2})
  void aRunIsTriedAgainWhenAWorkerIsKilled(int which) {
    Child coordinator = hanging(2);
    signal(workers.get(which), "KILL");
    coordinator.expectLine(SUM).outcome().expect(0);
  }

  @Test
  void withoutAttemptsLeftTheRunFailsAndNamesTheWorker() {
    Child coordinator = hanging(1);
    signal(workers.get(1), "KILL");
    String line = Objects.requireNonNull(coordinator.nextLine());
    assertTrue(line.startsWith("LOST 1 "), line);
    assertTrue(line.contains("signal 9") || line.contains("has lost its"), line);
    coordinator.outcome().expect(0);
  }

  @Test
  void aWorkerThatIsStoppedForLongIsGivenUp() {
    Child coordinator = hanging(2);
    signal(workers.get(2), "STOP");
    coordinator.expectLine(SUM).outcome().expect(0);
  }

  @Test
  void aWorkerThatIsStoppedForAMomentLosesNothing() {
    Child coordinator = hanging(1);
    for (ProcessHandle worker : workers) {
      signal(worker, "STOP");
      signal(worker, "CONT");
    }
    assertTrue(coordinator.isAlive());
    coordinator.terminate();
    int _ = coordinator.exitCode();
  }

  @ParameterizedTest
  @ValueSource(strings = {"KILL", "TERM", "INT"})
  void allProcessesEndWithTheCoordinator(String name) throws IOException {
    assumeFalse(Signal.valueOf(name).isIgnored(), "this process ignores the signal");
    Child coordinator = hanging(2);
    signal(coordinator.handle(), name);
    int _ = coordinator.exitCode();
  }

  @Test
  void aStoppedCoordinatorIsNotObeyedAnyMore() {
    Child coordinator = hanging(2);
    signal(coordinator.handle(), "STOP");
    for (ProcessHandle worker : workers) {
      Wait.until(() -> worker + " fences itself", Duration.ofSeconds(20), () -> !isRunning(worker));
    }
    signal(coordinator.handle(), "CONT");
    coordinator.expectLine(SUM).outcome().expect(0);
  }

  /// A process whose parent is stopped stays as a zombie.
  private static boolean isRunning(ProcessHandle process) throws IOException {
    Path stat = Path.of("/proc", String.valueOf(process.pid()), "stat");
    try {
      String text = Files.readString(stat);
      return text.charAt(text.lastIndexOf(')') + 2) != 'Z';
    } catch (IOException e) {
      return false;
    }
  }
}
