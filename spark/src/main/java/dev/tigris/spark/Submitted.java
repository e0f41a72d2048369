package dev.tigris.spark;

import dev.tigris.cluster.run.Cluster;
import dev.tigris.cluster.run.ClusterCommand;
import dev.tigris.cluster.run.ClusterRun;
import dev.tigris.cluster.run.FlowProgram;
import dev.tigris.cluster.run.RunException;
import dev.tigris.cluster.run.RunProgress;
import dev.tigris.flow.Results;
import java.io.PrintStream;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CancellationException;
import org.apache.spark.SparkContext;

/// A run that the `tigris` command has submitted. It prints lines, each of which begins with
/// `tigris` and one of these words:
///
/// ```
///   tigris progress running, 1.2 s, 3,000 calls
///   tigris attempts 1
///   tigris folder /home/me/.local/state/tigris/runs/20261129-014500-1f3a
///   tigris result sum 499999500000
///   tigris failed the run failed: ...
/// ```
///
/// A command prints what it prints elsewhere, and then its exit code:
///
/// ```
///   tigris ended 0
/// ```
final class Submitted {
  static final int OK = 0;
  static final int BAD_OUTPUT = 4;
  static final int FAILED = 6;

  private static final Duration SLICE = Duration.ofMillis(500);

  /// No more executors are awaited when none has registered for so long.
  private static final Duration SETTLED = Duration.ofSeconds(2);

  private static final Duration LOOK = Duration.ofMillis(50);

  private final String program;
  private final List<String> words;
  private final int workers;
  private final int attempts;
  private final int hangSeconds;
  private final String seed;

  private Submitted(Deque<String> arguments) {
    workers = Integer.parseInt(arguments.pop());
    attempts = Integer.parseInt(arguments.pop());
    hangSeconds = Integer.parseInt(arguments.pop());
    seed = arguments.pop();
    program = arguments.pop();
    words = List.copyOf(arguments);
  }

  /// Reads the number of workers, of attempts, and of seconds of the hang limit, each of which is 0
  /// for what is usual; the seed or `-`; the class of the program or command; and then its words.
  static Submitted of(String... arguments) {
    return new Submitted(new ArrayDeque<>(List.of(arguments)));
  }

  /// Runs the program, and returns the exit code.
  int run(SparkContext context, PrintStream out) throws Exception {
    Class<?> found = Class.forName(program, true, Thread.currentThread().getContextClassLoader());
    Cluster cluster = FlowOnSpark.cluster(context, workers > 0 ? workers : usual(context));
    cluster = attempts > 0 ? cluster.withAttempts(attempts) : cluster;
    cluster = hangSeconds > 0 ? cluster.withHangLimit(Duration.ofSeconds(hangSeconds)) : cluster;
    cluster = seed.equals("-") ? cluster : cluster.withSeed(Long.parseLong(seed));
    if (ClusterCommand.class.isAssignableFrom(found)) {
      ClusterCommand command =
          found.asSubclass(ClusterCommand.class).getConstructor().newInstance();
      int code = command.run(cluster, words);
      say(out, "ended", String.valueOf(code));
      return code;
    }
    return run(
        cluster.start(found.asSubclass(FlowProgram.class), words.toArray(String[]::new)), out);
  }

  private static int run(ClusterRun run, PrintStream out) throws Exception {
    Results results;
    try {
      while (!run.await(SLICE)) {
        say(out, "progress", text(run.progress()));
      }
      results = run.await();
    } catch (InterruptedException e) {
      run.cancelAndAwait();
      throw e;
    }
    say(out, "attempts", String.valueOf(run.progress().attempt()));
    run.folder().ifPresent(folder -> say(out, "folder", folder.toString()));
    results.numbers().forEach((name, number) -> say(out, "result", name + " " + number));
    return OK;
  }

  /// One worker for each executor, or for each thread of this process.
  private static int usual(SparkContext context) throws InterruptedException {
    if (context.isLocal()) {
      return context.defaultParallelism();
    }
    int asked = context.conf().getInt("spark.executor.instances", 0);
    return asked > 0 ? asked : Math.max(1, executors(context));
  }

  /// Waits for executors, which begin to register one after another when the application has begun,
  /// and returns how many there are when no more do.
  private static int executors(SparkContext context) throws InterruptedException {
    long patienceNanos = SparkEngine.patience(context).toNanos();
    long start = System.nanoTime();
    long since = start;
    int known = 0;
    for (long now = start; now - start < patienceNanos; now = System.nanoTime()) {
      int others = context.statusTracker().getExecutorInfos().length - 1; // the driver is one
      if (others != known) {
        known = others;
        since = now;
      } else if (known > 0 && now - since > SETTLED.toNanos()) {
        break;
      }
      Thread.sleep(LOOK);
    }
    return known;
  }

  private static String text(RunProgress progress) {
    String text =
        String.format(
            Locale.ROOT,
            "%s, %.1f s, %,d calls",
            progress.phase().name().toLowerCase(Locale.ROOT),
            progress.elapsedNanos() / 1e9,
            progress.calls());
    return progress.attempt() > 1 ? text + ", attempt " + progress.attempt() : text;
  }

  /// Prints why the program could not be run, and returns the exit code.
  static int failed(PrintStream out, Throwable thrown) {
    boolean isOutput =
        thrown instanceof RunException run
            && (run.kind() == RunException.Kind.OUTPUT
                || run.kind() == RunException.Kind.UNDECIDED);
    String why =
        switch (thrown) {
          case InterruptedException _ -> "the run was stopped";
          case RunException _, CancellationException _ -> String.valueOf(thrown.getMessage());
          default -> SparkFailure.words(thrown);
        };
    say(out, "failed", (why + cause(thrown, why)).replaceAll("\\R", " "));
    return isOutput ? BAD_OUTPUT : FAILED;
  }

  /// Returns the cause of a run's failure, for behind a message that does not tell it yet.
  private static String cause(Throwable thrown, String why) {
    Throwable cause = thrown instanceof RunException ? thrown.getCause() : null;
    return cause == null || why.contains(String.valueOf(cause.getMessage())) ? "" : ": " + cause;
  }

  private static void say(PrintStream out, String word, String text) {
    out.println("tigris " + word + " " + text);
  }
}
