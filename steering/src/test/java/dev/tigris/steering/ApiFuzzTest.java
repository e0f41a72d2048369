package dev.tigris.steering;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tigris.cluster.run.Cluster;
import dev.tigris.cluster.run.ClusterRun;
import dev.tigris.testing.Slow;
import java.io.IOException;
import java.net.HttpURLConnection;
import java.net.InetAddress;
import java.net.Proxy;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Hostile bodies are refused in words: each is a status of 4xx with a JSON object, never a failure
/// of the server, and what is kept of them is bounded.
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class ApiFuzzTest {
  private static final String TOKEN = "0123456789abcdef";
  private static final String HOST = "127.0.0.1:4711";
  private static final List<String> CHANGES =
      List.of(
          "stop", "cancel", "resize", "tap", "join", "leave", "modules", "streams", "attach",
          "seal", "start");

  /// The members that some change has, each of which may have any value.
  private static final List<String> NAMES =
      List.of(
          "request",
          "revision",
          "stage",
          "replicas",
          "reservoir",
          "gives",
          "program",
          "reach",
          "process",
          "part",
          "parts",
          "address",
          "token",
          "bytes",
          "window",
          "perSecond",
          "blocks",
          "name",
          "class",
          "arguments",
          "policy",
          "stream",
          "module",
          "as");

  private static final List<String> VALUES =
      List.of(
          "1",
          "2",
          "0",
          "-1",
          "1.5",
          "1e400",
          "9223372036854775807",
          "9223372036854775808",
          "true",
          "null",
          "\"\"",
          "\"x\"",
          "\"work\"",
          "\"input\"",
          "\"\\u001b[2J\\u0000\\ud800\"",
          "{}",
          "[]",
          "{\"a\":[1,{\"b\":null}]}",
          "\"" + "y".repeat(30_000) + "\"");

  private final FakeRun run = new FakeRun();
  private final Changes changes = new Changes();
  private final Door door = made();
  private final Events events = new Events("1f", Clock.systemUTC());
  private final RunApi runs = new RunApi(run, door, events, new Watcher(run, events, changes));
  private final GraphApi graphs =
      new GraphApi(
          door,
          graph -> {
            throw new IllegalStateException("nothing is started here");
          });

  private Door made() {
    Door made = new Door(TOKEN, changes);
    made.at(HOST);
    return made;
  }

  private static String body(SplittableRandom random, long revision) {
    StringBuilder text = new StringBuilder("{");
    int members = random.nextInt(2, 10);
    for (int i = 0; i < members; i++) {
      text.append(i == 0 ? "" : ",");
      String name = NAMES.get(i < 2 ? i : random.nextInt(NAMES.size()));
      boolean isRevision = name.equals("revision") && random.nextInt(4) > 0;
      String value =
          isRevision ? String.valueOf(revision) : VALUES.get(random.nextInt(VALUES.size()));
      text.append('"').append(name).append("\":").append(value);
    }
    text.append('}');
    switch (random.nextInt(8)) {
      case 0 -> text.setLength(random.nextInt(text.length()));
      case 1 -> text.insert(random.nextInt(text.length()), (char) random.nextInt(0x10000));
      case 2 -> text.setCharAt(random.nextInt(text.length()), (char) random.nextInt(128));
      default -> {}
    }
    return text.toString();
  }

  private static void requireRefusedOrAccepted(Answer answer, String body) throws IOException {
    assertEquals(Answer.JSON, answer.type(), body);
    Map<String, ?> members = Json.object(answer.body());
    if (answer.status() == Answer.ACCEPTED) {
      assertInstanceOf(String.class, members.get("id"), body);
    } else {
      boolean isExpected = answer.status() / 100 == 4 || answer.status() == Answer.NOT_NOW;
      assertTrue(isExpected, () -> answer.status() + " for " + body);
      assertEquals((long) answer.status(), members.get("status"), body);
      assertInstanceOf(String.class, members.get("error"), body);
    }
  }

  @Property(tries = 20)
  void eachBodyIsAnsweredInWords(@ForAll long seed) throws IOException {
    SplittableRandom random = new SplittableRandom(seed);
    List<Function<Call, Answer>> apis = List.of(runs::answer, graphs::answer);
    for (int i = 0; i < 300; i++) {
      String body = body(random, changes.revision());
      String path = "/api/v1/" + CHANGES.get(random.nextInt(CHANGES.size()));
      Call call =
          new Call("POST", path, "", HOST, null, "Bearer " + TOKEN, "application/json", body);
      requireRefusedOrAccepted(apis.get(random.nextInt(2)).apply(call), path + " " + body);
    }
  }

  @Test
  void whatIsKeptOfLongChangesIsBounded() {
    int accepted = 0;
    String stage = "x".repeat(Door.MOST_BODY_BYTES - 200);
    for (int i = 0; i < 300; i++) {
      String body =
          "{\"request\":\"r%d\",\"revision\":%d,\"stage\":\"%s\",\"replicas\":2}"
              .formatted(i, changes.revision(), stage);
      Call call =
          new Call(
              "POST",
              "/api/v1/resize",
              "",
              HOST,
              null,
              "Bearer " + TOKEN,
              "application/json",
              body);
      accepted += runs.answer(call).status() == Answer.ACCEPTED ? 1 : 0;
    }
    assertTrue(accepted <= Changes.MOST_WORDS / stage.length(), "accepted " + accepted);
    assertTrue(accepted > 100, "accepted " + accepted);
    assertTrue(
        events.after(0).stream().allMatch(each -> each.text().length() < 2 * Events.LONGEST));
  }

  // -- Over HTTP.

  private static int status(URI address, String token, byte[] body) throws IOException {
    HttpURLConnection connection =
        (HttpURLConnection)
            address.resolve("/api/v1/resize").toURL().openConnection(Proxy.NO_PROXY);
    connection.setReadTimeout(60_000);
    connection.setRequestProperty("Authorization", "Bearer " + token);
    connection.setRequestProperty("Content-Type", Answer.JSON);
    connection.setDoOutput(true);
    try {
      connection.getOutputStream().write(body);
      return connection.getResponseCode();
    } catch (IOException e) {
      if (body.length <= Door.MOST_BODY_BYTES) {
        throw e;
      }
      return Answer.TOO_LARGE; // it has closed the connection before it was all sent
    }
  }

  @Test
  void hostileRequestsOverHttpLeaveTheServerAlive(@TempDir Path folder) throws Exception {
    ClusterRun endless =
        Cluster.threads().withRuns(folder).withFolder().start(ControlServerTest.Endless.class);
    try (ControlServer _ = ControlServer.start(endless)) {
      Path own = endless.folder().orElseThrow();
      RunClient client = RunClient.of(own);
      String facts = Files.readString(own.resolve("api"));
      URI address =
          URI.create(facts.replaceAll("(?s).*address=([^\n]*)\n.*", "$1").replace("\\", ""));
      String token = facts.replaceAll("(?s).*token=([^\n]*)\n.*", "$1");
      SplittableRandom random = new SplittableRandom(11);
      for (int i = 0; i < 40; i++) {
        byte[] body =
            i % 4 == 0
                ? new byte[random.nextInt(4 * Door.MOST_BODY_BYTES)]
                : body(random, 1).getBytes(StandardCharsets.UTF_8);
        int status = status(address, token, body);
        assertTrue(status == 202 || status / 100 == 4, "status " + status);
      }
      for (int i = 0; i < 20; i++) { // that are no HTTP
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), address.getPort())) {
          byte[] noise = new byte[random.nextInt(1, 500)];
          random.nextBytes(noise);
          socket.getOutputStream().write(noise);
        }
      }
      assertEquals(200, client.get("/api/v1/run").status());
    } finally {
      endless.cancelAndAwait();
    }
  }

  @Test
  @Slow("a thousand connections")
  void aThousandClientsAreAnswered(@TempDir Path folder) throws Exception {
    ClusterRun endless =
        Cluster.threads().withRuns(folder).withFolder().start(ControlServerTest.Endless.class);
    try (ControlServer _ = ControlServer.start(endless);
        ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      Path own = endless.folder().orElseThrow();
      List<Future<Integer>> all = new ArrayList<>();
      for (int i = 0; i < 1_000; i++) {
        int number = i;
        all.add(
            threads.submit(
                () -> {
                  RunClient client = RunClient.of(own);
                  int status = client.get("/api/v1/load").status();
                  Map<String, Object> body = Map.of("request", "c" + number, "revision", 77L);
                  return status + client.post("/api/v1/stop", body).status();
                }));
      }
      for (Future<Integer> each : all) {
        assertEquals(200 + 409, each.get());
      }
    } finally {
      endless.cancelAndAwait();
    }
  }
}
