package dev.tigris.launcher;

import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/// Builds a module, and gathers its jars and those that it needs in `build/jars/MODULE`.
final class Builder {
  private static final int LINES_SHOWN = 20;
  private static final Pattern PROBLEM = Pattern.compile("\\[(ERROR|WARNING)\\] .+");
  private static final Pattern ADVICE =
      Pattern.compile("Help 1|mvn|switch|For more|After correcting");

  private final Context context;
  private final Checkout checkout;
  private final BuildLock lock;

  Builder(Context context, BuildLock lock) {
    this.context = context;
    this.checkout = context.checkout();
    this.lock = lock;
  }

  /// Builds a module, if that is not done.
  void prepare(String module) throws IOException, InterruptedException {
    if (!checkout.isBuilt(module)) { // another process may have been quicker
      build(module);
    }
  }

  private void build(String module) throws IOException, InterruptedException {
    Maven maven = Maven.find(context, lock);
    context.say(
        "building (the first time, Maven downloads what it needs; details in %s)"
            .formatted(checkout.log(module)));
    Path newStamp = checkout.build().resolve(module + ".new-stamp");
    Files.write(newStamp, new byte[0]);
    Path target = checkout.root().resolve(module).resolve("target");
    Checkout.delete(target.resolve("lib"));
    for (Path jar : ownJars(target, module)) { // of another version, maybe
      Files.delete(jar);
    }
    var arguments =
        List.of("-pl", module, "-am", "package", "-Dmaven.test.skip=true", Maven.SEVERAL_MODULES);
    if (maven.runQuietly(arguments, checkout.log(module)) != 0) {
      showProblems(checkout.log(module));
      throw Refusal.cannotRun("the build failed; all of its output is in " + checkout.log(module));
    }
    swap(module, gather(module, target));
    if (module.equals("cli")) { // before the stamp: a build that is whole has no cache of old jars
      Checkout.delete(checkout.build().resolve("aot"));
    }
    Files.move(newStamp, checkout.stamp(module), StandardCopyOption.REPLACE_EXISTING);
  }

  private void showProblems(Path log) throws IOException {
    // Maven may write what is no text.
    try (var lines = new String(Files.readAllBytes(log), StandardCharsets.UTF_8).lines()) {
      lines
          .filter(line -> PROBLEM.matcher(line).lookingAt() && !ADVICE.matcher(line).find())
          .limit(LINES_SHOWN)
          .forEach(context.err()::println);
    }
  }

  private static List<Path> ownJars(Path target, String module) throws IOException {
    return list(target, "tigris-" + module + "-*.jar");
  }

  private static List<Path> list(Path folder, String names) throws IOException {
    var found = new ArrayList<Path>();
    if (Files.isDirectory(folder)) {
      try (DirectoryStream<Path> files = Files.newDirectoryStream(folder, names)) {
        files.forEach(found::add);
      }
    }
    return found;
  }

  private Path gather(String module, Path target) throws IOException, InterruptedException {
    Path gathered = checkout.build().resolve("jars").resolve(module + ".new");
    try {
      Checkout.delete(gathered);
      Files.createDirectories(gathered);
      List<Path> own = ownJars(target, module);
      if (own.isEmpty()) {
        throw new NoSuchFileException(target + "/tigris-" + module + "-*.jar");
      }
      var jars = new ArrayList<>(own);
      jars.addAll(list(target.resolve("lib"), "*.jar"));
      for (Path jar : jars) {
        Files.copy(jar, gathered.resolve(String.valueOf(jar.getFileName())));
      }
      raiseClassVersions(module, gathered);
      return gathered;
    } catch (IOException e) {
      throw Refusal.cannotRun("the jars could not be gathered in " + gathered + ": " + e);
    }
  }

  private void raiseClassVersions(String module, Path jars)
      throws IOException, InterruptedException {
    Path tool = checkout.root().resolve(module).resolve("src/build/RaiseClassVersion.java");
    if (!Files.exists(tool)) {
      return;
    }
    var command = new ArrayList<>(List.of(context.java().toString(), tool.toString()));
    list(jars, "picocli-*.jar").forEach(jar -> command.add(jar.toString()));
    ProcessBuilder builder =
        context
            .process(checkout.root(), command)
            .redirectOutput(Redirect.DISCARD)
            .redirectError(Redirect.INHERIT);
    int exitCode = context.run(builder);
    if (exitCode != 0) {
      throw new IOException(tool + " ended with exit code " + exitCode);
    }
  }

  /// A tigris that runs meanwhile keeps the jars that it has open.
  private void swap(String module, Path gathered) throws IOException {
    Path jars = checkout.jars(module);
    Path old = jars.resolveSibling(module + ".old");
    Checkout.delete(old);
    if (Files.exists(jars)) {
      Files.move(jars, old);
    }
    Files.move(gathered, jars);
    Checkout.delete(old);
  }
}
