package dev.tigris.spark;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.spark.SparkContext;
import org.apache.spark.SparkContext$;
import org.apache.spark.util.ShutdownHookManager;
import scala.runtime.AbstractFunction0;
import scala.runtime.BoxedUnit;

/// The main class of an application that `tigris run --on spark:MASTER` submits. Programs do not
/// call it.
public final class Main {
  /// The exit code of an executor that was ended, since its modules did not.
  private static final int FENCED = 70;

  /// How long a run may take to end, when this process is asked to.
  private static final long PATIENCE_SECONDS = 8;

  /// Of hooks, the one with the higher number is called first.
  private static final int BEFORE_SPARK_STOPS =
      ShutdownHookManager.SPARK_CONTEXT_SHUTDOWN_PRIORITY() + 1;

  private Main() {}

  /// Runs a program, prints how that goes and ends, and ends the process.
  ///
  /// @param arguments as [Submitted] reads them
  public static void main(String[] arguments) {
    int code;
    try {
      SparkContext context = SparkContext$.MODULE$.getOrCreate();
      code = run(context, Submitted.of(arguments));
      context.stop();
    } catch (Throwable e) { // Spark throws what its own compiler does not check
      code = Submitted.failed(System.out, e);
    }
    System.out.flush();
    System.exit(code);
  }

  private static int run(SparkContext context, Submitted submitted) {
    CountDownLatch over = new CountDownLatch(1);
    Object _ =
        ShutdownHookManager.addShutdownHook(
            BEFORE_SPARK_STOPS, new Stop(Thread.currentThread(), over));
    try {
      return submitted.run(context, System.out);
    } catch (Throwable e) {
      return Submitted.failed(System.out, e);
    } finally {
      over.countDown();
    }
  }

  /// Lets the run end while Spark can still end its tasks: on Ctrl-C, for example.
  private static final class Stop extends AbstractFunction0<BoxedUnit> {
    private final Thread main;
    private final CountDownLatch over;

    Stop(Thread main, CountDownLatch over) {
      this.main = main;
      this.over = over;
    }

    @Override
    public BoxedUnit apply() {
      if (over.getCount() > 0) {
        main.interrupt();
        try {
          boolean _ = over.await(PATIENCE_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
          Thread.currentThread().interrupt();
        }
      }
      return BoxedUnit.UNIT;
    }
  }

  /// Ends this executor: modules of a run that was given up do not end in it.
  static void halt() {
    Runtime.getRuntime().halt(FENCED);
  }
}
