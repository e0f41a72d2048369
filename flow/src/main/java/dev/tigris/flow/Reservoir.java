package dev.tigris.flow;

import dev.tigris.flow.policy.Policy;
import dev.tigris.os.CheckReturnValue;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// The streams between two stages, from every replica of the one to every replica of the other, and
/// the policy by which a sender chooses among its streams (Welsh and Culler 2000, section 2.3). An
/// immutable description; `with...` methods return changed copies.
///
/// ```java
/// Reservoir.lottery().withWindow(8)
/// ```
public final class Reservoir {
  /// How many waters may be on their way on one stream unless something else is asked for: enough
  /// to hide the time a consumer takes to wake up, few enough that two modules with 64 KiB waters
  /// share a cache of a megabyte.
  public static final int DEFAULT_WINDOW = 16;

  private final @Nullable Policy policy;
  private final int window;
  private final StreamKind kind;
  private final @Nullable String name;

  private Reservoir(@Nullable Policy policy, int window, StreamKind kind, @Nullable String name) {
    this.policy = policy;
    this.window = window;
    this.kind = kind;
    this.name = name;
  }

  /// Memory streams chosen by a policy.
  @CheckReturnValue
  public static Reservoir of(Policy policy) {
    return new Reservoir(
        Objects.requireNonNull(policy, "a policy, as Policy.lottery() makes one"),
        DEFAULT_WINDOW,
        StreamKind.memory(),
        null);
  }

  /// See [Policy#roundRobin].
  @CheckReturnValue
  public static Reservoir roundRobin() {
    return of(Policy.roundRobin());
  }

  /// See [Policy#random].
  @CheckReturnValue
  public static Reservoir random() {
    return of(Policy.random());
  }

  /// See [Policy#lottery].
  @CheckReturnValue
  public static Reservoir lottery() {
    return of(Policy.lottery());
  }

  /// See [Policy#leastOutstanding].
  @CheckReturnValue
  public static Reservoir leastOutstanding() {
    return of(Policy.leastOutstanding());
  }

  /// Memory streams among which the module itself chooses, by [ModuleContext#route(int)] (the
  /// papers' *deterministic* reservoir).
  @CheckReturnValue
  public static Reservoir routed() {
    return new Reservoir(null, DEFAULT_WINDOW, StreamKind.memory(), null);
  }

  /// Returns a copy with another window: how many waters of a stream may be sent and not yet
  /// finished, between 1 and 1,048,576.
  @CheckReturnValue
  public Reservoir withWindow(int waters) {
    return new Reservoir(policy, StreamKind.Place.checkWindow(waters), kind, name);
  }

  /// Returns a copy with another kind of streams.
  @CheckReturnValue
  public Reservoir withKind(StreamKind streams) {
    return new Reservoir(policy, window, streams, name);
  }

  /// Returns a copy with a name, by which [ModuleContext#output] finds it. Without one it has the
  /// name of its downstream stage.
  @CheckReturnValue
  public Reservoir withName(String newName) {
    return new Reservoir(policy, window, kind, newName);
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
