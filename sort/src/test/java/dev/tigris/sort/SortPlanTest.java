package dev.tigris.sort;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Random;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class SortPlanTest {
  private static final int DEMANDS = 5_000;

  /// The command's.
  private static final Heap HEAP = new Heap(256 << 20);

  private static SortPlan.Demand demand(Random random) {
    int recordSize = 1 + (int) Math.pow(RecordFormat.MAX_RECORD_SIZE, random.nextDouble());
    recordSize = Math.min(recordSize, RecordFormat.MAX_RECORD_SIZE);
    long input = (long) Math.pow(2, 44 * random.nextDouble()) / recordSize * recordSize;
    long memory = (long) Math.pow(2, 20 + 20 * random.nextDouble());
    int parallel = 1 << random.nextInt(9);
    RecordFormat format = new RecordFormat(recordSize, 0, 1 + random.nextInt(recordSize));
    Heap heap = new Heap((long) Math.pow(2, 26 + 8 * random.nextDouble()));
    return new SortPlan.Demand(format, input, memory, parallel, random.nextBoolean(), heap);
  }

  /// How much memory is said to be needed.
  private static long needed(SortException tooLittle) {
    Matcher needed =
        Pattern.compile(": (\\d+) bytes are enough")
            .matcher(String.valueOf(tooLittle.getMessage()));
    assertTrue(needed.find(), tooLittle.getMessage());
    return Long.parseLong(needed.group(1));
  }

  /// Whatever is to be sorted, with however many processors and however much memory.
  @Test
  void staysWithinItsMemoryAndKeepsTheHeapSmall() {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    int made = 0;
    for (int i = 0; i < DEMANDS; i++) {
      SortPlan.Demand demand = demand(random);
      SortPlan plan;
      try {
        plan = SortPlan.make(demand, Long.MAX_VALUE);
      } catch (SortException tooLittle) {
        assertDoesNotThrow(
            () -> SortPlan.make(demand.withMemory(needed(tooLittle)), Long.MAX_VALUE),
            "seed %d: %s".formatted(seed, demand));
        continue;
      }
      made++;
      String all = "seed %d: %s: %s".formatted(seed, demand, plan);
      assertTrue(plan.loadRecords() >= 1 && plan.loadRecords() <= plan.sortRecords(), all);
      assertTrue(heapBytes(plan) <= demand.heap().bytes() / 8 * 7, all);
      long loaded = plan.loadBytes();
      assertTrue(loaded >= (long) plan.loadRecords() * demand.format().recordSize(), all);
      assertTrue(loaded <= AlignedBuffer.MAX_BYTES, all);
      long atOnce = plan.sorters() * (loaded + plan.scanBytes()) + plan.keepBytes();
      assertTrue(plan.keepBytes() > 0 && atOnce <= demand.memoryBytes(), all);
    }
    assertTrue(made > DEMANDS / 20, "only " + made + " of " + DEMANDS + " plans, seed " + seed);
  }

  /// What is counted of the heap: see [Heap].
  private static long heapBytes(SortPlan plan) {
    long entries = (long) plan.sorters() * plan.sortRecords() * BucketSorter.ENTRY_BYTES;
    long blocks = 2L * plan.partitioners() * plan.blockBytes();
    long known = (long) plan.sorters() * plan.knownRecords() * Heap.KNOWN_BYTES;
    long copies = Math.max(blocks, known) + (long) plan.sorters() * plan.copyBytes();
    long streams = (long) plan.partitioners() * plan.sorters();
    long open = (long) plan.partitioners() * plan.buckets() + streams * (plan.window() + 1);
    long room = SortPlan.footprintBytes(plan.waterBytes());
    long waters = plan.keepBytes() / room + Math.min(open, plan.keepBytes() / room);
    return entries + copies + streams * Heap.STREAM_BYTES + waters * Heap.WATER_BYTES;
  }

  /// With the heap that the launcher gives.
  @ParameterizedTest
  @CsvSource({"1, 64, 2", "10, 64, 64", "100, 128, 2", "100, 128, 256", "100, 128, 4096"})
  void sortsTerabytesWithManyProcessorsInASmallHeap(int terabytes, int processors, int gigabytes)
      throws Exception {
    for (boolean waitsForDisk : new boolean[] {false, true}) {
      SortPlan.Demand demand =
          new SortPlan.Demand(
              RecordFormat.GENSORT,
              ((long) terabytes << 40) / 100 * 100,
              (long) gigabytes << 30,
              processors,
              waitsForDisk,
              HEAP);
      SortPlan plan = SortPlan.make(demand, Long.MAX_VALUE);
      assertTrue(heapBytes(plan) <= HEAP.bytes() / 8 * 7, plan.toString());
      assertTrue(plan.sorters() >= processors / 2, plan.toString());
    }
  }

  @Test
  void processesWithAProcessorInCommonHaveOneSorterEach() throws Exception {
    for (int processes : new int[] {2, 4}) {
      SortPlan.Demand demand =
          new SortPlan.Demand(
              RecordFormat.GENSORT, 500_000_000, 1L << 30, 2, true, HEAP, processes);
      SortPlan plan = SortPlan.make(demand, Long.MAX_VALUE);
      assertEquals(4 / processes, plan.sorters(), plan.toString());
      assertEquals(4 / processes, plan.partitioners(), plan.toString());
    }
  }

  /// Whatever the number of processors: where the memory is small for them, fewer are used.
  @ParameterizedTest
  @ValueSource(ints = {1 << 20, 3 << 20, 16 << 20, 100 << 20, 1 << 30})
  void needsMemoryForAFewRecordsOnly(int recordSize) {
    RecordFormat format = new RecordFormat(recordSize, 0, recordSize);
    long input = 1000L * recordSize;
    SortPlan.Demand demand = new SortPlan.Demand(format, input, 1 << 20, 64, true, HEAP);
    SortException refused =
        assertThrows(SortException.class, () -> SortPlan.make(demand, Long.MAX_VALUE));
    long most = 10L * (recordSize + (2 << 20)); // which are the units of large buffers
    assertTrue(needed(refused) <= most, refused.getMessage());
  }

  @Test
  void saysWhatLimitsTheMemory() {
    RecordFormat format = new RecordFormat(64 << 20, 0, 10);
    SortPlan.Demand demand = new SortPlan.Demand(format, 1L << 30, 1 << 20, 2, false, HEAP);
    SortException more = assertThrows(SortException.class, () -> SortPlan.make(demand, 1L << 31));
    assertTrue(String.valueOf(more.getMessage()).endsWith("enough. Allow the sort more memory"));
    SortException most = assertThrows(SortException.class, () -> SortPlan.make(demand, 1 << 20));
    assertTrue(String.valueOf(most.getMessage()).contains("1048576 bytes left for a sort: free"));
  }

  @Test
  void hasLargeWatersWhereTheyWasteLittle() throws Exception {
    assertEquals(256 << 10, waterBytes(100, 100_000_000, 2L << 30, 2));
    assertEquals(256 << 10, waterBytes(100, 1_000_000_000, 2L << 30, 2));
    assertEquals(128 << 10, waterBytes(100, 100_000_000, 2L << 30, 4));
    assertEquals(64 << 10, waterBytes(100, 100_000_000, 2L << 30, 8));
    assertEquals(64 << 10, waterBytes(1_025, 100_000_000, 2L << 30, 2));
    // In several passes, and where nothing else would do for one.
    assertEquals(64 << 10, waterBytes(100, 4_000_000_000L, 2L << 30, 2));
    assertEquals(64 << 10, waterBytes(100, 1_880_000_000, 2L << 30, 2));
  }

  private static int waterBytes(int recordSize, long inputBytes, long memory, int processors)
      throws Exception {
    RecordFormat format = new RecordFormat(recordSize, 0, 4);
    return SortPlan.make(
            new SortPlan.Demand(format, inputBytes, memory, processors, false, HEAP),
            Long.MAX_VALUE)
        .waterBytes();
  }

  @Test
  void keepsAllOfAnInputThatJustFits() throws Exception {
    SortPlan.Demand demand =
        new SortPlan.Demand(new RecordFormat(100, 0, 10), 1_880_000_000, 2L << 30, 2, false, HEAP);
    SortPlan plan = SortPlan.make(demand, Long.MAX_VALUE);
    assertTrue(plan.keepBytes() > demand.inputBytes(), plan.toString());
    assertEquals(demand.inputBytes() / (2 << 20), plan.buckets(), plan.toString());
  }

  /// Each lies in an extent of its own, which ends at the end of a block.
  @Test
  void loadsNoMoreThanABufferHolds() throws Exception {
    RecordFormat format = new RecordFormat(40_000, 0, 10);
    Heap heap = new Heap(8L << 30);
    SortPlan.Demand demand = new SortPlan.Demand(format, 41L << 40, 64L << 30, 1, false, heap);
    SortPlan plan = SortPlan.make(demand, Long.MAX_VALUE);
    assertEquals(1, SortPlan.perWater(plan.waterBytes(), 40_000), plan.toString());
    assertTrue(plan.loadBytes() <= AlignedBuffer.MAX_BYTES, plan.toString());
  }

  @Test
  void usesAllProcessorsForLargeRecordsWhereTheMemoryIsEnough() throws Exception {
    RecordFormat format = new RecordFormat(16 << 20, 0, 10);
    SortPlan.Demand demand = new SortPlan.Demand(format, 4L << 30, 2L << 30, 2, false, HEAP);
    SortPlan plan = SortPlan.make(demand, Long.MAX_VALUE);
    assertEquals(2, plan.partitioners(), plan.toString());
    assertEquals(4, plan.sorters(), plan.toString());
    assertTrue(plan.keepBytes() > demand.memoryBytes() / 2, plan.toString());
  }
}
