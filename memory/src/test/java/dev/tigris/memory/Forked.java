package dev.tigris.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.tigris.os.DiskSpace;
import java.io.File;
import java.io.IOException;
import java.net.URI;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/// Runs the main class of a test in a JVM of its own, for what ends it or what options decide.
final class Forked {
  private Forked() {}

  /// Starts a JVM; its errors go where its output goes.
  static Process java(Class<?> main, List<String> options, String... arguments) throws IOException {
    return java(List.of(), main, options, arguments);
  }

  private static Process java(
      List<String> before, Class<?> main, List<String> options, String... arguments)
      throws IOException {
    List<String> command = new ArrayList<>(before);
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.add("--enable-native-access=ALL-UNNAMED");
    command.addAll(options);
    command.add("-cp");
    command.add(
        String.join(
            File.pathSeparator,
            System.getProperty("surefire.real.class.path", System.getProperty("java.class.path")),
            location(Jbuf.class).toString(),
            location(DiskSpace.class).toString(),
            location(main).toString()));
    command.add(main.getName());
    command.addAll(List.of(arguments));
    return new ProcessBuilder(command).redirectErrorStream(true).start();
  }

  /// What the main class printed, on both streams; it must have ended well.
  static String run(Class<?> main, String... options) throws IOException, InterruptedException {
    return printed(java(main, List.of(options)));
  }

  /// The same under a limit that a command of the shell sets.
  static String limited(String limit, Class<?> main, String... options)
      throws IOException, InterruptedException {
    List<String> shell = List.of("sh", "-c", limit + " && exec \"$@\"", "sh");
    return printed(java(shell, main, List.of(options)));
  }

  private static String printed(Process process) throws IOException, InterruptedException {
    String printed = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertEquals(0, process.waitFor(), printed);
    return printed;
  }

  /// Where a class comes from, a folder or a jar: its location would have %20 for a space.
  static Path location(Class<?> type) {
    URL location = type.getProtectionDomain().getCodeSource().getLocation();
    return Path.of(URI.create(location.toString()));
  }
}
