package dev.tigris.steering;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tigris.cluster.run.Cluster;
import dev.tigris.cluster.run.ClusterRun;
import dev.tigris.cluster.run.GraphProgram;
import dev.tigris.cluster.run.RunException;
import dev.tigris.flow.Module;
import dev.tigris.flow.ModuleContext;
import dev.tigris.flow.Results;
import dev.tigris.flow.Source;
import dev.tigris.flow.Stream;
import dev.tigris.flow.Water;
import dev.tigris.testing.Wait;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CancellationException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// A client grows a graph from nothing, and starts it.
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class GraphApiTest {
  private static final String SUM = "sum";

  @TempDir private Path runs;

  private int requests;

  /// Puts the numbers from 1 to the one in its arguments, such as `{"count":100}`.
  public static final class Count implements Source {
    private final long last;
    private long next = 1;

    public Count(String arguments) throws IOException {
      last = assertInstanceOf(Long.class, Json.object(arguments).get("count"));
    }

    @Override
    public boolean produce(Stream out) {
      Water water = out.spring().createWater(Long.BYTES);
      water.bytes().setLong(0, next);
      out.put(water);
      return next++ < last;
    }
  }

  /// Adds them up.
  public static final class Sum implements Module {
    private @Nullable ModuleContext context;
    private long sum;

    public Sum() {}

    @Override
    public void init(ModuleContext given) {
      context = given;
    }

    @Override
    public void process(Water in, Stream out) {
      sum += in.bytes().getLong(0);
    }

    @Override
    public void finish(Stream out) {
      context.results().add(SUM, sum);
    }
  }

  private RunClient.Reply change(RunClient client, String path, Map<String, ?> more)
      throws IOException {
    Object revision = client.get("/api/v1/run").members().get("revision");
    Map<String, Object> body = new LinkedHashMap<>(more);
    requests++;
    body.put("request", "r" + requests);
    body.put("revision", assertInstanceOf(Long.class, revision));
    return client.post("/api/v1/" + path, body);
  }

  private void accepted(RunClient client, String path, Map<String, ?> more) throws IOException {
    RunClient.Reply reply = change(client, path, more);
    assertEquals(202, reply.status(), reply.members()::toString);
  }

  private void refused(RunClient client, String why, String path, Map<String, ?> more)
      throws IOException {
    RunClient.Reply reply = change(client, path, more);
    assertEquals(409, reply.status(), reply.members()::toString);
    assertTrue(reply.error().contains(why), reply::error);
  }

  private void module(RunClient client, String name, Class<?> module) throws IOException {
    accepted(client, "modules", Map.of("name", name, "class", module.getName(), "replicas", 2L));
  }

  private void join(RunClient client, String stream, String from, String to) throws IOException {
    accepted(client, "streams", Map.of("name", stream));
    accepted(client, "attach", Map.of("stream", stream, "module", from, "as", "output"));
    accepted(client, "attach", Map.of("stream", stream, "module", to, "as", "input"));
  }

  private ClusterRun starts(GraphProgram.Graph graph) throws RunException {
    return Cluster.threads().withRuns(runs).withFolder().start(GraphProgram.class, graph.words());
  }

  private String outcome(RunClient client) throws IOException {
    String path = "/api/v1/changes/r" + requests;
    Wait.until("the start has come to an end", () -> !state(client, path).equals("going"));
    return state(client, path) + " " + client.get(path).members().get("text");
  }

  private static String state(RunClient client, String path) {
    try {
      return String.valueOf(client.get(path).members().get("state"));
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  void aGraphIsGrownFromNothingAndStarted() throws Exception {
    Path folder = Files.createDirectory(runs.resolve("draft"));
    try (ControlServer.Growing growing = ControlServer.grow(folder, this::starts)) {
      RunClient client = RunClient.of(folder);
      assertEquals("growing", client.get("/api/v1/run").members().get("phase"));
      accepted(
          client,
          "modules",
          Map.of(
              "name",
              "count",
              "class",
              Count.class.getName(),
              "arguments",
              Map.of("count", 1000L)));
      module(client, "add", Sum.class);
      join(client, "numbers", "count", "add");
      refused(client, "not sealed", "start", Map.of());
      accepted(client, "seal", Map.of());
      refused(client, "is sealed", "streams", Map.of("name", "late"));
      accepted(client, "start", Map.of());
      ClusterRun run = growing.await();
      Results results = run.await();
      assertEquals(500_500, results.number(SUM));
      assertEquals("done ", outcome(client), "the run's API knows the ids of before");
      assertEquals(
          GraphProgram.class.getName(), client.get("/api/v1/run").members().get("program"));
    }
    assertFalse(Files.exists(folder.resolve("api")));
  }

  @Test
  void whatCannotRunIsRefusedAsSoonAsItCanBeSeen() throws Exception {
    Path folder = Files.createDirectory(runs.resolve("draft"));
    try (ControlServer.Growing growing = ControlServer.grow(folder, this::starts)) {
      RunClient client = RunClient.of(folder);
      refused(client, "no module", "seal", Map.of());
      for (String each : new String[] {"a", "b", "c"}) {
        module(client, each, Sum.class);
      }
      refused(client, "already", "modules", Map.of("name", "a", "class", "x"));
      refused(client, "replicas", "modules", Map.of("name", "x", "class", "x", "replicas", 0L));
      refused(client, "no policy", "streams", Map.of("name", "x", "policy", "x"));
      refused(client, "window", "streams", Map.of("name", "x", "window", 0L));
      join(client, "ab", "a", "b");
      join(client, "bc", "b", "c");
      accepted(client, "streams", Map.of("name", "back"));
      accepted(client, "attach", Map.of("stream", "back", "module", "c", "as", "output"));
      refused(
          client,
          "cycle: [a, b, c]",
          "attach",
          Map.of("stream", "back", "module", "a", "as", "input"));
      refused(client, "[c]", "attach", Map.of("stream", "back", "module", "c", "as", "input"));
      refused(
          client,
          "of 'c' already",
          "attach",
          Map.of("stream", "back", "module", "b", "as", "output"));
      refused(client, "no stream", "attach", Map.of("stream", "x", "module", "a", "as", "input"));
      refused(
          client, "no module", "attach", Map.of("stream", "back", "module", "x", "as", "input"));
      refused(client, "input of no module", "seal", Map.of());
      module(client, "d", String.class);
      accepted(client, "attach", Map.of("stream", "back", "module", "d", "as", "input"));
      accepted(client, "seal", Map.of());
      accepted(client, "start", Map.of());
      String failed = outcome(client);
      assertTrue(failed.startsWith("failed ") && failed.contains("java.lang.String"), failed);
      assertEquals(400, change(client, "attach", Map.of("stream", "back")).status());
      accepted(client, "cancel", Map.of());
      assertThrows(CancellationException.class, growing::await);
    }
  }
}
