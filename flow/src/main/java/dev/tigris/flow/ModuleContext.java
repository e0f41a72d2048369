package dev.tigris.flow;

import java.util.List;
import java.util.random.RandomGenerator;

/// The place of a module in its flow: names, streams and routes. Only the module's own thread calls
/// it, except for [#isStopping].
public interface ModuleContext {
  /// The name of the flow.
  String flow();

  /// The name of the stage that this module is a replica of.
  String stage();

  /// Which replica this is, from 0.
  int replica();

  /// How many replicas the stage has.
  int replicas();

  /// Where the current input water comes from: the name of the reservoir's upstream stage, or of
  /// the feed. Only in [Module#process].
  String from();

  /// The stream that the current input water came on. Waters of one stream come in order, those of
  /// several mixed: what is cut at the end of a water, such as a word of a file, goes on in the
  /// next water of the same stream. Only in [Module#process].
  Stream input();

  /// All streams that come in: those of reservoirs first, then those of feeds, each in the order in
  /// which they were described. A file stream among them can be told to seek.
  List<Stream> inputs();

  /// Returns the streams that come from the named stage or feed. Once all of them are
  /// [drained][Stream#isDrained] nothing more comes from there, though it may from elsewhere: so a
  /// join knows that one side of it is complete.
  ///
  /// @throws IllegalArgumentException if nothing comes from there
  List<Stream> inputs(String from);

  /// The names of the stages, then the feeds, that waters come [#from], each in the order in which
  /// they were described; none for a source.
  List<String> inputNames();

  /// The names of the reservoirs, then the drains, that waters go to, each in the order in which
  /// they were described; each is one for [#output], or [#route(String, int)].
  List<String> outputNames();

  /// The stream that the policy of the named reservoir gives for this call of `process`, `produce`
  /// or `finish`; the policy is asked at the first call, which waits while no stream has credit. A
  /// reservoir has the name of its downstream stage unless it was given one.
  ///
  /// @throws IllegalArgumentException if there is no such reservoir, or if it is routed
  Stream output(String reservoir);

  /// The stream to a replica of the one routed reservoir of this stage.
  ///
  /// @param index from 0; the downstream replica, or the draining stream
  /// @throws IndexOutOfBoundsException if there is no such replica
  /// @throws IllegalStateException if this stage has not exactly one reservoir
  Stream route(int index);

  /// The stream to a replica of the named reservoir, whatever its policy.
  ///
  /// @throws IndexOutOfBoundsException if there is no such replica
  /// @throws IllegalArgumentException if there is no such reservoir
  Stream route(String reservoir, int index);

  /// How many routes the one reservoir of this stage has.
  int routes();

  /// How many routes the named reservoir has.
  int routes(String reservoir);

  /// Whether the flow is being stopped, because of a failure or a cancellation. A module that
  /// computes for long without putting or taking waters should look from time to time. Any thread.
  boolean isStopping();

  /// A generator of random numbers of this replica's own: the same numbers in each run of a flow
  /// that is described in the same way and has the same seed.
  RandomGenerator random();
}
