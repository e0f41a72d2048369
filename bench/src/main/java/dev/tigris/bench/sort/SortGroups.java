package dev.tigris.bench.sort;

import dev.tigris.bench.Group;
import dev.tigris.bench.sort.SortGroup.Scaled;
import dev.tigris.bench.sort.SortGroup.Sizes;
import java.util.List;

/// The groups of `sort`.
public final class SortGroups {
  private SortGroups() {}

  /// Lists the groups in the order in which they are measured.
  public static List<Group> all() {
    return List.of(
        new SortGroup(
            new Sizes(
                "sort.onepass",
                new Scaled(10_000, 10_000_000, 10_000_000),
                new Scaled(64, 2048, 2048),
                new Scaled(1, 2, 15),
                true)),
        new SortGroup(
            new Sizes(
                "sort.external",
                new Scaled(200_000, 10_000_000, 40_000_000),
                new Scaled(16, 256, 1024),
                new Scaled(1, 1, 3),
                false)),
        new SortGroup(
            new Sizes(
                "sort.datamation",
                new Scaled(10_000, 1_000_000, 1_000_000),
                new Scaled(64, 2048, 2048),
                new Scaled(1, 6, 20),
                true)),
        new TypedGroup(new Scaled(10_000, 1_000_000, 10_000_000), new Scaled(1, 4, 15)),
        lines(TextGroup.Kind.WORDS),
        lines(TextGroup.Kind.LOG),
        lines(TextGroup.Kind.CSV));
  }

  private static Group lines(TextGroup.Kind kind) {
    return new TextGroup(
        kind, new Scaled(1, 200, 1000), new Scaled(1024, 1024, 512), new Scaled(1, 3, 1));
  }
}
