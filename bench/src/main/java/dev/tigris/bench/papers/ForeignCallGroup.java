package dev.tigris.bench.papers;

import dev.tigris.bench.Better;
import dev.tigris.bench.Figure;
import dev.tigris.bench.Group;
import dev.tigris.bench.Run;
import dev.tigris.bench.c.CTwin;
import dev.tigris.bench.fork.Forks;
import dev.tigris.bench.fork.Plan;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// [ForeignCallSuite] beside the thesis's own numbers; without gcc there are no figures.
final class ForeignCallGroup implements Group {
  private static final String NAME = "paper.thesis.fig1";

  /// The measurements of the thesis, by figure.
  private static final Map<String, String> THEN = then();

  private static Map<String, String> then() {
    Map<String, String> then = new LinkedHashMap<>();
    for (var call : ForeignCallSuite.Call.values()) {
      String note = "then: %s us by JNI, %s us in C".formatted(call.jniMicros, call.cMicros);
      then.put(call.figure(), note);
      then.put(call.figure() + ForeignCallSuite.CRITICAL, note);
    }
    for (var copy : ForeignCallSuite.Copy.values()) {
      then.put(
          copy.figure(), "then: %s us by JNI, %s us in C".formatted(copy.jniMicros, copy.cMicros));
    }
    return then;
  }

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public List<String> missing() {
    return CTwin.missing(NAME);
  }

  @Override
  public List<String> figures() {
    return CTwin.isAvailable()
        ? THEN.keySet().stream().map(figure -> NAME + "." + figure).toList()
        : List.of();
  }

  @Override
  public void measure(Run run) throws Exception {
    List<String> wanted =
        THEN.keySet().stream().filter(figure -> run.wants(NAME + "." + figure)).toList();
    Plan plan = Plan.of(run.scale(), 2, 5);
    Forks.run(ForeignCallSuite.class, run, plan, wanted)
        .orThrow()
        .forEach(
            (key, forks) -> {
              String figure = NAME + "." + key.figure();
              run.emit(
                  Figure.of(figure, "ns", Better.LOWER, key.peer(), forks)
                      .withNote(THEN.getOrDefault(key.figure(), "")));
            });
  }
}
