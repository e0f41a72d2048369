package dev.tigris.testing.process;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tigris.testing.Wait;
import java.io.UncheckedIOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

class ChildTest {
  @TempDir Path folder;

  /// Repeats what it is told; ends when its input does.
  static final class Echo {
    private Echo() {}

    public static void main(String[] arguments) throws Exception {
      System.out.println("ready " + String.join(" ", arguments));
      for (int next = System.in.read(); next >= 0; next = System.in.read()) {
        System.out.write(next);
        System.out.flush();
      }
      System.err.println("gone");
    }
  }

  @Test
  void talksToAJvmOfItsOwn() {
    try (Child echo = Jvm.of(Echo.class).quick().command("a", "b c").start()) {
      echo.expectLine("ready a b c");
      echo.say("größer");
      assertEquals("größer", echo.nextLine());
      echo.endInput();
      assertEquals("gone", echo.nextLine());
      assertNull(echo.nextLine());
      assertEquals("ready a b c\ngrößer\ngone\n", echo.outcome().orThrow());
    }
  }

  @Test
  void keepsWhatAKilledProcessHadPrinted() {
    try (Child cat = Command.of("cat").start()) {
      cat.say("one");
      cat.expectLine("one");
      cat.say("two");
      Wait.until("both came", () -> cat.printed().equals("one\ntwo\n"));
      cat.kill();
      assertEquals("two", cat.nextLine());
      assertNull(cat.nextLine());
      assertEquals(Signal.KILL.exitCode(), cat.exitCode());
    }
  }

  @Test
  void pausesAProcessAndLetsItGoOn() {
    try (Child cat = Command.of("cat").start()) {
      cat.pause();
      cat.say("word");
      assertFalse(cat.endsWithin(Duration.ofMillis(20)));
      assertEquals("", cat.printed());
      cat.resume();
      cat.expectLine("word");
      cat.terminate();
      assertEquals(Signal.TERM.exitCode(), cat.exitCode());
    }
  }

  @Test
  void aFailureShowsWhatTheProcessPrinted() {
    Command wrong = Command.shell("echo out; echo err >&2; exit 3");
    var failure = assertThrows(AssertionError.class, wrong::output);
    assertTrue(
        failure.getMessage().startsWith("exit code 3 in place of 0: "), failure.getMessage());
    assertTrue(failure.getMessage().contains("out\nerr\n"), failure.getMessage());
    Outcome apart = wrong.errorsApart().run();
    assertEquals("out\n", apart.output());
    assertEquals("err\n", apart.errors());
    Command late = Command.shell("echo so far; cat").patience(Duration.ofMillis(200));
    try (Child child = late.start()) {
      child.expectLine("so far");
      failure = assertThrows(AssertionError.class, child::exitCode);
      assertTrue(failure.getMessage().endsWith("so far\n"), failure.getMessage());
    }
    assertThrows(UncheckedIOException.class, () -> Command.of("/no/such/program").start());
    assertFalse(Command.of("/no/such/program").succeeds());
  }

  @Test
  void runsACommandWhereAndAsItIsTold() throws Exception {
    Path file = folder.resolve("out");
    Command command =
        Command.shell("pwd; echo $WORD $1", "first")
            .in(folder)
            .environment("WORD", "a word")
            .outputTo(Redirect.to(file.toFile()));
    assertEquals("", command.output());
    assertEquals(folder.toRealPath() + "\na word first\n", Files.readString(file));
    assertEquals("7\n", Command.shell("ulimit -n").after("ulimit -n 7").output());
    assertEquals("x y\n", Command.of("echo", "x").with("y").behind("env").output());
  }

  static class Leaves {
    @Test
    void aProcess() {
      Child cat = Command.of("cat").start();
      LEFT[0] = cat.handle();
      assertTrue(cat.isAlive());
    }
  }

  private static final ProcessHandle[] LEFT = new ProcessHandle[1];

  @Test
  void isKilledAtTheEndOfTheTestThatLeftIt() {
    LauncherFactory.create()
        .execute(
            LauncherDiscoveryRequestBuilder.request()
                .selectors(DiscoverySelectors.selectClass(Leaves.class))
                .build());
    assertFalse(LEFT[0].isAlive());
  }

  @Test
  void startsQuicklyWhatWasTrained() throws Exception {
    TrainedJvm jvm = TrainedJvm.train(Brief.class, List.of(), folder, "x");
    assertEquals("brief 1\n", jvm.command("y").output());
  }

  /// Says something, and ends.
  static final class Brief {
    private Brief() {}

    public static void main(String[] arguments) {
      System.out.println("brief " + arguments.length);
    }
  }
}
