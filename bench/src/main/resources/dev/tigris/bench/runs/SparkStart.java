import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;
import org.apache.spark.SparkConf;
import org.apache.spark.api.java.JavaSparkContext;

/// Writes down when the first element came to a task: MASTER TASKS FOLDER [JAR]. The conditions are
/// those of FirstWater.
public final class SparkStart {
  public static void main(String[] arguments) {
    int tasks = Integer.parseInt(arguments[1]);
    String folder = arguments[2];
    SparkConf conf =
        new SparkConf().setAppName("start").setMaster(arguments[0]).set("spark.ui.enabled", "false");
    if (arguments.length > 3) {
      conf.setJars(new String[] {arguments[3]}).set("spark.executor.memory", "640m");
    }
    try (JavaSparkContext context = new JavaSparkContext(conf)) {
      List<Integer> elements = IntStream.range(0, 200).boxed().toList();
      context
          .parallelize(elements, tasks)
          .foreachPartition(
              each -> {
                String now = Long.toString(System.nanoTime());
                String own = ProcessHandle.current().pid() + "." + Thread.currentThread().getId();
                Files.writeString(Path.of(folder, own), now);
              });
    }
  }
}
