package dev.tigris.bench.sort;

import dev.tigris.bench.Home;
import dev.tigris.bench.Scale;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/// The `tigris` command as these benches call it.
public final class Tigris {
  private final List<String> start;

  private Tigris(List<String> start) {
    this.start = start;
  }

  /// The launcher; in the tests, which must not start a build, its main class on this JVM's class
  /// path.
  public static Tigris of(Scale scale) {
    if (scale != Scale.TINY) {
      return new Tigris(List.of(Home.launcher().toString()));
    }
    return new Tigris(
        List.of(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-Xmx256m",
            "--enable-native-access=ALL-UNNAMED",
            "-cp",
            System.getProperty("java.class.path"),
            "dev.tigris.cli.Main"));
  }

  /// Returns a command of so many words.
  public Command command(Object... arguments) {
    List<String> words = new ArrayList<>(start);
    for (Object argument : arguments) {
      words.add(argument.toString());
    }
    return new Command(words);
  }
}
