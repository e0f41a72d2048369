package dev.tigris.spark;

import java.nio.file.Path;
import org.apache.spark.SparkConf;
import org.apache.spark.SparkContext;

/// Spark applications of tests.
final class TestContext {
  private TestContext() {}

  /// Starts an application, without a web page.
  static SparkContext of(String master, Path folder) {
    return new SparkContext(options(master, folder));
  }

  static SparkConf options(String master, Path folder) {
    return new SparkConf()
        .setMaster(master)
        .setAppName("tigris")
        .set("spark.ui.enabled", "false")
        .set("spark.driver.host", "127.0.0.1")
        .set("spark.driver.bindAddress", "127.0.0.1")
        .set("spark.local.dir", folder.toString())
        .set("spark.tigris.wait", "3s");
  }
}
