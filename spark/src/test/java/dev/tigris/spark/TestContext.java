package dev.tigris.spark;

import dev.tigris.testing.process.Jvm;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import org.apache.spark.SparkConf;
import org.apache.spark.SparkContext;

/// Spark applications of tests.
final class TestContext {
  private TestContext() {}

  /// Starts an application whose tasks are threads of this process, without a web page.
  static SparkContext of(String master, Path folder) {
    return new SparkContext(options(master, folder).set("spark.tigris.wait", "3s"));
  }

  /// Starts an application whose executors are processes. Its master and its workers are threads of
  /// this one, whose environment says where they are to find Spark.
  static SparkContext ofExecutors(int count, Path folder) throws IOException {
    Path home = Path.of(Objects.requireNonNull(System.getenv("SPARK_HOME"), "see the pom"));
    Path _ = Files.createDirectories(home.resolve("jars")); // none: all are on the class path
    SparkConf options = options("local-cluster[%d,1,512]".formatted(count), folder);
    ofExecutors().forEach(options::set);
    return new SparkContext(options);
  }

  /// Returns the options of executors that have the class path of this test.
  static Map<String, String> ofExecutors() {
    String path =
        Jvm.classPath().stream()
            .map(Path::toString)
            .collect(Collectors.joining(File.pathSeparator));
    return Map.of(
        "spark.executor.extraClassPath", path,
        "spark.executor.memory", "512m",
        "spark.executor.memoryOverhead", "256m",
        "spark.executor.cores", "1",
        "spark.executor.extraJavaOptions", "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
        "spark.tigris.wait", "60s");
  }

  private static SparkConf options(String master, Path folder) {
    return new SparkConf()
        .setMaster(master)
        .setAppName("tigris")
        .set("spark.ui.enabled", "false")
        .set("spark.driver.host", "127.0.0.1")
        .set("spark.driver.bindAddress", "127.0.0.1")
        .set("spark.local.dir", folder.toString());
  }
}
