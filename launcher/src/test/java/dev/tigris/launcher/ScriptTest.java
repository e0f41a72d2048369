package dev.tigris.launcher;

import static java.nio.file.StandardOpenOption.CREATE_NEW;
import static java.nio.file.StandardOpenOption.WRITE;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tigris.launcher.FakeCheckout.Result;
import dev.tigris.testing.process.Child;
import dev.tigris.testing.process.Signal;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// Runs the script itself in a small checkout, with JDKs that only write down their calls.
class ScriptTest {
  @TempDir Path folder;
  private FakeCheckout checkout;
  private String rare;

  @BeforeEach
  void makeACheckout() throws IOException {
    checkout = new FakeCheckout(folder);
    rare = "\n@" + checkout.root + "/launcher/src/main/jvm/rare.options\n";
  }

  @Test
  void preparesThenRuns() throws Exception {
    checkout.environment.put("columns", "5"); // means nothing to it
    Result result = checkout.tigris("sort", "a b", "c");
    assertEquals(0, result.exitCode(), result.err());
    assertTrue(result.out().contains("\n-Dtigris.columns=\n"), result.out());
    assertTrue(
        result.out().endsWith("dev.tigris.cli/dev.tigris.cli.Main\nsort\na b\nc\n"), result.out());
    assertTrue(
        result.out().contains("-XX:AOTCache=" + checkout.root + "/build/aot/cache\n"),
        result.out());
    assertTrue(result.out().contains("\n-p\n" + checkout.root + "/build/jars/cli\n"), result.out());
    assertEquals(List.of("prepare cli"), checkout.calls());
  }

  @Test
  void buildsAgainOnlyWhenASourceIsNewer() throws Exception {
    checkout.tigris("help");
    checkout.tigris("help");
    assertEquals(1, checkout.calls().size());
    FakeCheckout.newer(checkout.root.resolve("bench/pom.xml"));
    checkout.tigris("help");
    assertEquals(1, checkout.calls().size());
    FakeCheckout.newer(checkout.root.resolve("cli/src/main/Main.java"));
    checkout.tigris("help");
    assertEquals(List.of("prepare cli", "prepare cli"), checkout.calls());
  }

  @Test
  void namesFilesInUtf8UnlessTheLocaleHasAnotherCharsetAndHasErrorsInEnglish() throws Exception {
    checkout.environment.putAll(Map.of("LC_ALL", "", "LC_CTYPE", "", "LANG", ""));
    checkout.tigris("help");
    checkout.environment.put("LANG", "de_DE.ISO-8859-1");
    checkout.tigris("help");
    checkout.environment.put("LANG", "xx_XX.utf8"); // is not installed
    checkout.tigris("help");
    checkout.environment.put("LC_ALL", "POSIX");
    checkout.tigris("help");
    checkout.environment.put("LC_ALL", "C.UTF-8");
    checkout.tigris("help");
    assertEquals(
        List.of("C.UTF-8", "de_DE.ISO-8859-1, C", "C.UTF-8", "C.UTF-8", "C.UTF-8, C"),
        checkout.calls("locale"));
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
            List.of("sort", "--lines", "missing", "sorted"),
            List.of("sort", "missing", "sorted"))) {
      assertTrue(isQuick(arguments), arguments.toString());
    }
    for (List<String> arguments :
        List.of(
            List.of("gen", "1000", small.toString()),
            List.of("check", large.toString()),
            List.of("sort", small.toString(), small.toString(), "sorted"),
            List.of("sort", "--lines", small.toString(), "sorted"),
            List.of("sort", "--lines", "-", "sorted"),
            List.of("sort", "--", large.toString(), "sorted"))) {
      assertFalse(isQuick(arguments), arguments.toString());
    }
  }

  @Test
  void onlySortsSpendLessOnLoops() throws Exception {
    assertTrue(checkout.tigris("sort", "data", "sorted").out().contains("/jvm/sort.options\n"));
    assertFalse(checkout.tigris("check", "data").out().contains("sort.options"));
  }

  @Test
  void givesJavaTheHeapThatItsCallerAsksFor() throws Exception {
    assertFalse(checkout.tigris("sort", "data", "sorted").out().contains("-Xmx"));
    checkout.environment.put("JDK_JAVA_OPTIONS", "-Dx=y -Xmx2g");
    String options = checkout.tigris("sort", "data", "sorted").out();
    assertTrue(options.indexOf("\n-Xmx2g\n") > options.indexOf("/jvm/command.options\n"), options);
  }

  /// Its standard output is a file here, which `/dev/stdout` is another name of.
  @Test
  @Timeout(60)
  void waitsForNoPipeOfItsOwn() throws Exception {
    assertEquals(0, checkout.tigris("sort", "data", "/dev/stdout").exitCode());
  }

  private boolean isQuick(List<String> arguments) throws Exception {
    String options = checkout.tigris(arguments.toArray(String[]::new)).out();
    boolean isQuick = options.contains("\n-XX:CompilationMode=quick-only\n");
    assertEquals(isQuick, options.contains(rare), options);
    return isQuick;
  }

  /// The cache has profiles of what is compiled all the same.
  @Test
  void leavesRareMethodsToTheInterpreterOnlyWithACache() throws Exception {
    checkout.environment.put("NO_CACHE", "1");
    String without = checkout.tigris("--version").out();
    assertTrue(without.contains("\n-XX:CompilationMode=quick-only\n"), without);
    assertFalse(without.contains(rare), without);
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
    Files.createSymbolicLink(links.resolve("direct"), checkout.root.resolve("tigris"));
    Files.createSymbolicLink(links.resolve("indirect"), Path.of("direct"));
    Result direct = checkout.run(links, "./indirect", "help");
    Result byShell = checkout.run(links, "/bin/sh", "indirect", "help");
    for (Result result : List.of(direct, byShell)) {
      assertTrue(
          result.out().contains("-Dtigris.home=" + checkout.root.toRealPath() + "\n"),
          result.toString());
    }
  }

  @Test
  void trainsAgainForAnotherJdk() throws Exception {
    checkout.tigris("help");
    FakeCheckout.jdk("25.0.2", folder.resolve("jdk"));
    checkout.tigris("help");
    checkout.tigris("help");
    assertEquals(List.of("prepare cli", "prepare cli"), checkout.calls());
  }

  @Test
  void worksInACheckoutOfSomebodyElse() throws Exception {
    checkout.tigris("help");
    FakeCheckout.jdk("25.0.2", folder.resolve("jdk")); // not the one that it was trained with
    Path build = checkout.root.resolve("build");
    Files.setPosixFilePermissions(build, PosixFilePermissions.fromString("r-xr-xr-x"));
    try {
      Result result = withoutPrivileges("help");
      assertEquals(0, result.exitCode(), result.err());
      FakeCheckout.newer(checkout.root.resolve("cli/src/main/Main.java"));
      withoutPrivileges("help");
      assertEquals(List.of("prepare cli", "prepare cli"), checkout.calls());
    } finally {
      Files.setPosixFilePermissions(build, PosixFilePermissions.fromString("rwxr-xr-x"));
    }
  }

  /// Root writes everywhere, unless it gives the privilege up.
  private Result withoutPrivileges(String argument) throws Exception {
    if (!Files.isWritable(checkout.root.resolve("build"))) {
      return checkout.tigris(argument);
    }
    String dropped = "-dac_override,-dac_read_search";
    return checkout.run(
        folder,
        FakeCheckout.which("setpriv").toString(),
        "--bounding-set=" + dropped,
        "--inh-caps=" + dropped,
        "--",
        checkout.root.resolve("tigris").toString(),
        argument);
  }

  @Test
  void saysThatTheFolderItWasCalledInIsGone() throws Exception {
    String script = "mkdir gone && cd gone && rm -r ../gone && exec \"$0\" help";
    Result result =
        checkout.run(folder, "/bin/sh", "-c", script, checkout.root.resolve("tigris").toString());
    assertEquals(126, result.exitCode(), result.err());
    assertTrue(result.err().contains("the current folder was deleted"), result.err());
  }

  @Test
  void saysThatTheShellAllowsTooLittleMemoryForJava() throws Exception {
    checkout.tigris("gen");
    String java =
        FakeCheckout.JAVA.replace(
            "case $1 in\n", "case $1 in\n  -Xmx256m) echo 'no room for the heap'; exit 1 ;;\n");
    FakeCheckout.executable(folder.resolve("jdk/bin/java"), java);
    assertEquals(0, checkout.tigris("gen").exitCode(), "it is not asked where there is no limit");
    String limited = "ulimit -v 4000000; exec \"$0\" gen";
    Result result =
        checkout.run(folder, "/bin/sh", "-c", limited, checkout.root.resolve("tigris").toString());
    assertEquals(126, result.exitCode(), result.err());
    assertTrue(result.err().contains("no room for the heap"), result.err());
    assertTrue(result.err().contains("ulimit -v"), result.err());
    FakeCheckout.jdk("25.0.1", folder.resolve("jdk"));
    result =
        checkout.run(folder, "/bin/sh", "-c", limited, checkout.root.resolve("tigris").toString());
    assertEquals(0, result.exitCode(), result.err());
    // With less it may start and then get no more, of which it says nothing that a program reads.
    String less = limited.replace("4000000", "3999999");
    result =
        checkout.run(folder, "/bin/sh", "-c", less, checkout.root.resolve("tigris").toString());
    assertEquals(126, result.exitCode(), result.err());
    assertTrue(result.err().contains("in the 3999999 KiB"), result.err());
  }

  @Test
  void givesTestsAndMavenToTheLauncherInJava() throws Exception {
    assertEquals(0, checkout.tigris("test", "-pl", "a b").exitCode());
    assertEquals(0, checkout.tigris("help", "test").exitCode());
    assertEquals(0, checkout.tigris("mvn", "validate").exitCode());
    assertEquals(List.of("test -pl a b", "test --help", "mvn validate"), checkout.calls());
    checkout.environment.put("BROKEN", "1");
    assertEquals(1, checkout.tigris("test").exitCode());
  }

  @Test
  void benchNeedsTheCommandToo() throws Exception {
    Result result = checkout.tigris("bench", "--quick");
    assertEquals(0, result.exitCode(), result.err());
    assertTrue(result.out().endsWith("dev.tigris.bench.Main\n--quick\n"), result.out());
    checkout.tigris("bench");
    assertEquals(List.of("prepare cli bench"), checkout.calls());
  }

  @Test
  void runsTheExamplesThatThereAreAndNamesThem() throws Exception {
    Path examples = checkout.root.resolve("examples/src/main/java/dev/tigris/examples");
    Files.createDirectories(examples.resolve("deep"));
    Files.writeString(examples.resolve("Data.java"), "class Data {}");
    for (String name : List.of("One", "deep/Two")) {
      Files.writeString(
          examples.resolve(name + ".java"), "class X {\n  public static void main(String[] a) {}");
    }
    for (String none : List.of("Data", "Three")) {
      Result result = checkout.tigris("example", none);
      assertEquals(2, result.exitCode());
      String said = "tigris: there is no example '%s'. The names: One deep.Two\n".formatted(none);
      assertEquals(said, result.err());
    }
    assertEquals(List.of(), checkout.calls());
    String ran = checkout.tigris("example", "deep.Two", "a b").out();
    assertTrue(ran.endsWith("dev.tigris.examples.deep.Two\na b\n"), ran);
    assertEquals(List.of("prepare examples"), checkout.calls());
  }

  @Test
  void endsWithTheCodeOfABuildThatFailedAndTriesAgainNextTime() throws Exception {
    checkout.environment.put("BROKEN", "126");
    assertEquals(126, checkout.tigris("help").exitCode());
    checkout.environment.remove("BROKEN");
    assertEquals(0, checkout.tigris("help").exitCode());
  }

  /// A shell hears of a signal when its child in the foreground has ended, and no earlier.
  @ParameterizedTest
  @EnumSource(names = {"HUP", "INT", "TERM"})
  void endsABuildAtOnceOnASignal(Signal signal) throws Exception {
    FakeCheckout.executable(folder.resolve("jdk/bin/java"), "#!/bin/sh\necho $$\nexec sleep 300\n");
    // The test itself may have been started so that it ignores SIGINT.
    Child script =
        checkout
            .command(FakeCheckout.which("env").toString())
            .with("--default-signal=" + signal, checkout.root.resolve("tigris").toString(), "help")
            .start();
    long build = Long.parseLong(String.valueOf(script.nextLine()));
    script.send(signal);
    assertEquals(signal.exitCode(), script.exitCode());
    assertFalse(ProcessHandle.of(build).map(ProcessHandle::isAlive).orElse(false));
  }

  @Test
  void asksNoMoreWhereTrainingFailed() throws Exception {
    checkout.environment.put("NO_CACHE", "1");
    assertTrue(checkout.tigris("help").out().contains("-XX:AOTMode=auto\n"));
    checkout.tigris("help");
    assertEquals(List.of("prepare cli"), checkout.calls());
  }

  /// As a script of a caller might, by another shell, or with the first failure to end it.
  @Test
  void worksInEachShellAndWithEachFailureFatal() throws Exception {
    for (String shell : List.of("/bin/sh -e", "/bin/sh -eu", "/bin/dash -e", "/bin/bash -e")) {
      String[] words = shell.split(" ", -1);
      if (Files.exists(Path.of(words[0]))) {
        for (String command : List.of("help", "sort")) {
          Result result =
              checkout.run(
                  folder, words[0], words[1], checkout.root.resolve("tigris").toString(), command);
          assertEquals(0, result.exitCode(), shell + result.err());
          assertEquals("", result.err(), shell);
        }
        Checkout.delete(checkout.root.resolve("build"));
      }
    }
  }
}
