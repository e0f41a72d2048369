package dev.tigris.launcher;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tigris.launcher.FakeCheckout.Result;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Builds and trains a small checkout with a Maven and a JDK that only write down their calls.
class BuilderTest {
  @TempDir Path folder;
  private FakeCheckout checkout;

  @BeforeEach
  void makeACheckout() throws IOException {
    checkout = new FakeCheckout(folder);
  }

  @Test
  void buildsThenTrains() throws Exception {
    Result result = checkout.launcher("prepare", "cli");
    assertEquals(0, result.exitCode(), result.err());
    assertTrue(result.err().startsWith("tigris: building"), result.err());
    List<String> made = checkout.calls();
    assertEquals("mvn -B -ntp -pl cli -am package -Dmaven.test.skip=true -T1C", made.get(0));
    assertEquals("raise " + checkout.root + "/build/jars/cli.new/picocli-1.jar", made.get(1));
    assertEquals(List.of("train"), made.subList(2, made.size()));
    assertTrue(Files.exists(checkout.root.resolve("build/jars/cli/tigris-cli-1.jar")));
    assertTrue(Files.exists(checkout.root.resolve("build/aot/cache")));
    assertEquals(
        "25.0.1 " + checkout.root + "\n",
        Files.readString(checkout.root.resolve("build/aot/trained")));
    assertEquals("", checkout.launcher("prepare", "cli").err());
  }

  /// The cache is of use only to a command with the options that it was trained with.
  @Test
  void trainsWithTheOptionsThatTheScriptGives() throws Exception {
    checkout.launcher("prepare", "cli");
    List<String> training = checkout.calls("train");
    String options = "@" + checkout.root + "/launcher/src/main/jvm/";
    assertTrue(training.contains(options + "command.options"), training.toString());
    assertTrue(training.contains(options + "rare.options"), training.toString());
    assertTrue(training.contains("-XX:CompilationMode=default"), training.toString());
    String script = Files.readString(checkout.root.resolve("launcher/src/main/sh/start.sh"));
    assertTrue(script.contains("\"@$options/command.options\""));
  }

  @Test
  void knowsTheSourcesThatTheScriptKnows() throws Exception {
    checkout.launcher("prepare", "cli", "bench");
    var built = new Checkout(checkout.root);
    FakeCheckout.newer(checkout.root.resolve("bench/pom.xml"));
    assertTrue(built.isBuilt("cli"), "no product module depends on bench");
    assertFalse(built.isBuilt("bench"));
    assertEquals(List.of(), scriptPrepares());
    for (String source : List.of("tigris", "pom.xml", "cli/pom.xml", "cli/src/main/Main.java")) {
      FakeCheckout.newer(checkout.root.resolve(source));
      assertFalse(built.isBuilt("cli"), source);
      assertEquals(List.of("prepare cli"), scriptPrepares(), source);
      Files.setLastModifiedTime(checkout.root.resolve(source), FileTime.fromMillis(0));
    }
  }

  /// The state that the script of the checkout has prepared before it starts the command.
  private List<String> scriptPrepares() throws Exception {
    int before = checkout.calls().size();
    checkout.tigris("help");
    return checkout.calls().subList(before, checkout.calls().size());
  }

  @Test
  void showsWhyABuildFailed() throws Exception {
    checkout.environment.put("BROKEN", "yes");
    Result result = checkout.launcher("prepare", "cli");
    assertEquals(126, result.exitCode());
    assertTrue(result.err().contains("no such luck"), result.err());
    assertTrue(result.err().contains("build/cli.log"), result.err());
    assertFalse(new Checkout(checkout.root).isBuilt("cli"));
  }

  @Test
  void saysWhatCouldNotBeGathered() throws Exception {
    Files.writeString(folder.resolve("work"), "exit 0");
    checkout.environment.put("MAVEN_WORK", folder.resolve("work").toString());
    Result result = checkout.launcher("prepare", "cli");
    assertEquals(126, result.exitCode());
    assertTrue(result.err().contains("could not be gathered"), result.err());
    assertTrue(result.err().contains("tigris-cli-"), result.err());
  }

  @Test
  void keepsTheJarsOfACommandThatRuns() throws Exception {
    checkout.launcher("prepare", "cli");
    Path jar = checkout.root.resolve("build/jars/cli/tigris-cli-1.jar");
    try (InputStream open = Files.newInputStream(jar)) {
      FakeCheckout.newer(checkout.root.resolve("cli/src/main/Main.java"));
      Files.writeString(
          folder.resolve("work"), "mkdir -p cli/target; echo more > cli/target/tigris-cli-1.jar");
      checkout.launcher("prepare", "cli");
      assertEquals("jar\n", new String(open.readAllBytes(), StandardCharsets.UTF_8));
    }
    assertFalse(Files.exists(checkout.root.resolve("build/jars/cli.old")));
  }

  @Test
  void goesOnWithoutACacheAndDoesNotTryAgain() throws Exception {
    checkout.environment.put("NO_CACHE", "1");
    Result result = checkout.launcher("prepare", "cli");
    assertEquals(0, result.exitCode());
    assertTrue(result.err().contains("going on without"), result.err());
    assertEquals("", checkout.launcher("prepare", "cli").err());
    assertFalse(Files.exists(checkout.root.resolve("build/aot/cache")));
  }

  @Test
  void trainsAgainAfterATrainingThatWasStopped() throws Exception {
    checkout.environment.put("NO_CACHE", "143");
    Result result = checkout.launcher("prepare", "cli");
    assertTrue(result.err().contains("the next start trains again"), result.err());
    checkout.environment.remove("NO_CACHE");
    assertEquals(0, checkout.launcher("prepare", "cli").exitCode());
    assertTrue(Files.exists(checkout.root.resolve("build/aot/cache")));
  }

  @Test
  void trainsAnewAfterABuild() throws Exception {
    checkout.launcher("prepare", "cli");
    FakeCheckout.newer(checkout.root.resolve("cli/src/main/Main.java"));
    checkout.launcher("prepare", "cli");
    assertEquals(2, checkout.calls().stream().filter("train"::equals).count());
  }
}
