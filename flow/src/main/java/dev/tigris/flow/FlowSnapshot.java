package dev.tigris.flow;

import java.util.List;

/// The state of a flow at one moment. While the flow runs, the parts are read one after the other
/// and need not agree exactly. Later versions may have more components, so read them by their
/// methods and construct no snapshot yourself.
///
/// @param flow the flow's name
/// @param state what has become of it
/// @param elapsedNanos the time since it was started, or that it took
/// @param replicas every replica of every stage, in the order of the stages
/// @param streams every stream
public record FlowSnapshot(
    String flow, State state, long elapsedNanos, List<Replica> replicas, List<Channel> streams) {
  /// The outcome of a flow, as far as there is one.
  public enum State {
    /// The flow is not over.
    RUNNING,
    /// Every module has ended as it should.
    DONE,
    /// A module has failed.
    FAILED,
    /// It was cancelled.
    CANCELLED
  }

  /// A replica is called slow when it takes this many times the median of its stage for a water.
  private static final double SLOW = 2.0;

  /// One replica of a stage.
  ///
  /// @param stage the stage's name
  /// @param replica which one, from 0
  /// @param calls how many times `process` or `produce` was called
  /// @param serviceNanos how long a call takes, averaged over the last few: with the files that it
  ///     uses, such as those of a drain, and without waits for credit; 0 before the first
  /// @param inputWaitNanos how long it has waited for input, a wait that is not over included
  /// @param creditWaitNanos how long it has waited for credit, in the same way
  /// @param diskNanos how long it was with files, in the same way, as [FileTime] counts it; that
  ///     is no part of the waits
  /// @param isEnded whether it has ended
  public record Replica(
      String stage,
      int replica,
      long calls,
      long serviceNanos,
      long inputWaitNanos,
      long creditWaitNanos,
      long diskNanos,
      boolean isEnded) {}

  /// One stream.
  ///
  /// @param name the stream's name
  /// @param reservoir the name of its reservoir
  /// @param from the sending stage, or the name of the feed
  /// @param fromReplica which replica of it
  /// @param to the receiving stage, or the name of the drain
  /// @param toReplica which replica of it
  /// @param window how many waters may be sent and not yet finished
  /// @param counters what has happened on it
  public record Channel(
      String name,
      String reservoir,
      String from,
      int fromReplica,
      String to,
      int toReplica,
      int window,
      StreamCounters counters) {}

  /// Copies the lists.
  public FlowSnapshot {
    replicas = List.copyOf(replicas);
    streams = List.copyOf(streams);
  }

  /// Returns the slow replicas: those that take at least twice as long for a water as the median of
  /// their stage. A stage of one replica has nothing to compare with.
  public List<Replica> slow() {
    return replicas.stream()
        .filter(one -> one.serviceNanos() >= SLOW * medianServiceNanos(one.stage()))
        .filter(one -> medianServiceNanos(one.stage()) > 0)
        .toList();
  }

  /// Returns the lower median, so that of two replicas the slower one is compared with the faster.
  private double medianServiceNanos(String stage) {
    long[] nanos =
        replicas.stream()
            .filter(one -> one.stage().equals(stage))
            .mapToLong(Replica::serviceNanos)
            .filter(one -> one > 0)
            .sorted()
            .toArray();
    return nanos.length < 2 ? 0 : nanos[(nanos.length - 1) / 2];
  }
}
