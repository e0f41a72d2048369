package dev.tigris.bench;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/// A JVM of its own for what can only be seen from outside of one.
final class Jvm {
  private Jvm() {}

  /// Starts a program with the classes of this one; all that it says is its output.
  static Process start(List<String> flags, Class<?> program, String... arguments)
      throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(flags);
    command.addAll(List.of("-cp", System.getProperty("java.class.path"), program.getName()));
    command.addAll(List.of(arguments));
    return new ProcessBuilder(command).redirectErrorStream(true).start();
  }
}
