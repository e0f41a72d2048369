package dev.tigris.spark;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tigris.cluster.run.ClusterRun;
import dev.tigris.cluster.run.RunException;
import dev.tigris.flow.Flow;
import dev.tigris.flow.Results;
import dev.tigris.flow.text.Csv;
import dev.tigris.testing.Slow;
import dev.tigris.testing.Wait;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CancellationException;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.apache.spark.SparkContext;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Flows in an application whose tasks are threads of this process.
@Slow("starts Spark, which takes seconds")
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class LocalSparkTest {
  @TempDir private static Path folder;

  private static SparkContext context;

  @BeforeAll
  static void start() {
    context = TestContext.of("local[4]", folder);
  }

  @AfterAll
  static void stop() {
    context.stop();
  }

  @Test
  void aProgramRunsInTheTasksOfABarrierStage() throws Exception {
    Results results = FlowOnSpark.run(context, Sums.class, List.of("1000"), 3);
    assertEquals(Sums.expected(1000), results.number("sum"));
  }

  @Test
  void aModuleThatThrowsIsTriedOnce() {
    RunException e =
        assertThrows(
            RunException.class,
            () -> FlowOnSpark.run(context, Sums.class, List.of("1000", "7"), 2));
    assertEquals(RunException.Kind.MODULE, e.kind());
    assertEquals(1, e.attempts());
    assertTrue(String.valueOf(e.getCause()).contains("the number 7 is bad"), e::toString);
  }

  @Test
  void moreWorkersThanSlotsAreRefused() {
    RunException e =
        assertThrows(
            RunException.class, () -> FlowOnSpark.run(context, Sums.class, List.of("1000"), 5));
    assertEquals(RunException.Kind.START, e.kind());
    assertTrue(e.getMessage().contains("Spark has 4 after 3 s"), e::getMessage);
  }

  @Test
  void recordsOfAnRddGoThroughAFlowAndComeBack() throws Exception {
    JavaSparkContext java = JavaSparkContext.fromSparkContext(context);
    List<byte[]> words = IntStream.range(0, 5000).mapToObj(i -> bytes("word " + i)).toList();
    SparkOutput output = FlowOnSpark.through(java.parallelize(words, 7), Upper.class, List.of(), 3);
    JavaRDD<String> texts = output.records().map(LocalSparkTest::text);
    List<String> upper = IntStream.range(0, 5000).mapToObj(i -> "WORD " + i).sorted().toList();
    assertEquals(upper, texts.collect().stream().sorted().toList());
    assertEquals(5000, output.results().number("records"));
    assertEquals(1, texts.filter(each -> each.equals("WORD 7")).repartition(2).count());
    var _ = output.records().unpersist();
  }

  @Test
  void rowsOfATableGoThroughAFlowAndComeBack() throws Exception {
    SparkSession session = SparkSession.builder().sparkContext(context).getOrCreate();
    Dataset<Row> table = session.range(1000).selectExpr("id", "concat('row ', id) AS text");
    RowBytes rows = new RowBytes(table.schema());
    SparkOutput output = FlowOnSpark.through(rows.of(table), EvenRows.class, List.of(), 2);
    Dataset<Row> even = rows.table(session, output.records());
    assertEquals(500, even.count());
    assertEquals("row 14", even.where("id = 14").first().getString(1));
  }

  @Test
  void aFlowThatLeavesRecordsUnreadIsRefused() {
    JavaSparkContext java = JavaSparkContext.fromSparkContext(context);
    JavaRDD<byte[]> words = java.parallelize(List.of(bytes("a"), bytes("b"), bytes("c")), 3);
    IllegalStateException e =
        assertThrows(
            IllegalStateException.class,
            () -> FlowOnSpark.through(words, Upper.class, List.of("1"), 3));
    assertTrue(e.getMessage().contains("unread"), e::getMessage);
  }

  @Test
  void sortsAreAsThoseOfOneProcess() throws Exception {
    Sorts.areAsInOneProcess(FlowOnSpark.cluster(context, 3), folder);
  }

  @Test
  void sparkReadsPartitionsThatAFlowHasWritten() throws Exception {
    String text =
        """
        id,country,note
        1,DE,x
        2,FR,"a,""b\"""
        3,DE,"two
        lines"
        4,,y
        5,a/b=c% :d,z
        6,é,ü
        """;
    Path in = Files.writeString(folder.resolve("in.csv"), text);
    Path out = folder.resolve("partitions");
    Flow.named("write")
        .stage("pass", () -> (water, to) -> to.put(water), 2)
        .feed("pass", Csv.reading(in))
        .drain("pass", Csv.writingPartitions(out, "country"))
        .build()
        .start()
        .await();
    Dataset<Row> read =
        SparkSession.builder()
            .sparkContext(context)
            .getOrCreate()
            .read()
            .options(
                Map.of(
                    "header", "true", "multiLine", "true", "escape", "\"", "inferSchema", "true"))
            .csv(out.toString());
    assertEquals(
        List.of("1 DE x", "2 FR a,\"b\"", "3 DE two\nlines", "4 null y", "5 a/b=c% :d z", "6 é ü"),
        read.select("id", "country", "note").sort("id").collectAsList().stream()
            .map(row -> row.mkString(" "))
            .toList());
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private static String text(byte[] bytes) {
    return new String(bytes, StandardCharsets.UTF_8);
  }

  @Test
  void aRunThatIsCancelledLeavesNoTask() throws Exception {
    Path hangs = folder.resolve("cancelled");
    ClusterRun run =
        FlowOnSpark.cluster(context, 2).start(Sums.class, "1000", "-1", hangs.toString());
    Wait.until("a source hangs", () -> Files.exists(hangs));
    run.cancel();
    assertThrows(CancellationException.class, run::await);
    Wait.until("no task runs", () -> context.statusTracker().getActiveStageIds().length == 0);
  }

  @Test
  void aJobThatSparkCancelsIsTriedAgain() throws Exception {
    Path hangs = folder.resolve("again");
    ClusterRun run =
        FlowOnSpark.cluster(context, 2).start(Sums.class, "1000", "-1", hangs.toString());
    Wait.until("a source hangs", () -> Files.exists(hangs));
    context.cancelAllJobs();
    assertEquals(Sums.expected(1000), run.await().number("sum"));
    assertEquals(2, run.progress().attempt());
  }
}
