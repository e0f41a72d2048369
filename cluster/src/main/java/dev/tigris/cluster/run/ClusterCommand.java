package dev.tigris.cluster.run;

import java.util.List;

/// A command that runs programs on a cluster, in a process that has one: a sort in the driver of a
/// Spark application, for example. It is a public class with a public constructor without
/// parameters, as a [FlowProgram] is.
public interface ClusterCommand {
  /// Runs the command, and returns the exit code of its process.
  ///
  /// @param cluster where its programs run
  /// @param words its arguments
  /// @throws Exception if the command cannot go on, and has not said why
  int run(Cluster cluster, List<String> words) throws Exception;
}
