package dev.tigris.flow;

import java.util.List;

/// The work of a flow's modules in this process, and what goes over its edges. It is small enough
/// to be sent several times a second: an edge has one entry for each receiver, whatever the number
/// of senders. Later versions may have more components, so read them by their methods and construct
/// none yourself.
///
/// @param looks how often it was looked at so far, this time included
/// @param replicas every replica of every stage
/// @param edges the reservoirs, feeds and drains that have streams here
public record FlowLoad(long looks, List<FlowSnapshot.Replica> replicas, List<Edge> edges) {
  /// An edge of the graph.
  ///
  /// @param reservoir the name of the reservoir, the feed or the drain
  /// @param from the sending stage, or the name of the feed
  /// @param to the receiving stage, or the name of the drain
  /// @param senders how many replicas here put on it, and have not ended
  /// @param creditWaitNanos how long the replicas here have waited for credit of it, waits that are
  ///     not over and replicas that have ended included
  /// @param receivers the receivers of its streams here
  public record Edge(
      String reservoir,
      String from,
      String to,
      int senders,
      long creditWaitNanos,
      List<Receiver> receivers) {
    /// Copies the list.
    public Edge {
      receivers = List.copyOf(receivers);
    }
  }

  /// A receiver, and the streams to it. The counts are those of the sending ends that are here. The
  /// last three are sums over all looks: the difference between two of them, divided by the number
  /// of looks in between, is an average.
  ///
  /// @param replica which replica of the receiving stage, or which stream of the drain
  /// @param streams how many streams go there, and have not ended
  /// @param waters how many waters were sent
  /// @param bytes how many bytes of data they held
  /// @param creditWaitNanos how long puts have waited for credit of one of these streams, without
  ///     waits for a policy's choice, which are for no stream
  /// @param outstanding how many waters were sent and not finished
  /// @param window how many might have been
  /// @param arrived how many had come from other processes to the receiver, which is here, and were
  ///     not finished
  public record Receiver(
      int replica,
      int streams,
      long waters,
      long bytes,
      long creditWaitNanos,
      long outstanding,
      long window,
      long arrived) {}

  /// Copies the lists.
  public FlowLoad {
    replicas = List.copyOf(replicas);
    edges = List.copyOf(edges);
  }
}
