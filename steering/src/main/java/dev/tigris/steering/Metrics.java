package dev.tigris.steering;

import dev.tigris.cluster.run.ClusterRun;
import dev.tigris.cluster.run.RunProgress;
import dev.tigris.flow.FlowLoad;
import dev.tigris.flow.FlowSnapshot;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Tags;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;

/// The metrics of a run, as OpenMetrics.
///
/// Thread rule: any thread.
final class Metrics {
  static final String TYPE = "application/openmetrics-text; version=1.0.0; charset=utf-8";
  private static final double NANOS = 1e9;

  private final ClusterRun run;
  private final PrometheusMeterRegistry registry =
      new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
  private final Map<String, Replica> replicas = new HashMap<>();
  private final Map<List<String>, Edge> edges = new HashMap<>();
  private RunProgress last;

  /// A replica, as it was at the last look.
  private static final class Replica {
    FlowSnapshot.Replica state;

    Replica(FlowSnapshot.Replica state) {
      this.state = state;
    }

    FlowSnapshot.Replica state() {
      return state;
    }
  }

  /// The sums of an edge over all processes, as they were at the last look.
  private static final class Edge {
    long waters;
    long bytes;
    long creditWaitNanos;

    void forget() {
      waters = 0;
      bytes = 0;
      creditWaitNanos = 0;
    }

    void add(FlowLoad.Edge more) {
      creditWaitNanos += more.creditWaitNanos();
      for (FlowLoad.Receiver each : more.receivers()) {
        waters += each.waters();
        bytes += each.bytes();
      }
    }
  }

  Metrics(ClusterRun run, Changes changes) {
    this.run = run;
    this.last = run.progress();
    Gauge.builder("tigris.run.elapsed", this, m -> m.last.elapsedNanos() / NANOS)
        .description("The time since the run was started")
        .baseUnit("seconds")
        .register(registry);
    Gauge.builder("tigris.run.attempt", this, m -> m.last.attempt())
        .description("Which attempt runs, from 1")
        .register(registry);
    Gauge.builder("tigris.run.revision", changes, Changes::revision)
        .description("The revision that a change has to be based on")
        .register(registry);
  }

  /// Returns the text of all metrics as they are now.
  synchronized String text() {
    last = run.progress();
    for (RunProgress.Replica each : last.replicas()) {
      String key = each.process() + " " + each.state().replica() + " " + each.state().stage();
      Replica known = replicas.get(key);
      if (known == null) {
        known = new Replica(each.state());
        replicas.put(key, known);
        register(known, each);
      }
      known.state = each.state();
    }
    edges.values().forEach(Edge::forget);
    for (RunProgress.Edge each : last.edges()) {
      edges
          .computeIfAbsent(
              List.of(each.state().reservoir(), each.state().from()), _ -> registered(each.state()))
          .add(each.state());
    }
    return registry.scrape(TYPE);
  }

  private Edge registered(FlowLoad.Edge first) {
    Edge edge = new Edge();
    Tags tags = Tags.of("reservoir", first.reservoir(), "from", first.from(), "to", first.to());
    counter("tigris.edge.waters", "waters", "Waters that were sent", edge, tags, e -> e.waters);
    counter("tigris.edge.data", "bytes", "The data that they held", edge, tags, e -> e.bytes);
    counter(
        "tigris.edge.credit.wait",
        "seconds",
        "The time in which senders have waited for credit of it, over all senders",
        edge,
        tags,
        e -> e.creditWaitNanos / NANOS);
    return edge;
  }

  private void register(Replica replica, RunProgress.Replica first) {
    Tags tags =
        Tags.of(
            "stage", first.state().stage(),
            "replica", String.valueOf(first.state().replica()),
            "process", String.valueOf(first.process()));
    counter(
        "tigris.module.calls",
        "calls",
        "Calls of the module",
        replica,
        tags,
        r -> r.state().calls());
    counter(
        "tigris.module.input.wait",
        "seconds",
        "The time it has waited for input",
        replica,
        tags,
        r -> r.state().inputWaitNanos() / NANOS);
    counter(
        "tigris.module.credit.wait",
        "seconds",
        "The time it has waited for credit of those behind it",
        replica,
        tags,
        r -> r.state().creditWaitNanos() / NANOS);
    counter(
        "tigris.module.disk",
        "seconds",
        "The time it was with files",
        replica,
        tags,
        r -> r.state().diskNanos() / NANOS);
    Gauge.builder("tigris.module.service", replica, r -> r.state().serviceNanos() / NANOS)
        .description("How long a call takes, averaged over the last few")
        .baseUnit("seconds")
        .tags(tags)
        .register(registry);
    Gauge.builder("tigris.module.ended", replica, r -> r.state().isEnded() ? 1 : 0)
        .description("Whether it has ended")
        .tags(tags)
        .register(registry);
  }

  private <T> void counter(
      String name, String unit, String description, T of, Tags tags, ToDoubleFunction<T> value) {
    FunctionCounter.builder(name, of, value)
        .description(description)
        .baseUnit(unit)
        .tags(tags)
        .register(registry);
  }
}
