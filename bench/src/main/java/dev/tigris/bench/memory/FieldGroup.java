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
import dev.tigris.specializer.Agent;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.jar.Attributes;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;

/// The fields' figures by both deliveries: the straight lines, the types and the loop, and the
/// sweep over lengths, at two lower tiers of compilation too, whose processes are watched for
/// crashes and for modes in which the same code is ten times slower than in other processes.
final class FieldGroup implements Group {
  private static final String NAME = "memory.field";
  private static final String CRASHES = NAME + ".crashes";

  /// In what kinds of processes lengths are swept over: by how far compilation goes, and with the
  /// other delivery.
  private enum Sweep {
    DEFAULT(""),
    LOAD_TIME(".loadtime"),
    FULL_PROFILE(".tier3"),
    SIMPLE(".tier1");

    private final String suffix;

    Sweep(String suffix) {
      this.suffix = suffix;
    }

    private List<String> flags(Path agent) {
      return switch (this) {
        case DEFAULT -> List.of();
        case LOAD_TIME -> loadTime(agent);
        case FULL_PROFILE -> List.of("-XX:TieredStopAtLevel=3");
        case SIMPLE -> List.of("-XX:TieredStopAtLevel=1");
      };
    }

    String figure(String statements) {
      return NAME + ".sweep" + suffix + "." + statements;
    }

    /// The slowest process against the median of all, at the length where this is worst.
    String modes() {
      return NAME + ".modes" + (suffix.isEmpty() ? ".default" : suffix);
    }

    Plan plan(Scale scale, Path agent) {
      int forks = this == SIMPLE ? scale.pick(1, 2, 4) : scale.pick(1, 2, 10);
      return new Plan(
          forks, flags(agent), scale.pick(1, 400, 1_500), scale.pick(1, 2, 4), scale.pick(1, 5, 9));
    }
  }

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public List<String> figures() {
    List<String> figures = new ArrayList<>(FieldSuite.figures(false));
    figures.addAll(FieldSuite.figures(true));
    for (Sweep sweep : Sweep.values()) {
      SweepSuite.allContests().forEach(statements -> figures.add(sweep.figure(statements)));
      figures.add(sweep.modes());
    }
    figures.add(CRASHES);
    return figures;
  }

  @Override
  public void measure(Run run) throws Exception {
    Path agent = agent(Files.createTempFile(run.workFolder(), "agent-", ".jar"));
    try {
      measure(run, FieldSuite.figures(false), List.of());
      measure(run, FieldSuite.figures(true), loadTime(agent));
      sweep(run, agent);
    } finally {
      Files.delete(agent);
    }
  }

  private static void sweep(Run run, Path agent) throws Exception {
    List<String> crashes = new ArrayList<>();
    int processes = 0;
    for (Sweep sweep : Sweep.values()) {
      if (run.wants(CRASHES) || run.wants(sweep.modes()) || wantsFigures(run, sweep)) {
        Plan plan = sweep.plan(run.scale(), agent);
        Forks forks = Forks.run(SweepSuite.class, run, plan, SweepSuite.allContests());
        processes += plan.forks();
        crashes.addAll(forks.crashes());
        report(run, sweep, forks);
      }
    }
    if (processes > 0) {
      Figure figure =
          Figure.once(CRASHES, crashes.size(), "of " + processes, Better.LOWER, "limit", 0);
      run.emit(crashes.isEmpty() ? figure : figure.withNote(crashes.getFirst()));
    }
  }

  private static void measure(Run run, List<String> figures, List<String> flags) throws Exception {
    List<String> wanted = run.wanted(figures);
    if (!wanted.isEmpty()) {
      Plan plan = Plan.of(run.scale(), 2, 10).withFlags(flags);
      Forks.run(FieldSuite.class, run, plan, wanted)
          .orThrow()
          .forEach(
              (key, forks) ->
                  run.emit(Figure.of(key.figure(), "ns", Better.LOWER, key.peer(), forks)));
    }
  }

  private static List<String> loadTime(Path agent) {
    return List.of("-javaagent:" + agent, Generated.LOAD_TIME);
  }

  /// An agent's jar with a manifest only, as the agent's class is on the class path anyway.
  private static Path agent(Path jar) throws IOException {
    Manifest manifest = new Manifest();
    manifest.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
    manifest.getMainAttributes().putValue("Premain-Class", Agent.class.getName());
    new JarOutputStream(Files.newOutputStream(jar), manifest).close();
    return jar;
  }

  private static boolean wantsFigures(Run run, Sweep sweep) {
    return SweepSuite.allContests().stream().anyMatch(name -> run.wants(sweep.figure(name)));
  }

  private static void report(Run run, Sweep sweep, Forks forks) {
    double worst = 1;
    String where = "";
    for (var entry : forks.pairs().entrySet()) {
      String statements = entry.getKey().figure();
      List<Pairs> processes = entry.getValue();
      run.emit(Figure.of(sweep.figure(statements), "ns", Better.LOWER, FieldSuite.PEER, processes));
      double[] medians = processes.stream().mapToDouble(Pairs::medianSubject).toArray();
      double usual = Estimate.median(medians);
      for (double median : medians) {
        if (median / usual > worst) {
          worst = median / usual;
          where = "at " + statements + " statements";
        }
      }
    }
    Figure modes = Figure.once(sweep.modes(), worst, "x", Better.LOWER, "limit", 10);
    run.emit(where.isEmpty() ? modes : modes.withNote(where));
  }
}
