package dev.tigris.steering;

import dev.tigris.cluster.run.ClusterRun;
import dev.tigris.cluster.run.RunProgress;
import dev.tigris.cluster.run.TapOrder;
import dev.tigris.flow.FlowGraph;
import dev.tigris.flow.Tap;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// Answers the calls of the control API of one run, whoever carries them. `openapi.json` beside
/// this class describes them.
///
/// A call has to come with the token of the run, and name this server as its host. A page in a
/// browser, which sends its origin, is refused: it might be a stranger's.
///
/// Thread rule: any thread.
final class RunApi {
  /// A body that is longer is refused.
  static final int MOST_BODY_BYTES = 1 << 16;

  private static final String V1 = "/api/v1/";
  private static final String CHANGES = V1 + "changes/";
  private static final String BEARER = "Bearer ";
  private static final String GET = "GET";
  private static final String POST = "POST";

  private final ClusterRun run;
  private final byte[] token;
  private final Events events;
  private final Changes changes;
  private final Watcher watcher;
  private final Metrics metrics;
  private volatile String authority = "";

  /// @param token lets clients in
  RunApi(ClusterRun run, String token, Events events, Changes changes, Watcher watcher) {
    this.run = run;
    this.token = token.getBytes(StandardCharsets.UTF_8);
    this.events = events;
    this.changes = changes;
    this.watcher = watcher;
    this.metrics = new Metrics(run, changes);
  }

  /// Says at which `HOST:PORT` the server listens.
  void at(String hostAndPort) {
    authority = hostAndPort;
  }

  /// Answers a call.
  Answer answer(Call call) {
    if (!authority.equalsIgnoreCase(call.host())) {
      return Answer.refusal(Answer.FORBIDDEN, "this server is %s".formatted(authority));
    }
    if (call.origin() != null) {
      return Answer.refusal(Answer.FORBIDDEN, "pages of browsers are not let in");
    }
    boolean isProbe = call.path().equals("/livez") || call.path().equals("/readyz");
    if (!isProbe && !hasToken(call.authorization())) {
      return Answer.refusal(
          Answer.UNKNOWN_CLIENT, "send 'Authorization: Bearer TOKEN' with the token of the run");
    }
    if (call.body().length() > MOST_BODY_BYTES) {
      return Answer.refusal(
          Answer.TOO_LARGE, "a body has %,d bytes at most".formatted(MOST_BODY_BYTES));
    }
    return switch (call.path()) {
      case "/livez" -> get(call, () -> plain(Answer.OK, "ok\n"));
      case "/readyz" -> get(call, this::ready);
      case "/metrics" -> get(call, () -> new Answer(Answer.OK, Metrics.TYPE, metrics.text()));
      case "/api/openapi.json" -> get(call, RunApi::description);
      case V1 + "run" -> get(call, () -> Answer.json(Answer.OK, run()));
      case V1 + "graph" -> get(call, () -> Answer.json(Answer.OK, graph(run.graph())));
      case V1 + "load" -> get(call, () -> Answer.json(Answer.OK, load()));
      case V1 + "processes" -> get(call, () -> Answer.json(Answer.OK, processes()));
      case V1 + "events" -> get(call, () -> events(call.query()));
      case V1 + "history" -> get(call, () -> Answer.json(Answer.OK, history()));
      case V1 + "stop" -> change(call, "stop", this::stop);
      case V1 + "resize" -> resize(call);
      case V1 + "tap" -> tap(call);
      case V1 + "cancel" -> change(call, "cancel", this::cancel);
      default ->
          call.path().startsWith(CHANGES)
              ? get(call, () -> changes.find(call.path().substring(CHANGES.length())))
              : Answer.refusal(
                  Answer.NOT_FOUND, "there is nothing here: /api/openapi.json tells what is");
    };
  }

  private boolean hasToken(@Nullable String authorization) {
    return authorization != null
        && authorization.startsWith(BEARER)
        && MessageDigest.isEqual(
            authorization.substring(BEARER.length()).getBytes(StandardCharsets.UTF_8), token);
  }

  private static Answer get(Call call, Supplier<Answer> answer) {
    return call.method().equals(GET)
        ? answer.get()
        : Answer.refusal(Answer.WRONG_METHOD, "only GET is possible here");
  }

  private static Answer plain(int status, String text) {
    return new Answer(status, "text/plain; charset=utf-8", text);
  }

  private Answer ready() {
    RunProgress.Phase phase = run.progress().phase();
    boolean isReady = phase == RunProgress.Phase.RUNNING;
    return plain(
        isReady ? Answer.OK : Answer.NOT_NOW, phase.name().toLowerCase(Locale.ROOT) + "\n");
  }

  private static Answer description() {
    try (InputStream in = RunApi.class.getResourceAsStream("openapi.json")) {
      if (in == null) {
        throw new IllegalStateException("openapi.json lies beside this class");
      }
      return new Answer(
          Answer.OK, Answer.JSON, new String(in.readAllBytes(), StandardCharsets.UTF_8));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
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

  Map<String, @Nullable Object> load() {
    Load load = watcher.load();
    Culprit culprit = watcher.culprit();
    Map<String, @Nullable Object> members = run();
    members.put("seconds", load.seconds());
    members.put("replicas", load.replicas().stream().map(Load.Replica::members).toList());
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
    List<Map<String, Object>> all = new ArrayList<>();
    found.forEach(
        (process, replicas) -> all.add(ordered("process", process, "replicas", replicas)));
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
    return change(call, "", body -> new Wanted(what, action));
  }

  /// A change that a body describes.
  private record Wanted(String what, Changes.Action action) {}

  private Answer resize(Call call) {
    return change(
        call,
        "'stage' is a text, and 'replicas' a number",
        body ->
            body.get("stage") instanceof String stage
                    && body.get("replicas") instanceof Long count
                    && count == count.intValue()
                ? new Wanted(
                    "resize %s to %d".formatted(stage, count),
                    () -> outcome(run.resize(stage, count.intValue())))
                : null);
  }

  private Answer tap(Call call) {
    return change(
        call,
        "'reservoir', 'address' and 'token' are texts, 'bytes', 'window' and 'perSecond' numbers that a tap can have, and 'blocks' a truth, which is false if 'perSecond' is above 0",
        body -> {
          TapOrder order = order(body);
          return order == null
              ? null
              : new Wanted("tap " + order.reservoir(), () -> outcome(run.tap(order)));
        });
  }

  private static @Nullable TapOrder order(Map<String, @Nullable Object> body) {
    if (body.get("reservoir") instanceof String reservoir
        && body.get("address") instanceof String address
        && body.get("token") instanceof String token
        && body.get("blocks") instanceof Boolean blocks
        && body.get("bytes") instanceof Long bytes
        && body.get("window") instanceof Long window
        && body.get("perSecond") instanceof Long perSecond) {
      try {
        int each = Math.toIntExact(perSecond);
        Tap.Terms terms =
            new Tap.Terms(Math.toIntExact(bytes), Math.toIntExact(window), blocks, each > 0);
        return new TapOrder(reservoir, terms, each, address, token);
      } catch (IllegalArgumentException | ArithmeticException e) {
        return null;
      }
    }
    return null;
  }

  private Supplier<Changes.Outcome> outcome(CompletableFuture<Void> change) {
    return () -> {
      if (!change.isDone()) {
        String who = run.waitsFor();
        return new Changes.Outcome(Changes.State.GOING, who.isEmpty() ? "" : "waits for " + who);
      }
      return change.isCompletedExceptionally()
          ? new Changes.Outcome(
              Changes.State.FAILED, String.valueOf(change.exceptionNow().getMessage()))
          : new Changes.Outcome(Changes.State.DONE, "");
    };
  }

  /// @param wrong what to say of a body from which nothing can be made
  private Answer change(
      Call call, String wrong, Function<Map<String, @Nullable Object>, @Nullable Wanted> of) {
    if (!call.method().equals(POST)) {
      return Answer.refusal(Answer.WRONG_METHOD, "only POST is possible here");
    }
    String type = call.type();
    if (type == null || !type.split(";", 2)[0].strip().equalsIgnoreCase(Answer.JSON)) {
      return Answer.refusal(Answer.WRONG_TYPE, "send " + Answer.JSON);
    }
    Map<String, @Nullable Object> body;
    try {
      body = Json.object(call.body());
    } catch (IOException e) {
      return Answer.refusal(Answer.WRONG, "the body cannot be read: " + firstLine(e));
    }
    if (!(body.get("request") instanceof String request)
        || request.isEmpty()
        || request.length() > Changes.LONGEST_ID) {
      return Answer.refusal(
          Answer.WRONG,
          "'request' is an id of your choice, a text of up to %d characters"
              .formatted(Changes.LONGEST_ID));
    }
    if (!(body.get("revision") instanceof Long revision)) {
      return Answer.refusal(
          Answer.WRONG, "'revision' is that of the run that you have seen, a number");
    }
    Wanted wanted = of.apply(body);
    if (wanted == null) {
      return Answer.refusal(Answer.WRONG, wrong);
    }
    return changes.ask(
        request,
        revision,
        wanted.what(),
        () -> {
          events.add("change", wanted.what());
          return wanted.action().begin();
        });
  }

  private static String firstLine(IOException e) {
    return String.valueOf(e.getMessage()).lines().findFirst().orElse("");
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
