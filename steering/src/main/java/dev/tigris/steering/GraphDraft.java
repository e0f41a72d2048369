package dev.tigris.steering;

import dev.tigris.cluster.run.GraphProgram;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// A graph that a client puts together from nothing, by the operations of *RiverMgr* (Welsh, 1999,
/// section 6.3): create a module, create a stream, attach, seal. Each is refused where it would
/// make a graph that cannot run, so that a client hears of it at once.
///
/// A refusal is an [IllegalStateException] whose message is for the client. It changes nothing.
///
/// Thread rule: any thread.
final class GraphDraft {
  static final int LONGEST_NAME = 100;
  static final int MOST_REPLICAS = 10_000;
  static final int MOST_WINDOW = 4096;

  /// The most modules, and the most streams: the graph travels to each process.
  private static final int MOST = 1_000;

  /// The ends of a stream: the module that puts on it, and the one that takes from it.
  enum Side {
    OUTPUT,
    INPUT
  }

  private record Joint(String policy, int window, @Nullable String from, @Nullable String to) {
    @Nullable String module(Side side) {
      return side == Side.OUTPUT ? from : to;
    }

    Joint with(Side side, String module) {
      return side == Side.OUTPUT
          ? new Joint(policy, window, module, to)
          : new Joint(policy, window, from, module);
    }
  }

  private final Map<String, GraphProgram.Stage> modules = new LinkedHashMap<>();
  private final Map<String, Joint> streams = new LinkedHashMap<>();
  private boolean isSealed;

  private static void require(boolean holds, String otherwise) {
    if (!holds) {
      throw new IllegalStateException(otherwise);
    }
  }

  private void requireNew(String name, Map<String, ?> among) {
    require(!isSealed, "the graph is sealed: nothing is added any more");
    require(
        !name.isBlank() && name.length() <= LONGEST_NAME,
        "a name has 1 to %d characters, not only blanks".formatted(LONGEST_NAME));
    require(
        !among.containsKey(name), "there is a '%s' already: choose another name".formatted(name));
    require(among.size() < MOST, "a graph has %,d of them at most".formatted(MOST));
  }

  /// Creates a module: a stage of so many replicas.
  synchronized void createModule(GraphProgram.Stage module) {
    requireNew(module.name(), modules);
    require(
        module.replicas() >= 1 && module.replicas() <= MOST_REPLICAS,
        "%d replicas: a module has 1 to %,d".formatted(module.replicas(), MOST_REPLICAS));
    modules.put(module.name(), module);
  }

  /// Creates a stream, to which no module is attached yet.
  synchronized void createStream(String name, String policy, int window) {
    requireNew(name, streams);
    require(
        GraphProgram.policies().contains(policy),
        "there is no policy '%s': there are %s".formatted(policy, GraphProgram.policies()));
    require(
        window >= 1 && window <= MOST_WINDOW,
        "a window of %d: a stream has 1 to %,d".formatted(window, MOST_WINDOW));
    streams.put(name, new Joint(policy, window, null, null));
  }

  /// Attaches a module to one end of a stream, unless that leads the module back to itself.
  synchronized void attach(String stream, String module, Side side) {
    require(!isSealed, "the graph is sealed: nothing is attached any more");
    Joint joint = streams.get(stream);
    if (joint == null) {
      throw new IllegalStateException(
          "there is no stream '%s': there are %s".formatted(stream, streams.keySet()));
    }
    require(
        modules.containsKey(module),
        "there is no module '%s': there are %s".formatted(module, modules.keySet()));
    String there = joint.module(side);
    require(
        there == null, "stream '%s' is an %s of '%s' already".formatted(stream, name(side), there));
    Joint now = joint.with(side, module);
    String from = now.from();
    String to = now.to();
    if (from != null && to != null) {
      List<String> back = way(to, from);
      require(
          back.isEmpty(),
          "stream '%s' from '%s' would close a cycle: %s lead back".formatted(stream, from, back));
      require(
          streams.values().stream().noneMatch(e -> from.equals(e.from()) && to.equals(e.to())),
          "'%s' and '%s' are joined already".formatted(from, to));
    }
    streams.put(stream, now);
  }

  private static String name(Side side) {
    return side == Side.OUTPUT ? "output" : "input";
  }

  /// Returns the modules from one to another along streams, both included; none if there is no way.
  private List<String> way(String from, String to) {
    Map<String, String> cameFrom = new LinkedHashMap<>();
    Set<String> seen = new LinkedHashSet<>(Set.of(from));
    Deque<String> left = new ArrayDeque<>(List.of(from));
    while (!left.isEmpty()) {
      String at = left.removeFirst();
      if (at.equals(to)) {
        List<String> way = new ArrayList<>();
        for (String each = at; each != null; each = cameFrom.get(each)) {
          way.addFirst(each);
        }
        return way;
      }
      for (Joint each : streams.values()) {
        String next = each.to();
        if (at.equals(each.from()) && next != null && seen.add(next)) {
          cameFrom.put(next, at);
          left.addLast(next);
        }
      }
    }
    return List.of();
  }

  /// Takes nothing more. Each stream has to have both of its ends.
  synchronized void seal() {
    require(!isSealed, "the graph is sealed already");
    require(!modules.isEmpty(), "the graph has no module: create one");
    streams.forEach(
        (name, joint) -> {
          for (Side side : Side.values()) {
            require(
                joint.module(side) != null,
                "stream '%s' is an %s of no module: attach one".formatted(name, name(side)));
          }
        });
    isSealed = true;
  }

  /// Lets it be changed again, after it could not be started.
  synchronized void unseal() {
    isSealed = false;
  }

  synchronized boolean isSealed() {
    return isSealed;
  }

  /// Returns the graph to run.
  synchronized GraphProgram.Graph graph() {
    require(isSealed, "the graph is not sealed: seal it before it is started");
    List<GraphProgram.Stream> all = new ArrayList<>();
    streams.forEach(
        (name, joint) -> {
          String from = joint.from();
          String to = joint.to();
          if (from != null && to != null) {
            all.add(new GraphProgram.Stream(name, from, to, joint.policy(), joint.window()));
          }
        });
    return new GraphProgram.Graph(List.copyOf(modules.values()), all);
  }

  /// Returns the members of its JSON object.
  synchronized Map<String, @Nullable Object> members() {
    List<Map<String, @Nullable Object>> stages = new ArrayList<>();
    for (GraphProgram.Stage each : modules.values()) {
      Map<String, @Nullable Object> members = new LinkedHashMap<>();
      members.put("name", each.name());
      members.put("class", each.module());
      members.put("replicas", each.replicas());
      members.put("arguments", each.arguments());
      stages.add(members);
    }
    List<Map<String, @Nullable Object>> reservoirs = new ArrayList<>();
    streams.forEach(
        (name, joint) -> {
          Map<String, @Nullable Object> members = new LinkedHashMap<>();
          members.put("name", name);
          members.put("from", joint.from());
          members.put("to", joint.to());
          members.put("policy", joint.policy());
          members.put("window", joint.window());
          reservoirs.add(members);
        });
    Map<String, @Nullable Object> members = new LinkedHashMap<>();
    members.put("sealed", isSealed);
    members.put("stages", stages);
    members.put("reservoirs", reservoirs);
    return members;
  }
}
