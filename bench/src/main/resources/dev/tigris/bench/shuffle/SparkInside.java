import dev.tigris.bench.runs.FirstWater;
import dev.tigris.bench.shuffle.ShuffleProgram;
import dev.tigris.cluster.run.Cluster;
import dev.tigris.flow.Results;
import dev.tigris.sort.SortJob;
import dev.tigris.spark.FlowOnSpark;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.sql.SparkSession;

/// Flows in the executors of a Spark application, beside what Spark does there, in turns. The
/// arguments are JAR EXECUTORS CORES and then
///
/// ```
/// start FOLDER ROUNDS             milliseconds to the first record
/// repartition RECORDS ROUNDS      seconds
/// sort INPUT FOLDER ROUNDS        seconds; the last outputs stay in the folder
/// ```
///
/// It prints `ours NUMBER` and `theirs NUMBER` for each round, after one that does not count.
public final class SparkInside {
  private static SparkSession spark;
  private static Cluster cluster;
  private static int tasks;

  public static void main(String[] arguments) throws Exception {
    int executors = Integer.parseInt(arguments[1]);
    int cores = Integer.parseInt(arguments[2]);
    tasks = executors * cores;
    spark =
        SparkSession.builder()
            .master("local-cluster[%d,%d,2048]".formatted(executors, cores))
            .config("spark.jars", arguments[0])
            .config("spark.executor.extraClassPath", System.getProperty("java.class.path"))
            .config("spark.ui.enabled", "false")
            .config("spark.driver.host", "127.0.0.1")
            .config("spark.executor.memory", "1g")
            .config("spark.executor.memoryOverhead", "1g")
            .getOrCreate();
    spark.sparkContext().setLogLevel("ERROR");
    cluster =
        FlowOnSpark.cluster(spark.sparkContext(), executors).withHangLimit(Duration.ofMinutes(1));
    int rounds = Integer.parseInt(arguments[arguments.length - 1]);
    for (int round = -1; round < rounds; round++) {
      for (boolean isOurs : round % 2 == 0 ? List.of(true, false) : List.of(false, true)) {
        double taken =
            switch (arguments[3]) {
              case "start" -> start(isOurs, Path.of(arguments[4]));
              case "repartition" -> repartition(isOurs, Long.parseLong(arguments[4]));
              default -> sort(isOurs, Path.of(arguments[4]), Path.of(arguments[5]));
            };
        if (round >= 0) {
          System.out.println((isOurs ? "ours " : "theirs ") + taken);
        }
      }
    }
    spark.stop();
  }

  private static double start(boolean isOurs, Path folder) throws Exception {
    Path notes = Files.createTempDirectory(folder, "notes-");
    long begin = System.nanoTime();
    if (isOurs) {
      cluster.start(FirstWater.class, notes.toString()).await();
    } else {
      String name = notes.toString();
      List<Integer> elements = IntStream.range(0, 200).boxed().toList();
      JavaSparkContext.fromSparkContext(spark.sparkContext())
          .parallelize(elements, tasks)
          .foreachPartition(
              each -> {
                String now = Long.toString(System.nanoTime());
                String own = ProcessHandle.current().pid() + "." + Thread.currentThread().threadId();
                Files.writeString(Path.of(name, own), now);
              });
    }
    long first = Long.MAX_VALUE;
    try (Stream<Path> files = Files.list(notes)) {
      for (Path file : files.toList()) {
        first = Math.min(first, Long.parseLong(Files.readString(file)));
      }
    }
    return (first - begin) / 1e6;
  }

  private static double repartition(boolean isOurs, long records) throws Exception {
    long begin = System.nanoTime();
    if (isOurs) {
      Results told =
          cluster.start(ShuffleProgram.class, "100", String.valueOf(records), "0").await();
      System.out.println("count " + told.number("count"));
      System.out.println("keys " + told.number("keys"));
    } else {
      SparkRival.shuffle(spark, 100, records, tasks);
    }
    return (System.nanoTime() - begin) / 1e9;
  }

  private static double sort(boolean isOurs, Path input, Path folder) throws Exception {
    Path output = folder.resolve(isOurs ? "ours" : "theirs");
    delete(output);
    long begin = System.nanoTime();
    if (isOurs) {
      SortJob.of(List.of(input), output).partitioned().unforced().parallel(tasks).on(cluster).run();
    } else {
      SparkRival.sort(spark, input.toString(), output.toString());
    }
    return (System.nanoTime() - begin) / 1e9;
  }

  private static void delete(Path output) throws IOException {
    if (Files.exists(output)) {
      try (Stream<Path> parts = Files.list(output)) {
        for (Path part : parts.toList()) {
          Files.delete(part);
        }
      }
      Files.delete(output);
    }
  }
}
