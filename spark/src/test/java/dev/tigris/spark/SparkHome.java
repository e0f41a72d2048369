package dev.tigris.spark;

import dev.tigris.testing.process.Child;
import dev.tigris.testing.process.Command;
import dev.tigris.testing.process.Jvm;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/// A folder that Spark takes for its installation, with the jars of this test's class path, and the
/// processes that are started from it.
///
/// @param folder holds all that Spark writes, too
record SparkHome(Path folder) {
  static SparkHome in(Path parent) throws IOException {
    Path folder = Files.createDirectory(parent.resolve("spark"));
    Path jars = Files.createDirectory(folder.resolve("jars"));
    Files.createDirectory(folder.resolve("work"));
    for (Path entry : Jvm.classPath()) {
      String name = String.valueOf(entry.getFileName());
      if (name.endsWith(".jar") && !name.startsWith("surefire")) {
        Files.createSymbolicLink(jars.resolve(name), entry.toAbsolutePath());
      }
    }
    return new SparkHome(folder);
  }

  /// Starts an application: its master, how many workers the flow has, and its arguments.
  Child application(String master, int workers, List<String> words) {
    List<String> all = new java.util.ArrayList<>(List.of(master, String.valueOf(workers)));
    all.addAll(words);
    return at(Jvm.of(SparkApplication.class).quick().options("-Xmx512m"))
        .with(all.toArray(String[]::new))
        .start();
  }

  /// Starts a master or a worker.
  Child daemon(String main, String... words) {
    Jvm jvm = Jvm.onClassPath(main, Jvm.classPath().toArray(Path[]::new)).quick();
    return at(jvm.options("-Xmx256m")).with(words).start();
  }

  private Command at(Jvm jvm) {
    return jvm.options("-Djava.io.tmpdir=" + folder)
        .command()
        .in(folder)
        .environment("SPARK_HOME", folder.toString())
        .environment("SPARK_SCALA_VERSION", "2.13")
        .environment("SPARK_LOCAL_IP", "127.0.0.1")
        .environment("SPARK_WORKER_DIR", folder.resolve("work").toString())
        .environment("XDG_STATE_HOME", folder.toString());
  }
}
