package dev.tigris.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tigris.os.DiskSpace;
import dev.tigris.testing.EveryTier;
import dev.tigris.testing.Tier;
import dev.tigris.testing.process.Child;
import dev.tigris.testing.process.TrainedJvm;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.AnnotatedElementContext;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.io.TempDirFactory;

/// Processes that are killed while they flush a file.
@EveryTier("kills: 10, 20, 400")
class FlushCrashTest {
  private static final int KILLS = Tier.choose(10, 20, 400);

  /// Few of them on each page: most of a writer's time shall be spent in flushes.
  private static final int COUNTERS = 500;

  static final class Counter extends Pso {
    long value;

    @Capacity(254)
    Longs padding;

    Counter(Container container) {
      super(container);
    }
  }

  /// Gives all objects of a durable container one value after the other, and says so after each
  /// flush.
  static final class Writer {
    public static void main(String[] arguments) throws IOException {
      long values = Long.parseLong(arguments[1]);
      Jbuf jbuf = Jbuf.map(Path.of(arguments[0]), Mapping.DURABLE, 1 << 20);
      Container container = jbuf.asContainer();
      PsoTable<Counter> counters = container.rootTable(Counter.class);
      if (counters == null) {
        counters = new PsoTable<>(container, Counter.class, COUNTERS);
        for (int i = 0; i < COUNTERS; i++) {
          counters.add();
        }
        container.root(counters);
        jbuf.flush();
      }
      for (long value = counters.get(0).value + 1; values > 0; value++, values--) {
        for (PsoCursor<Counter> cursor = counters.cursor(); cursor.next(); ) {
          cursor.element().value = value;
        }
        jbuf.flush();
        System.out.println(value);
      }
    }
  }

  /// A folder in memory, where there is one.
  static final class InMemory implements TempDirFactory {
    @Override
    public Path createTempDirectory(AnnotatedElementContext element, ExtensionContext test)
        throws IOException {
      Path memory = Path.of("/dev/shm");
      String prefix = "tigris-test";
      return Files.isWritable(memory)
          ? Files.createTempDirectory(memory, prefix)
          : Files.createTempDirectory(prefix);
    }
  }

  /// How many kills struck while pages went to the journal, and how many while they went from there
  /// to the file.
  private record Strikes(int journals, int files) {}

  /// Two files in turns: while one is checked, the next writer of the other starts. On a disk a
  /// flush spends its time in waiting for it, in memory in writing.
  @Test
  void findsTheLastFlushAfterTheWriterWasKilled(
      @TempDir Path disk, @TempDir(factory = InMemory.class) Path memory) throws Exception {
    long seed = System.nanoTime();
    TrainedJvm writers =
        TrainedJvm.train(
            Writer.class,
            List.of(Jbuf.class, DiskSpace.class),
            disk,
            disk.resolve("training").toString(),
            "5");
    List<Callable<Strikes>> turns =
        List.of(
            () -> kill(writers, KILLS - KILLS / 2, disk.resolve("counters"), seed),
            () -> kill(writers, KILLS / 2, memory.resolve("counters"), seed + 1));
    int interrupted = 0;
    try (ExecutorService threads = Executors.newFixedThreadPool(turns.size())) {
      for (Future<Strikes> strikes : threads.invokeAll(turns)) {
        System.out.println(strikes.get());
        interrupted += strikes.get().journals() + strikes.get().files();
      }
    }
    System.out.printf(
        "%d of %d kills left a flush unfinished, seed %d%n", interrupted, KILLS, seed);
    assertTrue(interrupted > 0 || KILLS < 50, "no flush was interrupted, seed " + seed);
  }

  private static Strikes kill(TrainedJvm writers, int kills, Path file, long seed)
      throws Exception {
    Random random = new Random(seed);
    int journals = 0;
    int files = 0;
    long said = 0;
    for (int kill = 0; kill < kills; kill++) {
      try (Child writer = writers.command(file.toString(), Long.toString(Long.MAX_VALUE)).start()) {
        for (int i = random.nextInt(5); i >= 0; i--) {
          said = Long.parseLong(writer.nextLine());
        }
        boolean _ = writer.endsWithin(Duration.ofNanos(random.nextInt(10_000_000)));
        writer.kill();
        for (String line = writer.nextLine(); line != null; line = writer.nextLine()) {
          said = Long.parseLong(line);
        }
      }
      boolean isInterrupted = Files.size(Journal.pathFor(file)) > Long.BYTES;
      long found = valueOfAll(file);
      // The last flush may have been complete and not yet been reported.
      assertTrue(
          found == said || found == said + 1,
          "seed %d: %d was reported, %d found".formatted(seed, said, found));
      journals += isInterrupted && found == said ? 1 : 0;
      files += isInterrupted && found > said ? 1 : 0;
    }
    return new Strikes(journals, files);
  }

  /// The one value that all objects have.
  private static long valueOfAll(Path file) throws IOException {
    Path copy = file.resolveSibling("copy");
    Files.copy(file, copy, StandardCopyOption.REPLACE_EXISTING);
    Files.copy(Journal.pathFor(file), Journal.pathFor(copy), StandardCopyOption.REPLACE_EXISTING);
    Jbuf jbuf = Jbuf.map(copy, Mapping.DURABLE);
    try {
      PsoTable<Counter> counters = jbuf.asContainer().rootTable(Counter.class);
      long first = counters.get(0).value;
      for (PsoCursor<Counter> cursor = counters.cursor(); cursor.next(); ) {
        assertEquals(first, cursor.element().value, "at " + cursor.index());
      }
      return first;
    } finally {
      Files.delete(copy);
      Files.delete(Journal.pathFor(copy));
    }
  }
}
