package dev.tigris.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.tigris.net.Fabric;
import dev.tigris.testing.Slow;
import dev.tigris.testing.Wait;
import dev.tigris.testing.process.Child;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// `tigris net serve` in one process, and what measures in another.
class NetProcessTest {
  /// What a server takes of the processor when it has begun to answer, and seldom before.
  private static final Duration ANSWERING = Duration.ofMillis(100);

  private static final Duration LONGEST_ANSWERING = Duration.ofSeconds(4);

  @TempDir Path folder;

  private Child tigris(String name, String... args) throws IOException {
    Path own = Files.createDirectories(folder.resolve(name));
    Redirect out = Redirect.to(own.resolve("out").toFile());
    return OwnProcess.tigris(own, "-Dtigris.test=true", out, args);
  }

  private JsonNode said(String name) throws IOException {
    return new ObjectMapper().readTree(Files.readString(folder.resolve(name).resolve("out")));
  }

  /// Waits until it says where it serves.
  private String addressOf(Child server) throws IOException {
    Path out = folder.resolve("server/out");
    Wait.until(
        "it says where it serves", () -> !server.isAlive() || Files.readString(out).endsWith("\n"));
    return said("server").get("address").asText();
  }

  private static void assumeUsable(String provider) {
    assumeTrue(
        Fabric.candidates("127.0.0.1").stream()
            .anyMatch(each -> each.name().equals(provider) && each.obstacle().isEmpty()),
        provider + " cannot be used here");
  }

  private JsonNode measured(String... args) throws Exception {
    Child client = tigris("client", args);
    assertEquals(0, client.exitCode(), Files.readString(folder.resolve("client/err")));
    return said("client");
  }

  @ParameterizedTest
  @ValueSource(strings = {"shm", "uring", "tcp"})
  void measuresToAnotherProcess(String provider) throws Exception {
    assumeUsable(provider);
    String address = addressOf(tigris("server", "net", "serve", "--provider", provider, "--json"));
    String[] trips = {"net", "pingpong", address, "--provider", provider, "--count", "500"};
    JsonNode facts = measured(with(trips, "--json"));
    assertEquals(provider, facts.get("provider").asText());
    assertEquals(address, facts.get("address").asText());
    JsonNode steps = facts.get("histogram");
    assertEquals(500, steps.get(steps.size() - 1).get("count").asInt());
    for (int i = 1; i < steps.size(); i++) {
      assertTrue(
          steps.get(i - 1).get("nanos").asLong() <= steps.get(i).get("nanos").asLong(),
          steps.toString());
    }
    assertTrue(facts.get("p50Nanos").asLong() <= facts.get("p999Nanos").asLong());
    String[] oneWay = {"net", "bandwidth", address, "--provider", provider, "--size", "8k"};
    facts = measured(with(oneWay, "--count", "2000", "--json"));
    assertEquals(2000, facts.get("messages").asInt());
    assertEquals(8192, facts.get("messageBytes").asInt());
    assertTrue(facts.get("gigabytesPerSecond").asDouble() > 0);
  }

  @ParameterizedTest
  @ValueSource(strings = {"uring", "tcp"})
  @Slow("the quick tier has a server of shm, and the kills of a peer of each provider")
  void saysThatTheServerOverSocketsWasKilled(String provider) throws Exception {
    saysThatTheServerWasKilled(provider);
  }

  @ParameterizedTest
  @ValueSource(strings = "shm")
  void saysThatTheServerWasKilled(String provider) throws Exception {
    assumeUsable(provider);
    String address;
    String why;
    Duration answering = ANSWERING;
    do {
      Child server = tigris("server", "net", "serve", "--provider", provider, "--json");
      address = addressOf(server);
      why = errorOfClient(server, address, provider, answering);
      answering = answering.multipliedBy(2); // it may have been killed before they were connected
    } while (!why.contains("the connection is") && answering.compareTo(LONGEST_ANSWERING) < 0);
    assertTrue(why.contains(address) && why.contains("the connection is"), why);
  }

  /// What a client says whose server is killed when it has taken so much processor time for it.
  private String errorOfClient(Child server, String address, String provider, Duration answering)
      throws Exception {
    Duration idle = processorTime(server);
    String[] trips = {"net", "pingpong", address, "--provider", provider, "--json"};
    Child client = tigris("client", with(trips, "--count", "1000m"));
    Wait.until(
        "it answers",
        () -> !client.isAlive() || processorTime(server).minus(idle).compareTo(answering) >= 0);
    server.kill();
    assertTrue(client.endsWithin(Duration.ofSeconds(10)), "it goes on");
    assertEquals(ExitCode.FAILED.number(), client.exitCode());
    assertEquals("", Files.readString(folder.resolve("client/err")));
    return said("client").get("error").asText();
  }

  private static Duration processorTime(Child process) {
    return process.handle().info().totalCpuDuration().orElse(Duration.ZERO);
  }

  private static String[] with(String[] args, String... more) {
    var all = new ArrayList<>(List.of(args));
    all.addAll(List.of(more));
    return all.toArray(String[]::new);
  }
}
