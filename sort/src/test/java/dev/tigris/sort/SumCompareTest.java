package dev.tigris.sort;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tigris.flow.Flow;
import dev.tigris.flow.Reservoir;
import dev.tigris.flow.Source;
import dev.tigris.flow.Stream;
import java.util.List;
import org.junit.jupiter.api.Test;

/// The comparison of what was read with what was written, before outputs get their names.
class SumCompareTest {
  private static final UInt128 ONE = UInt128.of(1);
  private static final UInt128 TWO = UInt128.of(2);

  /// Tells sums of what was read, and of what was written.
  private record Tells(List<UInt128> read, List<UInt128> written) implements Source {
    @Override
    public boolean produce(Stream out) {
      read.forEach(sum -> SumCompare.tell(out, true, sum));
      written.forEach(sum -> SumCompare.tell(out, false, sum));
      return false;
    }
  }

  private static void compare(boolean isSame, List<UInt128> read, List<UInt128> written)
      throws Exception {
    SortFlow.await(
        Flow.named("compare")
            .source("tell", () -> new Tells(read, written), 1)
            .reservoir(Reservoir.roundRobin())
            .stage("compare", () -> new SumCompare(isSame, SumCompare.RECORDS))
            .build()
            .start());
  }

  @Test
  void sumsOfPartsAgree() {
    assertDoesNotThrow(() -> compare(true, List.of(ONE, TWO, TWO), List.of(TWO, ONE, TWO)));
    assertDoesNotThrow(() -> compare(true, List.of(), List.of()));
  }

  @Test
  void aChecksumThatDiffersIsRefusedUnlessRecordsAreLeftOut() {
    SortException failure =
        assertThrows(
            SortException.class, () -> compare(true, List.of(ONE, TWO), List.of(ONE, ONE)));
    assertEquals(SortException.Kind.DATA, failure.kind());
    assertTrue(failure.getMessage().contains("No part got its name"), failure::getMessage);
    assertDoesNotThrow(() -> compare(false, List.of(ONE, TWO), List.of(ONE)));
  }
}
