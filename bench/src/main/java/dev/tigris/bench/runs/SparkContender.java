package dev.tigris.bench.runs;

import dev.tigris.bench.Bar;
import dev.tigris.bench.engine.MavenJars;
import dev.tigris.bench.engine.PeerProgram;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// Spark: in one process, or with executors in processes of their own.
///
/// @param program what it runs
/// @param home the folder that Spark's processes find their jars in
/// @param executors how many; 0 for threads
record SparkContender(PeerProgram program, Path home, int executors, int tasks)
    implements Contender {
  private static final String ARTIFACT = "org.apache.spark:spark-core_2.13:4.2.0";

  /// The release of Java that compiles for it; the newest one runs it.
  private static final int RELEASE = 17;

  /// What Spark gives its own JVMs.
  private static final List<String> OPENED =
      List.of(
          "java.lang",
          "java.lang.invoke",
          "java.lang.reflect",
          "java.io",
          "java.net",
          "java.nio",
          "java.util",
          "java.util.concurrent",
          "java.util.concurrent.atomic",
          "jdk.internal.ref",
          "sun.nio.ch",
          "sun.nio.cs",
          "sun.security.action",
          "sun.util.calendar");

  /// Fetches it; empty if that is not possible.
  static Optional<PeerProgram> fetch(Path work) throws IOException, InterruptedException {
    Optional<List<Path>> jars = MavenJars.of(work, ARTIFACT);
    return jars.isEmpty()
        ? Optional.empty()
        : Optional.of(
            PeerProgram.compile(work, SparkContender.class, "SparkStart", jars.get(), RELEASE));
  }

  @Override
  public String name() {
    return Bar.SPARK;
  }

  @Override
  public long start(Path work, Path notes) throws IOException, InterruptedException {
    List<String> words = new ArrayList<>();
    words.addAll(List.of("env", "SPARK_HOME=" + home, "SPARK_SCALA_VERSION=2.13"));
    words.addAll(List.of("SPARK_LOCAL_IP=127.0.0.1", "SPARK_LOCAL_DIRS=" + work));
    words.add("JAVA_HOME=" + System.getProperty("java.home"));
    words.addAll(List.of("sh", "-c", "cd '%s' && exec \"$@\"".formatted(home), "sh"));
    words.add(PeerProgram.tool("java"));
    words.addAll(List.of("--add-modules=jdk.incubator.vector", "-Xmx1g"));
    words.add("-Djava.io.tmpdir=" + work);
    words.add("--enable-native-access=ALL-UNNAMED");
    words.add("--sun-misc-unsafe-memory-access=allow");
    OPENED.forEach(name -> words.add("--add-opens=java.base/" + name + "=ALL-UNNAMED"));
    words.addAll(List.of("-cp", program.classPath(), "SparkStart"));
    words.add(executors == 0 ? "local[%d]".formatted(tasks) : cluster());
    words.addAll(List.of(String.valueOf(tasks), notes.toString()));
    if (executors > 0) {
      words.add(program.jar().toString());
    }
    return Commands.timed(words, work);
  }

  private String cluster() {
    return "local-cluster[%d,1,1024]".formatted(executors);
  }
}
