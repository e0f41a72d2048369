package dev.tigris.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.tigris.testing.process.Jvm;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// A bench that was asked to end before it had begun.
@Timeout(60)
class LateStopTest {
  /// Begins when its JVM is ending.
  static final class Program {
    public static void main(String[] args) {
      Runtime.getRuntime()
          .addShutdownHook(
              new Thread(
                  () -> System.out.println(new Stop().stoppable(Program::work)), "tigris-late"));
    }

    private static int work() {
      System.out.println("begun");
      return 0;
    }
  }

  @Test
  void doesNothing() {
    assertEquals(Outcome.FAILED.code + "\n", Jvm.of(Program.class).quick().command().output());
  }
}
