package dev.tigris.flow;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/// The part of a flow that one process runs. All processes describe the whole flow, and each starts
/// its part by [Flow#start(FlowPart)]: the replicas that are here, the streams among them, and its
/// own ends of the streams to replicas elsewhere. A reservoir is one for its senders, wherever its
/// receivers are: one policy chooses among all.
///
/// Feeds and drains are in the process of their replica.
///
/// Thread rule: the thread that starts the flow, except for [#joined] and [#initialized].
public interface FlowPart {
  /// A stream between replicas of two stages, one of which is here. It is equal in both processes.
  ///
  /// @param stream the stream's name, unique in the flow: `map[0]->reduce[3]`, and `:NAME` behind
  ///     if the reservoir has a name of its own
  /// @param from the sending replica
  /// @param to the receiving replica
  record Link(String stream, Operation.End from, Operation.End to) {}

  /// Returns whether a replica of a stage runs here. In each process the answer is that of the one
  /// division of the flow: each replica is in one process.
  boolean isHere(Operation.End replica);

  /// Returns the kind of the end here of a stream whose other end is in another process.
  StreamKind kind(Link link);

  /// Returns the kind to use here in place of that of a feed or a drain: for streams that lead out
  /// of the flow by what joins its processes.
  default StreamKind outward(StreamKind kind) {
    return kind;
  }

  /// Tells that all streams that have an end here are attached. Modules are made when the returned
  /// stage has completed, for example after all other processes have said so. If it fails, the flow
  /// does. A module's thread calls this, and must not wait.
  default CompletionStage<Void> joined() {
    return CompletableFuture.completedFuture(null);
  }

  /// Tells that all modules that are here have been through `init`. They are started when the
  /// returned stage has completed, for example after all other processes have said so. If it fails,
  /// the flow does. A module's thread calls this, and must not wait.
  default CompletionStage<Void> initialized() {
    return CompletableFuture.completedFuture(null);
  }
}
