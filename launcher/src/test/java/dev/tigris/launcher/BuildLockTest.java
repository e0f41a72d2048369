package dev.tigris.launcher;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tigris.testing.Wait;
import dev.tigris.testing.process.Child;
import dev.tigris.testing.process.Command;
import dev.tigris.testing.process.Jvm;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Launchers that build at one time, and launchers that signals end.
@Timeout(60)
class BuildLockTest {
  @TempDir Path folder;
  private FakeCheckout checkout;
  private final List<ProcessHandle> mavens = new ArrayList<>();

  @BeforeEach
  void makeACheckoutWhoseMavenWaits() throws Exception {
    checkout = new FakeCheckout(folder);
    for (String name : List.of("started", "go")) {
      Command.of("mkfifo", folder.resolve(name).toString()).output();
    }
    // A Maven that says when it runs, and goes on when the test says so.
    Files.writeString(
        folder.resolve("wait"),
        """
        echo $$ > '%1$s/started'
        read -r word < '%1$s/go'
        """
            .formatted(folder));
    checkout.environment.put("MAVEN_WORK", folder.resolve("wait").toString());
  }

  /// They outlive a launcher that is killed.
  @AfterEach
  void endTheMavens() {
    mavens.forEach(ProcessHandle::destroyForcibly);
  }

  @Test
  void onlyOneOfTwoBuilds() throws Exception {
    Child first = prepare();
    awaitMaven();
    Child second =
        prepare()
            .expectLine(
                "tigris: waiting for process %d, which builds or tests".formatted(first.pid()));
    Files.writeString(folder.resolve("go"), "go\n");
    first.outcome().expect(0);
    second.outcome().expect(0);
    assertEquals(1, checkout.calls().stream().filter(call -> call.startsWith("mvn")).count());
  }

  @Test
  void takesTheLockOfAProcessThatWasKilledAndEndsItsMaven() throws Exception {
    Child killed = prepare();
    ProcessHandle maven = awaitMaven();
    killed.kill();
    assertTrue(maven.isAlive(), "no signal was for it");
    checkout.environment.remove("MAVEN_WORK");
    prepare()
        .expectLine(
            "tigris: ending process %d, the Maven of a tigris that was killed"
                .formatted(maven.pid()))
        .outcome()
        .expect(0);
    assertFalse(maven.isAlive());
  }

  /// A process that happens to have its number, since it started at another time.
  @Test
  void endsNoProcessThatIsNotTheMavenOfAKilledOne() throws Exception {
    Child other = Command.of("cat").start();
    checkout.environment.remove("MAVEN_WORK");
    Path lock = Files.createDirectories(checkout.root.resolve("build")).resolve("launcher.lock");
    for (String left : List.of("999 " + other.pid() + " 5", "999 " + other.pid(), "999 x y", "")) {
      Files.writeString(lock, left);
      assertEquals(0, checkout.launcher("prepare", "cli").exitCode(), left);
      assertTrue(other.isAlive(), left);
    }
  }

  @Test
  void endsNoMavenOfTheCheckoutThatItIsACopyOf() throws Exception {
    Child killed = prepare();
    ProcessHandle maven = awaitMaven();
    killed.kill();
    String left = Files.readString(checkout.root.resolve("build/launcher.lock"));
    var copy = new FakeCheckout(Files.createDirectory(folder.resolve("copy")));
    Path build = Files.createDirectories(copy.root.resolve("build"));
    Files.writeString(build.resolve("launcher.lock"), left);
    assertEquals(0, copy.launcher("prepare", "cli").exitCode());
    assertTrue(maven.isAlive(), "it builds the other checkout");
  }

  @Test
  void endsItsMavenWhenASignalEndsIt() throws Exception {
    Child stopped = prepare();
    ProcessHandle maven = awaitMaven();
    stopped.terminate();
    assertEquals(143, stopped.exitCode());
    assertFalse(maven.isAlive());
    assertFalse(new Checkout(checkout.root).isBuilt("cli"));
  }

  @Test
  void saysWhyItCannotLock() throws Exception {
    Path lock = Files.createDirectories(checkout.root.resolve("build/launcher.lock"));
    FakeCheckout.Result result = checkout.launcher("prepare", "cli");
    assertEquals(126, result.exitCode());
    assertTrue(result.err().contains("cannot lock " + lock), result.err());
    assertNotEquals(List.of("train"), checkout.calls());
  }

  /// Starts the launcher in a JVM of its own.
  private Child prepare() {
    Command launcher =
        Jvm.onClassPath(Main.class.getName(), Jvm.location(Main.class))
            .quick()
            .options(
                "-Dtigris.home=" + checkout.root,
                "-Dtigris.jdk=" + folder.resolve("jdk"),
                "-Dtigris.jdk.version=25.0.1")
            .command("prepare", "cli");
    return checkout.isolated(launcher).start();
  }

  private ProcessHandle awaitMaven() throws IOException {
    long pid = Long.parseLong(Files.readString(folder.resolve("started")).strip());
    Path lock = checkout.root.resolve("build/launcher.lock");
    Wait.until(
        "the launcher names its Maven", () -> Files.readString(lock).contains(" " + pid + " "));
    ProcessHandle maven = ProcessHandle.of(pid).orElseThrow();
    mavens.add(maven);
    return maven;
  }
}
