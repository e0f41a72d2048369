package dev.tigris.spark;

import dev.tigris.cluster.run.ClusterRun;
import dev.tigris.cluster.run.RunException;
import dev.tigris.flow.Results;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import org.apache.spark.SparkConf;
import org.apache.spark.SparkContext;

/// An application that runs [Sums]: its master, the number of workers, and the program's arguments.
/// It prints the attempts, the sum, and whether more than one process has added.
final class SparkApplication {
  private SparkApplication() {}

  public static void main(String[] words) {
    SparkConf options =
        TestContext.options(words[0], Path.of(System.getProperty("java.io.tmpdir")))
            .set("spark.executor.extraClassPath", System.getProperty("java.class.path"))
            .set("spark.executor.memory", "512m")
            .set("spark.executor.memoryOverhead", "256m")
            .set("spark.executor.cores", "1")
            .set("spark.executor.extraJavaOptions", "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC")
            .set("spark.tigris.wait", "30s");
    SparkContext context = new SparkContext(options);
    try {
      ClusterRun run =
          FlowOnSpark.cluster(context, Integer.parseInt(words[1]))
              .withHangLimit(Duration.ofSeconds(3))
              .start(Sums.class, Arrays.copyOfRange(words, 2, words.length));
      Results results = run.await();
      boolean isOne = results.number("process") == results.number("process.least");
      System.out.printf(
          "attempts %d, sum %d, %s%n",
          run.progress().attempt(),
          results.number("sum"),
          isOne ? "one process" : "more processes");
    } catch (RunException | InterruptedException e) {
      System.out.println(e);
    } finally {
      context.stop();
    }
  }
}
