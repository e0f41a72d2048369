package dev.tigris.verify.endpoints;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tigris.memory.Jbuf;
import dev.tigris.message.Options;
import dev.tigris.testing.EveryTier;
import dev.tigris.testing.Tier;
import dev.tigris.testing.Wait;
import dev.tigris.verify.endpoints.EndpointSimulation.Plan;
import dev.tigris.verify.endpoints.EndpointSimulation.Report;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/// Searches for a run of whole endpoints that breaks their promises.
class EndpointSimulationTest {
  /// The faults of which a run has some. Over a reliable provider there are those of [#RELIABLE].
  private static final Map<String, Double> WILD =
      Map.of(
          "network.loss", 0.05,
          "network.duplicate", 0.05,
          "network.reorder", 0.05,
          "network.delay", 0.02,
          "network.damage", 0.03);

  private static final Map<String, Double> RELIABLE =
      Map.of("network.cut", 0.003, "network.connect", 0.1, "link.full", 0.05);

  private static final Map<String, Double> DEADLY = Map.of("host.restart", 0.02, "host.stop", 0.01);

  private static Plan plan(long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    boolean lossy = random.nextInt(3) > 0;
    Map<String, Double> faults = new HashMap<>();
    if (lossy) {
      choose(random, WILD, faults);
    }
    choose(random, RELIABLE, faults);
    if (Math.floorMod(seed, 3) == 0) {
      choose(random, DEADLY, faults);
    }
    Options options =
        Options.DEFAULT
            .withCredits(1 << random.nextInt(5))
            .withReplyBytes(16 + 8 * random.nextInt(20))
            .withPayloadBytes(256 << random.nextInt(3))
            .withReceives(2 + random.nextInt(20))
            .withLossy(lossy)
            .withPatience(Duration.ofMillis(100 + random.nextInt(400)));
    return new Plan(
        seed, options, 20 + random.nextInt(60), faults, 100_000_000, Math.floorMod(seed, 4) == 0);
  }

  private static void choose(
      SplittableRandom random, Map<String, Double> from, Map<String, Double> to) {
    new TreeMap<>(from)
        .forEach(
            (site, probability) -> {
              if (random.nextInt(3) > 0) {
                to.put(site, probability * (1 + random.nextInt(2)));
              }
            });
  }

  /// Whether no session may end: connections stay, hosts live, and no peer has to be looked for.
  private static boolean isGentle(Plan plan) {
    return !plan.moves()
        && plan.faults().keySet().stream()
            .noneMatch(site -> DEADLY.containsKey(site) || site.startsWith("network.c"))
        && plan.options().patience().toMillis() >= 400;
  }

  @Test
  @EveryTier("each tier searches so many seeds")
  void keepTheirPromisesWhateverGoesWrong() {
    long first = Long.getLong("tigris.test.seed", System.nanoTime());
    System.out.println("-Dtigris.test.seed=" + first);
    Map<String, Long> struck = new TreeMap<>();
    long returned = 0;
    int moves = 0;
    int count = Tier.choose(27, 300, 200_000);
    for (int i = 0; i < count; i++) {
      Plan plan = plan(first + i);
      Report report = EndpointSimulation.run(plan);
      if (isGentle(plan)) {
        assertEquals(3, report.sessions(), plan::toString);
      }
      moves += report.moves();
      report.struck().forEach((site, times) -> struck.merge(site, times, Long::sum));
      returned += report.returned();
    }
    for (Map<String, Double> sites : new Map[] {WILD, RELIABLE, DEADLY}) {
      for (String site : sites.keySet()) {
        assertTrue(struck.containsKey(site), site + " never struck, from seed " + first);
      }
    }
    assertTrue(returned > 0, "no request came back, from seed " + first);
    assertTrue(moves > 0, "no endpoint moved, from seed " + first);
    Wait.until(
        () -> "memory of ended bundles is held: " + Jbuf.use(),
        Duration.ofSeconds(20),
        () -> {
          System.gc();
          return Jbuf.use().bytesByOwner().getOrDefault("messages", 0L) == 0;
        });
  }

  @Test
  void aSeedGivesTheSameRun() {
    for (long seed = 1; seed <= 2; seed++) {
      assertEquals(EndpointSimulation.run(plan(seed)), EndpointSimulation.run(plan(seed)));
    }
  }
}
