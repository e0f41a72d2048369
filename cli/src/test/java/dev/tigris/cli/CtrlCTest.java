package dev.tigris.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.tigris.testing.process.Jvm;
import org.junit.jupiter.api.Test;

class CtrlCTest {
  @Test
  void beginsNothingWhenTheProcessIsEndingAlready() {
    String said = Jvm.of(BeginsLate.class).quick().command().output();
    assertEquals("INTERRUPTED", said.strip());
  }

  /// A process that is asked to end before its work has begun.
  static final class BeginsLate {
    private BeginsLate() {}

    private static ExitCode work() {
      System.out.println("it works");
      return ExitCode.OK;
    }

    public static void main(String[] arguments) {
      Runtime.getRuntime()
          .addShutdownHook(new Thread(() -> System.out.println(CtrlC.stoppable(BeginsLate::work))));
    }
  }
}
