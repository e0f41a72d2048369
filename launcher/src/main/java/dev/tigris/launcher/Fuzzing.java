package dev.tigris.launcher;

import java.io.File;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// Runs the fuzzer on the targets, which are the classes `...Fuzz` of the modules' tests. What it
/// finds is in `build/fuzz`.
final class Fuzzing {
  private static final String SUFFIX = "Fuzz.java";

  private final Context context;
  private final Checkout checkout;

  private record Target(Path module, Path source) {
    String className() {
      String name = module.resolve("src/test/java").relativize(source).toString();
      return name.substring(0, name.length() - ".java".length()).replace(File.separatorChar, '.');
    }

    String name() {
      String name = className();
      return name.substring(name.lastIndexOf('.') + 1);
    }
  }

  Fuzzing(Context context) {
    this.context = context;
    this.checkout = context.checkout();
  }

  /// Lets each target whose name begins with a prefix run for a number of seconds. Returns 1 when
  /// one of them failed, or the build.
  int run(String seconds, String prefix) throws IOException, InterruptedException {
    if (!seconds.matches("[1-9][0-9]*")) {
      throw new Refusal(Refusal.MISUSE, "say for how many seconds each: tigris test --fuzz 60");
    }
    List<Target> targets = targets(prefix);
    if (targets.isEmpty()) {
      throw new Refusal(
          Refusal.MISUSE,
          "there is no target whose name begins with '%s': docs/fuzzing.md has them"
              .formatted(prefix));
    }
    if (!build(targets)) {
      return 1;
    }
    int exitCode = 0;
    for (Target target : targets) {
      context.say("fuzzing " + target.name() + " for " + seconds + " s");
      if (fuzz(target, seconds) != 0) {
        exitCode = 1;
      }
    }
    return exitCode;
  }

  private List<Target> targets(String prefix) throws IOException {
    var targets = new ArrayList<Target>();
    for (Path module : checkout.modules()) {
      Path tests = module.resolve("src/test/java");
      if (Files.isDirectory(tests)) {
        try (Stream<Path> walk = Files.walk(tests)) {
          walk.filter(path -> isTarget(path, prefix))
              .sorted()
              .forEach(path -> targets.add(new Target(module, path)));
        }
      }
    }
    return targets;
  }

  private static boolean isTarget(Path path, String prefix) {
    String name = String.valueOf(path.getFileName());
    return name.startsWith(prefix) && name.endsWith(SUFFIX);
  }

  private boolean build(List<Target> targets) throws IOException, InterruptedException {
    var modules = new LinkedHashSet<String>();
    targets.forEach(target -> modules.add(String.valueOf(target.module().getFileName())));
    try (var lock = BuildLock.take(context)) {
      Maven maven = Maven.find(context, lock);
      return maven.run(
                  List.of("-q", "-pl", String.join(",", modules), "-am", "process-test-classes"))
              == 0
          && maven.run(List.of("-q", "-N", "dependency:copy@fuzzer")) == 0;
    }
  }

  private int fuzz(Target target, String seconds) throws IOException, InterruptedException {
    Path folder = checkout.build().resolve("fuzz");
    Path found = Files.createDirectories(folder.resolve(target.name()));
    Path corpus = target.module().resolve("src/test/resources/fuzz").resolve(target.name());
    List<String> command =
        List.of(
            context.java().toString(),
            "-Xmx1g",
            "--enable-native-access=ALL-UNNAMED",
            "-cp",
            classPath(folder),
            "com.code_intelligence.jazzer.Jazzer",
            "--target_class=" + target.className(),
            "--instrumentation_includes=dev.tigris.**",
            "-artifact_prefix=" + folder.resolve(target.name() + "-"),
            "-max_total_time=" + seconds,
            "-timeout=20",
            "-rss_limit_mb=4096",
            found.toString(),
            corpus.toString());
    return context.run(
        context
            .process(folder, command)
            .redirectInput(Redirect.INHERIT)
            .redirectOutput(context.children())
            .redirectError(context.children()));
  }

  private String classPath(Path folder) throws IOException {
    Stream<String> classes =
        checkout.modules().stream()
            .flatMap(
                module ->
                    Stream.of(
                        module.resolve("target/classes"), module.resolve("target/test-classes")))
            .filter(Files::isDirectory)
            .map(Path::toString);
    return Stream.concat(Stream.of(folder.resolve("lib") + "/*"), classes)
        .collect(Collectors.joining(File.pathSeparator));
  }
}
