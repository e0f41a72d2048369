package dev.tigris.bench.flow;

import dev.tigris.bench.Better;
import dev.tigris.bench.Figure;
import dev.tigris.bench.Group;
import dev.tigris.bench.Pairs;
import dev.tigris.bench.Run;
import dev.tigris.bench.Scale;
import dev.tigris.flow.policy.Policy;
import dev.tigris.verify.simulator.Simulation;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/// The same perturbation in the simulator, with the policies that the engine runs, at numbers of
/// consumers that no machine here has threads for. `slowK` means K eighths of them; a sample is a
/// seed.
final class SimulationGroup implements Group {
  private static final String NAME = "flow.reservoir.sim";
  private static final int[] CONSUMERS = {8, 64, 512};
  private static final int EIGHTHS = 8;

  private record Candidate(String label, Supplier<Policy> policy) {}

  private static final List<Candidate> CANDIDATES =
      List.of(
          new Candidate("round-robin", Policy::roundRobin),
          new Candidate("random", Policy::random),
          new Candidate("lottery", Policy::lottery),
          new Candidate("least-outstanding", Policy::leastOutstanding));

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public List<String> figures() {
    List<String> figures = new ArrayList<>();
    for (int consumers : CONSUMERS) {
      for (int slow = 0; slow < EIGHTHS; slow++) {
        for (Candidate candidate : CANDIDATES) {
          figures.add(figure(consumers, slow, candidate));
        }
      }
    }
    return figures;
  }

  private static String figure(int consumers, int eighths, Candidate candidate) {
    return NAME + "." + consumers + ".slow" + eighths + "." + candidate.label();
  }

  @Override
  public void measure(Run run) {
    for (int consumers : CONSUMERS) {
      for (int slow = 0; slow < EIGHTHS; slow++) {
        for (Candidate candidate : CANDIDATES) {
          String figure = figure(consumers, slow, candidate);
          if (run.wants(figure)) {
            run.emit(simulate(run, figure, consumers, slow * consumers / EIGHTHS, candidate));
          }
        }
      }
    }
  }

  private static Figure simulate(
      Run run, String figure, int consumers, int slow, Candidate candidate) {
    int seeds = run.scale().pick(1, 2, 5);
    double[] reached = new double[seeds];
    double[] ideal = new double[seeds];
    for (int seed = 0; seed < seeds; seed++) {
      Simulation.Setup setup =
          Simulation.Setup.perturbed(candidate.policy().get(), consumers, slow, seed);
      Simulation.Result result =
          Simulation.run(run.scale() == Scale.TINY ? shortened(setup) : setup);
      reached[seed] = result.perSecond();
      ideal[seed] = result.idealPerSecond();
    }
    return Figure.of(figure, "water/s", Better.HIGHER, "ideal", List.of(new Pairs(reached, ideal)));
  }

  private static Simulation.Setup shortened(Simulation.Setup setup) {
    return new Simulation.Setup(
        setup.policy(),
        setup.senders(),
        setup.sendNanos(),
        setup.receiveNanos(),
        setup.window(),
        setup.latencyNanos(),
        setup.jitter(),
        setup.durationNanos() / 20,
        setup.seed());
  }
}
