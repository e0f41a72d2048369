package dev.tigris.flow;

import java.util.List;
import java.util.random.RandomGenerator;

/// A module's view of its place in the flow. Only the module's own thread may use it, except for
/// [#isStopping].
public interface ModuleContext {
  /// Returns the name of the flow.
  String flow();

  /// Returns the name of the stage that this module is a replica of.
  String stage();

  /// Returns which replica this is, from 0.
  int replica();

  /// Returns how many replicas the stage has.
  int replicas();

  /// Returns where the current input water comes from: the name of the reservoir's upstream stage,
  /// or of the feed. Only in [Module#process].
  String from();

  /// Returns the stream that the current input water came on. Waters of one stream come in order,
  /// those of several mixed: what is cut at the end of a water, such as a word of a file, goes on
  /// in the next water of the same stream. Only in [Module#process].
  Stream input();

  /// Returns all streams that come in: those of reservoirs first, then those of feeds, each in the
  /// order of the flow's description. A module may call [FileStream#seek] on a file stream among
  /// them.
  List<Stream> inputs();

  /// Returns the streams that come from the named stage or feed. Once all of them are
  /// [drained][Stream#isDrained], nothing more comes from there: this is how a join knows that one
  /// of its sides is complete.
  ///
  /// @throws IllegalArgumentException if nothing comes from there
  List<Stream> inputs(String from);

  /// Returns the names that [#from] may return: of stages, then of feeds, each in the order of the
  /// flow's description. A source has none.
  List<String> inputNames();

  /// Returns the names of the reservoirs, then the drains, that waters go to, each in the order of
  /// the flow's description. Each is a name for [#output] or [#route(String, int)].
  List<String> outputNames();

  /// Returns the stream that the policy of the named reservoir chooses for this call of `process`,
  /// `produce` or `finish`. The policy chooses when this is first called, which waits while no
  /// stream has credit. A reservoir has the name of its downstream stage, unless it was given
  /// another.
  ///
  /// @throws IllegalArgumentException if there is no such reservoir, or it is routed
  Stream output(String reservoir);

  /// Returns the stream to a replica of the one routed reservoir of this stage.
  ///
  /// @param index from 0; the downstream replica, or the draining stream
  /// @throws IndexOutOfBoundsException if there is no such replica
  /// @throws IllegalStateException if this stage has not exactly one reservoir
  Stream route(int index);

  /// Returns the stream to a replica of the named reservoir, whatever its policy.
  ///
  /// @throws IndexOutOfBoundsException if there is no such replica
  /// @throws IllegalArgumentException if there is no such reservoir
  Stream route(String reservoir, int index);

  /// Returns how many routes the one reservoir of this stage has.
  int routes();

  /// Returns how many routes the named reservoir has.
  int routes(String reservoir);

  /// Returns whether the flow is being stopped, because of a failure or a cancellation, or this
  /// module is being dropped. A module
  /// that computes for long without putting or taking waters should call this from time to time.
  /// Any thread may.
  boolean isStopping();

  /// Returns this replica's own generator of random numbers. It gives equal numbers in each run of
  /// a flow with an equal description and seed.
  RandomGenerator random();

  /// Returns where this module tells results of the run. Any thread may use them.
  ModuleResults results();
}
