package dev.tigris.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.DoubleRange;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

class EstimateTest {
  private static Pairs pairs(double[] subject, double... peer) {
    return new Pairs(subject, peer);
  }

  @Test
  void aConstantRatioHasNoSpreadAndAnIntervalOfOnePoint() {
    Pairs pairs = pairs(new double[] {2, 4, 6, 8, 10, 12}, 1, 2, 3, 4, 5, 6);

    Estimate lower = Estimate.of(Better.LOWER, List.of(pairs));
    Estimate higher = Estimate.of(Better.HIGHER, List.of(pairs));

    assertEquals(0.5, lower.times(), 1e-12);
    assertEquals(0.5, lower.low(), 1e-12);
    assertEquals(0.5, lower.high(), 1e-12);
    assertEquals(0, lower.spread(), 1e-12);
    assertEquals(2, higher.times(), 1e-12);
  }

  @Test
  void fewUnitsGetStudentsInterval() {
    // log ratios 0, ln 2 and ln 4: mean ln 2, deviation ln 2, so the half width is 4.303 ln 2 /
    // sqrt 3
    Estimate estimate = Estimate.of(Better.HIGHER, List.of(pairs(new double[] {1, 2, 4}, 1, 1, 1)));

    assertEquals(2, estimate.times(), 1e-9);
    assertEquals(Math.log(2), estimate.spread(), 1e-9);
    double half = 4.303 * Math.log(2) / Math.sqrt(3);
    assertEquals(Math.exp(Math.log(2) - half), estimate.low(), 1e-9);
    assertEquals(Math.exp(Math.log(2) + half), estimate.high(), 1e-9);
  }

  @Test
  void oneDisturbedPairMovesNeitherEstimateNorInterval() {
    double[] subject = {1, 1, 1, 1, 1, 1, 1, 1, 1, 50};
    double[] peer = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1};

    Estimate estimate = Estimate.of(Better.LOWER, List.of(new Pairs(subject, peer)));

    assertEquals(1, estimate.times(), 1e-12);
    assertEquals(1, estimate.low(), 1e-12);
  }

  @Test
  void aProcessWithManyPairsCountsAsOneUnitAmongProcesses() {
    Pairs fast = pairs(new double[] {1, 1, 1, 1, 1, 1}, 2, 2, 2, 2, 2, 2);
    Pairs equal = pairs(new double[] {1}, 1);

    Estimate estimate = Estimate.of(Better.LOWER, List.of(fast, equal, equal, equal));

    // the mean of the logs of 2, 1, 1, 1: four units get the mean, not the median
    assertEquals(Math.pow(2, 0.25), estimate.times(), 1e-9);
    assertEquals(9, estimate.samples());
  }

  @Test
  void theIntervalCoversTheTruthAboutAsOftenAsItSays() {
    Random random = new Random(42);
    int covered = 0;
    int runs = 400;
    for (int run = 0; run < runs; run++) {
      double[] subject = random.doubles(25, 0.8, 1.25).toArray();
      double[] peer = random.doubles(25, 0.8, 1.25).toArray();
      Estimate estimate = Estimate.of(Better.LOWER, List.of(new Pairs(subject, peer)));
      covered += estimate.low() <= 1 && 1 <= estimate.high() ? 1 : 0;
    }
    double share = (double) covered / runs;
    assertTrue(share > 0.90 && share < 0.99, "covered " + share);
  }

  @Property
  void valueAndPeerValueAgreeWithTimes(
      @ForAll @DoubleRange(min = 0.1, max = 1e6) double scale,
      @ForAll @IntRange(min = 1, max = 30) int count,
      @ForAll Better better) {
    double[] subject = IntStream.range(0, count).mapToDouble(i -> scale * (1 + i % 7)).toArray();
    double[] peer = IntStream.range(0, count).mapToDouble(i -> scale * (1 + i % 5)).toArray();

    Estimate estimate = Estimate.of(better, List.of(new Pairs(subject, peer)));

    assertEquals(
        better.times(estimate.value(), estimate.peerValue()),
        estimate.times(),
        1e-9 * estimate.times());
    assertTrue(estimate.low() <= estimate.times() && estimate.times() <= estimate.high());
  }

  @Test
  void refusesPairsThatAreNone() {
    assertThrows(IllegalArgumentException.class, () -> pairs(new double[] {1, 2}, 1));
    assertThrows(IllegalArgumentException.class, () -> pairs(new double[0]));
  }

  @Test
  void theMedianOfAnEvenNumberIsTheMeanOfTheTwoInTheMiddle() {
    assertEquals(2.5, Estimate.median(new double[] {4, 1, 3, 2}));
    assertEquals(3, Estimate.median(new double[] {5, 1, 3}));
  }
}
