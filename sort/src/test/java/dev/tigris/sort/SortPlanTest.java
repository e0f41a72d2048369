package dev.tigris.sort;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Random;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

class SortPlanTest {
  private static final int DEMANDS = 5_000;

  private static SortPlan.Demand demand(Random random) {
    int recordSize = 1 + (int) Math.pow(RecordFormat.MAX_RECORD_SIZE, random.nextDouble());
    recordSize = Math.min(recordSize, RecordFormat.MAX_RECORD_SIZE);
    long input = (long) Math.pow(2, 44 * random.nextDouble()) / recordSize * recordSize;
    long memory = (long) Math.pow(2, 20 + 20 * random.nextDouble());
    int parallel = 1 << random.nextInt(9);
    RecordFormat format = new RecordFormat(recordSize, 0, 1);
    return new SortPlan.Demand(format, input, memory, parallel, random.nextBoolean());
  }

  /// How much memory is said to be needed.
  private static long needed(SortException tooLittle) {
    Matcher needed =
        Pattern.compile("at least (\\d+) bytes").matcher(String.valueOf(tooLittle.getMessage()));
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
        plan = SortPlan.make(demand);
      } catch (SortException tooLittle) {
        assertDoesNotThrow(
            () -> SortPlan.make(demand.withMemory(needed(tooLittle))),
            "seed %d: %s".formatted(seed, demand));
        continue;
      }
      made++;
      String all = "seed %d: %s: %s".formatted(seed, demand, plan);
      long entries = (long) plan.sorters() * plan.loadRecords() * BucketSorter.ENTRY_BYTES;
      assertTrue(plan.loadRecords() >= 1 && entries <= SortPlan.ENTRIES_BYTES, all);
      long copies =
          2L * plan.partitioners() * plan.blockBytes() + (long) plan.sorters() * plan.copyBytes();
      assertTrue(copies <= 2 * SortPlan.COPIES_BYTES, all);
      long loaded = (long) plan.sorters() * plan.loadRecords() * demand.format().recordSize();
      assertTrue(plan.keepBytes() > 0 && plan.keepBytes() + loaded <= demand.memoryBytes(), all);
    }
    assertTrue(made > DEMANDS / 10, "only " + made + " of " + DEMANDS + " plans, seed " + seed);
  }
}
