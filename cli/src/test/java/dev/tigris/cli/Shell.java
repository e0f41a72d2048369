package dev.tigris.cli;

import dev.tigris.memory.Pso;
import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.PrintStream;
import java.net.URI;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/// Runs commands in this process, and keeps what they print.
final class Shell {
  private final Path folder;

  /// A shell for files in a folder: in its command lines, `@/` stands for it.
  Shell(Path folder) {
    this.folder = folder;
  }

  /// Where a class file lies, as a class path has it: a location would have %20 for a space.
  static String location(Class<?> type) {
    URL location = type.getProtectionDomain().getCodeSource().getLocation();
    return Path.of(URI.create(location.toString())).toString();
  }

  /// The class path of a program that uses `memory`.
  static String memoryPath() {
    String os =
        ModuleLayer.boot()
            .configuration()
            .findModule("dev.tigris.os")
            .flatMap(module -> module.reference().location())
            .map(location -> Path.of(location).toString())
            .orElseThrow();
    return location(Pso.class) + File.pathSeparator + os;
  }

  /// What a command did.
  record Result(ExitCode code, String out, String err) {}

  /// Runs a command line, split at spaces.
  Result run(String line) {
    return run(line, 0);
  }

  /// The same at a terminal of so many columns.
  Result run(String line, int columns) {
    var out = new ByteArrayOutputStream();
    var err = new ByteArrayOutputStream();
    var console =
        new Console(
            new PrintStream(out, true, StandardCharsets.UTF_8),
            new PrintStream(err, true, StandardCharsets.UTF_8),
            columns,
            folder.toString());
    String[] args =
        line.isEmpty() ? new String[0] : line.replace("@/", folder + "/").split(" ", -1);
    ExitCode code = new Tigris(console).run(args);
    return new Result(
        code, out.toString(StandardCharsets.UTF_8), err.toString(StandardCharsets.UTF_8));
  }
}
