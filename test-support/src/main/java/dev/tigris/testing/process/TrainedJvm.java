package dev.tigris.testing.process;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/// Starts the main class of a test again and again, in JVMs with an AOT cache and without a
/// compiler. That takes less than half of the work. A JVM that cannot use the cache starts without.
public final class TrainedJvm {
  /// A JVM reports a cache that does not fit, on the output, which is the program's.
  private static final String[] OPTIONS = {
    "-Xmx64m",
    "-XX:+UseSerialGC",
    "-Xint", // in its first second, C1 costs more than it gains
    "-Xlog:disable"
  };

  private final Path cache;
  private final Jvm jvm;

  private TrainedJvm(Path cache, Jvm jvm) {
    this.cache = cache;
    this.jvm = jvm;
  }

  /// Makes the cache in `folder`, by a run that must end by itself.
  ///
  /// @param uses classes whose folders or jars the main class needs beside its own
  public static TrainedJvm train(
      Class<?> main, List<Class<?>> uses, Path folder, String... arguments) throws IOException {
    List<Path> jars = new ArrayList<>();
    for (Class<?> type : uses) {
      jars.add(packed(type, folder));
    }
    jars.add(packed(main, folder));
    Jvm jvm = Jvm.onClassPath(main.getName(), jars.toArray(Path[]::new)).options(OPTIONS);
    Path cache = folder.resolve("classes.aot");
    String _ = jvm.options("-XX:AOTCacheOutput=" + cache).command(arguments).output();
    return new TrainedJvm(cache, jvm);
  }

  /// A cache holds only what comes from jars.
  private static Path packed(Class<?> type, Path folder) throws IOException {
    Path place = Files.createTempDirectory(folder, "jar").resolve("classes.jar");
    return Jars.pack(Jvm.location(type), place);
  }

  /// Returns the command that starts one.
  public Command command(String... arguments) {
    return jvm.options("-XX:AOTCache=" + cache).command(arguments);
  }
}
