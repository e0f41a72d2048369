package dev.tigris.steering;

import dev.tigris.cluster.run.ClusterRun;
import dev.tigris.cluster.run.GraphProgram;
import dev.tigris.cluster.run.RunException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// Answers the calls of the control API as long as a client grows a graph from nothing. When that
/// was started, [RunApi] answers them, with the same token, revisions and ids.
///
/// Thread rule: any thread.
final class GraphApi {
  private static final String V1 = "/api/v1/";
  private static final String USUAL_POLICY = "lottery";
  private static final long USUAL_WINDOW = 16;

  private final Door door;
  private final GraphDraft draft = new GraphDraft();
  private final ControlServer.Starter starter;
  private final CompletableFuture<ClusterRun> started = new CompletableFuture<>();

  /// Set while a start goes on: there is one at a time. Under this object's lock.
  private boolean isStarting;

  GraphApi(Door door, ControlServer.Starter starter) {
    this.door = door;
    this.starter = starter;
  }

  /// Returns what completes with the run of the graph, and is cancelled if a client cancels.
  CompletableFuture<ClusterRun> started() {
    return started;
  }

  /// Answers a call.
  Answer answer(Call call) {
    return door.answer(call, this::own);
  }

  private @Nullable Answer own(Call call) {
    return switch (call.path()) {
      case "/readyz" -> Door.get(call, () -> Door.plain(Answer.NOT_NOW, "growing\n"));
      case V1 + "run" -> Door.get(call, () -> Answer.json(Answer.OK, run()));
      case V1 + "graph" -> Door.get(call, () -> Answer.json(Answer.OK, draft.members()));
      case V1 + "modules" -> createModule(call);
      case V1 + "streams" -> createStream(call);
      case V1 + "attach" -> attach(call);
      case V1 + "seal" -> door.change(call, "", body -> wanted("seal", draft::seal));
      case V1 + "start" -> door.change(call, "", body -> new Door.Wanted("start", this::start));
      case V1 + "cancel" -> door.change(call, "", body -> wanted("cancel", this::cancel));
      default -> null;
    };
  }

  private void cancel() {
    if (!started.completeExceptionally(new CancellationException("the growth was cancelled"))) {
      throw new IllegalStateException("the graph has started: look at its run, and ask again");
    }
  }

  private Map<String, @Nullable Object> run() {
    Map<String, @Nullable Object> members = new LinkedHashMap<>();
    members.put("phase", "growing");
    members.put("revision", door.changes().revision());
    return members;
  }

  /// Returns a change that is made at once, or refused.
  private static Door.Wanted wanted(String what, Runnable change) {
    return new Door.Wanted(
        what,
        () -> {
          change.run();
          return () -> new Changes.Outcome(Changes.State.DONE, "");
        });
  }

  private Answer createModule(Call call) {
    return door.change(
        call,
        "'name' and 'class' are texts, 'replicas' is a number, 1 if it is left out, and 'arguments' any JSON",
        body -> {
          if (body.get("name") instanceof String name
              && body.get("class") instanceof String module
              && body.getOrDefault("replicas", 1L) instanceof Long replicas
              && replicas == replicas.intValue()) {
            Object given = body.get("arguments");
            String arguments =
                given == null ? "" : given instanceof String text ? text : Json.text(given);
            GraphProgram.Stage made =
                new GraphProgram.Stage(name, module, replicas.intValue(), arguments);
            return wanted("create " + made, () -> draft.createModule(made));
          }
          return null;
        });
  }

  private Answer createStream(Call call) {
    return door.change(
        call,
        "'name' is a text, 'policy' one of %s, and 'window' a number"
            .formatted(GraphProgram.policies()),
        body ->
            body.get("name") instanceof String name
                    && body.getOrDefault("policy", USUAL_POLICY) instanceof String policy
                    && body.getOrDefault("window", USUAL_WINDOW) instanceof Long window
                    && window == window.intValue()
                ? wanted(
                    "create stream %s, %s, %d".formatted(name, policy, window),
                    () -> draft.createStream(name, policy, window.intValue()))
                : null);
  }

  private Answer attach(Call call) {
    return door.change(
        call,
        "'stream' and 'module' are texts, and 'as' is 'input' or 'output'",
        body ->
            body.get("stream") instanceof String stream
                    && body.get("module") instanceof String module
                    && body.get("as") instanceof String as
                    && List.of("input", "output").contains(as)
                ? wanted(
                    "attach stream %s to %s as %s".formatted(stream, module, as),
                    () ->
                        draft.attach(
                            stream, module, GraphDraft.Side.valueOf(as.toUpperCase(Locale.ROOT))))
                : null);
  }

  // -- The start.

  /// Begins to start the graph, which takes as long as the processes need.
  private synchronized Supplier<Changes.Outcome> start() {
    if (isStarting || started.isDone()) {
      throw new IllegalStateException("the graph was started already");
    }
    GraphProgram.Graph graph = draft.graph();
    isStarting = true;
    CompletableFuture<String> failed = new CompletableFuture<>();
    Thread _ = Thread.ofPlatform().name("tigris-grow").start(() -> start(graph, failed));
    return () -> outcome(failed);
  }

  private void start(GraphProgram.Graph graph, CompletableFuture<String> failed) {
    try {
      ClusterRun run = starter.start(graph);
      if (!started.complete(run)) {
        run.cancel();
      }
    } catch (RunException | RuntimeException | Error e) {
      draft.unseal();
      boolean _ = failed.complete(String.valueOf(e.getMessage()));
    } finally {
      synchronized (this) {
        isStarting = false;
      }
    }
  }

  private Changes.Outcome outcome(CompletableFuture<String> failed) {
    return failed.isDone()
        ? new Changes.Outcome(Changes.State.FAILED, failed.join())
        : new Changes.Outcome(started.isDone() ? Changes.State.DONE : Changes.State.GOING, "");
  }
}
