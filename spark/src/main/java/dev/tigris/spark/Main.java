package dev.tigris.spark;

import org.apache.spark.SparkContext;
import org.apache.spark.SparkContext$;

/// The main class of an application that `tigris run --on spark:MASTER` submits. Programs do not
/// call it.
public final class Main {
  /// The exit code of an executor that was ended, since its modules did not.
  private static final int FENCED = 70;

  private Main() {}

  /// Runs a program, prints how that goes and ends, and ends the process.
  ///
  /// @param arguments as [Submitted] reads them
  public static void main(String[] arguments) {
    int code;
    try {
      SparkContext context = SparkContext$.MODULE$.getOrCreate();
      code = Submitted.of(arguments).run(context, System.out);
      context.stop();
    } catch (Throwable e) { // Spark throws what its own compiler does not check
      code = Submitted.failed(System.out, e);
    }
    System.out.flush();
    System.exit(code);
  }

  /// Ends this executor: modules of a run that was given up do not end in it.
  static void halt() {
    Runtime.getRuntime().halt(FENCED);
  }
}
