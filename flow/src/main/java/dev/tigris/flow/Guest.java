package dev.tigris.flow;

import dev.tigris.flow.Operation.End;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// A module of another program that takes part in this flow while it runs: it takes its share of
/// what is put on a reservoir, or puts waters on one.
///
/// The guest itself is not in this flow. A module that is stands for it, hands on what it gets, and
/// a stream joins it to the other program:
///
/// ```
///                       +--> work (a stage of this flow) ------------+
///    read --> [work] ---+                                            +--> [write] --> write
///                       +--> work.taken             write.given -----+
///   - - - - - - - - - - - - - -  |  - - - - - - - - - -  ^  - - - - - - - - - - - - - - - -
///    the other program           +--> work.takers        +--- write.givers
/// ```
///
/// So senders and receivers know it as one of their own, no policy is told of it, and the rules by
/// which replicas [join and leave][Resizing] hold for it.
///
/// @param reservoir the reservoir that it takes from, or gives to
/// @param gives whether it gives
/// @param program names the other program: all of its guests have it
/// @param key names this guest, unlike any other
public record Guest(String reservoir, boolean gives, long program, long key) {
  /// Makes the modules that stand for guests.
  private record Stand() implements Supplier<Operator> {
    @Override
    public Operator get() {
      return new HandsOn();
    }
  }

  /// Puts what it gets.
  private static final class HandsOn implements Module {
    @Override
    public void process(Water in, Stream out) {
      out.put(in);
    }
  }

  /// Returns the stage of this flow whose replicas stand for such guests.
  public String stand() {
    return reservoir + (gives ? ".given" : ".taken");
  }

  /// Returns the stage whose replicas are in other programs.
  public String elsewhere() {
    return reservoir + (gives ? ".givers" : ".takers");
  }

  /// Returns whether a stage stands for guests, or is elsewhere.
  static boolean isOne(Flow.Stage stage) {
    return stage.maker() instanceof Stand;
  }

  private static boolean isOne(Flow flow, String stage) {
    Flow.Stage known = flow.stage(stage);
    return known != null && isOne(known);
  }

  /// Returns the reservoir's edges that are no guests'.
  private List<Flow.Edge> edgesOf(Flow flow) {
    return flow.edges().stream()
        .filter(edge -> edge.name().equals(reservoir))
        .filter(edge -> !isOne(flow, edge.from()) && !isOne(flow, edge.to()))
        .toList();
  }

  /// Returns why it cannot take part in a flow; null if it can.
  @Nullable String refusal(Flow flow) {
    List<Flow.Edge> edges = edgesOf(flow);
    if (edges.isEmpty()) {
      return "there is no reservoir '%s': there are %s"
          .formatted(reservoir, flow.edges().stream().map(Flow.Edge::name).distinct().toList());
    }
    List<String> far =
        edges.stream().map(edge -> gives ? edge.to() : edge.from()).distinct().toList();
    if (far.size() > 1) {
      return "reservoir %s joins %s: a guest takes part where all waters %s one stage"
          .formatted(reservoir, far, gives ? "go to" : "come from");
    }
    Reservoir its = edges.getFirst().reservoir();
    if (gives ? its.policy() == null : !its.canBeResized()) {
      return "reservoir %s is routed: its senders choose receivers by their number"
          .formatted(reservoir);
    }
    return isAmong(flow) ? null : nameRefusal(flow);
  }

  private @Nullable String nameRefusal(Flow flow) {
    return List.of(stand(), elsewhere()).stream()
        .filter(each -> flow.stage(each) != null)
        .map("a stage is called '%s', as that of guests would be"::formatted)
        .findFirst()
        .orElse(null);
  }

  /// Returns whether the flow has its stages, since another one has joined before.
  boolean isAmong(Flow flow) {
    return isOne(flow, stand());
  }

  /// Returns the stages that it needs. They have no replica yet.
  List<Flow.Stage> stages() {
    return List.of(stand(), elsewhere()).stream()
        .map(each -> new Flow.Stage(each, new Stand(), 0, false, null))
        .toList();
  }

  /// Returns the reservoirs that join these stages to those of a flow.
  List<Flow.Edge> edges(Flow flow) {
    Flow.Edge known = edgesOf(flow).getFirst();
    Reservoir named = known.reservoir().withName(reservoir);
    List<Flow.Edge> edges = new ArrayList<>();
    if (gives) {
      edges.add(new Flow.Edge(elsewhere(), stand(), Reservoir.roundRobin()));
      edges.add(new Flow.Edge(stand(), known.to(), named));
    } else {
      edges.add(new Flow.Edge(known.from(), stand(), named));
      edges.add(new Flow.Edge(stand(), elsewhere(), Reservoir.roundRobin()));
    }
    return edges;
  }

  /// Returns why it would give in vain, with the replicas that there are; null if it would not. One
  /// that takes when there is nothing more gets the end at once.
  @Nullable String vanity(Flow flow, Team team) {
    Flow.Edge known = edgesOf(flow).getFirst();
    return gives && team.replicas(known.to()).isEmpty()
        ? "stage %s takes nothing more: it has ended".formatted(known.to())
        : null;
  }

  /// Returns the module that stands for it.
  End stand(int number) {
    return new End(stand(), number);
  }

  /// Returns the guest's own module.
  End elsewhere(int number) {
    return new End(elsewhere(), number);
  }
}
