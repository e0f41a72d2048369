package dev.tigris.launcher;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/// Makes a release: builds a copy of the checkout under the version, and makes an archive of the
/// command and a repository of the libraries. The checkout itself stays a SNAPSHOT.
/// ```text
/// build/dist/VERSION/source/         the copy that was built
///                    build.log       what Maven said of it
///                    repository/     jars, sources, Javadoc, poms and checksums
///                    tigris-VERSION-SYSTEM.tar.gz
/// ```
final class Dist {
  private static final String HELP =
      """
      Make a release of this checkout.
      Usage: tigris dist VERSION

      Writes to build/dist/VERSION:
        tigris-VERSION-SYSTEM.tar.gz  The command with a Java of its own: unpack it, and run
                                      bin/tigris, on a machine without a JDK or Maven.
        repository/                   The libraries for a repository of Maven: jars, sources,
                                      Javadoc, poms and checksums. Sign them to publish them.

        -h, --help                    Print this help and exit.

      Exit codes: 0 all is there, 2 the version is none, 126 the build failed.""";

  /// As semantic versioning has it, but for what Maven would take for a build in progress.
  private static final Pattern VERSION =
      Pattern.compile("[0-9]+\\.[0-9]+\\.[0-9]+(-(?!.*SNAPSHOT)[A-Za-z0-9.-]+)?");

  private final Context context;
  private final Checkout checkout;

  Dist(Context context) {
    this.context = context;
    this.checkout = context.checkout();
  }

  /// Runs `tigris dist` with these arguments, and returns the exit code.
  int run(List<String> arguments) throws IOException, InterruptedException {
    if (List.of("-h", "--help").equals(arguments)
        || List.of("-h").equals(arguments)
        || List.of("--help").equals(arguments)) {
      context.out().println(HELP);
      return 0;
    }
    if (arguments.size() != 1 || !VERSION.matcher(arguments.getFirst()).matches()) {
      throw new Refusal(
          Refusal.MISUSE, "name one version, such as: tigris dist 1.2.3. See: tigris dist --help");
    }
    String version = arguments.getFirst();
    Path folder = checkout.build().resolve("dist").resolve(version);
    try (var lock = BuildLock.take(context)) {
      Checkout.delete(folder);
      Files.createDirectories(folder);
      SourceCopy source = SourceCopy.of(checkout, version, folder.resolve("source"));
      build(source, lock, folder.resolve("build.log"));
      Repository.make(source, folder.resolve("repository"));
      List<Path> jars = Archive.jars(source.root().resolve("cli"), version);
      Path spark = Archive.own(source.root().resolve("spark"), version);
      Path archive = new Archive(context).make(version, jars, spark, folder);
      context.out().println(archive);
      context.out().println(folder.resolve("repository"));
    }
    return 0;
  }

  private void build(SourceCopy source, BuildLock lock, Path log)
      throws IOException, InterruptedException {
    context.say("building %s (details in %s)".formatted(source.version(), log));
    List<String> modules = new ArrayList<>(source.published());
    modules.add("cli");
    List<String> arguments =
        List.of(
            "-f",
            source.root().resolve("pom.xml").toString(),
            "-Prelease",
            "-Dmaven.test.skip=true",
            "-pl",
            String.join(",", modules),
            "-am",
            "package");
    if (Maven.find(context, lock).runQuietly(arguments, log) != 0) {
      throw Refusal.cannotRun("the build failed; all of its output is in " + log);
    }
  }
}
