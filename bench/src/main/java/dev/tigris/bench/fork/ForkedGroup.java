package dev.tigris.bench.fork;

import dev.tigris.bench.Better;
import dev.tigris.bench.Figure;
import dev.tigris.bench.Group;
import dev.tigris.bench.Pairs;
import dev.tigris.bench.Run;
import java.util.List;
import java.util.Map;

/// A suite as a group of figures, all in nanoseconds an operation.
///
/// @param name of the group
/// @param figures of the suite
/// @param suite what is run
/// @param quickForks processes of a quick run
/// @param fullForks processes of a full run
/// @param flags options of their JVM
public record ForkedGroup(
    String name,
    List<String> figures,
    Class<? extends Suite> suite,
    int quickForks,
    int fullForks,
    List<String> flags)
    implements Group {

  /// At the JVM's default options.
  public ForkedGroup(
      String name,
      List<String> figures,
      Class<? extends Suite> suite,
      int quickForks,
      int fullForks) {
    this(name, figures, suite, quickForks, fullForks, List.of());
  }

  @Override
  public void measure(Run run) throws Exception {
    Plan plan = Plan.of(run.scale(), quickForks, fullForks).withFlags(flags);
    Map<Forks.Key, List<Pairs>> pairs = Forks.run(suite, run, plan, run.wanted(figures)).orThrow();
    pairs.forEach(
        (key, forks) -> run.emit(Figure.of(key.figure(), "ns", Better.LOWER, key.peer(), forks)));
  }
}
