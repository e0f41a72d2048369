package dev.tigris.bench.call;

import com.sun.management.OperatingSystemMXBean;
import com.sun.management.ThreadMXBean;
import dev.tigris.bench.WrongResultException;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.HdrHistogram.Histogram;

/// The program of the server's and of the client's process. Arguments: the caller's name, and
/// `serve`, or `measure ADDRESS`. The property [#FOLDER] names a folder for its files. It ends with
/// its standard input.
///
/// ```text
///   serve     prints "listening ADDRESS"
///   measure   prints "connected"
///   both answer each line of their standard input by one on their standard output:
///     cpu                              NANOS of the process until now
///     allocated                        BYTES of all threads until now
///   and measure:
///     latency BYTES PER_SECOND COUNT   MEDIAN_NANOS P999_NANOS
///     serial BYTES MILLIS              CALLS NANOS
///     many BYTES MILLIS                CALLS
///     blocking BYTES COUNT             COUNT
///     handler BYTES COUNT              BYTES that the thread of the methods has allocated
/// ```
///
/// *Latency* is measured from the time at which a call was to begin at the rate, whether or not
/// the one before it was over by then.
public final class CallWorkerMain {
  static final String FOLDER = "tigris.bench.folder";

  private static final long LONGEST_NANOS = 60_000_000_000L;
  private static final int MANY = 1_000;
  private static final int FEWEST = Caller.OUTSTANDING;

  private final Caller caller;

  private CallWorkerMain(Caller caller) {
    this.caller = caller;
  }

  /// The folder for files of the processes.
  static Path folder() {
    return Path.of(System.getProperty(FOLDER, System.getProperty("java.io.tmpdir")));
  }

  /// Serves or measures; any exception ends the process with an error.
  public static void main(String[] arguments) throws Exception {
    try (Caller caller = Caller.named(arguments[0])) {
      if (arguments[1].equals("serve")) {
        System.out.println("listening " + caller.serve());
      } else {
        caller.connect(arguments[2]);
        System.out.println("connected");
      }
      new CallWorkerMain(caller).answer();
    }
  }

  private void answer() throws Exception {
    BufferedReader in =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String line = in.readLine(); line != null; line = in.readLine()) {
      String[] words = line.split(" ", -1);
      System.out.println(
          switch (words[0]) {
            case "cpu" -> Long.toString(cpuNanos());
            case "allocated" -> Long.toString(allocatedBytes());
            case "latency" -> latency(number(words[1]), Long.parseLong(words[2]), number(words[3]));
            case "serial" -> serial(number(words[1]), Long.parseLong(words[2]));
            case "many" -> many(number(words[1]), Long.parseLong(words[2]));
            case "blocking" -> blocking(number(words[1]), number(words[2]));
            case "handler" -> handler(number(words[1]), number(words[2]));
            default -> throw new IOException("there is no question " + line);
          });
    }
  }

  private static int number(String word) {
    return Integer.parseInt(word);
  }

  private static long cpuNanos() {
    return ((OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean())
        .getProcessCpuTime();
  }

  private static long allocatedBytes() {
    return ((ThreadMXBean) ManagementFactory.getThreadMXBean()).getTotalThreadAllocatedBytes();
  }

  private static void check(long sent, long back) {
    WrongResultException.check("the number that comes back", sent, back);
  }

  private String latency(int bytes, long perSecond, int count) {
    Histogram histogram = new Histogram(LONGEST_NANOS, 3);
    long gap = 1_000_000_000 / perSecond;
    long start = System.nanoTime();
    for (int i = 0; i < count; i++) {
      long due = start + i * gap;
      while (System.nanoTime() - due < 0) {
        Thread.onSpinWait();
      }
      check(i, caller.call(bytes, i));
      histogram.recordValue(Math.min(LONGEST_NANOS, System.nanoTime() - due));
    }
    return "%d %d"
        .formatted(histogram.getValueAtPercentile(50), histogram.getValueAtPercentile(99.9));
  }

  private String serial(int bytes, long millis) {
    long start = System.nanoTime();
    long calls = 0;
    while (System.nanoTime() - start < millis * 1_000_000) {
      check(calls, caller.call(bytes, calls));
      calls++;
    }
    return "%d %d".formatted(calls, System.nanoTime() - start);
  }

  private String many(int bytes, long millis) throws Exception {
    long start = System.nanoTime();
    long calls = 0;
    int batch = FEWEST;
    while (calls == 0 || System.nanoTime() - start < millis * 1_000_000) {
      caller.many(bytes, batch);
      calls += batch;
      batch = MANY;
    }
    return Long.toString(calls);
  }

  private String blocking(int bytes, int count) {
    for (int i = 0; i < count; i++) {
      check(i, caller.callBlocking(bytes, i));
    }
    return Integer.toString(count);
  }

  private String handler(int bytes, int count) {
    long before = caller.allocatedInHandler();
    for (int i = 0; i < count; i++) {
      check(i, caller.call(bytes, i));
    }
    return Long.toString(caller.allocatedInHandler() - before);
  }
}
