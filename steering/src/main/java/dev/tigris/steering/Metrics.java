package dev.tigris.steering;

import dev.tigris.cluster.run.ClusterRun;
import dev.tigris.cluster.run.RunProgress;
import dev.tigris.flow.FlowLoad;
import dev.tigris.flow.FlowSnapshot;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.prometheus.metrics.model.registry.MultiCollector;
import io.prometheus.metrics.model.snapshots.CounterSnapshot;
import io.prometheus.metrics.model.snapshots.CounterSnapshot.CounterDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot.GaugeDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricSnapshot;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import io.prometheus.metrics.model.snapshots.Unit;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/// The metrics of a run, as OpenMetrics, by Micrometer. A text has the replicas and edges that
/// there are, each once: so the labels are as many as those. They are collected for each text, and
/// not kept as meters: a registry of thousands takes twenty times as long.
///
/// Thread rule: any thread.
final class Metrics {
  static final String TYPE = "application/openmetrics-text; version=1.0.0; charset=utf-8";
  private static final double NANOS = 1e9;

  /// A number of something.
  ///
  /// @param name its name, which ends with its unit
  /// @param isCounter whether it only grows, as long as the attempt does not change
  private record Metric<T>(String name, boolean isCounter, String help, ToDoubleFunction<T> value) {
    private @Nullable Unit unit() {
      return name.endsWith("_" + Unit.SECONDS)
          ? Unit.SECONDS
          : name.endsWith("_" + Unit.BYTES) ? Unit.BYTES : null;
    }

    /// Returns what there is to tell of all.
    MetricSnapshot of(List<Labelled<T>> all) {
      if (isCounter) {
        CounterSnapshot.Builder counter =
            CounterSnapshot.builder().name(name).help(help).unit(unit());
        for (Labelled<T> each : all) {
          var _ =
              counter.dataPoint(
                  new CounterDataPointSnapshot(value.applyAsDouble(each.of), each.labels, null, 0));
        }
        return counter.build();
      }
      GaugeSnapshot.Builder gauge = GaugeSnapshot.builder().name(name).help(help).unit(unit());
      for (Labelled<T> each : all) {
        var _ =
            gauge.dataPoint(
                new GaugeDataPointSnapshot(value.applyAsDouble(each.of), each.labels, null));
      }
      return gauge.build();
    }
  }

  /// A thing with its labels.
  private record Labelled<T>(T of, Labels labels) {}

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

  /// The sums of an edge over all processes.
  private static final class Edge {
    final Labels labels;
    long waters;
    long bytes;
    long creditWaitNanos;

    Edge(Labels labels) {
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

  private final ClusterRun run;
  private final List<Metric<RunProgress>> ofRun;
  private final PrometheusMeterRegistry registry =
      new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);

  // Of the last text, under this object's lock.
  private List<RunProgress.Replica> last = List.of();
  private List<Labels> labels = List.of();

  Metrics(ClusterRun run, Changes changes) {
    this.run = run;
    this.ofRun =
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
    MultiCollector collector = this::collect;
    registry.getPrometheusRegistry().register(collector);
  }

  /// Returns the text of all metrics as they are now.
  String text() {
    return registry.scrape(TYPE);
  }

  private synchronized MetricSnapshots collect() {
    RunProgress now = run.progress();
    MetricSnapshots.Builder all = MetricSnapshots.builder();
    for (Metric<RunProgress> each : ofRun) {
      var _ = all.metricSnapshot(each.of(List.of(new Labelled<>(now, Labels.EMPTY))));
    }
    List<Labelled<FlowSnapshot.Replica>> replicas = replicas(now);
    for (Metric<FlowSnapshot.Replica> each : OF_REPLICAS) {
      var _ = all.metricSnapshot(each.of(replicas));
    }
    List<Labelled<Edge>> edges =
        edges(now).values().stream().map(edge -> new Labelled<>(edge, edge.labels)).toList();
    for (Metric<Edge> each : OF_EDGES) {
      var _ = all.metricSnapshot(each.of(edges));
    }
    return all.build();
  }

  /// Returns the replicas with their labels, which are those of the last text where the replica is:
  /// most of the time goes with making them.
  private List<Labelled<FlowSnapshot.Replica>> replicas(RunProgress now) {
    List<RunProgress.Replica> replicas = now.replicas();
    List<Labelled<FlowSnapshot.Replica>> made = new ArrayList<>(replicas.size());
    for (int i = 0; i < replicas.size(); i++) {
      RunProgress.Replica each = replicas.get(i);
      boolean isKnown = i < last.size() && isSame(last.get(i), each);
      made.add(new Labelled<>(each.state(), isKnown ? labels.get(i) : labels(each)));
    }
    last = replicas;
    labels = made.stream().map(Labelled::labels).toList();
    return made;
  }

  private static boolean isSame(RunProgress.Replica one, RunProgress.Replica other) {
    return one.process() == other.process()
        && one.state().replica() == other.state().replica()
        && one.state().stage().equals(other.state().stage());
  }

  private static Labels labels(RunProgress.Replica of) {
    return Labels.of(
        "process", String.valueOf(of.process()),
        "replica", String.valueOf(of.state().replica()),
        "stage", of.state().stage());
  }

  private static Map<List<String>, Edge> edges(RunProgress now) {
    Map<List<String>, Edge> edges = new LinkedHashMap<>();
    for (RunProgress.Edge each : now.edges()) {
      FlowLoad.Edge edge = each.state();
      edges
          .computeIfAbsent(
              List.of(edge.from(), edge.reservoir(), edge.to()),
              _ ->
                  new Edge(
                      Labels.of(
                          "from", edge.from(), "reservoir", edge.reservoir(), "to", edge.to())))
          .add(edge);
    }
    return edges;
  }
}
