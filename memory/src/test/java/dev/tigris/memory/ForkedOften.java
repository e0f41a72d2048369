package dev.tigris.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.tigris.os.DiskSpace;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/// Starts the main class of a test again and again, in JVMs that start with an AOT cache and have
/// no compiler: that is less than half of the work. A JVM that cannot use the cache starts without.
final class ForkedOften {
  /// A cache that does not fit is not to be reported on the output, which is the program's.
  private static final List<String> OPTIONS =
      List.of(
          "--enable-native-access=ALL-UNNAMED",
          "-Xmx64m",
          "-XX:+UseSerialGC",
          "-Xint", // in its first second C1 costs more than it gains
          "-Xlog:disable");

  private final Path cache;
  private final List<String> classPathAndMain;

  private ForkedOften(Path cache, List<String> classPathAndMain) {
    this.cache = cache;
    this.classPathAndMain = classPathAndMain;
  }

  /// Makes the cache in `folder`, by a run that must end by itself.
  static ForkedOften trained(Class<?> main, Path folder, String... arguments)
      throws IOException, InterruptedException {
    // A cache holds only what comes from jars.
    Path memory = Outside.pack(Forked.location(Jbuf.class), folder.resolve("memory.jar"));
    Path os = Outside.pack(Forked.location(DiskSpace.class), folder.resolve("os.jar"));
    Path tests = Outside.pack(Forked.location(main), folder.resolve("tests.jar"));
    ForkedOften forked =
        new ForkedOften(
            folder.resolve("classes.aot"),
            List.of("-cp", "%s:%s:%s".formatted(memory, os, tests), main.getName()));
    Process training = forked.start("-XX:AOTCacheOutput=" + forked.cache, List.of(arguments));
    String printed = new String(training.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertEquals(0, training.waitFor(), printed);
    return forked;
  }

  /// Starts one; its errors go where its output goes.
  Process start(String... arguments) throws IOException {
    return start("-XX:AOTCache=" + cache, List.of(arguments));
  }

  private Process start(String option, List<String> arguments) throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(OPTIONS);
    command.add(option);
    command.addAll(classPathAndMain);
    command.addAll(arguments);
    return new ProcessBuilder(command).redirectErrorStream(true).start();
  }
}
