package dev.tigris.sort;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/// Plans for processes, which a run's facts have room for.
class PlanTextTest {
  /// What the facts of a run may have.
  private static final int MOST_BYTES = 32 << 20;

  @Test
  void theNamesOfManyInputsFit() throws Exception {
    List<SharedInput> inputs = new ArrayList<>();
    for (int i = 0; i < 50_000; i++) {
      String path = "/data/a folder of the year/with many files/part-%06d.csv".formatted(i);
      inputs.add(new SharedInput(path, path, "1000000 bytes, %d".formatted(i), 0));
    }
    String text = PlanText.of(out -> SharedInput.write(out, inputs));
    assertTrue(text.length() < MOST_BYTES / 4, () -> text.length() + " characters");
    assertEquals(inputs, PlanText.read(text, SharedInput::read));
  }

  @Test
  void boundariesOfLongLinesFit() throws Exception {
    LineOrder order = LineOrder.builder().build();
    List<byte[]> sample = new ArrayList<>();
    var random = new Random(1);
    for (int i = 0; i < 40; i++) {
      byte[] line = new byte[1 << 20];
      random.nextBytes(line);
      sample.add(line);
    }
    LineSplitters splitters = LineSplitters.choose(order, sample, 30, LineSampler.BOUNDARY_BYTES);
    assertEquals(9, splitters.buckets());
    String text = PlanText.of(splitters::write);
    assertTrue(text.length() < MOST_BYTES / 2, () -> text.length() + " characters");
  }
}
