import java.io.IOException;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import org.apache.flink.api.common.JobExecutionResult;
import org.apache.flink.api.common.accumulators.LongCounter;
import org.apache.flink.api.common.accumulators.LongMaximum;
import org.apache.flink.api.common.accumulators.LongMinimum;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.functions.RichMapFunction;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.connector.source.lib.NumberSequenceSource;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.runtime.entrypoint.StandaloneSessionClusterEntrypoint;
import org.apache.flink.runtime.taskexecutor.TaskManagerRunner;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.sink.v2.DiscardingSink;

/**
 * Flink, as its users write it: data streams with tuples, objects used again. This process has the
 * job manager, and starts a process for each task manager. The arguments are JAR PROCESSES SLOTS
 * FOLDER and then
 *
 * <p>shuffle SIZE RECORDS TIMES: records by key<br>
 * slow SIZE RECORDS TIMES RATE: through subtasks of which one is slow<br>
 * adaptive SIZE RECORDS TIMES RATE: likewise, with the adaptive partitioner
 */
public final class FlinkRival {
  private static final long FACTOR = 2_654_435_761L;
  private static final double SLOW_SHARE = 0.116;
  private static final int BLOCK_RECORDS = 500;
  private static volatile boolean hasEnded;

  public static void main(String[] arguments) throws Exception {
    String jar = arguments[0];
    int processes = Integer.parseInt(arguments[1]);
    int slots = Integer.parseInt(arguments[2]);
    Path folder = Files.createTempDirectory(Path.of(arguments[3]), "flink-");
    int rest = freePort();
    boolean isAdaptive = arguments[4].equals("adaptive");
    Files.writeString(folder.resolve("config.yaml"), config(freePort(), rest, slots, isAdaptive));
    List<Process> managers = new ArrayList<>();
    Runtime.getRuntime()
        .addShutdownHook(new Thread(() -> managers.forEach(Process::destroyForcibly)));
    String[] options = {"--configDir", folder.toString()};
    Thread manager = new Thread(() -> StandaloneSessionClusterEntrypoint.main(options));
    manager.setDaemon(true); // it ends with the cluster
    manager.start();
    await(rest);
    for (int process = 0; process < processes; process++) {
      managers.add(taskManager(folder, process));
    }
    int size = Integer.parseInt(arguments[5]);
    long records = Long.parseLong(arguments[6]);
    long rate = arguments.length > 8 ? Long.parseLong(arguments[8]) : 0;
    for (int left = Integer.parseInt(arguments[7]); left > 0; left--) {
      var flow = StreamExecutionEnvironment.createRemoteEnvironment("127.0.0.1", rest, jar);
      flow.setParallelism(processes * slots);
      flow.getConfig().enableObjectReuse();
      if (size == 16) {
        TypeInformation<Tuple2<Long, Long>> pairs = Types.TUPLE(Types.LONG, Types.LONG);
        describe(flow, records, new MakePair(), pairs, rate);
      } else {
        TypeInformation<Tuple2<Long, byte[]>> all =
            Types.TUPLE(Types.LONG, Types.PRIMITIVE_ARRAY(Types.BYTE));
        describe(flow, records, new MakeRecord(size), all, rate);
      }
      JobExecutionResult result = flow.execute();
      long begin = result.getAccumulatorResult("begin");
      long end = result.getAccumulatorResult("end");
      System.out.println("count " + result.getAccumulatorResult("count"));
      System.out.println("keys " + result.getAccumulatorResult("keys"));
      System.out.println("seconds " + (end - begin) / 1e6);
    }
    System.out.flush();
    Runtime.getRuntime().halt(end(managers)); // the job manager would wait for its task managers
  }

  private static int end(List<Process> managers) throws InterruptedException {
    hasEnded = true;
    managers.forEach(Process::destroyForcibly);
    for (Process manager : managers) {
      manager.waitFor();
    }
    return 0;
  }

  private static <T> void describe(
      StreamExecutionEnvironment flow,
      long records,
      RichMapFunction<Long, Tuple2<Long, T>> maker,
      TypeInformation<Tuple2<Long, T>> type,
      long rate) {
    DataStream<Tuple2<Long, T>> made =
        flow.fromSource(
                new NumberSequenceSource(0, records - 1),
                WatermarkStrategy.noWatermarks(),
                "numbers")
            .map(maker)
            .returns(type);
    DataStream<Tuple2<Long, T>> sent =
        rate == 0 ? made.keyBy(record -> record.f0, Types.LONG) : made.rebalance();
    sent.map(new Take<T>(rate)).returns(type).sinkTo(new DiscardingSink<>());
  }

  private static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0)) {
      return socket.getLocalPort();
    }
  }

  /** Waits until the job manager listens. */
  private static void await(int port) throws InterruptedException {
    while (true) {
      try {
        new Socket("127.0.0.1", port).close();
        return;
      } catch (IOException e) {
        Thread.sleep(100);
      }
    }
  }

  private static String config(int rpc, int rest, int slots, boolean isAdaptive) {
    return """
        jobmanager.rpc.address: 127.0.0.1
        jobmanager.bind-host: 127.0.0.1
        jobmanager.rpc.port: %d
        rest.address: 127.0.0.1
        rest.bind-address: 127.0.0.1
        rest.port: %d
        jobmanager.memory.process.size: 1g
        taskmanager.host: 127.0.0.1
        taskmanager.bind-host: 127.0.0.1
        taskmanager.numberOfTaskSlots: %d
        taskmanager.registration.timeout: 60 s
        taskmanager.cpu.cores: %d
        taskmanager.memory.task.heap.size: 640m
        taskmanager.memory.task.off-heap.size: 0m
        taskmanager.memory.framework.heap.size: 128m
        taskmanager.memory.framework.off-heap.size: 128m
        taskmanager.memory.managed.size: 64m
        taskmanager.memory.network.min: 128m
        taskmanager.memory.network.max: 128m
        taskmanager.memory.jvm-metaspace.size: 128m
        taskmanager.memory.jvm-overhead.min: 64m
        taskmanager.memory.jvm-overhead.max: 64m
        taskmanager.network.adaptive-partitioner.enabled: %s
        """
        .formatted(rpc, rest, slots, slots, isAdaptive);
  }

  private static Process taskManager(Path folder, int number) throws IOException {
    Path log = folder.resolve("taskmanager-" + number + ".log");
    List<String> words = new ArrayList<>();
    words.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    for (String option :
        java.lang.management.ManagementFactory.getRuntimeMXBean().getInputArguments()) {
      if (option.startsWith("--add-")
          || option.startsWith("-XX:ActiveProcessorCount")
          || option.startsWith("-Djava.io.tmpdir=")) {
        words.add(option);
      }
    }
    words.add("-Dorg.slf4j.simpleLogger.defaultLogLevel=warn");
    words.addAll(List.of("-Xmx768m", "-XX:MaxDirectMemorySize=256m"));
    words.addAll(List.of("-cp", System.getProperty("java.class.path")));
    words.addAll(List.of(TaskManagerRunner.class.getName(), "--configDir", folder.toString()));
    Process manager =
        new ProcessBuilder(words)
            .redirectErrorStream(true)
            .redirectOutput(log.toFile())
            .start();
    manager
        .onExit()
        .thenAccept(
            ended -> {
              if (hasEnded) {
                return;
              }
              System.out.println("a task manager has ended: look at " + log);
              Runtime.getRuntime().halt(1);
            });
    return manager;
  }

  private static long micros() {
    return ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now());
  }

  /** Gives a record its key. */
  private abstract static class Make<T> extends RichMapFunction<Long, Tuple2<Long, T>> {
    private final LongMinimum begin = new LongMinimum();
    private boolean hasBegun;
    final Tuple2<Long, T> record = new Tuple2<>();

    @Override
    public void open(OpenContext context) {
      getRuntimeContext().addAccumulator("begin", begin);
    }

    abstract T payload(long number);

    @Override
    public Tuple2<Long, T> map(Long number) {
      if (!hasBegun) {
        hasBegun = true;
        begin.add(micros());
      }
      record.f0 = number * FACTOR & 0xffff_ffffL;
      record.f1 = payload(number);
      return record;
    }
  }

  private static final class MakePair extends Make<Long> {
    @Override
    Long payload(long number) {
      return number;
    }
  }

  private static final class MakeRecord extends Make<byte[]> {
    private final byte[] payload;

    MakeRecord(int size) {
      this.payload = new byte[size - Long.BYTES];
    }

    @Override
    byte[] payload(long number) {
      var words = java.nio.ByteBuffer.wrap(payload);
      while (words.remaining() >= Long.BYTES) {
        words.putLong(number);
      }
      return payload;
    }
  }

  /** Counts what it gets, at a rate if there is one. */
  private static final class Take<T> extends RichMapFunction<Tuple2<Long, T>, Tuple2<Long, T>> {
    private final long rate;
    private final LongCounter count = new LongCounter();
    private final LongCounter keys = new LongCounter();
    private final LongMaximum end = new LongMaximum();
    private long taken;
    private long nanosPerBlock;
    private long due;

    Take(long rate) {
      this.rate = rate;
    }

    @Override
    public void open(OpenContext context) {
      getRuntimeContext().addAccumulator("count", count);
      getRuntimeContext().addAccumulator("keys", keys);
      getRuntimeContext().addAccumulator("end", end);
      int index = getRuntimeContext().getTaskInfo().getIndexOfThisSubtask();
      double own = index == 0 ? rate * SLOW_SHARE : rate;
      nanosPerBlock = rate == 0 ? 0 : (long) (BLOCK_RECORDS * 1e9 / own);
    }

    @Override
    public Tuple2<Long, T> map(Tuple2<Long, T> record) {
      count.add(1);
      keys.add(record.f0);
      if (rate > 0 && ++taken % BLOCK_RECORDS == 0) {
        keepPace();
      }
      return record;
    }

    private void keepPace() {
      long now = System.nanoTime();
      due = Math.max(due, now - nanosPerBlock) + nanosPerBlock;
      while (now < due) {
        LockSupport.parkNanos(due - now);
        now = System.nanoTime();
      }
    }

    @Override
    public void close() {
      end.add(micros());
    }
  }
}
