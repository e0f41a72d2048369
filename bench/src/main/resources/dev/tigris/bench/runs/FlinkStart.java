import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.flink.api.common.functions.MapFunction;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.sink.v2.DiscardingSink;

/// Writes down when the first element came to a task: PORT TASKS FOLDER JAR. With port 0, all is in
/// this process. The conditions are those of FirstWater.
public final class FlinkStart {
  public static void main(String[] arguments) throws Exception {
    int port = Integer.parseInt(arguments[0]);
    int tasks = Integer.parseInt(arguments[1]);
    StreamExecutionEnvironment environment;
    if (port == 0) {
      environment = StreamExecutionEnvironment.createLocalEnvironment(tasks);
    } else {
      awaitPort(port);
      environment =
          StreamExecutionEnvironment.createRemoteEnvironment("localhost", port, arguments[3]);
    }
    environment.setParallelism(tasks);
    environment
        .fromSequence(0, 199)
        .rebalance()
        .map(new Note(arguments[2]))
        .sinkTo(new DiscardingSink<>());
    environment.execute("start");
  }

  private static void awaitPort(int port) throws InterruptedException {
    while (true) {
      try (Socket socket = new Socket()) {
        socket.connect(new InetSocketAddress("localhost", port));
        return;
      } catch (IOException e) {
        Thread.sleep(5);
      }
    }
  }

  static final class Note implements MapFunction<Long, Long> {
    private final String folder;
    private boolean isNoted;

    Note(String folder) {
      this.folder = folder;
    }

    @Override
    public Long map(Long element) throws IOException {
      if (!isNoted) {
        isNoted = true;
        String now = Long.toString(System.nanoTime());
        String own = ProcessHandle.current().pid() + "." + Thread.currentThread().getId();
        Files.writeString(Path.of(folder, own), now);
      }
      return element;
    }
  }
}
