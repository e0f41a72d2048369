package dev.tigris.cluster.run;

import dev.tigris.cluster.run.protocol.CoordinatorProtocol;
import dev.tigris.flow.FlowSnapshot;
import dev.tigris.flow.Results;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/// How far a run has come. What its workers do is as old as their last report. Later versions may
/// have more components, so read them by their methods and construct none yourself.
///
/// @param attempt which attempt it is, from 1
/// @param phase what the attempt is doing
/// @param elapsedNanos the time since the run was started, or that it took
/// @param replicas the replicas whose processes have reported
/// @param behind the processes, from 0, for which the others wait to go on
/// @param results the numbers that the modules of the attempt have told so far, as old as the
///     reports
public record RunProgress(
    int attempt,
    Phase phase,
    long elapsedNanos,
    List<Replica> replicas,
    List<Integer> behind,
    Results results) {
  /// The things that an attempt does, one after the other.
  public enum Phase {
    /// The workers are started, describe the flow, and connect.
    STARTING,
    /// The modules are made, and their `init` is called.
    INITIALIZING,
    /// The modules run.
    RUNNING,
    /// The outputs get their names.
    NAMING,
    /// The attempt is given up.
    ABORTING,
    /// The run is over.
    OVER;

    static Phase of(CoordinatorProtocol.Phase phase) {
      return switch (phase) {
        case STARTING, DESCRIBING, WIRING -> STARTING;
        case INITIALIZING -> INITIALIZING;
        case RUNNING, PREPARING -> RUNNING;
        case DECIDING, PUBLISHING, OVER -> NAMING;
        case ABORTING -> ABORTING;
      };
    }
  }

  /// A replica, and the process that it is in.
  ///
  /// @param process which process, from 0
  /// @param state what the replica is doing
  public record Replica(int process, FlowSnapshot.Replica state) {}

  /// Copies the lists.
  public RunProgress {
    replicas = List.copyOf(replicas);
    behind = List.copyOf(behind);
  }

  /// Returns the slow replicas: those that take at least twice as long for a water as the median of
  /// their stage, in whichever process.
  public List<Replica> slow() {
    List<FlowSnapshot.Replica> states = replicas.stream().map(Replica::state).toList();
    List<FlowSnapshot.Replica> slow =
        new FlowSnapshot("", FlowSnapshot.State.RUNNING, elapsedNanos, states, List.of()).slow();
    return replicas.stream().filter(each -> slow.contains(each.state())).toList();
  }

  /// Returns how often modules were called, over all replicas.
  public long calls() {
    return replicas.stream().mapToLong(each -> each.state().calls()).sum();
  }

  /// Writes what the replicas of one process are doing, and the numbers that they have told.
  static void write(DataOutputStream out, List<FlowSnapshot.Replica> replicas, Results results)
      throws IOException {
    out.writeInt(replicas.size());
    for (FlowSnapshot.Replica each : replicas) {
      Wire.writeText(out, each.stage());
      out.writeInt(each.replica());
      out.writeLong(each.calls());
      out.writeLong(each.serviceNanos());
      out.writeLong(each.inputWaitNanos());
      out.writeLong(each.creditWaitNanos());
      out.writeBoolean(each.isEnded());
    }
    Wire.writeBytes(out, results.withoutObjects().encoded());
  }

  /// Reads what they are doing; [#readResults] reads the rest.
  static List<Replica> read(DataInputStream in, int process) throws IOException {
    List<Replica> replicas = new ArrayList<>();
    for (int left = in.readInt(); left > 0; left--) {
      FlowSnapshot.Replica state =
          new FlowSnapshot.Replica(
              Wire.readText(in),
              in.readInt(),
              in.readLong(),
              in.readLong(),
              in.readLong(),
              in.readLong(),
              in.readBoolean());
      replicas.add(new Replica(process, state));
    }
    return replicas;
  }

  static Results readResults(DataInputStream in) throws IOException {
    try {
      return Results.decoded(Wire.readBytes(in));
    } catch (IllegalArgumentException e) {
      throw new IOException("the results so far cannot be read", e);
    }
  }
}
