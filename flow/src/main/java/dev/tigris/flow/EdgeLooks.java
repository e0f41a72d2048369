package dev.tigris.flow;

import dev.tigris.flow.Operation.CreateStream;
import dev.tigris.flow.Operation.Use;
import java.lang.invoke.VarHandle;
import java.util.ArrayList;
import java.util.List;

/// Adds up the streams of a flow in this process, by edge and receiver.
///
/// Thread rule: any thread.
final class EdgeLooks {
  /// The streams to one receiver.
  private static final class Receiver {
    final int replica;
    int streams;
    long waters;
    long bytes;
    long creditWaitNanos;

    // Over all looks.
    long outstanding;
    long window;
    long arrived;

    Receiver(int replica) {
      this.replica = replica;
    }

    void begin() {
      streams = 0;
      waters = 0;
      bytes = 0;
      creditWaitNanos = 0;
    }

    void add(Stream stream, Use use) {
      if (use == Use.INBOUND) {
        arrived += stream.arrivedUnfinished();
        return;
      }
      waters += stream.sends.waters;
      bytes += stream.sends.bytes;
      creditWaitNanos += stream.sends.creditWaitNanos;
      int now = stream.unfinished();
      outstanding += now;
      if (now > 0 || stream.isOpen()) { // the window of one that is over is no room
        streams++;
        window += stream.window();
      }
    }

    FlowLoad.Receiver told() {
      return new FlowLoad.Receiver(
          replica, streams, waters, bytes, creditWaitNanos, outstanding, window, arrived);
    }
  }

  /// The streams of one edge.
  private static final class Edge {
    final CreateStream first;
    final List<Receiver> receivers = new ArrayList<>();
    int senders;
    long creditWaitNanos;

    Edge(CreateStream first) {
      this.first = first;
    }

    boolean isOf(CreateStream made) {
      return first.reservoir().equals(made.reservoir())
          && first.from().name().equals(made.from().name())
          && first.to().name().equals(made.to().name());
    }

    Receiver receiver(int replica) {
      for (Receiver each : receivers) {
        if (each.replica == replica) {
          return each;
        }
      }
      Receiver added = new Receiver(replica);
      receivers.add(added);
      return added;
    }

    FlowLoad.Edge told() {
      return new FlowLoad.Edge(
          first.reservoir(),
          first.from().name(),
          first.to().name(),
          senders,
          creditWaitNanos,
          receivers.stream().map(Receiver::told).toList());
    }
  }

  private final StreamTable streams;
  private final List<Edge> edges = new ArrayList<>();

  /// The receiver of each stream, in the order of the table.
  private final List<Receiver> known = new ArrayList<>();

  private long looks;

  EdgeLooks(StreamTable streams) {
    this.streams = streams;
  }

  /// Looks at all streams and modules once more.
  synchronized FlowLoad look(List<Worker> workers) {
    looks++;
    for (Edge each : edges) {
      each.senders = 0;
      each.creditWaitNanos = 0;
      each.receivers.forEach(Receiver::begin);
    }
    VarHandle.acquireFence(); // as Stream#counters has it
    List<StreamTable.Placed> all = streams.list();
    for (int i = 0; i < all.size(); i++) {
      StreamTable.Placed placed = all.get(i);
      if (i == known.size()) {
        known.add(edge(placed.made()).receiver(placed.made().to().index()));
      }
      Stream opened = placed.stream();
      if (opened != null) {
        known.get(i).add(opened, placed.made().use());
      }
    }
    List<FlowSnapshot.Replica> replicas = new ArrayList<>(workers.size());
    for (Worker worker : workers) {
      FlowSnapshot.Replica replica = worker.snapshot();
      replicas.add(replica);
      worker.eachOutlet((outlet, nanos) -> addSender(replica, outlet, nanos));
    }
    return new FlowLoad(looks, replicas, edges.stream().map(Edge::told).toList());
  }

  private Edge edge(CreateStream made) {
    for (Edge each : edges) {
      if (each.isOf(made)) {
        return each;
      }
    }
    Edge added = new Edge(made);
    edges.add(added);
    return added;
  }

  /// Counts a sender of an edge that has streams here. A stage has one edge of that name at most.
  private void addSender(FlowSnapshot.Replica replica, String outlet, long creditWaitNanos) {
    for (Edge each : edges) {
      if (each.first.reservoir().equals(outlet)
          && each.first.from().name().equals(replica.stage())
          && each.first.use() != Use.FEED) {
        each.senders += replica.isEnded() ? 0 : 1;
        each.creditWaitNanos += creditWaitNanos;
      }
    }
  }
}
