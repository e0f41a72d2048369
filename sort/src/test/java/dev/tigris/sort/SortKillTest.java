package dev.tigris.sort;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tigris.testing.EveryTier;
import dev.tigris.testing.Tier;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Collectors;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Sorts that are killed at random moments: a third of them in one pass, a third external, and a
/// third to a compressed output; of each, half while they partition, half after that.
@EveryTier("kills: 6, 30, 402")
class SortKillTest {
  private static final int KILLS = Tier.choose(6, 30, 402);
  private static final long IN_ONE_PASS = 256 << 20;
  private static final long EXTERNAL = 12 << 20;

  /// What the output is to replace, in half of the sorts.
  private static final byte[] OLD = new byte[1];

  /// The most that a kill comes after the step that it waits for.
  private static final int LATEST_NANOS = 3_000_000;

  @TempDir Path folder;
  private Path input;
  private Path copy;
  private Path sorted;

  @BeforeEach
  void makeInput() throws Exception {
    input = folder.resolve("input");
    copy = folder.resolve("copy");
    sorted = folder.resolve("sorted");
    GenerateJob.to(input, 100_000).run();
    Files.copy(input, copy);
    SortJob.of(List.of(input), sorted).run();
    assertTrue(CheckJob.of(List.of(sorted)).run().summary().isOrdered());
  }

  /// What kills struck.
  private static final class Strikes {
    private final Map<Progress.Phase, Integer> phases = new EnumMap<>(Progress.Phase.class);
    private int spilled;
    private int done;

    private void add(Strikes others) {
      others.phases.forEach((phase, kills) -> phases.merge(phase, kills, Integer::sum));
      spilled += others.spilled;
      done += others.done;
    }

    private int in(Progress.Phase phase) {
      return phases.getOrDefault(phase, 0);
    }

    @Override
    public String toString() {
      return "%s, %d with spilled records, %d too late".formatted(phases, spilled, done);
    }
  }

  /// Two at a time, each in a folder of its own.
  @Test
  void aRerunCleansUpAfterAKillAtAnyMoment() throws Exception {
    long seed = System.nanoTime();
    List<Callable<Strikes>> turns =
        List.of(
            () -> kill(KILLS / 3, IN_ONE_PASS, "one", "output", new Random(seed)),
            () -> kill(KILLS / 3, EXTERNAL, "external", "output", new Random(seed + 1)),
            () -> kill(KILLS / 3, EXTERNAL, "packed", "output.gz", new Random(seed + 2)));
    Strikes all = new Strikes();
    try (ExecutorService threads = Executors.newFixedThreadPool(2)) {
      for (Future<Strikes> strikes : threads.invokeAll(turns)) {
        all.add(strikes.get());
      }
    }
    System.out.printf("%d kills struck %s, seed %d%n", KILLS, all, seed);
    assertTrue(
        KILLS < 20
            || (all.in(Progress.Phase.PARTITION) >= KILLS / 8
                && all.in(Progress.Phase.SORT) >= KILLS / 8
                && all.spilled >= KILLS / 8),
        "%d kills struck %s, seed %d".formatted(KILLS, all, seed));
    assertEquals(-1, Files.mismatch(copy, input), "the input has changed, seed " + seed);
  }

  private Strikes kill(int kills, long memory, String name, String file, Random random)
      throws Exception {
    Path own = Files.createDirectory(folder.resolve(name));
    Path output = own.resolve(file);
    List<Progress.Phase> steps = stepsOf(SortProcess.start(input, output, memory));
    int partitioning = steps.indexOf(Progress.Phase.PARTITION);
    int sorting = steps.indexOf(Progress.Phase.SORT);
    Strikes strikes = new Strikes();
    for (int kill = 0; kill < kills; kill++) {
      Files.deleteIfExists(output);
      boolean replaces = random.nextBoolean();
      if (replaces) {
        Files.write(output, OLD);
      }
      boolean early = kill % 2 == 0;
      int from = early ? partitioning : sorting;
      int step = random.nextInt(from, early ? sorting : steps.size());
      int nanos = random.nextInt(LATEST_NANOS);
      String when = "%s, killed %d ns after step %d".formatted(name, nanos, step);
      SortProcess killed = SortProcess.start(input, output, memory);
      boolean _ = killed.awaitSteps(step + 1);
      killed.killAfter(Duration.ofNanos(nanos));
      List<Progress.Phase> rest = stepsOf(killed);
      Progress.Phase last = rest.isEmpty() ? steps.get(step) : rest.getLast();
      List<Path> left = leftIn(own);
      assertTrue(!replaces || Files.exists(output), when);
      if (Files.exists(output) && !(replaces && Files.size(output) == OLD.length)) {
        strikes.done++;
        assertTrue(isSorted(output), when);
      } else {
        strikes.phases.merge(last, 1, Integer::sum);
        strikes.spilled += left.stream().anyMatch(SortKillTest::isSpilled) ? 1 : 0;
        left.remove(output); // what was there before
        assertFalse(left.isEmpty(), when);
      }
      SortJob.of(List.of(input), output).memory(memory).run();
      assertEquals(List.of(output), leftIn(own), when);
      assertTrue(isSorted(output), when);
    }
    return strikes;
  }

  private boolean isSorted(Path output) throws IOException {
    if (!output.toString().endsWith(".gz")) {
      return Files.mismatch(sorted, output) == -1;
    }
    try (var plain = new GZIPInputStream(Files.newInputStream(output))) {
      return Arrays.equals(Files.readAllBytes(sorted), plain.readAllBytes());
    }
  }

  private static boolean isSpilled(Path file) {
    try {
      return String.valueOf(file.getFileName()).startsWith("spill-") && Files.size(file) > 0;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /// The phases of all steps that it still says, until it ends.
  private static List<Progress.Phase> stepsOf(SortProcess process) {
    List<Progress.Phase> steps = new ArrayList<>();
    for (String line = process.nextLine(); line != null; line = process.nextLine()) {
      String[] words = line.split(" ", -1); // the last line may have been cut
      if (words.length == 3) {
        steps.add(Progress.Phase.valueOf(words[1]));
      }
    }
    return steps;
  }

  /// Every file in the folder, at any depth.
  private static List<Path> leftIn(Path folder) throws IOException {
    try (var files = Files.walk(folder)) {
      return files.filter(file -> !file.equals(folder)).collect(Collectors.toList());
    }
  }
}
