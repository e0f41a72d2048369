import static org.apache.spark.sql.functions.*;

import java.io.BufferedOutputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import org.apache.spark.SparkEnv;
import org.apache.spark.TaskContext;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.api.java.function.MapPartitionsFunction;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Encoders;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;

/**
 * Spark, as its users write it: data frames. The arguments are JAR EXECUTORS CORES and then
 *
 * <p>shuffle SIZE RECORDS TIMES: records by key<br>
 * slow SIZE RECORDS TIMES RATE: through executors of which one is slow<br>
 * sort INPUT OUTPUT: records of 100 bytes
 */
public final class SparkRival {
  private static final long FACTOR = 2_654_435_761L;
  private static final double SLOW_SHARE = 0.116;
  private static final int BLOCK_RECORDS = 500;

  public static void main(String[] arguments) throws Exception {
    int executors = Integer.parseInt(arguments[1]);
    int cores = Integer.parseInt(arguments[2]);
    SparkSession spark =
        SparkSession.builder()
            .master("local-cluster[%d,%d,1024]".formatted(executors, cores))
            .config("spark.jars", arguments[0])
            .config("spark.ui.enabled", "false")
            .config("spark.driver.host", "127.0.0.1")
            .config("spark.executor.memory", "1g")
            .config("spark.scheduler.minRegisteredResourcesRatio", "1")
            .config("spark.scheduler.maxRegisteredResourcesWaitingTime", "60s")
            .getOrCreate();
    spark.sparkContext().setLogLevel("ERROR");
    try {
      if (arguments[3].equals("sort")) {
        sort(spark, arguments[4], arguments[5]);
        return;
      }
      int size = Integer.parseInt(arguments[4]);
      long records = Long.parseLong(arguments[5]);
      for (int left = Integer.parseInt(arguments[6]); left > 0; left--) {
        long begin = System.nanoTime();
        if (arguments[3].equals("slow")) {
          long rate = Long.parseLong(arguments[7]);
          System.out.println("count " + slow(spark, size, records, executors * cores, rate));
        } else {
          shuffle(spark, size, records, executors * cores);
        }
        System.out.println("seconds " + (System.nanoTime() - begin) / 1e9);
      }
    } finally {
      spark.stop();
    }
  }

  private static Dataset<Row> made(SparkSession spark, int size, long records, int tasks) {
    Column id = col("id");
    Column key = id.multiply(lit(FACTOR)).bitwiseAND(lit(0xffff_ffffL)).as("key");
    Column payload = size == 16 ? id : rpad(hex(id), size - Long.BYTES, ".");
    return spark.range(0, records, 1, tasks).select(key, payload.as("payload"));
  }

  static void shuffle(SparkSession spark, int size, long records, int tasks) {
    Column payload = size == 16 ? col("payload") : length(col("payload"));
    Row sums =
        made(spark, size, records, tasks)
            .repartition(tasks, col("key"))
            .agg(count(lit(1)), sum("key"), sum(payload))
            .head();
    System.out.println("count " + sums.getLong(0));
    System.out.println("keys " + sums.getLong(1));
  }

  /** With eight tasks for each core, so that an executor that is done takes another one. */
  private static long slow(SparkSession spark, int size, long records, int cores, long rate) {
    return made(spark, size, records, cores)
        .repartition(8 * cores)
        .mapPartitions(
            (MapPartitionsFunction<Row, Long>) rows -> List.of(paced(rows, rate)).iterator(),
            Encoders.LONG())
        .reduce((org.apache.spark.api.java.function.ReduceFunction<Long>) Long::sum);
  }

  private static long paced(Iterator<Row> rows, long rate) {
    double own = SparkEnv.get().executorId().equals("0") ? rate * SLOW_SHARE : rate;
    long nanosPerBlock = (long) (BLOCK_RECORDS * 1e9 / own);
    long due = System.nanoTime();
    long count = 0;
    while (rows.hasNext()) {
      rows.next();
      if (++count % BLOCK_RECORDS == 0) {
        long now = System.nanoTime();
        due = Math.max(due, now - nanosPerBlock) + nanosPerBlock;
        while (now < due) {
          LockSupport.parkNanos(due - now);
          now = System.nanoTime();
        }
      }
    }
    return count;
  }

  static void sort(SparkSession spark, String input, String output) throws Exception {
    Files.createDirectory(Path.of(output));
    StructType schema =
        new StructType().add("key", DataTypes.BinaryType).add("record", DataTypes.BinaryType);
    JavaRDD<Row> rows =
        JavaSparkContext.fromSparkContext(spark.sparkContext())
            .binaryRecords(input, 100)
            .map(record -> RowFactory.create(Arrays.copyOf(record, 10), record));
    spark
        .createDataFrame(rows, schema)
        .sort("key")
        .select("record")
        .toJavaRDD()
        .foreachPartition(sorted -> write(sorted, output));
  }

  private static void write(Iterator<Row> sorted, String output) throws Exception {
    Path part = Path.of(output, "part-%05d".formatted(TaskContext.getPartitionId()));
    try (OutputStream out = new BufferedOutputStream(Files.newOutputStream(part), 1 << 20)) {
      while (sorted.hasNext()) {
        out.write((byte[]) sorted.next().get(0));
      }
    }
  }
}
