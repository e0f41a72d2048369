package dev.tigris.memory.differential;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.spi.ToolProvider;
import java.util.stream.Stream;

/// Compiles sources to class files in memory.
final class Compiled {
  private static final ToolProvider JAVAC = ToolProvider.findFirst("javac").orElseThrow();
  private static final String SUFFIX = ".class";

  private Compiled() {}

  /// Class files by name.
  ///
  /// @param sources by name
  /// @throws AssertionError if they do not compile
  static Map<String, byte[]> of(Map<String, String> sources, Path classPath) throws IOException {
    Path folder = Files.createTempDirectory("tigris-sources");
    try {
      List<String> arguments = new ArrayList<>();
      arguments.addAll(List.of("-proc:none", "-nowarn", "-g", "-implicit:none"));
      arguments.addAll(List.of("-cp", classPath.toString(), "-d", folder.toString()));
      for (Map.Entry<String, String> source : sources.entrySet()) {
        Path file = folder.resolve(source.getKey().replace('.', '/') + ".java");
        Files.createDirectories(file.getParent());
        arguments.add(Files.writeString(file, source.getValue()).toString());
      }
      StringWriter errors = new StringWriter();
      PrintWriter out = new PrintWriter(errors);
      if (JAVAC.run(out, out, arguments.toArray(String[]::new)) != 0) {
        throw new AssertionError(errors + String.join("\n", sources.values()));
      }
      return read(folder);
    } finally {
      delete(folder);
    }
  }

  private static Map<String, byte[]> read(Path folder) throws IOException {
    Map<String, byte[]> classes = new HashMap<>();
    try (Stream<Path> files = Files.walk(folder)) {
      for (Path file : files.filter(file -> file.toString().endsWith(SUFFIX)).toList()) {
        String path = folder.relativize(file).toString();
        String name = path.substring(0, path.length() - SUFFIX.length()).replace('/', '.');
        classes.put(name, Files.readAllBytes(file));
      }
    }
    return classes;
  }

  static void delete(Path folder) throws IOException {
    try (Stream<Path> files = Files.walk(folder)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    }
  }
}
