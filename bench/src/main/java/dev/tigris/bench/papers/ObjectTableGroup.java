package dev.tigris.bench.papers;

import dev.tigris.bench.Better;
import dev.tigris.bench.Figure;
import dev.tigris.bench.Group;
import dev.tigris.bench.Pairs;
import dev.tigris.bench.Run;
import dev.tigris.bench.fork.Forks;
import dev.tigris.bench.fork.Plan;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;

/// The papers' tables of pre-serialized objects. Both list the same operations, so that they are
/// measured once and reported twice, each beside its own numbers.
final class ObjectTableGroup implements Group {
  private static final String THESIS = "paper.thesis.fig8.";
  private static final String JAGUAR = "paper.jaguar.fig5.";

  @Override
  public String name() {
    return "paper.objects";
  }

  @Override
  public List<String> figures() {
    return Stream.of(THESIS, JAGUAR)
        .flatMap(table -> Arrays.stream(ObjectTable.values()).map(row -> table + row.key()))
        .toList();
  }

  @Override
  public void measure(Run run) throws Exception {
    List<String> wanted =
        Arrays.stream(ObjectTable.values())
            .map(ObjectTable::key)
            .filter(row -> run.wants(THESIS + row) || run.wants(JAGUAR + row))
            .toList();
    Map<Forks.Key, List<Pairs>> pairs =
        Forks.run(ObjectTableSuite.class, run, Plan.of(run.scale(), 2, 5), wanted).orThrow();
    for (String table : List.of(THESIS, JAGUAR)) {
      pairs.forEach(
          (key, forks) ->
              run.emit(
                  Figure.of(table + key.figure(), "ns", Better.LOWER, key.peer(), forks)
                      .withNote(note(table, key.figure()))));
    }
  }

  private static String note(String table, String key) {
    ObjectTable row = ObjectTable.valueOf(key.toUpperCase(Locale.ROOT));
    return table.equals(THESIS)
        ? "then: %s us".formatted(row.thesisMicros)
        : "then: %s us on GCJ, %s us on OpenJIT".formatted(row.gcjMicros, row.openJitMicros);
  }
}
