package dev.tigris.bench.memory;

import dev.tigris.bench.Better;
import dev.tigris.bench.Estimate;
import dev.tigris.bench.Figure;
import dev.tigris.bench.Group;
import dev.tigris.bench.Pairs;
import dev.tigris.bench.Run;
import dev.tigris.bench.Scale;
import dev.tigris.bench.fork.Forks;
import dev.tigris.bench.fork.Plan;
import dev.tigris.bench.fork.Suite;
import dev.tigris.specializer.Agent;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.jar.Attributes;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;

/// The fields' figures: the straight lines and the loop, and the sweep over lengths at three tiers
/// of compilation, whose processes are watched for crashes and for modes in which the same code is
/// ten times slower than in other processes.
final class FieldGroup implements Group {
  private static final String NAME = "memory.field";
  private static final String CRASHES = NAME + ".crashes";

  /// How far compilation goes.
  private enum Tier {
    DEFAULT(""),
    FULL_PROFILE(".tier3"),
    SIMPLE(".tier1");

    private final String suffix;

    Tier(String suffix) {
      this.suffix = suffix;
    }

    private List<String> flags() {
      return switch (this) {
        case DEFAULT -> List.of();
        case FULL_PROFILE -> List.of("-XX:TieredStopAtLevel=3");
        case SIMPLE -> List.of("-XX:TieredStopAtLevel=1");
      };
    }

    String sweep(String statements) {
      return NAME + ".sweep" + suffix + "." + statements;
    }

    /// The slowest process against the median of all, at the length where this is worst.
    String modes() {
      return NAME + ".modes" + (suffix.isEmpty() ? ".default" : suffix);
    }

    Plan plan(Scale scale) {
      int forks = this == SIMPLE ? scale.pick(1, 2, 4) : scale.pick(1, 3, 10);
      return new Plan(
          forks, flags(), scale.pick(1, 800, 1_500), scale.pick(1, 2, 4), scale.pick(1, 5, 9));
    }
  }

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public List<String> figures() {
    List<String> figures = new ArrayList<>(FieldSuite.figures());
    figures.addAll(FieldSuite.Types.figures());
    figures.addAll(FieldSuite.Patched.figures());
    for (Tier tier : Tier.values()) {
      SweepSuite.allContests().forEach(statements -> figures.add(tier.sweep(statements)));
      figures.add(tier.modes());
    }
    figures.add(CRASHES);
    return figures;
  }

  @Override
  public void measure(Run run) throws Exception {
    measure(run, FieldSuite.class, FieldSuite.figures(), List.of());
    measure(run, FieldSuite.Types.class, FieldSuite.Types.figures(), List.of());
    Path agent = agent();
    try {
      measure(
          run,
          FieldSuite.Patched.class,
          FieldSuite.Patched.figures(),
          List.of("-javaagent:" + agent));
    } finally {
      Files.delete(agent);
    }
    List<String> crashes = new ArrayList<>();
    int processes = 0;
    for (Tier tier : Tier.values()) {
      if (run.wants(CRASHES) || run.wants(tier.modes()) || wantsSweep(run, tier)) {
        Plan plan = tier.plan(run.scale());
        Forks forks =
            Forks.run(
                SweepSuite.class, run.scale(), plan, SweepSuite.allContests(), run.progress());
        processes += plan.forks();
        crashes.addAll(forks.crashes());
        report(run, tier, forks);
      }
    }
    if (processes > 0) {
      Figure figure =
          Figure.once(CRASHES, crashes.size(), "of " + processes, Better.LOWER, "limit", 0);
      run.emit(crashes.isEmpty() ? figure : figure.withNote(crashes.getFirst()));
    }
  }

  private static void measure(
      Run run, Class<? extends Suite> suite, List<String> figures, List<String> flags)
      throws Exception {
    List<String> wanted = run.wanted(figures);
    if (!wanted.isEmpty()) {
      Plan plan = Plan.of(run.scale(), 4, 10).withFlags(flags);
      Forks.run(suite, run.scale(), plan, wanted, run.progress())
          .orThrow()
          .forEach(
              (key, forks) ->
                  run.emit(Figure.of(key.figure(), "ns", Better.LOWER, key.peer(), forks)));
    }
  }

  /// An agent's jar with a manifest only, as the agent's class is on the class path anyway.
  private static Path agent() throws IOException {
    Path jar = Files.createTempFile("tigris-bench-", ".jar");
    Manifest manifest = new Manifest();
    manifest.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
    manifest.getMainAttributes().putValue("Premain-Class", Agent.class.getName());
    new JarOutputStream(Files.newOutputStream(jar), manifest).close();
    return jar;
  }

  private static boolean wantsSweep(Run run, Tier tier) {
    return SweepSuite.allContests().stream().anyMatch(name -> run.wants(tier.sweep(name)));
  }

  private static void report(Run run, Tier tier, Forks forks) {
    double worst = 1;
    String where = "";
    for (var entry : forks.pairs().entrySet()) {
      String statements = entry.getKey().figure();
      List<Pairs> processes = entry.getValue();
      run.emit(Figure.of(tier.sweep(statements), "ns", Better.LOWER, FieldSuite.PEER, processes));
      double[] medians = processes.stream().mapToDouble(Pairs::medianSubject).toArray();
      double usual = Estimate.median(medians);
      for (double median : medians) {
        if (median / usual > worst) {
          worst = median / usual;
          where = "at " + statements + " statements";
        }
      }
    }
    Figure modes = Figure.once(tier.modes(), worst, "x", Better.LOWER, "limit", 10);
    run.emit(where.isEmpty() ? modes : modes.withNote(where));
  }
}
