package dev.tigris.spark;

import dev.tigris.testing.process.Child;
import dev.tigris.testing.process.Command;
import dev.tigris.testing.process.Jvm;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/// A folder that Spark takes for its installation, with the jars of this test's class path, and the
/// processes that are started from it.
///
/// @param folder holds all that Spark writes, too
record SparkHome(Path folder) {
  private static final Duration PATIENCE = Duration.ofMinutes(2);
  private static final String MASTER = "org.apache.spark.deploy.master.Master";
  private static final String WORKER = "org.apache.spark.deploy.worker.Worker";
  private static final String SUBMIT = "org.apache.spark.deploy.SparkSubmit";

  /// Stands for the jar of an application that lies on the class path.
  private static final String ON_CLASS_PATH = "spark-internal";

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

  /// Starts a master that listens at a port.
  Child master(int port) {
    return daemon(MASTER, "--host", "127.0.0.1", "--port", "" + port, "--webui-port", "0");
  }

  /// Starts a worker, which has processors for two executors.
  Child worker(String master) {
    return daemon(WORKER, "--cores", "2", "--memory", "2g", "--webui-port", "0", master);
  }

  /// Submits an application as the `tigris` command does.
  ///
  /// @param words as [Submitted] reads them
  Child submit(String master, String... words) {
    Map<String, String> options = new TreeMap<>(TestContext.ofExecutors());
    options.put("spark.ui.enabled", "false");
    options.put("spark.driver.host", "127.0.0.1");
    options.put("spark.local.dir", folder.toString());
    List<String> all = new ArrayList<>(List.of("--master", master));
    options.forEach((name, value) -> all.addAll(List.of("--conf", name + "=" + value)));
    all.addAll(List.of("--class", Main.class.getName(), ON_CLASS_PATH));
    all.addAll(List.of(words));
    return jvm(SUBMIT, "-Xmx512m").with(all.toArray(String[]::new)).patience(PATIENCE).start();
  }

  private Child daemon(String main, String... words) {
    return jvm(main, "-Xmx256m").with(words).start();
  }

  private Command jvm(String main, String heap) {
    return Jvm.onClassPath(main, Jvm.classPath().toArray(Path[]::new))
        .quick()
        .options(heap, "-Djava.io.tmpdir=" + folder)
        .command()
        .in(folder)
        .environment("SPARK_HOME", folder.toString())
        .environment("SPARK_SCALA_VERSION", "2.13")
        .environment("SPARK_LOCAL_IP", "127.0.0.1")
        .environment("SPARK_WORKER_DIR", folder.resolve("work").toString())
        .environment("XDG_STATE_HOME", folder.toString());
  }
}
