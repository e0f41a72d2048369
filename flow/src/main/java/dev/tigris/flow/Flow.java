// Over 400 lines: each method is a step of the description of a flow, with its rules.
package dev.tigris.flow;

import dev.tigris.flow.policy.InputPolicy;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// A dataflow graph: stages of replicated modules, joined by reservoirs. A flow is an immutable
/// description that can be started any number of times.
///
/// ```java
/// Flow flow = Flow.named("words")
///     .source("read", Reader::new)
///     .reservoir(Reservoir.lottery())
///     .stage("count", Counter::new, 4)
///     .build();
/// flow.start().await();
/// ```
///
/// Chains are written with [Builder#reservoir] between stages; any other acyclic graph with
/// [Builder#connect]. Streams that have no module at one end, such as files, are attached with
/// [Builder#feed] and [Builder#drain].
public final class Flow {
  /// A stage: `maker` makes one module, or source, for each replica.
  record Stage(
      String name,
      Supplier<? extends Operator> maker,
      int replicas,
      boolean isSource,
      @Nullable InputPolicy inputs) {
    Stage {
      Objects.requireNonNull(maker, () -> "stage " + name + " has no module supplier");
    }
  }

  /// A reservoir between two stages.
  record Edge(String from, String to, Reservoir reservoir) {
    String name() {
      return reservoir.nameOr(to);
    }
  }

  /// Streams without a module at their head. Stream `i` goes to replica `i` modulo the replicas.
  record Feed(String stage, String name, StreamGroup group) {}

  /// Streams without a module at their tail, dealt to replicas as for a feed.
  record Drain(String stage, Reservoir reservoir, StreamGroup group) {
    String name() {
      return reservoir.nameOr("drain");
    }
  }

  private final String name;
  private final Map<String, Stage> stages;
  private final List<Edge> edges;
  private final List<Feed> feeds;
  private final List<Drain> drains;
  private final @Nullable Long seed;
  private final boolean checksums;

  private Flow(Builder builder) {
    name = builder.name;
    stages = new LinkedHashMap<>(builder.stages);
    edges = List.copyOf(builder.edges);
    feeds = List.copyOf(builder.feeds);
    drains = List.copyOf(builder.drains);
    seed = builder.seed;
    checksums = builder.checksums;
  }

  /// Returns a builder for a flow of this name, which is part of its threads' names.
  public static Builder named(String name) {
    return new Builder(name);
  }

  private Flow(Flow other, long seed) {
    name = other.name;
    stages = other.stages;
    edges = other.edges;
    feeds = other.feeds;
    drains = other.drains;
    this.seed = seed;
    checksums = other.checksums;
  }

  private Flow(Flow other, Guest guest) {
    name = other.name;
    stages = new LinkedHashMap<>(other.stages);
    guest.stages().forEach(each -> stages.put(each.name(), each));
    List<Edge> all = new ArrayList<>(other.edges);
    all.addAll(guest.edges(other));
    edges = List.copyOf(all);
    feeds = other.feeds;
    drains = other.drains;
    seed = other.seed;
    checksums = other.checksums;
  }

  /// Returns the flow with the stages by which a guest takes part, unless it has them.
  ///
  /// @throws IllegalArgumentException if the guest cannot take part
  Flow with(Guest guest) {
    String why = guest.refusal(this);
    if (why != null) {
      throw new IllegalArgumentException(why);
    }
    return guest.isAmong(this) ? this : new Flow(this, guest);
  }

  /// Returns the flow with a seed for all random choices, unless its description has one.
  public Flow seededOr(long number) {
    return seed == null ? new Flow(this, number) : this;
  }

  /// Returns the flow's name.
  public String name() {
    return name;
  }

  @Override
  public String toString() {
    return "Flow[%s]".formatted(name);
  }

  /// Starts the flow in this JVM, with one thread for each replica, and returns at once.
  /// [FlowRun#await] throws whatever goes wrong, even a file that cannot be opened. The threads
  /// have the context class loader of the caller, and keep the JVM alive.
  public FlowRun start() {
    return new LocalRun(this, null, null).apply(Plan.of(this));
  }

  /// Starts the flow as [#start()] does, but that its outputs get their names when an owner says
  /// so.
  public HeldEngine start(OutputOwner owner) {
    return new LocalRun(this, null, owner).apply(Plan.of(this));
  }

  /// Starts this process's part of the flow. It is over when the modules that are here have ended,
  /// and each sender among them knows that its receivers elsewhere have finished.
  ///
  /// @throws IllegalArgumentException if the flow cannot be divided like that: a feed or drain of
  ///     [streams that stay together][StreamGroup#staysTogether] has a stage in two processes, or a
  ///     reservoir between two processes has streams of a kind of its own
  public FlowRun start(FlowPart part) {
    return new LocalRun(this, null, null).apply(Plan.of(this, part));
  }

  /// Starts this process's part of the flow as [#start(FlowPart)] does, but that its outputs get
  /// their names when an owner says so.
  public HeldEngine start(FlowPart part, OutputOwner owner) {
    return new LocalRun(this, null, owner).apply(Plan.of(this, part));
  }

  /// Returns an engine for this flow that has no module yet, to be driven by [Operation]s.
  public FlowEngine engine() {
    return new LocalRun(this, null, null);
  }

  /// Returns an engine for this flow that has no module yet, and whose outputs belong to an owner:
  /// they get their names when it says so.
  public HeldEngine engine(OutputOwner owner) {
    return new LocalRun(this, null, owner);
  }

  /// Returns a description of this flow for others.
  public FlowGraph graph() {
    return FlowGraph.of(this);
  }

  /// Returns the stage of this name, or null.
  @Nullable Stage stage(String stage) {
    return stages.get(stage);
  }

  List<Stage> stages() {
    return List.copyOf(stages.values());
  }

  List<Edge> edges() {
    return edges;
  }

  List<Feed> feeds() {
    return feeds;
  }

  List<Drain> drains() {
    return drains;
  }

  /// Returns whether all replicas of a stage have to be in one process.
  boolean staysTogether(String stage) {
    return feeds.stream().anyMatch(f -> f.stage().equals(stage) && f.group().staysTogether())
        || drains.stream().anyMatch(d -> d.stage().equals(stage) && d.group().staysTogether());
  }

  @Nullable Long fixedSeed() {
    return seed;
  }

  long seed() {
    return seed == null ? new SplittableRandom().nextLong() : seed;
  }

  boolean checksums() {
    return checksums;
  }

  /// Describes a flow, step by step. Each method refuses a mistake as soon as it can be seen, at
  /// the latest [#build].
  public static final class Builder {
    private final String name;
    private final Map<String, Stage> stages = new LinkedHashMap<>();
    private final List<Edge> edges = new ArrayList<>();
    private final List<Feed> feeds = new ArrayList<>();
    private final List<Drain> drains = new ArrayList<>();
    private @Nullable String latest;
    private @Nullable Reservoir pending;
    private @Nullable Long seed;
    private boolean checksums;

    private Builder(String name) {
      this.name = refuseBlank("flow", name);
    }

    /// Adds a stage of one source.
    public Builder source(String stage, Supplier<? extends Source> maker) {
      return source(stage, maker, 1);
    }

    /// Adds a stage of sources. The supplier is called once for each replica, on the replica's
    /// thread.
    public Builder source(String stage, Supplier<? extends Source> maker, int replicas) {
      return add(new Stage(stage, maker, replicas, true, null));
    }

    /// Adds a stage of one module.
    public Builder stage(String stage, Supplier<? extends Module> maker) {
      return stage(stage, maker, 1);
    }

    /// Adds a stage of modules. The supplier is called once for each replica, on the replica's
    /// thread.
    public Builder stage(String stage, Supplier<? extends Module> maker, int replicas) {
      return add(new Stage(stage, maker, replicas, false, null));
    }

    /// Sets how each replica of the stage described last chooses the stream that it takes its next
    /// water from, in place of taking from them in turn.
    public Builder inputs(InputPolicy policy) {
      Stage stage = latest == null ? null : stages.get(latest);
      if (stage == null || stage.isSource()) {
        throw wrong("no stage with inputs comes before inputs(): describe one with stage() first");
      }
      Objects.requireNonNull(policy, "an input policy, such as InputPolicy.oldestFirst()");
      stages.put(
          stage.name(), new Stage(stage.name(), stage.maker(), stage.replicas(), false, policy));
      return this;
    }

    /// Joins the stage described last to the one described next.
    public Builder reservoir(Reservoir reservoir) {
      if (latest == null) {
        throw new IllegalArgumentException(
            "flow " + name + ": no stage comes before this reservoir; describe one first");
      }
      if (pending != null) {
        throw new IllegalArgumentException(
            "flow %s: two reservoirs follow stage %s; use connect(from, to, reservoir)"
                .formatted(name, latest));
      }
      pending = reservoir;
      return this;
    }

    /// Joins two stages by name. They may be described in any order, before or after this call.
    public Builder connect(String from, String to, Reservoir reservoir) {
      edges.add(new Edge(from, to, reservoir));
      return this;
    }

    /// Feeds a stage as [#feed(String, String, StreamKind...)] does, under the name `feed`.
    public Builder feed(String stage, StreamKind... streams) {
      return feed(stage, "feed", streams);
    }

    /// Lets a stage read from streams that have no module at their head. Stream `i` goes to replica
    /// `i` modulo the number of replicas; [StreamKind#withWindow] sets its window.
    ///
    /// @param name what [ModuleContext#from] returns for their waters, in a stage of several inputs
    public Builder feed(String stage, String name, StreamKind... streams) {
      return feed(stage, name, StreamGroup.of(List.copyOf(Arrays.asList(streams))));
    }

    /// Feeds a stage as [#feed(String, String, StreamGroup)] does, under the name `feed`.
    public Builder feed(String stage, StreamGroup streams) {
      return feed(stage, "feed", streams);
    }

    /// Lets each replica of a stage read from one of the streams that a group makes for them.
    ///
    /// @param name what [ModuleContext#from] returns for their waters, in a stage of several inputs
    public Builder feed(String stage, String name, StreamGroup streams) {
      feeds.add(new Feed(stage, refuseBlank("feed", name), streams));
      return this;
    }

    /// Drains a stage as [#drain(String, Reservoir, StreamKind...)] does, with the streams in turn,
    /// under the name `drain`.
    public Builder drain(String stage, StreamKind... streams) {
      return drain(stage, Reservoir.roundRobin(), streams);
    }

    /// Lets a stage write to streams that have no module at their tail. Stream `i` belongs to
    /// replica `i` modulo the number of replicas; the reservoir's policy chooses among a replica's
    /// own. The streams have the reservoir's window; its kind is not used.
    public Builder drain(String stage, Reservoir reservoir, StreamKind... streams) {
      drains.add(new Drain(stage, reservoir, StreamGroup.of(List.copyOf(Arrays.asList(streams)))));
      return this;
    }

    /// Lets each replica of a stage write to one of the streams that a group makes for them.
    public Builder drain(String stage, StreamGroup streams) {
      drains.add(new Drain(stage, Reservoir.roundRobin(), streams));
      return this;
    }

    /// Derives every random choice of the flow from this number.
    public Builder seed(long number) {
      seed = number;
      return this;
    }

    /// Protects the data of every water with a checksum from [Stream#put] to the receiver. This
    /// finds modules that write to waters they have put. It costs about a tenth of a nanosecond a
    /// byte.
    public Builder checksums() {
      checksums = true;
      return this;
    }

    /// Checks the description and returns the flow.
    ///
    /// @throws IllegalArgumentException if the flow has no stage, names an unknown one, has a stage
    ///     without input or a source with input, two reservoirs or two inputs of one name at one
    ///     stage, or a cycle
    public Flow build() {
      if (stages.isEmpty()) {
        throw wrong("it has no stage: add one with source() or stage()");
      }
      if (pending != null) {
        throw wrong(
            "no stage follows the reservoir after stage " + latest + ": add one, or use drain()");
      }
      Set<String> outputs = new HashSet<>();
      for (Edge edge : edges) {
        known(edge.from());
        refuseSource(edge.to(), "an input from stage " + edge.from());
        refuseDuplicate(outputs, edge.from(), edge.name());
      }
      for (Drain drain : drains) {
        int replicas = known(drain.stage()).replicas();
        int streams = drain.group().count(replicas);
        if (streams < replicas) {
          throw wrong(
              "stage %s has %d replicas but only %d streams to drain to: give each replica one"
                  .formatted(drain.stage(), replicas, streams));
        }
        refuseDuplicate(outputs, drain.stage(), drain.name());
      }
      refuseWrongFeeds();
      Set<String> joined = edges.stream().map(Edge::to).collect(Collectors.toSet());
      for (Stage stage : stages.values()) {
        if (!stage.isSource() && !joined.contains(stage.name())) {
          refuseUnfed(stage);
        }
      }
      refuseCycle();
      return new Flow(this);
    }

    private Builder add(Stage stage) {
      refuseBlank("stage", stage.name());
      if (stage.replicas() < 1) {
        throw wrong(
            "stage %s has %d replicas: a stage needs at least 1"
                .formatted(stage.name(), stage.replicas()));
      }
      if (stages.putIfAbsent(stage.name(), stage) != null) {
        throw wrong("two stages are called " + stage.name() + ": rename one");
      }
      Reservoir before = pending;
      String upstream = latest;
      if (before != null && upstream != null) {
        edges.add(new Edge(upstream, stage.name(), before));
        pending = null;
      }
      latest = stage.name();
      return this;
    }

    private Stage known(String stage) {
      Stage found = stages.get(stage);
      if (found == null) {
        throw wrong("there is no stage %s, only %s".formatted(stage, stages.keySet()));
      }
      return found;
    }

    private void refuseSource(String stage, String input) {
      if (known(stage).isSource()) {
        throw wrong(
            "stage %s is a source and cannot have %s: describe it with stage()"
                .formatted(stage, input));
      }
    }

    private void refuseDuplicate(Set<String> outputs, String stage, String reservoir) {
      if (!outputs.add(stage + "\n" + reservoir)) {
        throw wrong(
            "two reservoirs of stage %s are called %s; use withName to tell them apart"
                .formatted(stage, reservoir));
      }
    }

    /// A name says where a water comes from, and, with a number, names a stream.
    private void refuseWrongFeeds() {
      Set<String> inputs = new HashSet<>();
      for (Edge edge : edges) {
        inputs.add(edge.to() + "\n" + edge.from());
      }
      for (Feed feed : feeds) {
        refuseSource(feed.stage(), "streams that feed it");
        if (!inputs.add(feed.stage() + "\n" + feed.name())) {
          throw wrong(
              "two inputs of stage %s are called %s; use feed(stage, name, streams) to tell them apart"
                  .formatted(feed.stage(), feed.name()));
        }
      }
    }

    /// Refuses a stage without reservoirs one of whose replicas has no feed.
    private void refuseUnfed(Stage stage) {
      int fed =
          feeds.stream()
              .filter(feed -> feed.stage().equals(stage.name()))
              .mapToInt(feed -> feed.group().count(stage.replicas()))
              .max()
              .orElse(0);
      if (fed == 0) {
        throw wrong(
            "stage %s has no input: connect it, feed it, or make it a source"
                .formatted(stage.name()));
      }
      if (fed < stage.replicas()) {
        throw wrong(
            "stage %s has %d replicas, but its largest feed has only %d streams: give each replica one, in one feed"
                .formatted(stage.name(), stage.replicas(), fed));
      }
    }

    private void refuseCycle() {
      List<String> cycle = Cycle.find(stages.keySet(), edges);
      if (!cycle.isEmpty()) {
        throw wrong(
            "it has a cycle, %s -> %s: data can only flow forwards"
                .formatted(String.join(" -> ", cycle), cycle.getFirst()));
      }
    }

    private IllegalArgumentException wrong(String what) {
      return new IllegalArgumentException("flow " + name + " cannot be built: " + what);
    }

    private static String refuseBlank(String what, String name) {
      if (name.isBlank()) {
        throw new IllegalArgumentException("a " + what + " needs a name");
      }
      return name;
    }
  }
}
