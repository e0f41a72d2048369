package dev.tigris.steering;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/// The traffic of one edge between two moments, over all processes.
///
/// @param reservoir the name of the reservoir, the feed or the drain
/// @param from the sending stage, or the name of the feed
/// @param to the receiving stage, or the name of the drain
/// @param waitsForCredit the share of its senders' time in which they waited for credit of it
/// @param receivers each receiver
record EdgeLoad(
    String reservoir, String from, String to, double waitsForCredit, List<Receiver> receivers) {
  /// How many times as full as the median the windows to one receiver are, or what part of the
  /// median it gets, if it is told apart.
  private static final double ODD = 2;

  /// Windows that are less full hold nothing up.
  private static final double FULL = 0.2;

  /// The traffic to one receiver.
  ///
  /// @param replica which replica of the receiving stage
  /// @param process where it is; -1 if it is no replica
  /// @param streams how many streams go there
  /// @param watersPerSecond how many waters were sent to it
  /// @param bytesPerSecond how many bytes of data they held
  /// @param fill which part of the windows was in use, on average
  /// @param isOdd whether the windows are twice as full as those of the median of several, or it
  ///     gets half of what that gets
  record Receiver(
      int replica,
      int process,
      int streams,
      double watersPerSecond,
      double bytesPerSecond,
      double fill,
      boolean isOdd) {
    private Receiver marked(double fills, double rates) {
      boolean isFull = fill >= FULL && fill >= ODD * fills;
      boolean isSlow = rates > 0 && ODD * watersPerSecond <= rates;
      return new Receiver(
          replica,
          process,
          streams,
          watersPerSecond,
          bytesPerSecond,
          fill,
          streams > 0 && (isFull || isSlow));
    }
  }

  EdgeLoad {
    receivers = List.copyOf(receivers);
  }

  /// Returns it with the odd receivers marked.
  EdgeLoad compared() {
    List<Receiver> open = receivers.stream().filter(each -> each.streams() > 0).toList();
    if (open.size() < 2) {
      return this;
    }
    double fills = median(open, Receiver::fill);
    double rates = median(open, Receiver::watersPerSecond);
    return new EdgeLoad(
        reservoir,
        from,
        to,
        waitsForCredit,
        receivers.stream().map(each -> each.marked(fills, rates)).toList());
  }

  private static double median(List<Receiver> all, ToDoubleFunction<Receiver> of) {
    double[] sorted = all.stream().mapToDouble(of).sorted().toArray();
    return sorted[(sorted.length - 1) / 2];
  }

  double sum(ToDoubleFunction<Receiver> of) {
    return receivers.stream().mapToDouble(of).sum();
  }

  /// Returns which part of all windows was in use.
  double fill() {
    double streams = sum(Receiver::streams);
    return streams == 0 ? 0 : sum(each -> each.fill() * each.streams()) / streams;
  }

  /// Returns what is told of it.
  ///
  /// @param hasReceivers whether each receiver is, too
  Map<String, @Nullable Object> members(boolean hasReceivers) {
    Map<String, @Nullable Object> members = new LinkedHashMap<>();
    members.put("reservoir", reservoir);
    members.put("from", from);
    members.put("to", to);
    members.put("streams", (long) sum(Receiver::streams));
    members.put("watersPerSecond", Load.rounded(sum(Receiver::watersPerSecond)));
    members.put("bytesPerSecond", Load.rounded(sum(Receiver::bytesPerSecond)));
    members.put("waitsForCredit", Load.rounded(waitsForCredit));
    members.put("fill", Load.rounded(fill()));
    if (!hasReceivers) {
      return members;
    }
    List<Map<String, @Nullable Object>> all = new ArrayList<>(receivers.size());
    for (Receiver each : receivers) {
      Map<String, @Nullable Object> its = new LinkedHashMap<>();
      its.put("replica", each.replica());
      its.put("process", each.process() < 0 ? null : each.process());
      its.put("watersPerSecond", Load.rounded(each.watersPerSecond()));
      its.put("bytesPerSecond", Load.rounded(each.bytesPerSecond()));
      its.put("fill", Load.rounded(each.fill()));
      its.put("odd", each.isOdd());
      all.add(its);
    }
    members.put("receivers", all);
    return members;
  }
}
