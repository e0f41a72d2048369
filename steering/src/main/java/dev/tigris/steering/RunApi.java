package dev.tigris.steering;

import dev.tigris.cluster.Reach;
import dev.tigris.cluster.run.ClusterRun;
import dev.tigris.cluster.run.GuestOrder;
import dev.tigris.cluster.run.RunProgress;
import dev.tigris.cluster.run.TapOrder;
import dev.tigris.flow.FlowGraph;
import dev.tigris.flow.Guest;
import dev.tigris.flow.Tap;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// Answers the calls of the control API of one run, whoever carries them. `openapi.json` beside
/// this class describes them.
///
/// Thread rule: any thread.
final class RunApi {
  private static final String V1 = "/api/v1/";
  private static final Pattern DIGITS = Pattern.compile("[0-9a-f]{16}");

  /// The query for the receivers of each edge.
  private static final String RECEIVERS = "receivers=true";

  private final ClusterRun run;
  private final Door door;
  private final Events events;
  private final Changes changes;
  private final Watcher watcher;
  private final Metrics metrics;

  RunApi(ClusterRun run, Door door, Events events, Watcher watcher) {
    this.run = run;
    this.door = door;
    this.events = events;
    this.changes = door.changes();
    this.watcher = watcher;
    this.metrics = new Metrics(run, changes);
  }

  /// Answers a call.
  Answer answer(Call call) {
    return door.answer(call, this::own);
  }

  private @Nullable Answer own(Call call) {
    return switch (call.path()) {
      case "/readyz" -> Door.get(call, this::ready);
      case "/metrics" -> Door.get(call, () -> new Answer(Answer.OK, Metrics.TYPE, metrics.text()));
      case V1 + "run" -> Door.get(call, () -> Answer.json(Answer.OK, run()));
      case V1 + "graph" -> Door.get(call, () -> Answer.json(Answer.OK, graph(run.graph())));
      case V1 + "load" -> Door.get(call, () -> load(call.query()));
      case V1 + "processes" -> Door.get(call, () -> Answer.json(Answer.OK, processes()));
      case V1 + "events" -> Door.get(call, () -> events(call.query()));
      case V1 + "history" -> Door.get(call, () -> Answer.json(Answer.OK, history()));
      case V1 + "stop" -> change(call, "stop", this::stop);
      case V1 + "resize" -> resize(call);
      case V1 + "tap" -> tap(call);
      case V1 + "join" -> join(call);
      case V1 + "leave" -> leave(call);
      case V1 + "cancel" -> change(call, "cancel", this::cancel);
      default -> null;
    };
  }

  private Answer ready() {
    RunProgress.Phase phase = run.progress().phase();
    boolean isReady = phase == RunProgress.Phase.RUNNING;
    return Door.plain(
        isReady ? Answer.OK : Answer.NOT_NOW, phase.name().toLowerCase(Locale.ROOT) + "\n");
  }

  // -- What a run is, and does.

  Map<String, @Nullable Object> run() {
    RunProgress progress = run.progress();
    Map<String, @Nullable Object> members = new LinkedHashMap<>();
    Map<String, String> facts = run.facts();
    members.put("run", facts.get("run"));
    members.put("program", facts.get("program"));
    members.put("arguments", facts.get("arguments"));
    members.put("processes", Math.max(1, Integer.parseInt(facts.getOrDefault("processes", "0"))));
    members.put("revision", changes.revision());
    members.put("phase", progress.phase().name().toLowerCase(Locale.ROOT));
    members.put("attempt", progress.attempt());
    members.put("elapsedSeconds", Load.seconds(progress.elapsedNanos()));
    members.put("calls", progress.calls());
    members.put("behind", progress.behind());
    members.put("results", progress.results().numbers());
    return members;
  }

  private static Map<String, @Nullable Object> graph(FlowGraph graph) {
    List<Map<String, Object>> stages = new ArrayList<>();
    for (FlowGraph.Stage stage : graph.stages()) {
      stages.add(
          ordered("name", stage.name(), "replicas", stage.replicas(), "source", stage.isSource()));
    }
    List<Map<String, Object>> reservoirs = new ArrayList<>();
    for (FlowGraph.Edge edge : graph.edges()) {
      Map<String, Object> members =
          ordered("name", edge.reservoir(), "from", edge.from(), "to", edge.to());
      members.put("policy", edge.policy());
      members.put("window", edge.window());
      members.put("schema", edge.schema());
      reservoirs.add(members);
    }
    Map<String, @Nullable Object> members = new LinkedHashMap<>();
    members.put("flow", graph.flow());
    members.put("stages", stages);
    members.put("reservoirs", reservoirs);
    members.put(
        "feeds",
        graph.feeds().stream().map(f -> ordered("name", f.name(), "stage", f.stage())).toList());
    members.put(
        "drains",
        graph.drains().stream().map(d -> ordered("name", d.name(), "stage", d.stage())).toList());
    return members;
  }

  private static Map<String, Object> ordered(Object... namesAndValues) {
    Map<String, Object> members = new LinkedHashMap<>();
    for (int i = 0; i < namesAndValues.length; i += 2) {
      members.put(String.valueOf(namesAndValues[i]), namesAndValues[i + 1]);
    }
    return members;
  }

  private Answer load(String query) {
    return query.isEmpty() || query.equals(RECEIVERS)
        ? Answer.json(Answer.OK, load(!query.isEmpty()))
        : Answer.refusal(Answer.WRONG, "the query is " + RECEIVERS);
  }

  private Map<String, @Nullable Object> load(boolean hasReceivers) {
    Watcher.Seen seen = watcher.seen();
    Load load = seen.load();
    Culprit culprit = seen.culprit();
    Map<String, @Nullable Object> members = run();
    members.put("seconds", load.seconds());
    members.put("replicas", load.ordered(run.graph()).stream().map(Load.Replica::members).toList());
    members.put("edges", load.edges().stream().map(each -> each.members(hasReceivers)).toList());
    members.put("culprit", culprit == null ? null : culprit.members());
    return members;
  }

  private Map<String, @Nullable Object> processes() {
    Map<Integer, List<String>> found = new TreeMap<>();
    for (RunProgress.Replica each : run.progress().replicas()) {
      found
          .computeIfAbsent(each.process(), _ -> new ArrayList<>())
          .add(each.state().stage() + "[" + each.state().replica() + "]");
    }
    List<Reach> reaches = run.reaches();
    for (int process = 0; process < reaches.size(); process++) {
      List<String> _ = found.computeIfAbsent(process, _ -> new ArrayList<>());
    }
    List<Map<String, Object>> all = new ArrayList<>();
    found.forEach(
        (process, replicas) -> {
          String reach = process < reaches.size() ? reaches.get(process).toString() : "";
          all.add(ordered("process", process, "replicas", replicas, "reach", reach));
        });
    Map<String, @Nullable Object> members = new LinkedHashMap<>();
    members.put("processes", all);
    return members;
  }

  private Answer events(String query) {
    long after = 0;
    if (!query.isEmpty()) {
      if (!query.matches("after=[0-9]{1,18}")) {
        return Answer.refusal(Answer.WRONG, "the query is after=NUMBER");
      }
      after = Long.parseLong(query.substring("after=".length()));
    }
    return Answer.json(Answer.OK, Map.of("events", list(after)));
  }

  private List<Map<String, @Nullable Object>> list(long after) {
    return events.after(after).stream().map(Events.Event::members).toList();
  }

  /// Returns the whole history, which is kept when the run is over.
  Map<String, @Nullable Object> history() {
    Map<String, @Nullable Object> members = run();
    members.put("graph", graph(run.graph()));
    members.put("events", list(0));
    members.put("load", watcher.history());
    return members;
  }

  // -- Changes.

  private Answer change(Call call, String what, Changes.Action action) {
    return door.change(call, "", body -> wanted(what, action));
  }

  /// Returns a change that is told of when it begins.
  private Door.Wanted wanted(String what, Changes.Action action) {
    return new Door.Wanted(
        what,
        () -> {
          events.add("change", what);
          return action.begin();
        });
  }

  private Answer resize(Call call) {
    return door.change(
        call,
        "'stage' is a text, and 'replicas' a number",
        body ->
            body.get("stage") instanceof String stage
                    && body.get("replicas") instanceof Long count
                    && count == count.intValue()
                ? wanted(
                    "resize %s to %d".formatted(stage, count),
                    () -> outcome(run.resize(stage, count.intValue())))
                : null);
  }

  private Answer tap(Call call) {
    return door.change(
        call,
        "'reservoir', 'address' and 'token' are texts, 'bytes', 'window', 'perSecond', 'part' and 'parts' numbers that a tap can have, and 'blocks' a truth, which is false if 'perSecond' is above 0",
        body -> {
          TapOrder order = order(body);
          return order == null
              ? null
              : wanted("tap " + order.reservoir(), () -> outcome(run.tap(order)));
        });
  }

  private static @Nullable TapOrder order(Map<String, @Nullable Object> body) {
    if (body.get("reservoir") instanceof String reservoir
        && body.get("address") instanceof String address
        && body.get("token") instanceof String token
        && body.get("blocks") instanceof Boolean blocks
        && body.get("bytes") instanceof Long bytes
        && body.get("window") instanceof Long window
        && body.get("perSecond") instanceof Long perSecond
        && body.getOrDefault("part", 0L) instanceof Long part
        && body.getOrDefault("parts", 1L) instanceof Long parts
        && body.getOrDefault("key", "") instanceof String key) {
      try {
        int each = Math.toIntExact(perSecond);
        Tap.Terms terms =
            new Tap.Terms(
                Math.toIntExact(bytes),
                Math.toIntExact(window),
                blocks,
                each > 0,
                Math.toIntExact(part),
                Math.toIntExact(parts));
        return new TapOrder(reservoir, terms, each, address, token, key);
      } catch (IllegalArgumentException | ArithmeticException e) {
        return null;
      }
    }
    return null;
  }

  private Answer join(Call call) {
    return door.change(
        call,
        "'reservoir' and 'reach' are texts, 'gives' a truth, 'program' and 'key' have 16 hexadecimal digits, and 'process' is a number",
        body -> {
          Guest guest = guest(body);
          if (guest == null
              || !(body.get("reach") instanceof String told)
              || !(body.get("process") instanceof Long process)
              || process != process.intValue()) {
            return null;
          }
          try {
            GuestOrder order = new GuestOrder(guest, Reach.of(told), process.intValue());
            return wanted(words("join", guest), () -> outcome(run.join(order)));
          } catch (IllegalArgumentException e) {
            return null;
          }
        });
  }

  private Answer leave(Call call) {
    return door.change(
        call,
        "'reservoir' is a text, 'gives' a truth, and 'program' and 'key' have 16 hexadecimal digits",
        body -> {
          Guest guest = guest(body);
          return guest == null
              ? null
              : wanted(words("leave", guest), () -> outcome(run.leave(guest)));
        });
  }

  private static String words(String what, Guest guest) {
    return "%s reservoir %s as a %s"
        .formatted(what, guest.reservoir(), guest.gives() ? "giver" : "taker");
  }

  private static @Nullable Guest guest(Map<String, @Nullable Object> body) {
    return body.get("reservoir") instanceof String reservoir
            && body.get("gives") instanceof Boolean gives
            && body.get("program") instanceof String program
            && body.get("key") instanceof String key
            && DIGITS.matcher(program).matches()
            && DIGITS.matcher(key).matches()
        ? new Guest(
            reservoir,
            gives,
            HexFormat.fromHexDigitsToLong(program),
            HexFormat.fromHexDigitsToLong(key))
        : null;
  }

  /// Returns a number as guests tell it.
  static String digits(long number) {
    return HexFormat.of().toHexDigits(number);
  }

  private Supplier<Changes.Outcome> outcome(CompletableFuture<Void> change) {
    return () -> {
      if (!change.isDone()) {
        String who = run.waitsFor();
        return new Changes.Outcome(Changes.State.GOING, who.isEmpty() ? "" : "waits for " + who);
      }
      if (change.isCancelled()) {
        return new Changes.Outcome(Changes.State.FAILED, "the run was stopped meanwhile");
      }
      return change.isCompletedExceptionally()
          ? new Changes.Outcome(
              Changes.State.FAILED, String.valueOf(change.exceptionNow().getMessage()))
          : new Changes.Outcome(Changes.State.DONE, "");
    };
  }

  private Supplier<Changes.Outcome> stop() {
    run.drain();
    return this::whenOver;
  }

  private Supplier<Changes.Outcome> cancel() {
    run.cancel();
    return this::whenOver;
  }

  private Changes.Outcome whenOver() {
    return new Changes.Outcome(run.isDone() ? Changes.State.DONE : Changes.State.GOING, "");
  }
}
