package dev.tigris.launcher;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/// Runs the tests with Maven, and ends with a summary of the reports that this run wrote.
final class TestRun {
  private static final String HELP =
      """
      Run the tests of this checkout.
      Usage: tigris test [--slow | --soak] [MAVEN-OPTION...]
             tigris test --fuzz SECONDS [TARGET]

        --slow            Run the longer tests: stress, kills, corpora and small benches.
        --soak            Run the tests that take hours.
        --fuzz SECONDS    Make up bytes for each target, so long (docs/fuzzing.md).
        -pl MODULE -am    Run the tests of a module and of the modules that it uses.
        -Dtest=NAMES      Run these classes; with -Dsurefire.failIfNoSpecifiedTests=false.
        -h, --help        Print this help and exit.

      Without --slow or --soak, each behaviour is tested once, which takes a quarter of an hour
      on two processors. As many modules are tested at a time as there are processors. Anything
      else goes to `mvn verify`: -T1 tests one module at a time. A test that fails is run once
      more, and passes if it does then: -Dtests.again=0 forbids it. A table of the modules, the
      slowest classes, and the tests that failed, that passed only when run again, or that were
      skipped ends the run.

      Exit codes: 0 all tests passed, 1 a test failed, or the build.""";

  /// The option by which a test that fails is run once more: one of thousands that use processes,
  /// signals and clocks must not refuse a change that it has nothing to do with.
  private static final String ONCE_MORE = "-Dtests.again=1";

  /// The output cannot be written.
  private static final int NO_OUTPUT = 4;

  private final Context context;

  TestRun(Context context) {
    this.context = context;
  }

  /// Runs `tigris test` with these arguments, and returns the exit code.
  int run(List<String> arguments) throws IOException, InterruptedException {
    String first = arguments.isEmpty() ? "" : arguments.getFirst();
    return switch (first) {
      case "-h", "--help" -> {
        context.out().println(HELP);
        yield context.out().checkError() ? NO_OUTPUT : 0;
      }
      case "--fuzz" -> new Fuzzing(context).run(argument(arguments, 1), argument(arguments, 2));
      default -> test(mavenArguments(arguments));
    };
  }

  private static String argument(List<String> arguments, int index) {
    return index < arguments.size() ? arguments.get(index) : "";
  }

  private static List<String> mavenArguments(List<String> arguments) {
    if (arguments.contains("--slow") && arguments.contains("--soak")) {
      throw new Refusal(Refusal.MISUSE, "--slow and --soak are two runs: give one of them");
    }
    var forMaven = new ArrayList<String>();
    forMaven.add("verify");
    forMaven.add(ONCE_MORE); // of two, Maven takes the last one
    for (String argument : arguments) {
      forMaven.add(
          switch (argument) {
            case "--slow" -> "-Pslow";
            case "--soak" -> "-Psoak";
            default -> argument;
          });
    }
    forMaven.add(Maven.SEVERAL_MODULES); // of two, Maven takes the first one
    return forMaven;
  }

  private int test(List<String> forMaven) throws IOException, InterruptedException {
    try (var lock = BuildLock.take(context)) {
      Maven maven = Maven.find(context, lock);
      long began = System.nanoTime();
      FileTime mark = mark();
      int exitCode = maven.run(forMaven);
      var summary = new Summary(Reports.since(mark, context.checkout()));
      if (!summary.classes().isEmpty()) {
        context.out().println(summary.text(Duration.ofNanos(System.nanoTime() - began)));
        context.out().flush();
      }
      if (exitCode != 0 && summary.failed() == 0) {
        context.say("no test failed, but the build did: Maven says why above");
      }
      return exitCode == 0 && summary.failed() == 0 ? 0 : 1;
    }
  }

  /// The time by the clock of the file system, which the reports have as well.
  private FileTime mark() throws IOException {
    Path file = context.checkout().build().resolve("test-began");
    Files.write(file, new byte[0]);
    return Files.getLastModifiedTime(file);
  }
}
