package dev.tigris.cli;

import dev.tigris.cluster.run.Cluster;
import dev.tigris.cluster.run.ClusterCommand;
import java.util.List;
import java.util.Locale;

/// `tigris sort --on spark:MASTER` in the driver of the Spark application, where the first word is
/// the width of the terminal. It is public for module spark, which starts it.
public final class SortOnCluster implements ClusterCommand {
  /// Made by its name.
  public SortOnCluster() {}

  @Override
  public int run(Cluster cluster, List<String> words) {
    Locale.setDefault(Locale.ROOT);
    String[] sort = words.subList(1, words.size()).toArray(String[]::new);
    StandardOutput out = new StandardOutput();
    Console console =
        new Console(out.stream(), System.err, Integer.parseInt(words.getFirst()), ".");
    ExitCode code =
        CtrlC.stoppable(
            () ->
                ScopedValue.where(RunOptions.GIVEN, cluster)
                    .call(() -> new Tigris(console).run(sort)));
    return out.outcome(code, System.err).number();
  }
}
