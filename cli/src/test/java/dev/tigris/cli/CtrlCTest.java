package dev.tigris.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.File;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class CtrlCTest {
  @Test
  void beginsNothingWhenTheProcessIsEndingAlready() throws Exception {
    String path =
        String.join(
            File.pathSeparator,
            Path.of("target", "test-classes").toAbsolutePath().toString(),
            System.getProperty("jdk.module.path", System.getProperty("java.class.path")));
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                path,
                BeginsLate.class.getName())
            .redirectErrorStream(true)
            .start();
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
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
