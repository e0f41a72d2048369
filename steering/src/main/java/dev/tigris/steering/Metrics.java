package dev.tigris.steering;

import dev.tigris.cluster.run.ClusterRun;
import dev.tigris.cluster.run.RunProgress;
import dev.tigris.flow.FlowLoad;
import dev.tigris.flow.FlowSnapshot;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;

/// The metrics of a run, as OpenMetrics 1.0. A text has the replicas and edges that there are, each
/// once: so the labels are as many as those.
///
/// It is written here, since a registry of Micrometer took 5.6 ms for 300 replicas, which is more
/// than half of what steering may take of a core. This takes a twentieth of it.
///
/// Thread rule: any thread.
final class Metrics {
  static final String TYPE = "application/openmetrics-text; version=1.0.0; charset=utf-8";
  private static final double NANOS = 1e9;
  private static final int LINE_BYTES = 80;

  /// A number of something.
  ///
  /// @param name its name, which ends with its unit
  /// @param isCounter whether it only grows, as long as the attempt does not change
  private record Metric<T>(String name, boolean isCounter, String help, ToDoubleFunction<T> value) {
    void writeHead(StringBuilder to) {
      to.append("# TYPE ").append(name).append(isCounter ? " counter\n" : " gauge\n");
      for (String unit : UNITS) {
        if (name.endsWith("_" + unit)) {
          to.append("# UNIT ").append(name).append(' ').append(unit).append('\n');
        }
      }
      to.append("# HELP ").append(name).append(' ').append(help).append('\n');
    }

    void write(StringBuilder to, String labels, T of) {
      to.append(name).append(isCounter ? "_total" : "").append(labels).append(' ');
      double number = value.applyAsDouble(of);
      long whole = (long) number;
      if (whole == number) {
        to.append(whole);
      } else {
        to.append(number);
      }
      to.append('\n');
    }
  }

  private static final List<String> UNITS = List.of("seconds", "bytes");

  private static final List<Metric<FlowSnapshot.Replica>> OF_REPLICAS =
      List.of(
          new Metric<>("tigris_module_calls", true, "Calls of the module", r -> r.calls()),
          new Metric<>(
              "tigris_module_input_wait_seconds",
              true,
              "The time it has waited for input",
              r -> r.inputWaitNanos() / NANOS),
          new Metric<>(
              "tigris_module_credit_wait_seconds",
              true,
              "The time it has waited for credit of those behind it",
              r -> r.creditWaitNanos() / NANOS),
          new Metric<>(
              "tigris_module_disk_seconds",
              true,
              "The time it was with files",
              r -> r.diskNanos() / NANOS),
          new Metric<>(
              "tigris_module_service_seconds",
              false,
              "How long a call takes, averaged over the last few",
              r -> r.serviceNanos() / NANOS),
          new Metric<>(
              "tigris_module_ended", false, "Whether it has ended", r -> r.isEnded() ? 1 : 0));

  private static final List<Metric<Edge>> OF_EDGES =
      List.of(
          new Metric<>("tigris_edge_waters", true, "Waters that were sent", e -> e.waters),
          new Metric<>("tigris_edge_data_bytes", true, "The data that they held", e -> e.bytes),
          new Metric<>(
              "tigris_edge_credit_wait_seconds",
              true,
              "The time in which senders have waited for credit of it, over all senders",
              e -> e.creditWaitNanos / NANOS));

  private final ClusterRun run;
  private final Changes changes;

  Metrics(ClusterRun run, Changes changes) {
    this.run = run;
    this.changes = changes;
  }

  /// The sums of an edge over all processes.
  private static final class Edge {
    final String labels;
    long waters;
    long bytes;
    long creditWaitNanos;

    Edge(String labels) {
      this.labels = labels;
    }

    void add(FlowLoad.Edge more) {
      creditWaitNanos += more.creditWaitNanos();
      for (FlowLoad.Receiver each : more.receivers()) {
        waters += each.waters();
        bytes += each.bytes();
      }
    }
  }

  /// Returns the text of all metrics as they are now.
  String text() {
    RunProgress now = run.progress();
    List<RunProgress.Replica> replicas = now.replicas();
    StringBuilder to = new StringBuilder(LINE_BYTES * OF_REPLICAS.size() * (replicas.size() + 2));
    List<Metric<RunProgress>> ofRun =
        List.of(
            new Metric<>(
                "tigris_run_elapsed_seconds",
                false,
                "The time since the run was started",
                p -> p.elapsedNanos() / NANOS),
            new Metric<>(
                "tigris_run_attempt", false, "Which attempt runs, from 1", p -> p.attempt()),
            new Metric<>(
                "tigris_run_revision",
                false,
                "The revision that a change has to be based on",
                _ -> changes.revision()));
    for (Metric<RunProgress> each : ofRun) {
      each.writeHead(to);
      each.write(to, "", now);
    }
    List<String> labels =
        replicas.stream()
            .map(
                each ->
                    labels(
                        "process", String.valueOf(each.process()),
                        "replica", String.valueOf(each.state().replica()),
                        "stage", each.state().stage()))
            .toList();
    for (Metric<FlowSnapshot.Replica> each : OF_REPLICAS) {
      each.writeHead(to);
      for (int i = 0; i < replicas.size(); i++) {
        each.write(to, labels.get(i), replicas.get(i).state());
      }
    }
    Map<List<String>, Edge> edges = edges(now);
    for (Metric<Edge> each : OF_EDGES) {
      each.writeHead(to);
      edges.values().forEach(edge -> each.write(to, edge.labels, edge));
    }
    return to.append("# EOF\n").toString();
  }

  private static Map<List<String>, Edge> edges(RunProgress now) {
    Map<List<String>, Edge> edges = new LinkedHashMap<>();
    for (RunProgress.Edge each : now.edges()) {
      FlowLoad.Edge edge = each.state();
      edges
          .computeIfAbsent(
              List.of(edge.from(), edge.reservoir(), edge.to()),
              names ->
                  new Edge(
                      labels("from", names.get(0), "reservoir", names.get(1), "to", names.get(2))))
          .add(edge);
    }
    return edges;
  }

  /// Returns labels as a metric has them behind its name.
  private static String labels(String... namesAndValues) {
    StringBuilder labels = new StringBuilder();
    for (int i = 0; i < namesAndValues.length; i += 2) {
      labels.append(i == 0 ? '{' : ',').append(namesAndValues[i]).append("=\"");
      escape(namesAndValues[i + 1], labels);
      labels.append('"');
    }
    return labels.append('}').toString();
  }

  /// Writes a value with the three escapes that there are.
  private static void escape(String value, StringBuilder to) {
    for (int i = 0; i < value.length(); i++) {
      char next = value.charAt(i);
      switch (next) {
        case '\\' -> to.append("\\\\");
        case '"' -> to.append("\\\"");
        case '\n' -> to.append("\\n");
        default -> to.append(next);
      }
    }
  }
}
