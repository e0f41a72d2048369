// Over 400 lines: one script, and each of its cases is a test.
package dev.tigris.cli;

import static java.nio.file.StandardOpenOption.CREATE_NEW;
import static java.nio.file.StandardOpenOption.WRITE;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeFalse;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
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
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Runs the launcher itself, in a small checkout of its own, with JDKs and a Maven that only write
/// down how they are called.
class LauncherTest {
  private static final String JAVA =
      """
      #!/bin/sh
      case $1 in
        -XX:AOTCacheOutput=*) echo "train" >> "$CALLS"; echo "$*" > "$CALLS.train"; [ -z "${NO_CACHE:-}" ] && : > "${1#*=}" ;;
        */RaiseClassVersion.java) echo "raise $2" >> "$CALLS" ;;
        *) printf '%s\\n' "$0" "$@"; echo "${LC_ALL:-$LC_CTYPE, $LC_MESSAGES}" >> "$CALLS.locale" ;;
      esac
      """;
  private static final String RARE = "\n-XX:Tier3InvocationThreshold=2500\n";
  private static final String MAVEN =
      """
      #!/bin/sh
      echo "mvn $*" >> "$CALLS"; echo "mvn ${LC_ALL:-}" >> "$CALLS.locale"
      [ -z "${BROKEN:-}" ] || { echo '[ERROR] cli/Main.java: no such luck'; exit 1; }
      [ -z "${SLOW:-}" ] || sleep 2
      mkdir -p cli/target/lib
      echo jar > cli/target/lib/picocli-1.jar
      echo jar > cli/target/tigris-cli-1.jar
      """;
  private static final List<String> TOOLS =
      List.of(
          "sh",
          "find",
          "ls",
          "mkdir",
          "rm",
          "rmdir",
          "mv",
          "cp",
          "grep",
          "head",
          "readlink",
          "locale",
          "stty",
          "sleep");

  @TempDir Path folder;
  private Path checkout;
  private Path calls;
  private Path bin;
  private final Map<String, String> environment = new HashMap<>();

  private record Result(int exitCode, String out, String err) {}

  @BeforeEach
  void makeACheckoutWhoseNameHasASpace() throws IOException {
    checkout = Files.createDirectories(folder.resolve("check out"));
    calls = Files.createFile(folder.resolve("calls"));
    // The usual folders of JDKs are looked for below the temporary folder.
    String script =
        Files.readString(repository().resolve("tigris"))
            .replaceAll("(?<=\\s)/(usr|opt|Library|home)/", folder + "/$1/");
    executable(checkout.resolve("tigris"), script);
    file(checkout.resolve("pom.xml"));
    file(checkout.resolve("cli/pom.xml"));
    file(checkout.resolve("cli/src/main/Main.java"));
    file(checkout.resolve("cli/src/build/RaiseClassVersion.java"));
    file(checkout.resolve("bench/pom.xml"));
    bin = Files.createDirectory(folder.resolve("bin"));
    for (String tool : TOOLS) {
      Files.createSymbolicLink(bin.resolve(tool), which(tool));
    }
    executable(bin.resolve("mvn"), MAVEN);
    environment.put("PATH", bin.toString());
    environment.put("HOME", folder.resolve("user").toString());
    environment.put("CALLS", calls.toString());
    jdk("25.0.1", folder.resolve("jdk"));
    environment.put("JAVA_HOME", folder.resolve("jdk").toString());
  }

  @Test
  void buildsThenTrainsThenRuns() throws Exception {
    environment.put("columns", "5"); // means nothing to it
    Result result = tigris("sort", "a b", "c");
    assertEquals(0, result.exitCode(), result.err());
    assertTrue(result.out().contains("\n-Dtigris.columns=\n"), result.out());
    assertTrue(
        result.out().endsWith("dev.tigris.cli/dev.tigris.cli.Main\nsort\na b\nc\n"), result.out());
    assertTrue(
        result.out().contains("-XX:AOTCache=" + checkout + "/build/aot/cache\n"), result.out());
    assertTrue(result.out().contains("\n-p\n" + checkout + "/build/jars/cli\n"), result.out());
    List<String> made = Files.readAllLines(calls);
    assertEquals("mvn -B -ntp -pl cli -am package -Dmaven.test.skip=true", made.get(0));
    assertEquals("raise " + checkout + "/build/jars/cli.new/picocli-1.jar", made.get(1));
    assertEquals(List.of("train"), made.subList(2, made.size()));
    assertTrue(Files.exists(checkout.resolve("build/jars/cli/tigris-cli-1.jar")));
  }

  @Test
  void buildsAgainOnlyWhenASourceIsNewer() throws Exception {
    tigris("help");
    assertEquals("", tigris("help").err());
    assertEquals(3, Files.readAllLines(calls).size());
    newer(checkout.resolve("bench/pom.xml"));
    assertEquals("", tigris("help").err());
    newer(checkout.resolve("cli/src/main/Main.java"));
    assertTrue(tigris("help").err().contains("building"));
    assertEquals(6, Files.readAllLines(calls).size());
  }

  @Test
  void namesFilesInUtf8UnlessTheLocaleHasAnotherCharsetAndHasErrorsInEnglish() throws Exception {
    environment.putAll(Map.of("LC_ALL", "", "LC_CTYPE", "", "LANG", ""));
    tigris("help");
    environment.put("LANG", "de_DE.ISO-8859-1");
    tigris("help");
    environment.put("LANG", "xx_XX.utf8"); // is not installed
    tigris("help");
    environment.put("LC_ALL", "POSIX");
    tigris("help");
    environment.put("LC_ALL", "C.UTF-8");
    tigris("help");
    assertEquals(
        List.of(
            "mvn C.UTF-8", "C.UTF-8", "de_DE.ISO-8859-1, C", "C.UTF-8", "C.UTF-8", "C.UTF-8, C"),
        Files.readAllLines(calls.resolveSibling("calls.locale")));
  }

  @Test
  void leavesTheOptimizingCompilerOutWhereItWouldNotPayForItself() throws Exception {
    Path small = sized("small", 300_000_000);
    Path large = sized("large", 1_000_000_000);
    for (List<String> arguments :
        List.of(
            List.<String>of(),
            List.of("--version"),
            List.of("help", "sort"),
            List.of("check", small.toString()),
            List.of("sort", "--memory", "2g", small.toString(), "missing"),
            List.of("sort", "missing", "sorted"))) {
      assertTrue(isQuick(arguments), arguments.toString());
    }
    for (List<String> arguments :
        List.of(
            List.of("gen", "1000", small.toString()),
            List.of("check", large.toString()),
            List.of("sort", small.toString(), small.toString(), "sorted"),
            List.of("sort", "--", large.toString(), "sorted"))) {
      assertFalse(isQuick(arguments), arguments.toString());
    }
  }

  @Test
  void onlySortsSpendLessOnLoops() throws Exception {
    assertTrue(tigris("sort", "data", "sorted").out().contains("\n-XX:LoopUnrollLimit=0\n"));
    assertFalse(tigris("check", "data").out().contains("Loop"));
  }

  /// Its standard output is a file here, which `/dev/stdout` is another name of.
  @Test
  @Timeout(60)
  void waitsForNoPipeOfItsOwn() throws Exception {
    assertEquals(0, tigris("sort", "data", "/dev/stdout").exitCode());
  }

  private boolean isQuick(List<String> arguments) throws Exception {
    String options = tigris(arguments.toArray(String[]::new)).out();
    boolean isQuick = options.contains("\n-XX:CompilationMode=quick-only\n");
    assertEquals(isQuick, options.contains(RARE), options);
    return isQuick;
  }

  /// The cache has profiles of what is compiled all the same.
  @Test
  void leavesRareMethodsToTheInterpreterOnlyWithACacheThatWasTrainedSo() throws Exception {
    environment.put("NO_CACHE", "yes");
    String without = tigris("--version").out();
    assertTrue(without.contains("\n-XX:CompilationMode=quick-only\n"), without);
    assertFalse(without.contains(RARE), without);
    String training = Files.readString(calls.resolveSibling("calls.train"));
    assertTrue(training.contains(RARE.strip()), training);
    assertFalse(training.contains("quick-only"), training);
  }

  private Path sized(String name, long bytes) throws IOException {
    Path file = folder.resolve(name);
    try (var channel = FileChannel.open(file, CREATE_NEW, WRITE)) {
      channel.write(ByteBuffer.allocate(1), bytes - 1); // takes no room on the disk
    }
    return file;
  }

  @Test
  void worksThroughSymbolicLinksFromAnyFolder() throws Exception {
    Path links = Files.createDirectory(folder.resolve("some links"));
    Files.createSymbolicLink(links.resolve("direct"), checkout.resolve("tigris"));
    Files.createSymbolicLink(links.resolve("indirect"), Path.of("direct"));
    Result direct = run(links, "./indirect", "help");
    Result byShell = run(links, "/bin/sh", "indirect", "help");
    for (Result result : List.of(direct, byShell)) {
      assertTrue(
          result.out().contains("-Dtigris.home=" + checkout.toRealPath() + "\n"),
          result.toString());
    }
  }

  @Test
  void findsAJdkOnThePathAndInTheUsualFolders() throws Exception {
    environment.remove("JAVA_HOME");
    for (String usual :
        List.of(
            "usr/lib/jvm/j",
            "opt/j",
            "Library/Java/JavaVirtualMachines/j/Contents/Home",
            "user/.sdkman/candidates/java/j")) {
      Path home = folder.resolve(usual);
      jdk("26-ea", home);
      assertTrue(tigris("help").out().startsWith(home + "/bin/java\n"), usual);
      Files.delete(home.resolve("release"));
    }
    Files.createSymbolicLink(bin.resolve("java"), folder.resolve("jdk/bin/java"));
    for (int call = 0; call < 2; call++) { // where the link leads is remembered
      assertTrue(tigris("help").out().startsWith(folder.resolve("jdk") + "/bin/java\n"));
    }
    jdk("25.0.9", folder.resolve("other"));
    Files.delete(bin.resolve("java"));
    Files.createSymbolicLink(bin.resolve("java"), folder.resolve("other/bin/java"));
    assertTrue(tigris("help").out().startsWith(folder.resolve("other") + "/bin/java\n"));
  }

  /// It is followed anew where it cannot be remembered, or what was remembered is no JDK any more.
  @Test
  void findsAJdkOnThePathWhateverItRemembers() throws Exception {
    environment.remove("JAVA_HOME");
    Files.createSymbolicLink(bin.resolve("java"), folder.resolve("jdk/bin/java"));
    tigris("help"); // builds and trains
    Path memory = checkout.resolve("build/java");
    String found = folder.resolve("jdk") + "/bin/java\n";
    Path twin = folder.resolve("twin");
    Files.createDirectories(twin.resolve("bin"));
    Files.createLink(twin.resolve("bin/java"), folder.resolve("jdk/bin/java"));
    for (String remembered : List.of("", "jdk", "/nowhere", "\0\1", twin.toString())) {
      Files.writeString(memory, remembered + "\n");
      assertTrue(tigris("help").out().startsWith(found), remembered);
      assertEquals(folder.resolve("jdk") + "\n", Files.readString(memory));
    }
    Files.delete(memory);
    Result limited = run(folder, which("sh").toString(), "-c", limitedHelp());
    assertTrue(limited.out().startsWith(found), limited.toString());
  }

  /// Through a pipe: what the caller writes to a file is limited, too.
  private String limitedHelp() {
    return "(ulimit -f 0; exec '%s' help) | %s".formatted(checkout.resolve("tigris"), which("cat"));
  }

  @Test
  void passesOverAJdkThatIsTooOld() throws Exception {
    jdk("17.0.9", folder.resolve("old"));
    environment.put("JAVA_HOME", folder.resolve("old").toString());
    jdk("25", folder.resolve("usr/lib/jvm/new"));
    assertTrue(tigris("help").out().startsWith(folder.resolve("usr/lib/jvm/new") + "/bin/java\n"));
  }

  @Test
  void saysHowToGetAJdkAndWhichOnesAreTooOld() throws Exception {
    jdk("17.0.9", folder.resolve("old"));
    environment.put("JAVA_HOME", folder.resolve("old").toString());
    Result result = tigris("help");
    assertEquals(126, result.exitCode());
    assertTrue(result.err().contains("a JDK 25 or newer is needed"), result.err());
    assertTrue(result.err().contains("17.0.9 in " + folder.resolve("old")), result.err());
    assertTrue(result.err().contains("https://adoptium.net"), result.err());
  }

  @Test
  void saysHowToGetMaven() throws Exception {
    Files.delete(bin.resolve("mvn"));
    Result result = tigris("help");
    assertEquals(126, result.exitCode());
    assertTrue(result.err().contains("Maven is needed"), result.err());
    assertTrue(result.err().contains("apt-get install maven"), result.err());
  }

  @Test
  void showsWhyABuildFailedAndTriesAgainNextTime() throws Exception {
    environment.put("BROKEN", "yes");
    Result result = tigris("help");
    assertEquals(126, result.exitCode());
    assertTrue(result.err().contains("no such luck"), result.err());
    assertTrue(result.err().contains("build/cli.log"), result.err());
    environment.remove("BROKEN");
    assertEquals(0, tigris("help").exitCode());
  }

  @Test
  void goesOnWithoutACacheAndDoesNotTryEachTime() throws Exception {
    environment.put("NO_CACHE", "yes");
    assertTrue(tigris("help").out().contains("-XX:AOTMode=auto\n"));
    assertEquals("", tigris("help").err());
  }

  @Test
  void trainsAgainForAnotherJdk() throws Exception {
    tigris("help");
    jdk("25.0.2", folder.resolve("jdk"));
    assertTrue(tigris("help").err().contains("training"));
    assertEquals("", tigris("help").err());
  }

  @Test
  void worksInACheckoutOfSomebodyElse() throws Exception {
    tigris("help");
    jdk("25.0.2", folder.resolve("jdk")); // not the one that it was trained with
    Path build = checkout.resolve("build");
    Files.setPosixFilePermissions(build, PosixFilePermissions.fromString("r-xr-xr-x"));
    try {
      Result result = withoutPrivileges("help");
      assertEquals(0, result.exitCode(), result.err());
      newer(checkout.resolve("cli/src/main/Main.java"));
      result = withoutPrivileges("help");
      assertEquals(126, result.exitCode());
      assertTrue(result.err().contains("may not be written to"), result.err());
    } finally {
      Files.setPosixFilePermissions(build, PosixFilePermissions.fromString("rwxr-xr-x"));
    }
  }

  /// Root writes everywhere, unless it gives the privilege up.
  private Result withoutPrivileges(String argument) throws Exception {
    if (!Files.isWritable(checkout.resolve("build"))) {
      return tigris(argument);
    }
    String dropped = "-dac_override,-dac_read_search";
    return run(
        folder,
        which("setpriv").toString(),
        "--bounding-set=" + dropped,
        "--inh-caps=" + dropped,
        "--",
        checkout.resolve("tigris").toString(),
        argument);
  }

  @Test
  void givesWayToALauncherThatIsBuilding() throws Exception {
    Path lock = checkout.resolve("build/lock");
    Files.createDirectories(lock.resolve("999999999")); // nobody: it was killed
    assertEquals(0, tigris("help").exitCode());
    assertFalse(Files.exists(lock));
  }

  @Test
  @Timeout(60)
  void saysWhyItCannotLock() throws Exception {
    Path lock = Files.createDirectories(checkout.resolve("build")).resolve("lock");
    Files.writeString(lock, "somebody's notes");
    Result result = tigris("help");
    assertEquals(126, result.exitCode());
    assertTrue(result.err().contains("cannot make the folder " + lock), result.err());
    assertTrue(result.err().contains("File exists"), result.err());
    assertEquals("somebody's notes", Files.readString(lock));
  }

  /// Both have looked at the lock when one is told that its process is gone, and the other is told
  /// when the first is building.
  @Test
  @Timeout(60)
  void onlyOneOfTwoTakesTheLockOfAProcessThatWasKilled() throws Exception {
    Files.createDirectories(checkout.resolve("build/lock/999999999"));
    executable(
        bin.resolve("ps"),
        """
        #!/bin/sh
        if mkdir "$CALLS.first" 2> /dev/null; then
          while [ ! -e "$CALLS.second" ]; do sleep 0.1; done
        elif mkdir "$CALLS.second" 2> /dev/null; then
          while [ ! -s "$CALLS" ]; do sleep 0.1; done
        fi
        exit 1
        """);
    environment.put("SLOW", "yes");
    String both = "'%1$s' help & '%1$s' help; wait".formatted(checkout.resolve("tigris"));
    Result result = run(folder, "/bin/sh", "-c", both);
    assertEquals(0, result.exitCode(), result.err());
    List<String> builds =
        Files.readAllLines(calls).stream().filter(call -> call.startsWith("mvn")).toList();
    assertEquals(1, builds.size(), builds.toString());
  }

  @Test
  void testRunsAllTestsAndSaysWhetherTheyPassed() throws Exception {
    assertEquals(0, tigris("test", "-pl", "memory").exitCode());
    assertEquals(List.of("mvn -B -ntp verify -pl memory"), Files.readAllLines(calls));
    environment.put("BROKEN", "yes");
    assertEquals(1, tigris("test").exitCode());
  }

  @Test
  void saysThatTheFolderItWasCalledInIsGone() throws Exception {
    String script = "mkdir gone && cd gone && rm -r ../gone && exec \"$0\" help";
    Result result = run(folder, "/bin/sh", "-c", script, checkout.resolve("tigris").toString());
    assertEquals(126, result.exitCode(), result.err());
    assertTrue(result.err().contains("the current folder was deleted"), result.err());
  }

  @Test
  void saysThatTheShellAllowsTooLittleMemoryForJava() throws Exception {
    tigris("gen");
    String java = JAVA.replace("in\n", "in\n  -Xmx256m) echo 'no room for the heap'; exit 1 ;;\n");
    executable(folder.resolve("jdk/bin/java"), java);
    assertEquals(0, tigris("gen").exitCode(), "it is not asked where there is no limit");
    String limited = "ulimit -v 4000000; exec \"$0\" gen";
    Result result = run(folder, "/bin/sh", "-c", limited, checkout.resolve("tigris").toString());
    assertEquals(126, result.exitCode(), result.err());
    assertTrue(result.err().contains("no room for the heap"), result.err());
    assertTrue(result.err().contains("ulimit -v"), result.err());
    jdk("25.0.1", folder.resolve("jdk"));
    result = run(folder, "/bin/sh", "-c", limited, checkout.resolve("tigris").toString());
    assertEquals(0, result.exitCode(), result.err());
    // With less it may start and then get no more, of which it says nothing that a program reads.
    String less = limited.replace("4000000", "3999999");
    result = run(folder, "/bin/sh", "-c", less, checkout.resolve("tigris").toString());
    assertEquals(126, result.exitCode(), result.err());
    assertTrue(result.err().contains("in the 3999999 KiB"), result.err());
  }

  /// Where no signal kills it that it sends to itself.
  @Test
  void diesOfASignalAsTheFirstProcessOfAContainerToo() throws Exception {
    assumeTrue(mayMakeContainers(), "skipped: needs unshare, and the right to use it");
    tigris("gen");
    executable(
        folder.resolve("jdk/bin/java"),
        JAVA.replace("*) p", "*) read -r word; echo \"$word\"; kill -ABRT $$; exit 1; p"));
    String run = "echo word | unshare --pid --fork \"$0\" gen";
    environment.put("PATH", bin + ":/usr/bin:/bin");
    Result result = run(folder, "/bin/sh", "-c", run, checkout.resolve("tigris").toString());
    assertEquals(134, result.exitCode(), result.err());
    assertTrue(result.out().startsWith("word\n"), "it reads what the launcher would");
  }

  @ParameterizedTest
  @CsvSource({"HUP, 129", "INT, 130", "TERM, 143"})
  void passesSignalsOnAsTheFirstProcessOfAContainer(String signal, int code) throws Exception {
    assumeTrue(mayMakeContainers(), "skipped: needs unshare, and the right to use it");
    assumeFalse(ProcessTest.ignores(code - 128), "skipped: a shell cannot trap what it ignores");
    tigris("gen");
    // As Java does, it goes on for a moment; or longer, if it is not told.
    String told = "kill -" + signal + " 1; for i in 1 2 3 4 5 6 7 8 9; do sleep 1; done; ";
    String handled =
        "trap 'exit 129' HUP; trap 'echo INT; exit 130' INT; trap 'exit 143' TERM; " + told;
    executable(folder.resolve("jdk/bin/java"), JAVA.replace("*) p", "*) " + handled + "p"));
    environment.put("PATH", bin + ":/usr/bin:/bin");
    Result result =
        run(folder, "unshare", "--pid", "--fork", checkout.resolve("tigris").toString(), "gen");
    assertEquals(code, result.exitCode(), result.err());
    // Java says in its JSON which signal it got, and with SIGTERM in its place would say 143.
    boolean canHearIt =
        run(folder, "/bin/sh", "-c", "env --default-signal=INT true").exitCode() == 0;
    assertEquals(signal.equals("INT") && canHearIt ? "INT\n" : "", result.out());
  }

  private boolean mayMakeContainers() throws Exception {
    environment.put("PATH", bin + ":/usr/bin:/bin");
    return run(folder, "/bin/sh", "-c", "unshare --pid --fork true").exitCode() == 0;
  }

  @Test
  void helpsWithTestWithoutRunningIt() throws Exception {
    environment.put("PATH", bin + ":/usr/bin:/bin");
    for (String[] line : new String[][] {{"test", "--help"}, {"help", "test"}}) {
      Result result = tigris(line);
      assertEquals(0, result.exitCode());
      assertTrue(result.out().contains("Usage: tigris test"), result.out());
    }
    assertEquals("", Files.readString(calls));
  }

  @Test
  void doesNotRunTheTestsInPlaceOfAHelpThatCannotBePrinted() throws Exception {
    assumeTrue(Files.exists(Path.of("/dev/full")), "there is no device that is always full");
    environment.put("PATH", bin + ":/usr/bin:/bin");
    String line = "'%s' test --help > /dev/full".formatted(checkout.resolve("tigris"));
    assertEquals(4, run(folder, "/bin/sh", "-c", line).exitCode());
    assertEquals("", Files.readString(calls));
  }

  @Test
  void refusesToFuzzForNoTimeOrNothing() throws Exception {
    environment.put("PATH", bin + ":/usr/bin:/bin");
    assertEquals(2, tigris("test", "--fuzz").exitCode());
    assertEquals(2, tigris("test", "--fuzz", "0").exitCode());
    Result result = tigris("test", "--fuzz", "1", "NoSuch");
    assertEquals(2, result.exitCode());
    assertTrue(result.err().contains("no target whose name begins with 'NoSuch'"), result.err());
    assertEquals("", Files.readString(calls));
  }

  private Result tigris(String... args) throws Exception {
    return run(folder, checkout.resolve("tigris").toString(), args);
  }

  private Result run(Path from, String command, String... args) throws Exception {
    var line = new ArrayList<>(List.of(command));
    line.addAll(List.of(args));
    Path out = folder.resolve("stdout");
    Path err = folder.resolve("stderr");
    var builder =
        new ProcessBuilder(line)
            .directory(from.toFile())
            .redirectOutput(out.toFile())
            .redirectError(err.toFile());
    builder.environment().clear();
    builder.environment().putAll(environment);
    int exitCode = builder.start().waitFor();
    return new Result(exitCode, Files.readString(out), Files.readString(err));
  }

  static Path repository() {
    Path here = Path.of("").toAbsolutePath();
    while (!Files.exists(here.resolve("tigris"))) {
      here = here.getParent();
    }
    return here;
  }

  private static Path which(String tool) {
    for (String place : List.of("/usr/bin", "/bin")) {
      if (Files.exists(Path.of(place, tool))) {
        return Path.of(place, tool);
      }
    }
    throw new IllegalStateException("this machine has no " + tool);
  }

  private static void jdk(String version, Path home) throws IOException {
    Files.createDirectories(home.resolve("bin"));
    executable(home.resolve("bin/java"), JAVA);
    executable(home.resolve("bin/javac"), JAVA);
    Files.writeString(
        home.resolve("release"), "JAVA_VERSION=\"%s\"\nOS=\"any\"\n".formatted(version));
  }

  private static void executable(Path path, String script) throws IOException {
    Files.write(path, script.getBytes(StandardCharsets.UTF_8));
    Files.setPosixFilePermissions(path, PosixFilePermissions.fromString("rwxr-xr-x"));
  }

  private static void file(Path path) throws IOException {
    Files.createDirectories(path.resolveSibling("."));
    Files.writeString(path, "a source");
    Files.setLastModifiedTime(path, FileTime.from(Instant.EPOCH));
  }

  private static void newer(Path path) throws IOException {
    Files.setLastModifiedTime(path, FileTime.from(Instant.now().plusSeconds(1)));
  }
}
