package dev.tigris.launcher;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

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
  private final List<Process> started = new ArrayList<>();

  @BeforeEach
  void makeACheckoutWhoseMavenWaits() throws Exception {
    checkout = new FakeCheckout(folder);
    for (String name : List.of("started", "go")) {
      new ProcessBuilder("mkfifo", folder.resolve(name).toString()).start().waitFor();
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

  @AfterEach
  void endWhatRuns() {
    started.forEach(process -> process.descendants().forEach(ProcessHandle::destroyForcibly));
    started.forEach(Process::destroyForcibly);
  }

  @Test
  void onlyOneOfTwoBuilds() throws Exception {
    Process first = prepare("first");
    awaitMaven();
    Process second = prepare("second");
    Path err = folder.resolve("second");
    while (second.isAlive() && !Files.readString(err).contains("waiting")) {
      Thread.onSpinWait();
    }
    assertEquals(
        "tigris: waiting for process %d, which builds or tests\n".formatted(first.pid()),
        Files.readString(err));
    Files.writeString(folder.resolve("go"), "go\n");
    assertEquals(0, first.waitFor(), () -> read("first"));
    assertEquals(0, second.waitFor(), () -> read("second"));
    assertEquals(1, checkout.calls().stream().filter(call -> call.startsWith("mvn")).count());
  }

  @Test
  void takesTheLockOfAProcessThatWasKilledAndEndsItsMaven() throws Exception {
    Process killed = prepare("first");
    ProcessHandle maven = awaitMaven();
    killed.destroyForcibly().waitFor();
    assertTrue(maven.isAlive(), "no signal was for it");
    checkout.environment.remove("MAVEN_WORK");
    assertEquals(0, prepare("second").waitFor(), () -> read("second"));
    assertFalse(maven.isAlive());
    assertTrue(
        read("second").startsWith("tigris: ending process " + maven.pid() + ", the Maven of"),
        () -> read("second"));
  }

  /// A process that happens to have its number, since it started at another time.
  @Test
  void endsNoProcessThatIsNotTheMavenOfAKilledOne() throws Exception {
    Process other = new ProcessBuilder("cat").start();
    started.add(other);
    checkout.environment.remove("MAVEN_WORK");
    Path lock = Files.createDirectories(checkout.root.resolve("build")).resolve("launcher.lock");
    for (String left : List.of("999 " + other.pid() + " 5", "999 " + other.pid(), "999 x y", "")) {
      Files.writeString(lock, left);
      assertEquals(0, checkout.launcher("prepare", "cli").exitCode(), left);
      assertTrue(other.isAlive(), left);
    }
  }

  @Test
  void endsItsMavenWhenASignalEndsIt() throws Exception {
    Process stopped = prepare("first");
    ProcessHandle maven = awaitMaven();
    stopped.destroy();
    assertEquals(143, stopped.waitFor());
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

  /// Starts the launcher in a JVM of its own. Its messages go to a file.
  private Process prepare(String err) throws IOException {
    var builder =
        new ProcessBuilder(
            System.getProperty("java.home") + "/bin/java",
            "-XX:TieredStopAtLevel=1",
            "-cp",
            Path.of("target/classes").toAbsolutePath().toString(),
            "-Dtigris.home=" + checkout.root,
            "-Dtigris.jdk=" + folder.resolve("jdk"),
            "-Dtigris.jdk.version=25.0.1",
            Main.class.getName(),
            "prepare",
            "cli");
    builder.environment().clear();
    builder.environment().putAll(checkout.environment);
    Process process = builder.redirectError(folder.resolve(err).toFile()).start();
    started.add(process);
    return process;
  }

  private ProcessHandle awaitMaven() throws IOException {
    long pid = Long.parseLong(Files.readString(folder.resolve("started")).strip());
    Path lock = checkout.root.resolve("build/launcher.lock");
    while (!Files.readString(lock).contains(" " + pid + " ")) {
      Thread.onSpinWait(); // the launcher is about to write the name of its Maven
    }
    return ProcessHandle.of(pid).orElseThrow();
  }

  private String read(String err) {
    try {
      return Files.readString(folder.resolve(err));
    } catch (IOException e) {
      return e.toString();
    }
  }
}
