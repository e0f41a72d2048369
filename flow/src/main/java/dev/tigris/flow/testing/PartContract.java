package dev.tigris.flow.testing;

import dev.tigris.flow.Flow;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;

/// The contract of flows in parts: graphs that end as they do in one process, wherever their stages
/// run. The caller chooses that: threads of one process, several [parts][dev.tigris.flow.FlowPart]
/// in one JVM, or processes of their own.
///
/// ```java
/// for (PartContract.Check check : PartContract.checks()) {
///   PartReport report = new PartReport();
///   check.prepare(folder);
///   FlowRun one = check.flow(folder, report).start(firstPart);
///   FlowRun other = check.flow(folder, report).start(secondPart);
///   report.await(one);
///   report.await(other);
///   check.verify(folder, report);
/// }
/// ```
///
/// Thread rule: any thread.
public final class PartContract {
  private PartContract() {}

  /// Describes the flow of a check.
  @FunctionalInterface
  interface Graph {
    Flow flow(String name, PartReport report, Path folder);
  }

  /// Prepares the files of a check, or looks at them.
  @FunctionalInterface
  interface OnFiles {
    void accept(Path folder, PartReport report) throws IOException;
  }

  /// A graph, and how it has to end. A process finds it by its name.
  public static final class Check {
    private final String name;
    private final Graph graph;
    private final OnFiles before;
    private final OnFiles after;

    Check(String name, Graph graph, OnFiles before, OnFiles after) {
      this.name = name;
      this.graph = graph;
      this.before = before;
      this.after = after;
    }

    /// Returns its name, such as `joinsAndSplitsByName`.
    public String name() {
      return name;
    }

    /// Writes the files that the flow reads. One process calls it, before any part is started.
    ///
    /// @param folder an empty folder, which all processes use
    public void prepare(Path folder) throws IOException {
      before.accept(folder, new PartReport());
    }

    /// Describes the flow, equally in each process.
    ///
    /// @param report where the modules of this process tell what they see
    public Flow flow(Path folder, PartReport report) {
      return graph.flow(name, report, folder);
    }

    /// Looks at what all parts have seen.
    ///
    /// @throws AssertionError if the flow did not end as it had to
    public void verify(Path folder, PartReport report) throws IOException {
      after.accept(folder, report);
    }

    @Override
    public String toString() {
      return name;
    }
  }

  /// Returns all checks, with some graphs at random.
  public static List<Check> checks() {
    java.util.stream.Stream<Check> random =
        new SplittableRandom(53).longs(8).mapToObj(PartContract::random);
    return java.util.stream.Stream.concat(PartGraphs.all().stream(), random).toList();
  }

  /// Returns a check with a graph that follows from a seed.
  public static Check random(long seed) {
    return RandomGraph.check(seed);
  }

  /// Returns the check of a name.
  ///
  /// @throws IllegalArgumentException if there is none
  public static Check check(String name) {
    if (name.startsWith(RandomGraph.PREFIX)) {
      return random(Long.parseLong(name.substring(RandomGraph.PREFIX.length())));
    }
    return PartGraphs.all().stream()
        .filter(check -> check.name().equals(name))
        .findFirst()
        .orElseThrow(() -> new IllegalArgumentException("there is no check " + name));
  }

  @SuppressWarnings("AnnotateFormatMethod") // its annotation is not among our libraries
  static void require(boolean holds, String what, Object... values) {
    if (!holds) {
      throw new AssertionError(what.formatted(values));
    }
  }

  /// Requires that each part has ended well, and each number below `end` has arrived once.
  static void requireNumbers(PartReport report, long end) {
    requireWell(report);
    long[] all = report.sorted();
    for (int i = 0; i < all.length; i++) {
      require(all[i] == i, "number %d came in place of %d", all[i], i);
    }
    require(all.length == end, "%d numbers came in place of %d", all.length, end);
  }

  static void requireWell(PartReport report) {
    require(report.failures().isEmpty(), "it has failed: %s", report.failures());
  }

  static void requireCount(PartReport report, String what, long count) {
    requireWell(report);
    long counted = report.counted(what);
    require(counted == count, "%s: %d in place of %d", what, counted, count);
  }

  static void requireSum(PartReport report, long sum) {
    requireWell(report);
    long came = Arrays.stream(report.sorted()).sum();
    require(came == sum, "a sum of %d came in place of %d", came, sum);
  }
}
