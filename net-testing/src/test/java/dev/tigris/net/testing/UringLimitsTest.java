package dev.tigris.net.testing;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeFalse;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.tigris.net.CompletionQueue;
import dev.tigris.net.Fabric;
import dev.tigris.net.NetException;
import dev.tigris.net.uring.UringProvider;
import dev.tigris.testing.EveryTier;
import dev.tigris.testing.Tier;
import dev.tigris.testing.host.Needs;
import dev.tigris.testing.process.Command;
import dev.tigris.testing.process.Jvm;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

/// io_uring in a process that may lock little memory, as most users' may.
@EnabledOnOs(OS.LINUX)
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class UringLimitsTest {
  /// Enough for two or three rings.
  private static final String LIMIT = "ulimit -l 400";

  private static final String NOT_COUNTED = "the kernel does not count rings as locked memory";

  /// Opens queues one after the other, and then as many as there is room for; all of it again and
  /// again.
  static final class Queues {
    private Queues() {}

    public static void main(String[] arguments) {
      String said = "";
      int times = Integer.parseInt(arguments[0]);
      for (int i = 0; i < times; i++) {
        try (Fabric fabric = Fabric.open("uring")) {
          said = fill(fabric);
        }
      }
      System.out.println(said);
    }

    private static String fill(Fabric fabric) {
      List<CompletionQueue> open = new ArrayList<>();
      for (int i = 0; i < 5; i++) {
        fabric.completionQueue().close();
      }
      try {
        while (open.size() < 20) {
          open.add(fabric.completionQueue());
        }
        return NOT_COUNTED;
      } catch (NetException full) {
        return "no more: " + full.getMessage();
      } finally {
        open.forEach(CompletionQueue::close);
      }
    }
  }

  /// Looks whether there can be a queue, again and again.
  static final class Looks {
    private Looks() {}

    public static void main(String[] arguments) {
      long start = System.nanoTime();
      String obstacle = NOT_COUNTED;
      for (int i = 0; i < 40; i++) {
        obstacle = new UringProvider().obstacle().orElse(NOT_COUNTED);
      }
      boolean waited = System.nanoTime() - start > TimeUnit.SECONDS.toNanos(10);
      System.out.println(obstacle + (waited ? " (found out slowly)" : " (found out at once)"));
    }
  }

  /// Opens queues in a process that has memory outside the heap for few of them.
  static final class Narrow {
    private Narrow() {}

    public static void main(String[] arguments) throws IOException {
      Fabric fabric = Fabric.open("uring");
      int refused = 0;
      OpenFiles before = null;
      for (int i = 0; i < 10; i++) {
        try {
          CompletionQueue _ = fabric.completionQueue(); // which is not closed
        } catch (OutOfMemoryError e) {
          refused++;
          before = before == null ? OpenFiles.now() : before;
        }
      }
      System.out.println(refused > 2 ? "refused, " + before.opened() : "all of them");
    }
  }

  /// Runs a program that has such a limit, and returns what it says.
  private static String run(String limit, Class<?> program, String... arguments) {
    assumeTrue(UringTest.isAllowed(), "io_uring is not allowed here");
    List<String> prefix = List.of();
    if (System.getProperty("user.name").equals("root")) { // whom the limit does not concern
      prefix = List.of("setpriv", "--inh-caps=-ipc_lock", "--bounding-set=-ipc_lock");
    }
    Command trial = Command.of("true").behind(prefix).after(limit);
    Needs.command("no such limit can be set here", trial);
    String said =
        Jvm.of(program).quick().command(arguments).behind(prefix).after(limit).output().strip();
    assumeFalse(said.startsWith(NOT_COUNTED), NOT_COUNTED);
    return said;
  }

  @Test
  @EveryTier("times that queues are opened: 3, 10, 100")
  void opensAQueueAfterAnotherAndSaysWhichLimitItHasMet() throws Exception {
    String said = run(LIMIT, Queues.class, String.valueOf(Tier.choose(3, 10, 100)));
    assertTrue(said.startsWith("no more: ") && said.contains("ulimit -l"), said);
  }

  /// To look is not to wait for memory that may be given back.
  @Test
  void findsOutAtOnceThatTheLimitIsTooLowForAnyQueue() throws Exception {
    String said = run("ulimit -l 16", Looks.class);
    assertTrue(said.contains("ulimit -l") && said.endsWith("(found out at once)"), said);
  }

  @Test
  void leavesNothingOpenWhereThereIsNoMemoryForBuffers() throws Exception {
    assumeTrue(UringTest.isAllowed(), "io_uring is not allowed here");
    assertEquals(
        "refused, []",
        Jvm.of(Narrow.class)
            .quick()
            .options("-XX:MaxDirectMemorySize=4m")
            .command()
            .output()
            .strip());
  }
}
