package dev.tigris.bench.papers;

import dev.tigris.bench.Better;
import dev.tigris.bench.Figure;
import dev.tigris.bench.Group;
import dev.tigris.bench.Run;
import dev.tigris.bench.fork.Forks;
import dev.tigris.bench.fork.Plan;
import dev.tigris.bench.memory.JbufSuite;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// What the management of Jbufs costs (Chang, table 3.1) with each collector that this JDK has.
final class CollectorGroup implements Group {
  private static final String NAME = "paper.jbufs.table1";
  private static final String SUITE = "memory.jbuf.";
  private static final List<String> COLLECTORS =
      List.of("G1", "Parallel", "Serial", "Z", "Shenandoah");

  /// The paper's rows and microseconds, by the last word of our figures' names.
  private static final Map<String, Double> THEN = then();

  private static Map<String, Double> then() {
    Map<String, Double> then = new LinkedHashMap<>();
    then.put("allocate", 2.72);
    then.put("free", 2.24);
    then.put("view", 0.50);
    then.put("owns", 0.30);
    then.put("unreference", 2.54);
    then.put("gc", 0.55);
    return then;
  }

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public List<String> figures() {
    List<String> figures = new ArrayList<>();
    for (String collector : COLLECTORS) {
      THEN.keySet().forEach(row -> figures.add(figure(collector, row)));
    }
    return figures;
  }

  private static String figure(String collector, String row) {
    return NAME + "." + collector + "." + row;
  }

  @Override
  public void measure(Run run) throws Exception {
    for (String collector : COLLECTORS) {
      List<String> wanted =
          THEN.keySet().stream()
              .filter(row -> run.wants(figure(collector, row)))
              .map(row -> SUITE + row)
              .toList();
      if (wanted.isEmpty()) {
        continue;
      }
      Plan plan =
          Plan.of(run.scale(), 1, 3).withFlags(List.of("-XX:+Use" + collector + "GC", "-Xmx1g"));
      Forks.run(JbufSuite.class, run, plan, wanted)
          .orThrow()
          .forEach(
              (key, forks) -> {
                String row = key.figure().substring(SUITE.length());
                run.emit(
                    Figure.of(figure(collector, row), "ns", Better.LOWER, key.peer(), forks)
                        .withNote("then: %s us".formatted(THEN.get(row))));
              });
    }
  }
}
