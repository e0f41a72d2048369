package dev.tigris.steering;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tigris.cluster.run.RunProgress;
import dev.tigris.flow.FlowLoad;
import java.io.IOException;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/// The answers of the control API, without a server.
class RunApiTest {
  private static final String TOKEN = "0123456789abcdef";
  private static final String HOST = "127.0.0.1:4711";

  private final FakeRun run = new FakeRun();
  private final Events events = new Events("1f", Clock.systemUTC());
  private final Changes changes = new Changes();
  private final Watcher watcher = new Watcher(run, events, changes);
  private final RunApi api = made();

  private RunApi made() {
    Door door = new Door(TOKEN, changes);
    door.at(HOST);
    return new RunApi(run, door, events, watcher);
  }

  private Answer get(String path) {
    return get(path, "");
  }

  private Answer get(String path, String query) {
    return api.answer(new Call("GET", path, query, HOST, null, "Bearer " + TOKEN, null, ""));
  }

  private Answer post(String path, String body) {
    return post(path, "application/json; charset=utf-8", body);
  }

  private Answer post(String path, @Nullable String type, String body) {
    return api.answer(new Call("POST", path, "", HOST, null, "Bearer " + TOKEN, type, body));
  }

  private Answer cancel(String request, long revision) {
    return post(
        "/api/v1/cancel", "{\"request\":\"%s\",\"revision\":%d}".formatted(request, revision));
  }

  @Test
  void letsOnlyThoseInWhoHaveTheTokenAndNameTheServer() {
    for (String path : List.of("/api/v1/run", "/api/v1/cancel", "/metrics", "/nothing")) {
      for (String bad : new String[] {null, "", "Bearer", "Bearer x", "Basic " + TOKEN}) {
        Call call = new Call("GET", path, "", HOST, null, bad, null, "");
        assertEquals(401, api.answer(call).status(), path);
      }
    }
    for (String host : new String[] {null, "", "example.org", "127.0.0.1", "localhost:4711"}) {
      Call call = new Call("GET", "/api/v1/run", "", host, null, "Bearer " + TOKEN, null, "");
      assertEquals(403, api.answer(call).status(), host);
    }
    Call page = new Call("GET", "/livez", "", HOST, "http://" + HOST, "Bearer " + TOKEN, null, "");
    assertEquals(403, api.answer(page).status());
    assertEquals(0, run.cancels.get());
  }

  @Test
  void answersProbesWithoutAToken() {
    for (String path : List.of("/livez", "/readyz")) {
      Call call = new Call("GET", path, "", HOST, null, null, null, "");
      assertEquals(200, api.answer(call).status());
    }
    run.phase = RunProgress.Phase.STARTING;
    assertEquals(503, get("/readyz").status());
  }

  @Test
  void makesAChangeOnceAndAnswersARepeatedRequestAlike() {
    Answer first = cancel("a", changes.revision());
    assertEquals(202, first.status());
    assertEquals(first, cancel("a", 1));
    assertEquals(first, cancel("a", 99));
    assertEquals(1, run.cancels.get());
    assertTrue(get("/api/v1/changes/a").body().contains("\"state\":\"going\""));
    run.phase = RunProgress.Phase.OVER;
    assertTrue(get("/api/v1/changes/a").body().contains("\"state\":\"done\""));
    assertEquals(404, get("/api/v1/changes/b").status());
  }

  @Test
  void tellsARequestThatWasAnotherOne() {
    assertEquals(202, cancel("a", 1).status());
    Answer other = post("/api/v1/stop", "{\"request\":\"a\",\"revision\":2}");
    assertEquals(409, other.status());
    assertTrue(other.body().contains("was 'cancel' before"), other::body);
    assertEquals(0, run.drains.get());
    assertEquals(202, post("/api/v1/stop", "{\"request\":\"b\",\"revision\":2}").status());
    assertEquals(1, run.drains.get());
  }

  private Answer resize(String request, String more) {
    return post("/api/v1/resize", "{\"request\":\"%s\",\"revision\":1%s}".formatted(request, more));
  }

  @Test
  void tellsWhomAChangeWaitsForAndWhyItHasFailed() {
    for (String wrong :
        List.of(
            "",
            ",\"stage\":\"work\"",
            ",\"stage\":1,\"replicas\":2",
            ",\"stage\":\"work\",\"replicas\":4294967298")) {
      assertEquals(400, resize("a", wrong).status(), wrong);
    }
    assertEquals(202, resize("a", ",\"stage\":\"work\",\"replicas\":3").status());
    assertEquals(List.of("work 3"), run.asked);
    String going = get("/api/v1/changes/a").body();
    assertTrue(going.contains("\"text\":\"waits for read[0] in process 2\""), going);
    assertTrue(run.resized.completeExceptionally(new IllegalStateException("too late")));
    String failed = get("/api/v1/changes/a").body();
    assertTrue(failed.contains("\"state\":\"failed\",\"text\":\"too late\""), failed);
  }

  @Test
  void guestsJoinAndLeave() {
    String guest =
        "{\"request\":\"%s\",\"revision\":%d,\"reservoir\":\"work\",\"gives\":false,\"program\":\"%s\",\"key\":\"00000000000000ff\"%s}";
    String there = ",\"reach\":\"x|tcp=127.0.0.1:9\",\"process\":0";
    String program = "0123456789abcdef";
    for (String wrong :
        List.of("", ",\"reach\":\"x|tcp\",\"process\":0", ",\"reach\":\"x\",\"process\":1.5")) {
      String body = guest.formatted("a", 1, program, wrong);
      assertEquals(400, post("/api/v1/join", body).status(), wrong);
    }
    String tooShort = guest.formatted("a", 1, "12", there);
    assertEquals(400, post("/api/v1/join", tooShort).status(), tooShort);
    assertEquals(202, post("/api/v1/join", guest.formatted("a", 1, program, there)).status());
    assertEquals(202, post("/api/v1/leave", guest.formatted("b", 2, program, "")).status());
    assertEquals(List.of("join work 0", "leave work 255"), run.asked);
    String processes = get("/api/v1/processes").body();
    assertTrue(processes.contains("\"reach\":\"x|tcp=127.0.0.1:9\""), processes);
  }

  @Test
  void aChangeThatTheEndOfTheRunCutsShortHasFailed() {
    assertEquals(202, resize("a", ",\"stage\":\"work\",\"replicas\":3").status());
    assertTrue(run.resized.completeExceptionally(new CancellationException("stopped")));
    String failed = get("/api/v1/changes/a").body();
    assertTrue(failed.contains("\"state\":\"failed\""), failed);
  }

  @Test
  void refusesAChangeThatIsBasedOnAnOldRevision() {
    long seen = changes.revision();
    changes.attempt(2);
    assertEquals(409, cancel("a", seen).status());
    assertEquals(0, run.cancels.get());
    assertEquals(202, cancel("a", changes.revision()).status(), "a refused id may be used again");
    assertEquals(409, cancel("b", seen + 1).status());
  }

  @Test
  void letsOneOfManyChangesOfARevisionThrough() throws Exception {
    List<Future<Answer>> answers = new ArrayList<>();
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      for (int i = 0; i < 1_000; i++) {
        String id = "r" + i;
        answers.add(threads.submit(() -> cancel(id, 1)));
      }
    }
    int accepted = 0;
    for (Future<Answer> each : answers) {
      int status = each.get().status();
      assertTrue(status == 202 || status == 409, "status " + status);
      accepted += status == 202 ? 1 : 0;
    }
    assertEquals(1, accepted);
    assertEquals(1, run.cancels.get());
  }

  @Test
  void takesJsonAlone() {
    String body = "{\"request\":\"a\",\"revision\":1}";
    for (String type : new String[] {null, "text/plain", "application/x-www-form-urlencoded"}) {
      assertEquals(415, post("/api/v1/cancel", type, body).status(), type);
    }
    String deep = "[".repeat(10_000);
    for (String wrong :
        List.of(
            "",
            "[]",
            "{}",
            "{\"request\":\"a\"}",
            "{\"request\":\"\",\"revision\":1}",
            "{\"request\":\"%s\",\"revision\":1}".formatted("x".repeat(101)),
            "{\"request\":\"a\",\"revision\":\"1\"}",
            "{\"request\":\"a\",\"revision\":1.5}",
            "{\"request\":\"a\",\"revision\":99999999999999999999}",
            "{\"request\":\"a\",\"revision\":1}{}",
            "{\"request\":\"a\",\"request\":\"b\",\"revision\":1}",
            "{\"a\":" + deep)) {
      assertEquals(400, post("/api/v1/cancel", wrong).status(), wrong);
    }
    String large = " ".repeat(Door.MOST_BODY_BYTES + 1);
    assertEquals(413, post("/api/v1/cancel", large).status());
    assertEquals(405, get("/api/v1/cancel").status());
    assertEquals(405, post("/api/v1/run", "{}").status());
    assertEquals(0, run.cancels.get());
  }

  /// Whatever comes is refused in words, and changes nothing.
  @Property
  void refusesAnyText(@ForAll String body, @ForAll String path) {
    int status = post("/api/v1/cancel", "application/json", body).status();
    assertEquals(400, status);
    assertTrue(get(path).status() >= 200);
    assertTrue(post(path, "application/json", body).status() >= 400);
    assertEquals(0, run.cancels.get());
  }

  @Test
  void writesHostileNamesAsJsonAndMetricsDo() throws IOException {
    run.set(FakeRun.HOSTILE, 0, 1, 1, 0, 0);
    watcher.look();
    assertTrue(get("/api/v1/load").body().contains("\"replicas\":[]"), "one look tells no rates");
    run.elapsedNanos = 1_000_000_000;
    watcher.look();
    Map<String, @Nullable Object> load = Json.object(get("/api/v1/load").body());
    assertEquals(
        FakeRun.HOSTILE, ((Map<?, ?>) ((List<?>) load.get("replicas")).getFirst()).get("stage"));
    String metrics = get("/metrics").body();
    for (String line : metrics.split("\n", -1)) {
      assertTrue(line.isEmpty() || line.startsWith("#") || line.startsWith("tigris_"), metrics);
    }
    assertTrue(metrics.contains("tigris_module_calls_total{"), metrics);
    assertTrue(metrics.endsWith("# EOF\n"), metrics);
    assertFalse(get("/api/v1/load").body().contains("\u001b"));
    assertTrue(metrics.contains("replica=\"0\",stage=\"wo\u001b[2Jrk\\\"\\n\"} 1.0\n"), metrics);
  }

  @Test
  void tellsOfEdgesAndOfTheirReceiversIfAsked() {
    run.set("work", 0, 1, 1, 0, 0);
    for (long second = 1; second < 3; second++) {
      run.elapsedNanos = second * 1_000_000_000L;
      run.edges.clear();
      run.edges.add(
          new RunProgress.Edge(
              7,
              second,
              new FlowLoad.Edge(
                  FakeRun.HOSTILE,
                  "read",
                  "work",
                  2,
                  second * 500_000_000L,
                  List.of(
                      new FlowLoad.Receiver(
                          0, 2, second * 10, second * 80, 0, second * 8, second * 16, 0)))));
      watcher.look();
    }
    String load = get("/api/v1/load").body();
    assertTrue(load.contains("\"waitsForCredit\":0.25,\"fill\":0.5}"), load);
    assertFalse(load.contains("\u001b"), load);
    String more = get("/api/v1/load", "receivers=true").body();
    assertTrue(more.contains("\"receivers\":[{\"replica\":0,\"process\":0,"), more);
    assertEquals(400, get("/api/v1/load", "receivers=maybe").status());
    String metrics = get("/metrics").body();
    assertTrue(
        metrics.contains(
            "# TYPE tigris_edge_data_bytes counter\n# UNIT tigris_edge_data_bytes bytes\n"),
        metrics);
    assertTrue(
        metrics.contains("reservoir=\"wo\u001b[2Jrk\\\"\\n\",to=\"work\"} 160.0\n"), metrics);
  }

  @Test
  void describesEachOfItsPaths() {
    String description = get("/api/openapi.json").body();
    for (String path : List.of("run", "graph", "load", "processes", "events", "history")) {
      assertEquals(200, get("/api/v1/" + path).status(), path);
      assertTrue(description.contains("\"/api/v1/" + path + "\""), path);
    }
    assertTrue(description.contains("\"/api/v1/cancel\""));
    assertTrue(description.contains("\"/api/v1/stop\""));
    assertTrue(description.contains("\"/api/v1/resize\""));
    assertTrue(description.contains("\"/api/v1/tap\""));
  }

  @Test
  void keepsTheLastEventsAndTellsThoseBehindANumber() {
    for (int i = 0; i < Events.MOST + 10; i++) {
      events.add("test", "event " + i);
    }
    assertEquals(Events.MOST, events.after(0).size());
    Call call =
        new Call(
            "GET",
            "/api/v1/events",
            "after=" + (Events.MOST + 9),
            HOST,
            null,
            "Bearer " + TOKEN,
            null,
            "");
    assertTrue(api.answer(call).body().contains("\"text\":\"event 1009\""));
    Call wrong = new Call("GET", "/api/v1/events", "x=1", HOST, null, "Bearer " + TOKEN, null, "");
    assertEquals(400, api.answer(wrong).status());
  }
}
