package dev.tigris.flow;

import dev.tigris.flow.policy.Policy;
import dev.tigris.memory.schema.Schema;
import dev.tigris.os.CheckReturnValue;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// A link between two stages: a stream from each replica of the one to each replica of the other,
/// and the policy by which a sender chooses among its streams. A reservoir (Welsh and Culler, 2000,
/// section 2.3) is an immutable description; the `with...` methods return changed copies.
///
/// ```java
/// Reservoir.lottery().withWindow(8)
/// ```
public final class Reservoir {
  /// The window of a stream by default, in waters: large enough to hide the time that a receiver
  /// takes to wake up, small enough that two modules with 64 KiB waters share a cache of a
  /// megabyte.
  public static final int DEFAULT_WINDOW = 16;

  private final @Nullable Policy policy;
  private final int window;
  private final StreamKind kind;
  private final @Nullable String name;
  private final boolean routesChange;
  private final @Nullable Schema schema;

  private Reservoir(
      @Nullable Policy policy,
      int window,
      StreamKind kind,
      @Nullable String name,
      boolean routesChange,
      @Nullable Schema schema) {
    this.policy = policy;
    this.window = window;
    this.kind = kind;
    this.name = name;
    this.routesChange = routesChange;
    this.schema = schema;
  }

  /// Returns a reservoir of memory streams that a policy chooses among.
  @CheckReturnValue
  public static Reservoir of(Policy policy) {
    return new Reservoir(
        Objects.requireNonNull(policy, "a reservoir needs a policy, such as Policy.lottery()"),
        DEFAULT_WINDOW,
        StreamKind.memory(),
        null,
        false,
        null);
  }

  /// Returns a reservoir with [Policy#roundRobin].
  @CheckReturnValue
  public static Reservoir roundRobin() {
    return of(Policy.roundRobin());
  }

  /// Returns a reservoir with [Policy#random].
  @CheckReturnValue
  public static Reservoir random() {
    return of(Policy.random());
  }

  /// Returns a reservoir with [Policy#lottery].
  @CheckReturnValue
  public static Reservoir lottery() {
    return of(Policy.lottery());
  }

  /// Returns a reservoir with [Policy#leastOutstanding].
  @CheckReturnValue
  public static Reservoir leastOutstanding() {
    return of(Policy.leastOutstanding());
  }

  /// Returns a reservoir of memory streams among which the module itself chooses, by
  /// [ModuleContext#route(int)] (the papers' *deterministic* reservoir).
  @CheckReturnValue
  public static Reservoir routed() {
    return new Reservoir(null, DEFAULT_WINDOW, StreamKind.memory(), null, false, null);
  }

  /// Returns a copy with another window: how many waters may be sent on a stream and not yet
  /// finished, between 1 and 1,048,576.
  @CheckReturnValue
  public Reservoir withWindow(int waters) {
    return new Reservoir(
        policy, StreamKind.Place.checkWindow(waters), kind, name, routesChange, schema);
  }

  /// Returns a copy with another kind of streams.
  @CheckReturnValue
  public Reservoir withKind(StreamKind streams) {
    return new Reservoir(policy, window, streams, name, routesChange, schema);
  }

  /// Returns a copy with a name for [ModuleContext#output]. A reservoir without one has the name of
  /// its downstream stage.
  @CheckReturnValue
  public Reservoir withName(String newName) {
    return new Reservoir(policy, window, kind, newName, routesChange, schema);
  }

  /// Returns a copy of a routed reservoir whose receivers may be resized while the flow runs.
  /// Senders ask for the number of routes ([ModuleContext#routes()]) in each call: it changes
  /// between two calls, and not for all senders at one moment. So this is for waters that any
  /// receiver can take, and not where one has to get all waters of a key.
  ///
  /// @throws IllegalStateException if it has a policy, and so no routes
  @CheckReturnValue
  public Reservoir withChangingRoutes() {
    if (policy != null) {
      throw new IllegalStateException("its policy chooses: only a routed reservoir has routes");
    }
    return new Reservoir(null, window, kind, name, true, schema);
  }

  /// Returns a copy that says which objects the containers in its waters hold. The engine does not
  /// look: programs that take part in the run of another one compare it with the schema that they
  /// expect, before the first water. Opening a container compares it, too.
  @CheckReturnValue
  public Reservoir carrying(Schema objects) {
    return new Reservoir(policy, window, kind, name, routesChange, objects);
  }

  /// Returns the class and the fingerprint of the schema; empty if it has none.
  String carries() {
    return schema == null ? "" : FlowGraph.nameOf(schema);
  }

  /// Whether it is routed, and a stream that has ended has no route any more.
  boolean routesChange() {
    return routesChange;
  }

  /// Whether the number of its receivers may change while the flow runs.
  boolean canBeResized() {
    return policy != null || routesChange;
  }

  /// The policy, null when routed.
  @Nullable Policy policy() {
    return policy;
  }

  int window() {
    return window;
  }

  StreamKind kind() {
    return kind;
  }

  String nameOr(String downstream) {
    return name == null ? downstream : name;
  }
}
