package dev.tigris.net;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeFalse;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.charset.StandardCharsets;
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

  /// Opens queues one after the other, and then as many as there is room for.
  static final class Queues {
    private Queues() {}

    public static void main(String[] arguments) {
      List<CompletionQueue> open = new ArrayList<>();
      try (Fabric fabric = Fabric.open("uring")) {
        for (int i = 0; i < 20; i++) {
          fabric.completionQueue().close();
        }
        try {
          while (open.size() < 20) {
            open.add(fabric.completionQueue());
          }
          System.out.println(NOT_COUNTED);
        } catch (NetException full) {
          System.out.println("no more: " + full.getMessage());
        }
        open.forEach(CompletionQueue::close);
      }
    }
  }

  /// Starts a command with that limit.
  private static Process start(List<String> prefix, List<String> command) throws Exception {
    List<String> words = new ArrayList<>(List.of("sh", "-c", LIMIT + " && exec \"$@\"", "sh"));
    words.addAll(prefix);
    words.addAll(command);
    return new ProcessBuilder(words).redirectErrorStream(true).start();
  }

  @Test
  void opensAQueueAfterAnotherAndSaysWhichLimitItHasMet() throws Exception {
    assumeTrue(UringTest.isAllowed(), "io_uring is not allowed here");
    List<String> prefix = List.of();
    if (System.getProperty("user.name").equals("root")) { // whom the limit does not concern
      prefix = List.of("setpriv", "--inh-caps=-ipc_lock", "--bounding-set=-ipc_lock");
    }
    assumeTrue(start(prefix, List.of("true")).waitFor() == 0, "no such limit can be set here");
    Process child = start(prefix, ProcessContract.command(Queues.class));
    String said;
    try {
      said = new String(child.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      assertEquals(0, child.waitFor(), said);
    } finally {
      child.destroyForcibly();
    }
    assumeFalse(said.startsWith(NOT_COUNTED), NOT_COUNTED);
    assertTrue(said.startsWith("no more: ") && said.contains("ulimit -l"), said);
  }
}
