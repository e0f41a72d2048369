package dev.tigris.sort;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.tigris.memory.Jbuf;
import dev.tigris.testing.Slow;
import dev.tigris.testing.process.Jvm;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// What a sort takes of memory and of the heap, as a process of its own.
class SortMemoryTest {
  private static final int LARGE_RECORD = 24 << 20;
  private static final long MEGABYTE = 1 << 20;

  @TempDir Path folder;
  private Path input;
  private Path output;

  @BeforeEach
  void nameFiles() {
    input = folder.resolve("input");
    output = folder.resolve("sorted");
  }

  @ParameterizedTest
  @CsvSource("100, 10, 48")
  void staysWithinItsMemory(int recordSize, int keySize, int megabytes) throws Exception {
    requireMemory(recordSize, keySize, megabytes);
  }

  @ParameterizedTest
  @CsvSource({
    "16000000, 16000000, 256", // external
    "16000000, 10, 256",
    "16000000, 16000000, 640", // in one pass
  })
  @Slow("large records, other keys, and one pass, of 320 MB")
  void staysWithinItsMemoryWithOtherKeysAndInOnePass(int recordSize, int keySize, int megabytes)
      throws Exception {
    requireMemory(recordSize, keySize, megabytes);
  }

  private void requireMemory(int recordSize, int keySize, int megabytes) throws Exception {
    assumeTrue(Files.isReadable(Path.of("/proc/self/status")), "skipped: needs Linux's /proc");
    GenerateJob.to(input, 3_200_000).run();
    long memory = megabytes * MEGABYTE;
    RecordFormat format = new RecordFormat(recordSize, 0, keySize);
    SortProcess process = SortProcess.start(input, output, memory, format);
    long most = 0;
    String last = null;
    for (String line = process.nextLine(); line != null; line = process.nextLine()) {
      most = Math.max(most, process.ownMemoryBytes());
      last = line;
    }
    assertEquals(0, process.finish());
    assertTrue(last != null && last.contains("SYNC 320000000/320000000"), last);
    assertTrue(most > memory / 4, "saw " + most + " bytes: it was not watched");
    assertTrue(most < memory + memory / 4 + 150 * MEGABYTE, "used " + most + " bytes");
    assertTrue(CheckJob.of(List.of(output)).format(format).run().summary().isOrdered());
  }

  /// Streams go from each partitioner to each sorter, and lie on the heap.
  @Test
  void needsNoLargeHeapForManyProcessors() throws Exception {
    GenerateJob.to(input, 300_000).run();
    SortProcess process = SortProcess.startParallel(256, input, output, 4096 * MEGABYTE);
    assertEquals(0, process.finish());
    CheckSummary sorted = CheckJob.of(List.of(output)).run().summary();
    assertTrue(sorted.isOrdered());
    assertEquals(UInt128.of(300_000), sorted.records());
  }

  /// As in a container that is smaller than what was asked for.
  @Test
  void usesNoMoreMemoryThanTheProcessMay() throws Exception {
    GenerateJob.to(input, 600_000).run();
    assertNull(SortProcess.refusalWithBudget(48 * MEGABYTE, 1, input, output));
    assertTrue(CheckJob.of(List.of(output)).run().summary().isOrdered());
  }

  @Test
  void usesNoMoreMemoryThanOthersInTheProcessLeave() throws Exception {
    GenerateJob.to(input, 600_000).run();
    assertNull(SortProcess.refusalWithBudget(112 * MEGABYTE, 64 * MEGABYTE, input, output));
    assertTrue(CheckJob.of(List.of(output)).run().summary().isOrdered());
    assertNull(SortProcess.refusalWithViews(112 * MEGABYTE, 64 * MEGABYTE, input, output));
    String refused = SortProcess.refusalWithBudget(66 * MEGABYTE, 64 * MEGABYTE, input, output);
    assertTrue(refused != null && refused.startsWith("MEMORY: "), refused);
    assertTrue(refused.contains("-Dtigris.memory.budget"), refused);
  }

  /// Sorts two large records again and again, in a process that drops memory of its own as well.
  static final class Again {
    private Again() {}

    public static void main(String[] arguments) throws Exception {
      SortJob job = SortJob.of(List.of(Path.of(arguments[0])), Path.of(arguments[1]));
      for (int i = 0; i < 4; i++) {
        drop();
        job.format(new RecordFormat(LARGE_RECORD, 0, 10)).run();
      }
    }

    private static void drop() { // no frame that lasts has it
      Jbuf _ = Jbuf.allocate(192 * MEGABYTE, "dropped");
    }
  }

  /// What earlier sorts have given back is found, and none of it was dropped.
  @Test
  void sortsAgainInMemoryThatBarelyDoes() throws Exception {
    Files.write(input, new byte[2 * LARGE_RECORD]);
    List<String> lines =
        run(Again.class, "-Dtigris.memory.budget=320m", "-Dtigris.memory.sites=true");
    assertEquals(List.of(), lines.stream().filter(line -> line.contains("splitters")).toList());
    assertEquals(2L * LARGE_RECORD, Files.size(output));
  }

  @Test
  void saysOfEveryJobThatTheProcessMayNotUseMore() throws Exception {
    GenerateJob.to(input, 1000).run();
    List<String> lines = run(JobsWithoutMemory.class, "-Dtigris.memory.budget=1000000");
    assertEquals(2, lines.size(), lines.toString());
    for (String line : lines) {
      assertTrue(
          line.startsWith("MEMORY: the process may not use as much memory as this needs"), line);
    }
    assertFalse(Files.exists(output));
  }

  /// Runs a program for the input and the output, and returns what it says.
  private List<String> run(Class<?> main, String... options) {
    Jvm jvm = Jvm.of(main).options(options);
    return jvm.command(input.toString(), output.toString()).run().expect(0).lines();
  }
}
