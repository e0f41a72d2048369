package dev.tigris.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.tigris.cli.Shell.Result;
import dev.tigris.cli.net.Server;
import dev.tigris.net.Attributes;
import dev.tigris.net.CompletionQueue;
import dev.tigris.net.Connection;
import dev.tigris.net.Fabric;
import dev.tigris.net.Listener;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.PipedInputStream;
import java.io.PipedOutputStream;
import java.io.PrintStream;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class NetCommandTest {
  @TempDir private Path folder;

  private Result run(String line) {
    return new Shell(folder).run(line);
  }

  private JsonNode json(String line) throws Exception {
    Result result = run(line);
    assertEquals(ExitCode.OK, result.code(), result.err() + result.out());
    JsonNode facts = new ObjectMapper().readTree(result.out());
    assertEquals("ok", facts.get("status").asText());
    return facts;
  }

  @Test
  void saysWhichProvidersCanBeUsed() throws Exception {
    Result people = run("net info");
    assertEquals(ExitCode.OK, people.code());
    assertTrue(
        people.out().contains("providers to reach 127.0.0.1, in the order of preference:"),
        people.out());
    assertEquals(1, people.out().split("the best", -1).length - 1, people.out());

    JsonNode facts = json("net info --json 192.0.2.1:7000");
    assertEquals("192.0.2.1", facts.get("host").asText());
    Result nowhere = run("net info elsewhere.invalid:7000");
    assertEquals(ExitCode.FAILED, nowhere.code(), nowhere.err());
    assertTrue(nowhere.err().contains("elsewhere.invalid"), nowhere.err());
    assertEquals("::1", json("net info --json ::1").get("host").asText());
    assertEquals("::1", json("net info --json [::1]:7000").get("host").asText());
    assertEquals(ExitCode.USAGE, run("net info :7000").code());
    JsonNode last = facts.get("providers").get(facts.get("providers").size() - 1);
    assertEquals("tcp", last.get("name").asText());
    assertTrue(last.get("usable").asBoolean());
    for (JsonNode provider : facts.get("providers")) {
      assertEquals(provider.get("usable").asBoolean(), !provider.has("obstacle"));
    }
  }

  /// A second provider of a name is reported in the same way.
  @Test
  void namesTheClassesOfProvidersAndThoseThatFailToLoad() throws Exception {
    Path services = folder.resolve("META-INF/services/dev.tigris.net.provider.Provider");
    Files.createDirectories(services.getParent());
    Files.writeString(services, "org.example.Absent");
    Thread thread = Thread.currentThread();
    ClassLoader before = thread.getContextClassLoader();
    try (URLClassLoader added = new URLClassLoader(new URL[] {folder.toUri().toURL()}, before)) {
      thread.setContextClassLoader(added);
      String people = run("net info").out();
      assertTrue(people.contains("dev.tigris.net.tcp.TcpProvider"), people);
      assertTrue(people.contains("org.example.Absent"), people);
      assertTrue(people.contains("cannot be loaded"), people);
      List<String> classes = new ArrayList<>();
      json("net info --json")
          .get("providers")
          .forEach(each -> classes.add(each.get("class").asText()));
      assertTrue(classes.contains("dev.tigris.net.shm.ShmProvider"), classes::toString);
    } finally {
      thread.setContextClassLoader(before);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"0", "64", "8k", "100k"})
  void measuresRoundTripsBetweenTwoThreads(String size) throws Exception {
    JsonNode facts = json("net pingpong --provider tcp --json --count 200 --size " + size);
    assertEquals("tcp", facts.get("provider").asText());
    assertEquals(Quantity.BYTES.convert(size), facts.get("messageBytes").asLong());
    assertEquals(200, facts.get("messages").asInt());
    long minimum = facts.get("minimumNanos").asLong();
    long median = facts.get("p50Nanos").asLong();
    long maximum = facts.get("maximumNanos").asLong();
    assertTrue(0 < minimum && minimum <= median && median <= maximum, facts.toString());
    JsonNode steps = facts.get("histogram");
    assertEquals(200, steps.get(steps.size() - 1).get("count").asInt());
  }

  @ParameterizedTest
  @ValueSource(strings = {"0", "1", "32k", "1m"})
  void measuresWhatGoesOneWay(String size) throws Exception {
    JsonNode facts = json("net bandwidth --provider tcp --json --count 300 --size " + size);
    assertEquals(300, facts.get("messages").asInt());
    double seconds = facts.get("seconds").asDouble();
    assertEquals(300, facts.get("messagesPerSecond").asDouble() * seconds, 1);
    assertEquals(
        300.0 * Quantity.BYTES.convert(size) / 1e9,
        facts.get("gigabytesPerSecond").asDouble() * seconds,
        1e-6);
  }

  @Test
  void measuresToAServerAndLeavesItServingOthers() throws Exception {
    try (Fabric fabric = Fabric.open("tcp");
        Server server = new Server(fabric, "127.0.0.1:0")) {
      Thread serving = Thread.ofPlatform().start(server::run);
      for (int round = 0; round < 3; round++) {
        Result result = run("net pingpong --provider tcp --count 50 " + server.address());
        assertEquals(ExitCode.OK, result.code(), result.err() + result.out());
        assertTrue(result.out().startsWith("50 messages of 64 bytes by tcp to"), result.out());
        assertTrue(result.out().contains(", 99.9 %: "), result.out());
      }
      try (CompletionQueue queue = fabric.completionQueue()) {
        Connection stranger =
            fabric.connect(
                server.address(), 4711, queue, Attributes.DEFAULT, Duration.ofSeconds(20));
        assertTrue(stranger instanceof Connection.Refused, "a tag that names nothing to measure");
      }
      server.stop();
      serving.join();
    }
  }

  @Test
  void tellsProgramsWhereItServes() throws Exception {
    Thread.currentThread().interrupt(); // as Ctrl-C does
    Result result = run("net serve --provider tcp --json");
    assertEquals(ExitCode.INTERRUPTED, result.code(), result.err());
    List<String> lines = result.out().lines().toList();
    JsonNode serving = new ObjectMapper().readTree(lines.getFirst());
    assertEquals("tcp", serving.get("provider").asText());
    assertTrue(serving.get("address").asText().startsWith("127.0.0.1:"));
    assertEquals(130, new ObjectMapper().readTree(lines.get(1)).get("exitCode").asInt());
    assertEquals(2, lines.size());
  }

  /// Serves until its thread is interrupted; what it says goes to a pipe.
  private static int serve(String address, PipedOutputStream said) {
    try (PrintStream out = new PrintStream(said, true, UTF_8)) {
      PrintStream err = new PrintStream(OutputStream.nullOutputStream(), true, UTF_8);
      Tigris tigris = new Tigris(new Console(out, err, 0, "."));
      return tigris.run("net", "serve", "--json", address).number();
    }
  }

  /// Whoever connects from this host takes another provider than who comes from elsewhere.
  @ParameterizedTest
  @ValueSource(strings = {"127.0.0.1:0", "0.0.0.0:0"})
  void servesThisHostAndOthersUnlessAProviderIsNamed(String listens) throws Exception {
    Fabric.Candidate shm = Fabric.candidates("127.0.0.1").getFirst();
    assumeTrue(shm.obstacle().isEmpty(), shm.toString());
    PipedInputStream output = new PipedInputStream(1 << 16);
    PipedOutputStream said = new PipedOutputStream(output);
    FutureTask<Integer> serving = new FutureTask<>(() -> serve(listens, said));
    Thread server = Thread.ofPlatform().start(serving);
    try (BufferedReader lines = new BufferedReader(new InputStreamReader(output, UTF_8))) {
      JsonNode facts = new ObjectMapper().readTree(lines.readLine());
      assertEquals(2, facts.get("providers").size(), facts.toString());
      assertEquals("shm", facts.get("providers").get(1).asText());
      String address = facts.get("address").asText().replace("0.0.0.0", "127.0.0.1");
      for (String provider : List.of("", "--provider tcp ", "--provider shm ")) {
        Result result = run("net pingpong --count 10 " + provider + address);
        assertEquals(ExitCode.OK, result.code(), result.err() + result.out());
      }
      server.interrupt();
      assertEquals(ExitCode.INTERRUPTED.number(), serving.get());
    }
  }

  @Test
  void saysThatNobodyServes() {
    String address;
    try (Fabric fabric = Fabric.open("tcp");
        Listener gone = fabric.listen("127.0.0.1:0")) {
      address = gone.address();
    }
    Result result = run("net pingpong --provider tcp " + address);
    assertEquals(ExitCode.FAILED, result.code());
    assertTrue(result.err().contains(address), result.err());
    assertTrue(result.err().contains("tigris net serve --provider tcp"), result.err());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "net telepathy",
        "net pingpong --provider telepathy",
        "net pingpong --provider tcp not-an-address",
        "net pingpong localhost",
        "net pingpong localhost:99999",
        "net pingpong :7000",
        "net bandwidth []:7000",
        "net serve :0",
        "net info :0",
        "net info localhost:99999",
        "net info localhost:",
        "net pingpong --size 4g",
        "net pingpong --count many",
        "net pingpong --count 0",
        "net bandwidth --size 64.7",
        "net pingpong --count 9223372036854775807",
        "net bandwidth --count 9223372036854775807 --size 0",
        "net"
      })
  void refusesACommandLineThatMakesNoSense(String line) {
    Result result = run(line);
    assertEquals(ExitCode.USAGE, result.code(), result.err());
    assertTrue(!result.err().contains("Exception"), result.err());
  }
}
