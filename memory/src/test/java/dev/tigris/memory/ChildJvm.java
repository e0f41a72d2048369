package dev.tigris.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/// Runs a class of the tests in a process of its own, for what a JVM's options decide.
final class ChildJvm {
  private ChildJvm() {}

  /// What the class's `main` printed, on both streams; it must have ended well.
  static String run(Class<?> main, String... options) throws Exception {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.add("--enable-native-access=ALL-UNNAMED");
    command.addAll(List.of(options));
    command.add("-cp");
    command.add("target/classes" + File.pathSeparator + "target/test-classes");
    command.add(main.getName());
    Path output = Files.createTempFile("child", ".out");
    try {
      int exit =
          new ProcessBuilder(command)
              .redirectErrorStream(true)
              .redirectOutput(output.toFile())
              .start()
              .waitFor();
      String printed = Files.readString(output);
      assertEquals(0, exit, printed);
      return printed;
    } finally {
      Files.delete(output);
    }
  }
}
