package dev.tigris.bench.c;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;

/// The compiler of the sources that lie beside this class as resources.
final class Gcc {
  private static final List<String> STRICT = List.of("-std=gnu11", "-Wall", "-Wextra", "-Werror");

  private Gcc() {}

  /// Whether there is one on the path.
  static boolean isAvailable() {
    String path = Objects.requireNonNullElse(System.getenv("PATH"), "");
    return Stream.of(path.split(":", -1))
        .anyMatch(folder -> Files.isExecutable(Path.of(folder, "gcc")));
  }

  /// Compiles the `.c` files among `sources` to `output`; headers are there for them.
  static void compile(List<String> sources, Path output, List<String> flags) throws IOException {
    Path folder = Files.createTempDirectory(output.toAbsolutePath().getParent(), "c-");
    Path messages = folder.resolve("messages");
    List<String> command = new ArrayList<>(List.of("gcc"));
    command.addAll(STRICT);
    command.addAll(List.of("-o", output.toString()));
    try {
      for (String source : sources) {
        Path file = folder.resolve(source);
        try (InputStream text = Gcc.class.getResourceAsStream(source)) {
          Files.copy(Objects.requireNonNull(text, source), file);
        }
        if (source.endsWith(".c")) {
          command.add(file.toString());
        }
      }
      command.addAll(flags);
      Process gcc =
          new ProcessBuilder(command)
              .redirectErrorStream(true)
              .redirectOutput(messages.toFile())
              .start();
      if (gcc.waitFor() != 0) {
        throw new IOException("gcc refuses " + sources + ": " + Files.readString(messages));
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while gcc was working", e);
    } finally {
      for (String source : sources) {
        Files.deleteIfExists(folder.resolve(source));
      }
      Files.deleteIfExists(messages);
      Files.delete(folder);
    }
  }
}
