package dev.tigris.launcher;

import java.io.IOException;
import java.io.PrintStream;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// Where the launcher works, with which JDK, and for which caller.
///
/// @param checkout the checkout
/// @param jdk the folder of the JDK that the script found
/// @param jdkVersion its version in full, as the script read it
/// @param memoryBudget a limit on the memory for data in bytes, or nothing
/// @param environment the environment variables of the caller
/// @param out where tables and help go
/// @param err where messages go
/// @param children where the output of Maven and the fuzzer goes
record Context(
    Checkout checkout,
    Path jdk,
    String jdkVersion,
    Optional<String> memoryBudget,
    Map<String, String> environment,
    PrintStream out,
    PrintStream err,
    Redirect children) {
  void say(String message) {
    err.println("tigris: " + message);
    err.flush();
  }

  /// The `java` of the JDK.
  Path java() {
    return jdk.resolve("bin/java");
  }

  /// Finds a program on the caller's PATH.
  Optional<Path> program(String name) {
    for (String folder : environment.getOrDefault("PATH", "").split(":", -1)) {
      Path program = Path.of(folder.isEmpty() ? "." : folder).resolve(name);
      if (Files.isRegularFile(program) && Files.isExecutable(program)) {
        return Optional.of(program);
      }
    }
    return Optional.empty();
  }

  /// A process to start with the caller's environment.
  ProcessBuilder process(Path folder, List<String> command) {
    var builder = new ProcessBuilder(command).directory(folder.toFile());
    builder.environment().clear();
    builder.environment().putAll(environment);
    return builder;
  }

  /// Runs a process to its end, and returns its exit code. The process ends with this one, if that
  /// is stopped by a signal.
  int run(ProcessBuilder builder) throws IOException, InterruptedException {
    Process process = builder.start();
    try (var _ = new Leash(process)) {
      return process.waitFor();
    }
  }
}
