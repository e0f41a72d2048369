package dev.tigris.memory;

import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/// Runs the main class of a test in a JVM of its own.
final class Forked {
  private Forked() {}

  /// Starts a JVM; its errors go where its output goes.
  static Process java(Class<?> main, List<String> options, String... arguments) throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.add("--enable-native-access=ALL-UNNAMED");
    command.addAll(options);
    command.add("-cp");
    command.add(
        String.join(
            File.pathSeparator,
            System.getProperty("surefire.real.class.path", System.getProperty("java.class.path")),
            location(Jbuf.class),
            location(main)));
    command.add(main.getName());
    command.addAll(List.of(arguments));
    return new ProcessBuilder(command).redirectErrorStream(true).start();
  }

  private static String location(Class<?> type) {
    return type.getProtectionDomain().getCodeSource().getLocation().getPath();
  }
}
