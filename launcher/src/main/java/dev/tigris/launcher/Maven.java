package dev.tigris.launcher;

import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// Maven on the checkout, with the JDK that the script found.
final class Maven {
  /// The option by which as many modules are built and tested at a time as there are processors:
  /// compiling uses one, and many tests wait for others.
  static final String SEVERAL_MODULES = "-T1C";

  private final Context context;
  private final BuildLock lock;
  private final Path program;

  private Maven(Context context, BuildLock lock, Path program) {
    this.context = context;
    this.lock = lock;
    this.program = program;
  }

  /// Finds the `mvn` of the PATH, or the one that the launcher fetched. Fetches it when there is
  /// neither, and says so first.
  static Maven find(Context context, BuildLock lock) throws IOException, InterruptedException {
    Optional<Path> installed = context.program("mvn");
    Path program = installed.isPresent() ? installed.get() : new MavenDownload(context).program();
    return new Maven(context, lock, program);
  }

  /// Runs Maven, and returns its exit code.
  int run(List<String> arguments) throws IOException, InterruptedException {
    return run(arguments, context.children());
  }

  /// Runs Maven with its output in a file, and returns its exit code.
  int runQuietly(List<String> arguments, Path log) throws IOException, InterruptedException {
    return run(arguments, Redirect.to(log.toFile()));
  }

  private int run(List<String> arguments, Redirect output)
      throws IOException, InterruptedException {
    var command = new ArrayList<>(List.of(program.toString(), "-B", "-ntp"));
    command.addAll(arguments);
    ProcessBuilder builder = context.process(context.checkout().root(), command);
    builder.environment().put("JAVA_HOME", context.jdk().toString());
    // Maven's own libraries still use what the JDK warns of.
    builder
        .environment()
        .merge(
            "MAVEN_OPTS", "--sun-misc-unsafe-memory-access=allow", (own, ours) -> ours + " " + own);
    builder
        .redirectInput(Redirect.INHERIT)
        .redirectOutput(output)
        .redirectError(context.children())
        .redirectErrorStream(!output.equals(context.children()));
    Process process = builder.start();
    try (var _ = new Leash(process)) {
      lock.name(process.toHandle());
      return process.waitFor();
    }
  }
}
