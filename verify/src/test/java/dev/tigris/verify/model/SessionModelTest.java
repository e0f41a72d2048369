package dev.tigris.verify.model;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tigris.message.protocol.Numbers;
import dev.tigris.message.protocol.Settings;
import dev.tigris.testing.EveryTier;
import dev.tigris.testing.Tier;
import dev.tigris.verify.model.SessionModel.Plan;
import dev.tigris.verify.model.SessionModel.Report;
import java.util.HashMap;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/// Searches for a run of a session that breaks its promises.
class SessionModelTest {
  private static final long MILLI = 1_000_000;

  /// The faults of an unreliable network, of which a run has some.
  private static final Map<String, Double> WILD =
      Map.of(
          "network.loss", 0.1,
          "network.duplicate", 0.1,
          "network.reorder", 0.1,
          "network.delay", 0.02,
          "network.damage", 0.05,
          "network.cut", 0.002,
          "side.full", 0.05);

  private static final Map<String, Double> DEADLY =
      Map.of("side.restart", 0.004, "side.stop", 0.002);

  private static Settings settings(int bits, long first, int credits, boolean reliable) {
    return new Settings(
        new Numbers(bits), first, credits, reliable, MILLI / 5, MILLI / 2, 20 * MILLI, 200 * MILLI);
  }

  private static Report run(
      long seed, Settings settings, int requests, Map<String, Double> faults) {
    return SessionModel.run(new Plan(seed, settings, requests, faults, 300 * MILLI));
  }

  @Test
  @EveryTier("each tier searches so many seeds")
  void keepsItsPromisesWhateverGoesWrong() {
    long first = System.nanoTime();
    Map<String, Long> struck = new TreeMap<>();
    long returned = 0;
    for (int i = 0; i < Tier.choose(60, 300, 200_000); i++) {
      Report report = anyRun(first + i);
      report.struck().forEach((site, times) -> struck.merge(site, times, Long::sum));
      returned += report.returned();
    }
    for (String site : WILD.keySet()) {
      assertTrue(struck.containsKey(site), site + " never struck, from seed " + first);
    }
    for (String site : DEADLY.keySet()) {
      assertTrue(struck.containsKey(site), site + " never struck, from seed " + first);
    }
    assertTrue(returned > 0, "no request came back, from seed " + first);
  }

  private static Report anyRun(long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    boolean reliable = random.nextInt(4) == 0;
    Map<String, Double> faults = new HashMap<>();
    WILD.forEach(
        (site, probability) -> {
          boolean applies = !reliable || site.equals("network.cut") || site.equals("side.full");
          if (applies && random.nextInt(3) > 0) {
            faults.put(site, probability * (1 + random.nextInt(3)));
          }
        });
    if (random.nextInt(3) == 0) {
      DEADLY.forEach((site, probability) -> faults.put(site, probability));
    }
    int credits = 1 << random.nextInt(6);
    int bits = random.nextBoolean() ? 16 : 64;
    long beforeWrap = random.nextLong(200);
    Settings settings =
        settings(
            bits,
            bits == Long.SIZE ? -1 - beforeWrap : (1L << bits) - 1 - beforeWrap,
            credits,
            reliable);
    return run(seed, settings, 50 + random.nextInt(400), faults);
  }

  @Test
  void needsNoTimerOnAReliableNetwork() {
    Report report = run(1, settings(64, 0, 32, true), 1_000, Map.of());
    assertEquals(2_000, report.ran());
    assertEquals(0, report.resent());
    assertEquals(0, report.negatives());
    assertEquals(1, report.sessions());
  }

  @Test
  void recoversFromTheLossOfTheOnlyMessage() {
    for (int seed = 0; seed < 50; seed++) {
      Report report = run(seed, settings(16, 0, 4, false), 1, Map.of("network.loss", 0.3));
      assertEquals(2, report.ran());
      assertEquals(0, report.returned());
    }
  }

  @Test
  void doesNotMultiplyPacketsInAStormOfNegativeAcknowledgements() {
    for (int seed = 0; seed < 3; seed++) {
      Map<String, Double> faults =
          Map.of("network.reorder", 0.4, "network.duplicate", 0.4, "network.delay", 0.1);
      Report report = run(seed, settings(64, 0, 32, false), 400, faults);
      assertEquals(800, report.ran());
      assertTrue(report.packets() < 40 * report.ran(), "seed %d: %s".formatted(seed, report));
    }
  }

  @Test
  void repeatsARunFromItsSeed() {
    assertEquals(anyRun(7), anyRun(7));
  }

  @Test
  void refusesNumbersThatAreTooNarrowForTheWindow() {
    assertThrows(IllegalArgumentException.class, () -> settings(8, 0, 64, false));
  }
}
