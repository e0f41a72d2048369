package dev.tigris.launcher;

import dev.tigris.testing.process.Command;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/// A small checkout with the launcher of this one, whose name has a space, and with JDKs and a
/// Maven that only write down how they are called.
final class FakeCheckout {
  /// Builds and trains at once, and writes down its arguments for anything else.
  static final String JAVA =
      """
      #!/bin/sh
      home= version= launcher=
      for word in "$@"; do
        case $word in
          -Dtigris.home=*) home=${word#*=} ;;
          -Dtigris.jdk.version=*) version=${word#*=} ;;
          */launcher/Main.java) launcher=yes ;;
        esac
      done
      if [ -n "$launcher" ]; then
        while [ "${1##*/}" != Main.java ]; do shift; done
        shift
        echo "$*" >> "$CALLS"
        [ -z "${BROKEN:-}" ] || exit "$BROKEN"
        [ "$1" = prepare ] || exit 0
        shift
        mkdir -p "$home/build/aot"
        for module in "$@"; do
          mkdir -p "$home/build/jars/$module"
          : > "$home/build/$module.stamp"
        done
        printf '%s\\n' "$version $home" > "$home/build/aot/trained"
        [ -n "${NO_CACHE:-}" ] || : > "$home/build/aot/cache"
        exit 0
      fi
      case $1 in
        -XX:AOTCacheOutput=*)
          echo "train" >> "$CALLS"; printf '%s\\n' "$@" > "$CALLS.train"
          [ -z "${NO_CACHE:-}" ] || exit "$NO_CACHE"
          : > "${1#*=}" ;;
        */RaiseClassVersion.java) echo "raise $2" >> "$CALLS" ;;
        *) printf '%s\\n' "$0" "$@"; echo "${LC_ALL:-$LC_CTYPE, $LC_MESSAGES}" >> "$CALLS.locale" ;;
      esac
      """;

  private static final String MAVEN =
      """
      #!/bin/sh
      echo "mvn $*" >> "$CALLS"
      [ -z "${BROKEN:-}" ] || { echo '[ERROR] cli/Main.java: no such luck'; exit 1; }
      [ -z "${MAVEN_WORK:-}" ] || . "$MAVEN_WORK"
      mkdir -p cli/target/lib
      echo jar > cli/target/lib/picocli-1.jar
      echo jar > cli/target/tigris-cli-1.jar
      mkdir -p bench/target/lib; echo jar > bench/target/tigris-bench-1.jar
      """;

  private static final List<String> TOOLS =
      List.of("sh", "find", "ls", "mkdir", "rm", "mv", "readlink", "locale", "stty", "sleep");

  final Path folder;
  final Path root;
  final Path bin;
  final Map<String, String> environment = new HashMap<>();
  private final Path calls;

  /// How a process ended.
  record Result(int exitCode, String out, String err) {}

  FakeCheckout(Path folder) throws IOException {
    this.folder = folder;
    root = Files.createDirectories(folder.resolve("check out"));
    calls = Files.createFile(folder.resolve("calls"));
    copy(repository().resolve("tigris"), root.resolve("tigris"));
    try (Stream<Path> walk = Files.walk(repository().resolve("launcher/src/main"))) {
      for (Path file : walk.filter(Files::isRegularFile).toList()) {
        copy(file, root.resolve(repository().relativize(file).toString()));
      }
    }
    // The usual folders of JDKs are looked for below the temporary folder.
    Path finder = root.resolve("launcher/src/main/sh/find-jdk.sh");
    Files.writeString(
        finder,
        Files.readString(finder).replaceAll("(?<=\\s)/(usr|opt|Library|home)/", folder + "/$1/"));
    file(root.resolve("pom.xml"));
    file(root.resolve("cli/pom.xml"));
    file(root.resolve("cli/src/main/Main.java"));
    file(root.resolve("cli/src/build/RaiseClassVersion.java"));
    file(root.resolve("bench/pom.xml"));
    bin = Files.createDirectory(folder.resolve("bin"));
    TOOLS.forEach(this::link);
    executable(bin.resolve("mvn"), MAVEN);
    environment.put("PATH", bin.toString());
    environment.put("HOME", folder.resolve("user").toString());
    environment.put("CALLS", calls.toString());
    jdk("25.0.1", folder.resolve("jdk"));
    environment.put("JAVA_HOME", folder.resolve("jdk").toString());
  }

  /// How the JDKs and Maven were called.
  List<String> calls() throws IOException {
    return Files.readAllLines(calls);
  }

  /// What they wrote down of one kind.
  List<String> calls(String kind) throws IOException {
    return Files.readAllLines(calls.resolveSibling("calls." + kind));
  }

  /// Puts a tool of this machine on the PATH.
  void link(String tool) {
    try {
      executable(bin.resolve(tool), "#!/bin/sh\nexec %s \"$@\"\n".formatted(which(tool)));
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  Result tigris(String... args) throws Exception {
    return run(folder, root.resolve("tigris").toString(), args);
  }

  /// Runs a program with the environment of this checkout, and with files for what it prints.
  Result run(Path from, String program, String... args) {
    Path out = folder.resolve("stdout");
    Path err = folder.resolve("stderr");
    int exitCode =
        command(program)
            .with(args)
            .in(from)
            .outputTo(Redirect.to(out.toFile()))
            .errorsTo(Redirect.to(err.toFile()))
            .run()
            .exitCode();
    return new Result(exitCode, read(out), read(err));
  }

  /// A program with the environment of this checkout, and nothing of that of the test.
  Command command(String program) {
    return isolated(Command.of(program));
  }

  /// Gives a command the environment of this checkout, and nothing of that of the test.
  Command isolated(Command command) {
    var line = new ArrayList<>(List.of("/usr/bin/env", "-i"));
    environment.forEach((name, value) -> line.add(name + "=" + value));
    return command.behind(line);
  }

  private static String read(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /// Runs the Java half of the launcher in this process.
  Result launcher(String... args) throws Exception {
    var out = new ByteArrayOutputStream();
    var err = new ByteArrayOutputStream();
    int exitCode = Main.run(context(out, err), List.of(args));
    return new Result(
        exitCode, out.toString(StandardCharsets.UTF_8), err.toString(StandardCharsets.UTF_8));
  }

  Context context(OutputStream out, OutputStream err) {
    return new Context(
        new Checkout(root),
        folder.resolve("jdk"),
        "25.0.1",
        Optional.empty(),
        Map.copyOf(environment),
        new PrintStream(out, true, StandardCharsets.UTF_8),
        new PrintStream(err, true, StandardCharsets.UTF_8),
        Redirect.appendTo(folder.resolve("children").toFile()));
  }

  static Path repository() {
    Path here = Path.of("").toAbsolutePath();
    while (!Files.exists(here.resolve("tigris"))) {
      here = here.getParent();
    }
    return here;
  }

  static Path which(String tool) {
    for (String place : List.of("/usr/bin", "/bin")) {
      if (Files.exists(Path.of(place, tool))) {
        return Path.of(place, tool);
      }
    }
    throw new IllegalStateException("this machine has no " + tool);
  }

  static void jdk(String version, Path home) throws IOException {
    Files.createDirectories(home.resolve("bin"));
    executable(home.resolve("bin/java"), JAVA);
    executable(home.resolve("bin/javac"), JAVA);
    Files.writeString(
        home.resolve("release"), "JAVA_VERSION=\"%s\"\nOS=\"any\"\n".formatted(version));
  }

  static void executable(Path path, String script) throws IOException {
    Files.write(path, script.getBytes(StandardCharsets.UTF_8));
    Files.setPosixFilePermissions(path, PosixFilePermissions.fromString("rwxr-xr-x"));
  }

  static void file(Path path) throws IOException {
    Files.createDirectories(path.resolveSibling("."));
    Files.writeString(path, "a source");
    Files.setLastModifiedTime(path, FileTime.from(Instant.EPOCH));
  }

  static void newer(Path path) throws IOException {
    Files.setLastModifiedTime(path, FileTime.from(Instant.now().plusSeconds(1)));
  }

  private static void copy(Path from, Path to) throws IOException {
    Files.createDirectories(to.resolveSibling("."));
    Files.copy(from, to);
    Files.setPosixFilePermissions(to, Files.getPosixFilePermissions(from));
    Files.setLastModifiedTime(to, FileTime.from(Instant.EPOCH));
  }
}
