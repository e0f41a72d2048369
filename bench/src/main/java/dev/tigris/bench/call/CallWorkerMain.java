package dev.tigris.bench.call;

import dev.tigris.bench.WrongResultException;
import dev.tigris.bench.fork.WhileInput;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CountDownLatch;
import org.HdrHistogram.Histogram;

/// The program of the server's and of the client's process. Arguments: the caller's name, and
/// `serve`, or `measure ADDRESS`.
///
/// ```text
///   serve     prints "listening ADDRESS"; ends with its standard input
///   measure   answers each line of its standard input by one on its standard output:
///     latency BYTES PER_SECOND COUNT   MEDIAN_NANOS P999_NANOS
///     throughput BYTES MILLIS          CALLS NANOS
/// ```
///
/// *Latency* is measured from the time at which a call was to begin at the rate, whether or not
/// the one before it was over by then.
public final class CallWorkerMain {
  private static final long LONGEST_NANOS = 60_000_000_000L;

  private CallWorkerMain() {}

  /// Serves or measures; any exception ends the process with an error.
  public static void main(String[] arguments) throws Exception {
    Caller caller = Caller.named(arguments[0]);
    if (arguments[1].equals("serve")) {
      WhileInput.run(
          "serve",
          () -> {
            System.out.println("listening " + caller.serve());
            new CountDownLatch(1).await();
          });
      return;
    }
    caller.connect(arguments[2]);
    BufferedReader in =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String line = in.readLine(); line != null; line = in.readLine()) {
      String[] words = line.split(" ", -1);
      int bytes = Integer.parseInt(words[1]);
      System.out.println(
          words[0].equals("latency")
              ? latency(caller, bytes, Long.parseLong(words[2]), Integer.parseInt(words[3]))
              : throughput(caller, bytes, Long.parseLong(words[2])));
    }
    caller.close();
  }

  private static void call(Caller caller, int bytes, long number) {
    if (caller.call(bytes, number) != number) {
      throw new WrongResultException("another number has come back than was sent");
    }
  }

  private static String latency(Caller caller, int bytes, long perSecond, int count) {
    Histogram histogram = new Histogram(LONGEST_NANOS, 3);
    long gap = 1_000_000_000 / perSecond;
    long start = System.nanoTime();
    for (int i = 0; i < count; i++) {
      long due = start + i * gap;
      while (System.nanoTime() - due < 0) {
        Thread.onSpinWait();
      }
      call(caller, bytes, i);
      histogram.recordValue(Math.min(LONGEST_NANOS, System.nanoTime() - due));
    }
    return "%d %d"
        .formatted(histogram.getValueAtPercentile(50), histogram.getValueAtPercentile(99.9));
  }

  private static String throughput(Caller caller, int bytes, long millis) {
    long start = System.nanoTime();
    long calls = 0;
    while (System.nanoTime() - start < millis * 1_000_000) {
      call(caller, bytes, calls++);
    }
    return "%d %d".formatted(calls, System.nanoTime() - start);
  }
}
