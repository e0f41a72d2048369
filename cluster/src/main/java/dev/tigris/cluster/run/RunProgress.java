package dev.tigris.cluster.run;

import dev.tigris.cluster.run.protocol.CoordinatorProtocol;
import dev.tigris.flow.FlowLoad;
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
/// @param edges what goes over the edges in the processes that have reported
/// @param results the numbers that the modules of the attempt have told so far, as old as the
///     reports
public record RunProgress(
    int attempt,
    Phase phase,
    long elapsedNanos,
    List<Replica> replicas,
    List<Integer> behind,
    List<Edge> edges,
    Results results) {
  private static final int LEAST_REPLICA_BYTES = 49;
  private static final int LEAST_EDGE_BYTES = 18;
  private static final int LEAST_RECEIVER_BYTES = 8;

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

  /// An edge of the graph, in the process that has these ends of its streams.
  ///
  /// @param process which process, from 0
  /// @param looks over how many looks its sums are
  /// @param state what has gone over it
  public record Edge(int process, long looks, FlowLoad.Edge state) {}

  /// Copies the lists.
  public RunProgress {
    replicas = List.copyOf(replicas);
    behind = List.copyOf(behind);
    edges = List.copyOf(edges);
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

  /// Writes what the replicas of one process are doing, what goes over the edges there, and the
  /// numbers that the replicas have told.
  ///
  /// ```
  /// replicas   u32, and for each: stage, which u32, five numbers u64, has it ended u8
  /// looks      number
  /// edges      u32, and for each: reservoir, from, to, senders, credit wait, receivers u32,
  ///            and for each of those eight numbers
  /// results    bytes
  /// ```
  ///
  /// A number without a size has seven bits in each byte, as most are small.
  static void write(DataOutputStream out, FlowLoad load, Results results) throws IOException {
    out.writeInt(load.replicas().size());
    for (FlowSnapshot.Replica each : load.replicas()) {
      Wire.writeText(out, each.stage());
      out.writeInt(each.replica());
      out.writeLong(each.calls());
      out.writeLong(each.serviceNanos());
      out.writeLong(each.inputWaitNanos());
      out.writeLong(each.creditWaitNanos());
      out.writeLong(each.diskNanos());
      out.writeBoolean(each.isEnded());
    }
    Wire.writeNumber(out, load.looks());
    out.writeInt(load.edges().size());
    for (FlowLoad.Edge each : load.edges()) {
      Wire.writeText(out, each.reservoir());
      Wire.writeText(out, each.from());
      Wire.writeText(out, each.to());
      Wire.writeNumber(out, each.senders());
      Wire.writeNumber(out, each.creditWaitNanos());
      out.writeInt(each.receivers().size());
      for (FlowLoad.Receiver receiver : each.receivers()) {
        Wire.writeNumber(out, receiver.replica());
        Wire.writeNumber(out, receiver.streams());
        Wire.writeNumber(out, receiver.waters());
        Wire.writeNumber(out, receiver.bytes());
        Wire.writeNumber(out, receiver.creditWaitNanos());
        Wire.writeNumber(out, receiver.outstanding());
        Wire.writeNumber(out, receiver.window());
        Wire.writeNumber(out, receiver.arrived());
      }
    }
    Wire.writeBytes(out, results.withoutObjects().encoded());
  }

  /// Reads what they are doing; [#readResults] reads the rest.
  static FlowLoad read(DataInputStream in) throws IOException {
    List<FlowSnapshot.Replica> replicas = new ArrayList<>();
    for (int left = Wire.readCount(in, LEAST_REPLICA_BYTES); left > 0; left--) {
      replicas.add(
          new FlowSnapshot.Replica(
              Wire.readText(in),
              in.readInt(),
              in.readLong(),
              in.readLong(),
              in.readLong(),
              in.readLong(),
              in.readLong(),
              in.readBoolean()));
    }
    long looks = Wire.readNumber(in);
    List<FlowLoad.Edge> edges = new ArrayList<>();
    for (int left = Wire.readCount(in, LEAST_EDGE_BYTES); left > 0; left--) {
      edges.add(
          new FlowLoad.Edge(
              Wire.readText(in),
              Wire.readText(in),
              Wire.readText(in),
              Wire.readSmallNumber(in),
              Wire.readNumber(in),
              readReceivers(in)));
    }
    return new FlowLoad(looks, replicas, edges);
  }

  private static List<FlowLoad.Receiver> readReceivers(DataInputStream in) throws IOException {
    List<FlowLoad.Receiver> receivers = new ArrayList<>();
    for (int left = Wire.readCount(in, LEAST_RECEIVER_BYTES); left > 0; left--) {
      receivers.add(
          new FlowLoad.Receiver(
              Wire.readSmallNumber(in),
              Wire.readSmallNumber(in),
              Wire.readNumber(in),
              Wire.readNumber(in),
              Wire.readNumber(in),
              Wire.readNumber(in),
              Wire.readNumber(in),
              Wire.readNumber(in)));
    }
    return receivers;
  }

  /// Returns what the replicas of a process are doing.
  static List<Replica> replicas(int process, FlowLoad load) {
    return load.replicas().stream().map(state -> new Replica(process, state)).toList();
  }

  /// Returns what goes over the edges in a process.
  static List<Edge> edges(int process, FlowLoad load) {
    return load.edges().stream().map(state -> new Edge(process, load.looks(), state)).toList();
  }

  static Results readResults(DataInputStream in) throws IOException {
    try {
      return Results.decoded(Wire.readBytes(in));
    } catch (IllegalArgumentException e) {
      throw new IOException("the results so far cannot be read", e);
    }
  }
}
