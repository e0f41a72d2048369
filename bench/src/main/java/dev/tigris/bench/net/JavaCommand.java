package dev.tigris.bench.net;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/// How this JVM's classes are run in another JVM.
final class JavaCommand {
  private JavaCommand() {}

  /// The command, without further arguments.
  static List<String> of(Class<?> main, String... arguments) {
    List<String> words = new ArrayList<>();
    words.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    words.add("--enable-native-access=ALL-UNNAMED");
    words.add("-cp");
    words.add(System.getProperty("java.class.path"));
    words.add(main.getName());
    words.addAll(List.of(arguments));
    return words;
  }
}
