package dev.tigris.launcher;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import dev.tigris.launcher.FakeCheckout.Result;
import dev.tigris.testing.host.Needs;
import dev.tigris.testing.process.Command;
import dev.tigris.testing.process.Signal;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// The script as the first process of a container, which no signal kills that it does not handle.
class FirstProcessTest {
  @TempDir Path folder;
  private FakeCheckout checkout;

  @BeforeEach
  void makeACheckout() throws IOException {
    checkout = new FakeCheckout(folder);
  }

  /// Where no signal kills it that it sends to itself.
  @Test
  void diesOfASignalAsTheFirstProcessOfAContainerToo() throws Exception {
    needsContainers();
    checkout.environment.put("PATH", checkout.bin + ":/usr/bin:/bin");
    checkout.tigris("gen");
    FakeCheckout.executable(
        folder.resolve("jdk/bin/java"),
        FakeCheckout.JAVA.replace(
            "*) p", "*) read -r word; echo \"$word\"; kill -ABRT $$; exit 1; p"));
    String run = "echo word | unshare --pid --fork \"$0\" gen";
    Result result =
        checkout.run(folder, "/bin/sh", "-c", run, checkout.root.resolve("tigris").toString());
    assertEquals(134, result.exitCode(), result.err());
    assertTrue(result.out().startsWith("word\n"), "it reads what the launcher would");
  }

  @ParameterizedTest
  @CsvSource({"HUP, 129", "INT, 130", "TERM, 143"})
  void passesSignalsOnAsTheFirstProcessOfAContainer(String signal, int code) throws Exception {
    needsContainers();
    assumeFalse(Signal.valueOf(signal).isIgnored(), "skipped: a shell cannot trap what it ignores");
    checkout.environment.put("PATH", checkout.bin + ":/usr/bin:/bin");
    checkout.tigris("gen");
    // As Java does, it goes on for a moment; or longer, if it is not told.
    String told = "kill -" + signal + " 1; sleep 9 & wait; ";
    String handled =
        "trap 'exit 129' HUP; trap 'echo INT; exit 130' INT; trap 'exit 143' TERM; " + told;
    FakeCheckout.executable(
        folder.resolve("jdk/bin/java"), FakeCheckout.JAVA.replace("*) p", "*) " + handled + "p"));
    Result result =
        checkout.run(
            folder,
            "unshare",
            "--pid",
            "--fork",
            checkout.root.resolve("tigris").toString(),
            "gen");
    assertEquals(code, result.exitCode(), result.err());
    // Java says in its JSON which signal it got, and with SIGTERM in its place would say 143.
    boolean canHearIt = Command.of("env", "--default-signal=INT", "true").succeeds();
    assertEquals(signal.equals("INT") && canHearIt ? "INT\n" : "", result.out());
  }

  private static void needsContainers() {
    Needs.command(
        "needs unshare, and the right to use it", Command.of("unshare", "--pid", "--fork", "true"));
  }
}
