package dev.tigris.bench.flow;

import dev.tigris.bench.Group;
import dev.tigris.bench.Variant;
import dev.tigris.bench.fork.ForkedGroup;
import java.util.List;

/// The groups of `flow`.
public final class FlowGroups {
  private FlowGroups() {}

  /// Lists the groups in the order in which they are measured.
  public static List<Group> all() {
    return List.of(
        new ForkedGroup("flow.stream", StreamSuite.FIGURES, StreamSuite.class, 4, 10),
        new TapGroup(),
        PerturbationGroup.ofEight(),
        new SimulationGroup(),
        PerturbationGroup.ofThePaper(),
        new CsvGroup(
            "flow.csv",
            new CsvGroup.Sizes(List.of(1, 100, 280), List.of(1, 2, 7), List.of(2, 4, 9))),
        new Variant(
            new CsvGroup(
                "flow.csv.large",
                new CsvGroup.Sizes(List.of(1, 300, 3000), List.of(1, 1, 3), List.of(1, 2, 3)))));
  }
}
