package dev.tigris.flow;

import dev.tigris.flow.policy.Policy;
import dev.tigris.memory.schema.Schema;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// A read-only description of a flow: its stages, how often each is replicated, and what joins
/// them. It tells others about a flow without being able to run it. Processes that describe one
/// flow each for themselves compare the [#fingerprint].
///
/// The records that each process of a run prints at its start write their text out: Java would make
/// the code for it at run time, for 4 ms each.
///
/// Later versions may have more components, so read them by their methods and construct none
/// yourself.
///
/// @param flow the flow's name
/// @param stages the stages, in the order of the flow's description
/// @param edges the reservoirs between two stages, in the order of the description
/// @param feeds streams without a module at their head
/// @param drains streams without a module at their tail
/// @param checksums whether waters have checksums
/// @param seed the seed of all random choices, null if each run draws its own
public record FlowGraph(
    String flow,
    List<Stage> stages,
    List<Edge> edges,
    List<Feed> feeds,
    List<Drain> drains,
    boolean checksums,
    @Nullable Long seed) {
  /// A stage.
  ///
  /// @param name the stage's name
  /// @param replicas how many replicas it has
  /// @param isSource whether its modules are sources
  /// @param inputPolicy how its modules choose among their inputs
  /// @param staysTogether whether all replicas are to be in one process, since their feed or drain
  ///     is [shared][StreamGroup#staysTogether]
  public record Stage(
      String name, int replicas, boolean isSource, String inputPolicy, boolean staysTogether) {
    @Override
    public String toString() {
      return "Stage[name=%s, replicas=%s, isSource=%s, inputPolicy=%s, staysTogether=%s]"
          .formatted(name, replicas, isSource, inputPolicy, staysTogether);
    }
  }

  /// A reservoir between two stages.
  ///
  /// @param from the upstream stage
  /// @param to the downstream stage
  /// @param reservoir the reservoir's name
  /// @param policy how a sender chooses a stream; `routed` if the module does
  /// @param window the window of each stream
  /// @param kind what the kind of its streams says of itself
  /// @param schema which objects its waters hold, as [#nameOf(Schema)] names them; empty if it does
  ///     not say
  public record Edge(
      String from,
      String to,
      String reservoir,
      String policy,
      int window,
      String kind,
      String schema) {
    @Override
    public String toString() {
      return "Edge[from=%s, to=%s, reservoir=%s, policy=%s, window=%s, kind=%s, schema=%s]"
          .formatted(from, to, reservoir, policy, window, kind, schema);
    }
  }

  /// Streams without a module at their head. Stream `i` goes to replica `i` modulo the replicas.
  ///
  /// @param stage the stage that is fed
  /// @param name the feed's name
  /// @param kinds what the kind of each stream says of itself
  /// @param reads the files that each stream reads
  public record Feed(String stage, String name, List<String> kinds, List<List<Path>> reads) {
    /// Copies the lists.
    public Feed {
      kinds = List.copyOf(kinds);
      reads = reads.stream().map(List::copyOf).toList();
    }

    @Override
    public String toString() {
      return "Feed[stage=%s, name=%s, kinds=%s, reads=%s]".formatted(stage, name, kinds, reads);
    }
  }

  /// Streams without a module at their tail, dealt to replicas as those of a feed.
  ///
  /// @param stage the stage that is drained
  /// @param name the drain's name
  /// @param policy how a replica chooses among its streams; `routed` if the module does
  /// @param window the window of each stream
  /// @param kinds what the kind of each stream says of itself
  public record Drain(String stage, String name, String policy, int window, List<String> kinds) {
    /// Copies the list.
    public Drain {
      kinds = List.copyOf(kinds);
    }

    @Override
    public String toString() {
      return "Drain[stage=%s, name=%s, policy=%s, window=%s, kinds=%s]"
          .formatted(stage, name, policy, window, kinds);
    }
  }

  /// Copies the lists.
  public FlowGraph {
    stages = List.copyOf(stages);
    edges = List.copyOf(edges);
    feeds = List.copyOf(feeds);
    drains = List.copyOf(drains);
  }

  /// Returns the graph of this flow with more stages, as it has when guests have joined.
  FlowGraph grown(Flow flow) {
    return new FlowGraph(this.flow, stages(flow), edges(flow), feeds, drains, checksums, seed);
  }

  private static List<Stage> stages(Flow flow) {
    return flow.stages().stream()
        .map(
            stage ->
                new Stage(
                    stage.name(),
                    stage.replicas(),
                    stage.isSource(),
                    stage.inputs() == null ? "round-robin" : nameOf(stage.inputs()),
                    flow.staysTogether(stage.name())))
        .toList();
  }

  private static List<Edge> edges(Flow flow) {
    return flow.edges().stream()
        .map(
            edge ->
                new Edge(
                    edge.from(),
                    edge.to(),
                    edge.name(),
                    nameOf(edge.reservoir().policy()),
                    edge.reservoir().window(),
                    edge.reservoir().kind().description(),
                    edge.reservoir().carries()))
        .toList();
  }

  static FlowGraph of(Flow flow) {
    return new FlowGraph(
        flow.name(),
        stages(flow),
        edges(flow),
        flow.feeds().stream()
            .map(
                feed -> {
                  List<StreamKind> kinds = kinds(flow, feed.stage(), feed.group());
                  return new Feed(
                      feed.stage(),
                      feed.name(),
                      descriptions(kinds),
                      kinds.stream().map(StreamKind::reads).toList());
                })
            .toList(),
        flow.drains().stream()
            .map(
                drain ->
                    new Drain(
                        drain.stage(),
                        drain.name(),
                        nameOf(drain.reservoir().policy()),
                        drain.reservoir().window(),
                        descriptions(kinds(flow, drain.stage(), drain.group()))))
            .toList(),
        flow.checksums(),
        flow.fixedSeed());
  }

  private static List<StreamKind> kinds(Flow flow, String stage, StreamGroup group) {
    Flow.Stage known = Objects.requireNonNull(flow.stage(stage)); // build() has looked
    return group.kinds(known.replicas());
  }

  private static List<String> descriptions(List<StreamKind> kinds) {
    return kinds.stream().map(StreamKind::description).toList();
  }

  /// Returns the name of a schema: the class of its root, and 16 hexadecimal digits that differ for
  /// other schemas in all likelihood.
  public static String nameOf(Schema schema) {
    return schema.rootName() + " " + HexFormat.of().toHexDigits(schema.fingerprint());
  }

  private static String nameOf(@Nullable Policy policy) {
    return policy == null ? "routed" : nameOf((Object) policy);
  }

  /// Returns a name that is equal in all processes that run the same classes: constants and records
  /// say what they are, other objects by their class. The class of a lambda has a number at its
  /// end, which is another one in each process.
  static String nameOf(Object described) {
    if (described instanceof Enum<?> || described instanceof Record) {
      return described.toString();
    }
    String name = described.getClass().getName();
    int number = name.indexOf("$$Lambda");
    return number < 0 ? name : "a lambda of " + name.substring(0, number);
  }

  @Override
  public String toString() {
    return "FlowGraph[flow=%s, stages=%s, edges=%s, feeds=%s, drains=%s, checksums=%s, seed=%s]"
        .formatted(flow, stages, edges, feeds, drains, checksums, seed);
  }

  /// Returns 64 hexadecimal digits that are equal for equal graphs, and differ for others in all
  /// likelihood: the SHA-256 of the description. What the modules compute is not part of it.
  public String fingerprint() {
    try {
      MessageDigest digest = MessageDigest.getInstance("SHA-256");
      byte[] hash = digest.digest(toString().getBytes(StandardCharsets.UTF_8));
      return HexFormat.of().formatHex(hash);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("each Java runtime has SHA-256", e);
    }
  }
}
