package dev.tigris.cluster.run;

import dev.tigris.cluster.Placement;
import dev.tigris.flow.Flow;
import dev.tigris.flow.FlowGraph;

/// Describes a flow, in each process of a run anew. A program is a public class with a public
/// constructor without parameters, so that each process can make one.
@FunctionalInterface
public interface FlowProgram {
  /// Describes the flow. All processes of a run have to describe one flow, with equal stages,
  /// replicas and streams: what may differ between processes is asked of the arguments. That is the
  /// number of processors, the time, environment variables, the files in a folder, and all else
  /// that is not in the code ([Arguments#fact]). A difference is refused before anything starts.
  ///
  /// The objects that suppliers of modules share, and static fields, are of one process each. What
  /// is to leave the process goes into a stream or into
  /// [results][dev.tigris.flow.ModuleContext#results].
  ///
  /// @throws Exception if the arguments are wrong, or the description is not possible: the run
  ///     fails with it
  Flow describe(Arguments arguments) throws Exception;

  /// Says in which process each replica runs. If it is not overridden, replicas are
  /// [dealt][Placement#spread] to all processes in turn, but for those whose feeds read files that
  /// not all hosts have: they run [where these lie][Arguments#processesWith]. All processes have to
  /// agree, as about the flow.
  ///
  /// ```java
  /// return Placement.spread(graph, arguments.processes()).with("write", 0);
  /// ```
  ///
  /// @param graph the flow that was described
  /// @throws Exception if the arguments are wrong: the run fails with it
  default Placement place(FlowGraph graph, Arguments arguments) throws Exception {
    return FilePlaces.of(graph, arguments);
  }
}
