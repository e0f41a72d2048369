package dev.tigris.launcher;

import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/// The entry point. The `tigris` script runs it from source, with the checkout and the JDK in
/// properties:
/// ```text
/// prepare MODULE...     builds the modules that are not built, and trains the AOT cache
/// test ARGUMENT...      runs the tests, or a fuzzer
/// mvn ARGUMENT...       runs Maven with the JDK that the script found
/// dist VERSION          makes a release
/// ```
public final class Main {
  private Main() {}

  /// Runs a command, and ends the JVM with its exit code.
  ///
  /// @param args the command and its arguments
  public static void main(String[] args) throws InterruptedException {
    var context =
        new Context(
            new Checkout(Path.of(property("tigris.home"))),
            Path.of(property("tigris.jdk")),
            property("tigris.jdk.version"),
            Optional.ofNullable(System.getProperty("tigris.memory.budget")),
            System.getenv(),
            System.out,
            System.err,
            Redirect.INHERIT);
    System.exit(run(context, List.of(args)));
  }

  private static String property(String name) {
    return Optional.ofNullable(System.getProperty(name))
        .orElseThrow(() -> new IllegalStateException("the property " + name + " is missing"));
  }

  /// Runs a command, and returns its exit code.
  static int run(Context context, List<String> arguments) throws InterruptedException {
    try {
      List<String> rest = arguments.subList(1, arguments.size());
      return switch (arguments.getFirst()) {
        case "prepare" -> prepare(context, rest);
        case "test" -> new TestRun(context).run(rest);
        case "mvn" -> maven(context, rest);
        case "dist" -> new Dist(context).run(rest);
        default -> throw new IllegalArgumentException("no command " + arguments.getFirst());
      };
    } catch (Refusal refusal) {
      context.say(refusal.text());
      return refusal.exitCode();
    } catch (IOException e) {
      context.say("the launcher cannot go on: " + e);
      return Refusal.CANNOT_RUN;
    }
  }

  private static int prepare(Context context, List<String> modules)
      throws IOException, InterruptedException {
    try (var lock = BuildLock.take(context)) {
      var builder = new Builder(context, lock);
      for (String module : modules) {
        builder.prepare(module);
      }
      if (modules.contains("cli")) {
        new Training(context).prepare();
      }
    }
    return 0;
  }

  private static int maven(Context context, List<String> arguments)
      throws IOException, InterruptedException {
    try (var lock = BuildLock.take(context)) {
      return Maven.find(context, lock).run(arguments);
    }
  }
}
