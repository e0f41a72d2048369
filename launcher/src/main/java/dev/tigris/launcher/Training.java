package dev.tigris.launcher;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/// Makes the AOT cache of the command: the classes of a training run as loaded and linked, and its
/// profiles. It fits one JDK and one folder, and `trained` says which. Without it (no room, say)
/// the command works, but starts slower.
final class Training {
  /// The exit codes of a JVM that SIGHUP, SIGINT or SIGTERM ends.
  private static final Set<Integer> STOPPED = Set.of(129, 130, 143);

  private final Context context;
  private final Checkout checkout;
  private final Path folder;

  Training(Context context) {
    this.context = context;
    this.checkout = context.checkout();
    this.folder = checkout.build().resolve("aot");
  }

  /// Trains, if that is not done. A failure is told, and not repeated at each start.
  void prepare() throws IOException, InterruptedException {
    String wanted = context.jdkVersion() + " " + checkout.root();
    Path trained = folder.resolve("trained");
    if (Files.exists(trained) && Files.readString(trained).equals(wanted + "\n")) {
      return;
    }
    context.say("training the AOT cache, so that the next starts are fast");
    Path cache = folder.resolve("new");
    Path log = folder.resolve("log");
    try {
      Checkout.delete(folder);
      Files.createDirectories(folder.resolve("work"));
      int exitCode = run(log);
      Checkout.delete(folder.resolve("work"));
      if (STOPPED.contains(exitCode)) {
        context.say("the training was stopped: the next start trains again");
        return;
      }
      if (exitCode != 0) {
        Files.deleteIfExists(cache);
        context.say("it could not be made (see " + log + "); going on without");
      } else if (Files.exists(cache)) {
        Files.move(cache, folder.resolve("cache"), StandardCopyOption.ATOMIC_MOVE);
      }
      Files.writeString(trained, wanted + "\n");
    } catch (IOException e) {
      context.say("it could not be made (" + e + "); going on without");
    }
  }

  private int run(Path log) throws IOException, InterruptedException {
    var command = new ArrayList<String>();
    command.add(context.java().toString());
    command.add("-XX:AOTCacheOutput=../new");
    command.add("-XX:CompilationMode=default");
    command.add("@" + checkout.options("rare"));
    command.add("@" + checkout.options("command"));
    command.add("-XX:ErrorFile=" + checkout.build().resolve("hs_err_%p.log"));
    command.add("-Dtigris.home=" + checkout.root());
    command.add("-Dtigris.columns=");
    context.memoryBudget().ifPresent(bytes -> command.add("-Dtigris.memory.budget=" + bytes));
    command.addAll(
        List.of(
            "-p",
            checkout.jars("cli").toString(),
            "-m",
            "dev.tigris.cli/dev.tigris.cli.Main",
            "train"));
    return context.run(
        context
            .process(folder.resolve("work"), command)
            .redirectErrorStream(true)
            .redirectOutput(log.toFile()));
  }
}
