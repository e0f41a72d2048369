package dev.tigris.spark;

import dev.tigris.cluster.run.Cluster;
import dev.tigris.cluster.run.ClusterRun;
import dev.tigris.cluster.run.FlowProgram;
import dev.tigris.cluster.run.RunException;
import dev.tigris.flow.Results;
import java.util.List;
import org.apache.spark.SparkContext;
import org.apache.spark.api.java.JavaRDD;

/// Runs flows in the executors of a Spark application.
///
/// ```java
/// Results results = FlowOnSpark.run(spark.sparkContext(), Totals.class, List.of("1000000"), 4);
/// System.out.println(results.number("sum"));
/// ```
///
/// A run is one Spark job: a barrier stage with a task for each worker. A worker that is lost ends
/// the attempt in all of them, and the run is tried again, three times at most. A module that
/// throws ends the run.
///
/// Thread rule: any thread.
public final class FlowOnSpark {
  private FlowOnSpark() {}

  /// Runs a program, and waits for its end.
  ///
  /// @param program found by its name in each executor: give Spark its jar
  /// @param arguments the program's words
  /// @param workers how many tasks of Spark run it, each in an executor of its own where there are
  ///     as many
  /// @return what the modules have told
  /// @throws RunException if the run has failed, or Spark cannot start the workers
  /// @throws InterruptedException if the waiting thread is interrupted; the run is cancelled
  public static Results run(
      SparkContext context,
      Class<? extends FlowProgram> program,
      List<String> arguments,
      int workers)
      throws RunException, InterruptedException {
    return await(cluster(context, workers).start(program, arguments.toArray(String[]::new)));
  }

  private static Results await(ClusterRun run) throws RunException, InterruptedException {
    try {
      return run.await();
    } catch (InterruptedException e) {
      run.cancel();
      throw e;
    }
  }

  /// Lets the records of an RDD go through a flow, and waits for its end. They are dealt to the
  /// workers first, in a job of its own. The program reads and writes its worker's share by
  /// [SparkPart]. The flow runs at once, when this is called.
  ///
  /// ```java
  /// JavaRDD<byte[]> upper = FlowOnSpark.through(lines, Upper.class, List.of(), 4).records();
  /// ```
  ///
  /// @throws RunException if the run has failed, or Spark cannot start the workers
  /// @throws InterruptedException if the waiting thread is interrupted; the run is cancelled
  /// @throws IllegalStateException if the flow has not read the records of a worker, or an executor
  ///     was lost with records before Spark had them
  public static SparkOutput through(
      JavaRDD<byte[]> records,
      Class<? extends FlowProgram> program,
      List<String> arguments,
      int workers)
      throws RunException, InterruptedException {
    SparkEngine engine =
        new SparkEngine(records.context(), workers, records.repartition(workers).rdd());
    Results results = await(Cluster.on(engine).start(program, arguments.toArray(String[]::new)));
    return new SparkOutput(results, engine.written());
  }

  /// Returns a cluster whose workers are tasks of Spark, for runs with options, progress or
  /// cancellation.
  ///
  /// @throws IllegalArgumentException if the number is not between 1 and 1000
  public static Cluster cluster(SparkContext context, int workers) {
    return Cluster.on(new SparkEngine(context, workers, null));
  }
}
