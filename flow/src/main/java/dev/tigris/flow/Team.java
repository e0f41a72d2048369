package dev.tigris.flow;

import dev.tigris.flow.Operation.End;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// The replicas that a flow has at the moment, its guests among them, and the change that is being
/// made to them, of which there is one at a time. Which replica joins or leaves, and what is
/// refused, is decided here.
///
/// Thread rule: one thread at a time.
public final class Team {
  private static final int MOST = 10_000;

  /// The flow, with the stages of guests that have joined.
  private Flow flow;

  private final Map<String, List<End>> replicas = new LinkedHashMap<>();
  private final Map<String, Integer> nextNumber = new LinkedHashMap<>();
  private final Set<End> ended = new HashSet<>();

  /// The guests that have joined, by their keys.
  private final Map<Long, Known> guests = new HashMap<>();

  /// A guest.
  ///
  /// @param stand the module that stands for it
  private record Known(Guest guest, End stand) {}

  /// The guest that joins or leaves; null if a stage is resized.
  private @Nullable Guest guest;

  private int nextStream;
  private @Nullable Resizing change;

  /// The stage that is resized, and to how many replicas.
  private String stage = "";

  private int wanted;

  /// Why the last one that was asked for was not made; null if it was.
  private @Nullable String refused;

  /// Makes the team of a flow that was just started.
  public Team(Flow flow) {
    this.flow = flow;
    for (Flow.Stage each : flow.stages()) {
      List<End> its = new ArrayList<>();
      for (int i = 0; i < each.replicas(); i++) {
        its.add(new End(each.name(), i));
      }
      replicas.put(each.name(), its);
      nextNumber.put(each.name(), each.replicas());
    }
    nextStream = Plan.streams(flow);
  }

  /// Returns the replicas of a stage that take part: none that leaves.
  public List<End> replicas(String name) {
    return List.copyOf(replicas.getOrDefault(name, List.of()));
  }

  /// Returns how many replicas of each stage take part.
  public Map<String, Integer> sizes() {
    Map<String, Integer> sizes = new LinkedHashMap<>();
    replicas.forEach((name, its) -> sizes.put(name, its.size()));
    return sizes;
  }

  /// Begins to resize a stage; [#change] has the first change then.
  ///
  /// @return why it is refused; null if it is not
  public @Nullable String resize(String name, int count) {
    String why = refusal(name, count);
    if (why == null) {
      guest = null;
      stage = name;
      wanted = count;
      refused = null;
      begin();
    }
    return why;
  }

  private @Nullable String refusal(String name, int count) {
    Flow.Stage found = flow.stage(name);
    if (found == null) {
      return "there is no stage '%s': there are %s".formatted(name, replicas.keySet());
    }
    if (count < 1 || count > MOST) {
      return "%d replicas: a stage has 1 to %d".formatted(count, MOST);
    }
    if (Guest.isOne(found)) {
      return "stage %s is of another program: start or stop that".formatted(name);
    }
    if (change != null) {
      return isBeingChanged();
    }
    if (found.isSource()) {
      return "the replicas of source %s have divided their input among themselves".formatted(name);
    }
    for (Flow.Edge edge : flow.edges()) {
      if (edge.to().equals(name) && !edge.reservoir().canBeResized()) {
        return "stage %s is behind the routed reservoir %s, whose senders choose receivers by their number"
            .formatted(name, edge.name());
      }
    }
    boolean hasFeed = flow.feeds().stream().anyMatch(feed -> feed.stage().equals(name));
    boolean hasDrain = flow.drains().stream().anyMatch(drain -> drain.stage().equals(name));
    if (hasFeed || hasDrain) {
      return "stage %s has a %s, whose streams were dealt to its replicas"
          .formatted(name, hasFeed ? "feed" : "drain");
    }
    if (replicas(name).isEmpty()) {
      return "stage %s has ended".formatted(name);
    }
    return count > replicas(name).size() ? neighboursHaveEnded(name) : null;
  }

  /// Returns why a replica would join a stage in vain; null if it would not. Without senders it
  /// would end at once, and so would each that followed it. Without receivers it would wait for
  /// them for ever.
  private @Nullable String neighboursHaveEnded(String name) {
    boolean hasSender = false;
    for (Flow.Edge edge : flow.edges()) {
      hasSender |= edge.to().equals(name) && !replicas(edge.from()).isEmpty();
      if (edge.from().equals(name) && replicas(edge.to()).isEmpty()) {
        return "stage %s cannot grow: stage %s behind it has ended".formatted(name, edge.to());
      }
    }
    return hasSender
        ? null
        : "stage %s gets nothing more: those before it have ended".formatted(name);
  }

  private String isBeingChanged() {
    return guest == null
        ? "stage %s is being resized: wait until that is done".formatted(stage)
        : "a guest joins or leaves reservoir %s: wait until that is done"
            .formatted(guest.reservoir());
  }

  /// Begins to let a guest join; [#change] has the change then.
  ///
  /// @return why it is refused; null if it is not
  public @Nullable String join(Guest joining) {
    if (change != null) {
      return isBeingChanged();
    }
    if (guests.containsKey(joining.key())) {
      return "this guest of reservoir %s has joined before".formatted(joining.reservoir());
    }
    String why = joining.refusal(flow);
    if (why == null) {
      why = joining.vanity(flow, this);
    }
    if (why == null) {
      flow = flow.with(joining);
      guest = joining;
      refused = null;
      int number = nextNumber.merge(joining.stand(), 1, Integer::sum) - 1;
      Resizing joins = Resizing.growing(flow, this, joining, number, nextStream);
      nextStream += joins.streams();
      change = joins;
      guests.put(joining.key(), new Known(joining, joins.replica()));
    }
    return why;
  }

  /// Begins to let a guest leave; [#change] has the change then, unless the guest has left.
  ///
  /// @return why it is refused; null if it is not
  public @Nullable String leave(Guest leaving) {
    if (change != null) {
      return isBeingChanged();
    }
    Known known = guests.get(leaving.key());
    if (known == null) {
      return "no such guest of reservoir %s takes part".formatted(leaving.reservoir());
    }
    End its = known.stand();
    if (!ended.contains(its) && replicas.getOrDefault(its.name(), new ArrayList<>()).remove(its)) {
      guest = leaving;
      refused = null;
      change = Resizing.shrinking(flow, this, its);
    }
    return null;
  }

  /// Returns whether a program has a guest that takes, or has taken.
  boolean hasTaker(long program) {
    return guests.values().stream()
        .anyMatch(each -> !each.guest().gives() && each.guest().program() == program);
  }

  /// Returns the modules that stand for the guests of a program which give, or have given.
  List<End> givers(long program) {
    return guests.values().stream()
        .filter(each -> each.guest().gives() && each.guest().program() == program)
        .map(Known::stand)
        .toList();
  }

  /// Returns the graph of the flow as it is, with the stages of guests.
  ///
  /// @param described the graph without them
  public FlowGraph graph(FlowGraph described) {
    return described.grown(flow);
  }

  private void begin() {
    List<End> its = replicas.getOrDefault(stage, List.of());
    boolean needsMore = its.size() < wanted && !its.isEmpty();
    String vain = needsMore ? neighboursHaveEnded(stage) : null;
    if (vain != null) {
      change = null;
      refused = "too late: " + vain;
    } else if (needsMore) {
      int number = nextNumber.merge(stage, 1, Integer::sum) - 1;
      Resizing grows = Resizing.growing(flow, this, new End(stage, number), nextStream);
      nextStream += grows.streams();
      change = grows;
    } else if (its.size() > wanted) {
      End leaving = its.removeLast();
      Resizing shrinks = Resizing.shrinking(flow, this, leaving);
      change = shrinks;
      if (ended.contains(leaving)) {
        shrinks.ended(leaving);
      }
    } else {
      change = null;
    }
  }

  /// Returns the change that is being made; null if none is.
  public @Nullable Resizing change() {
    return change;
  }

  /// Goes on to the next change, if the present one is over.
  ///
  /// @return whether the stage has its size, or it was refused
  public boolean settle() {
    Resizing now = change;
    if (now == null) {
      return true;
    }
    if (!now.isOver()) {
      return false;
    }
    if (now.phase() == Resizing.Phase.REFUSED) {
      change = null;
      refused = (now.guest() == null ? "too late: " : "") + now.refusal();
      guests.values().removeIf(each -> each.stand().equals(now.replica()));
      return true;
    }
    End changed = now.replica();
    if (now.grows() && !ended.contains(changed)) {
      replicas.computeIfAbsent(changed.name(), _ -> new ArrayList<>()).add(changed);
    }
    if (guest != null) {
      change = null;
      return true;
    }
    begin();
    if (change == null && refused == null && replicas(stage).size() != wanted) {
      refused = "too late: stage %s has ended".formatted(stage);
    }
    return change == null;
  }

  /// Returns why the change that was settled last was not made; null if it was.
  public @Nullable String refused() {
    return refused;
  }

  /// A replica has ended.
  public void ended(End replica) {
    if (ended.add(replica)) {
      boolean _ = replicas.getOrDefault(replica.name(), new ArrayList<>()).remove(replica);
      if (change != null) {
        change.ended(replica);
      }
    }
  }
}
