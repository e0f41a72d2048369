package dev.tigris.verify.runs;

import dev.tigris.cluster.run.protocol.Limits;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;

/// Draws up simulations of runs from seeds.
public final class AnyPlan {
  /// The faults of a bad world, of which a simulation has some.
  public static final Map<String, Double> FAULTS =
      Map.ofEntries(
          Map.entry("network.loss", 0.1),
          Map.entry("network.duplicate", 0.1),
          Map.entry("network.delay", 0.05),
          Map.entry("network.cut", 0.01),
          Map.entry("worker.kill", 0.005),
          Map.entry("host.crash", 0.002),
          Map.entry("worker.pause", 0.02),
          Map.entry("worker.start", 0.03),
          Map.entry("host.start", 0.05),
          Map.entry("worker.module", 0.03),
          Map.entry("worker.stream", 0.005),
          Map.entry("worker.other", 0.01),
          Map.entry("disk.prepare", 0.02),
          Map.entry("disk.rename", 0.2),
          Map.entry("coordinator.kill", 0.005),
          Map.entry("coordinator.pause", 0.02),
          Map.entry("user.cancel", 0.005),
          Map.entry("user.drain", 0.01),
          Map.entry("decide.kill.before", 0.1),
          Map.entry("decide.kill.in", 0.1),
          Map.entry("decide.kill.after", 0.2),
          Map.entry("decide.fail.before", 0.1),
          Map.entry("decide.fail.in", 0.1));

  private static final long SECOND = 1_000_000_000;

  private AnyPlan() {}

  /// Returns a simulation.
  public static RunSimulation.Plan of(long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    Map<String, Double> faults = new TreeMap<>();
    int share = 1 + random.nextInt(4); // of four: few faults let a run get far
    for (Map.Entry<String, Double> each : new TreeMap<>(FAULTS).entrySet()) {
      if (random.nextInt(8) < share) {
        faults.put(each.getKey(), each.getValue() * (1 + random.nextInt(2)));
      }
    }
    Limits limits =
        new Limits(
            1 + random.nextInt(6),
            1 + random.nextInt(3),
            SECOND,
            (2 + random.nextInt(10)) * SECOND,
            (1 + random.nextInt(3)) * SECOND,
            (1 + random.nextInt(20)) * SECOND);
    return new RunSimulation.Plan(
        seed, limits, random.nextBoolean(), faults, (20 + random.nextInt(100)) * SECOND);
  }
}
