package dev.tigris.launcher;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.tigris.testing.Slow;
import dev.tigris.testing.host.Needs;
import dev.tigris.testing.process.Command;
import dev.tigris.testing.process.Outcome;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Makes the archive of a release from the jars of this build, and runs what is in it.
@Slow("links a Java and trains its cache: half a minute")
class ArchiveTest {
  private static final String VERSION = "0.1.0-SNAPSHOT";
  private static final Path CLI = FakeCheckout.repository().resolve("cli");
  private static final Path SPARK = FakeCheckout.repository().resolve("spark");

  /// The class path of Spark itself.
  private static final Path SPARK_PATH = SPARK.resolve("target/spark.path");

  @TempDir private static Path folder;

  /// The archive, unpacked; empty if the jars are not there.
  private static Path home = Path.of("");

  /// Runs the command of the archive as on a machine that has nothing else.
  private Outcome tigris(String... arguments) {
    return Command.of(home.resolve("bin/tigris").toString())
        .with(arguments)
        .behind("/usr/bin/env", "-i", "PATH=", "HOME=/nowhere")
        .in(folder)
        .run();
  }

  @BeforeAll
  static void make() throws Exception {
    assumeTrue(isPackaged(), "the jars of the command are not there: run mvn package first");
    Needs.program("tar", "tar");
    Path jdk = Path.of(System.getProperty("java.home"));
    var context =
        new Context(
            new Checkout(FakeCheckout.repository()),
            jdk,
            Runtime.version().toString(),
            Optional.empty(),
            Map.of("PATH", System.getenv("PATH"), "LC_ALL", "C.UTF-8"),
            System.out,
            System.err,
            Redirect.DISCARD);
    Path made = Files.createDirectory(folder.resolve("made"));
    List<Path> jars = Archive.jars(CLI, VERSION);
    Path archive = new Archive(context).make(VERSION, jars, Archive.own(SPARK, VERSION), made);
    String name = String.valueOf(archive.getFileName()).replace(".tar.gz", "");
    Command.of("tar", "-xzf", archive.toString()).in(folder).run().expect(0);
    Checkout.delete(made);
    home = folder.resolve(name);
  }

  private static boolean isPackaged() {
    return Files.isDirectory(CLI.resolve("target/lib"))
        && Files.exists(CLI.resolve("target/tigris-cli-" + VERSION + ".jar"))
        && Files.exists(SPARK.resolve("target/tigris-spark-" + VERSION + ".jar"))
        && Files.exists(SPARK_PATH);
  }

  @Test
  void runsWithoutAJdkWhereverItIsUnpacked() throws Exception {
    String version = tigris("--version").orThrow();
    assertTrue(version.startsWith("tigris " + VERSION + " (Java "), version);
    tigris("gen", "1000", "data").expect(0);
    tigris("sort", "data", "sorted").expect(0);
    tigris("check", "sorted").expect(0);
    assertEquals(1, tigris("check", "data").exitCode());
    assertTrue(tigris("net", "info").orThrow().contains("tcp"), "its providers are found");

    String java = home.resolve("runtime/bin/java").toString();
    for (String module : List.of("java.sql", "jdk.httpserver")) { // which programs may use
      Command.of(java, "--describe-module", module).run().expect(0);
    }

    // It fails if the cache cannot be used here.
    String path =
        String.join(
            ":",
            Files.readAllLines(home.resolve("lib/class-path")).stream()
                .map(jar -> home.resolve("lib").resolve(jar).toString())
                .toList());
    List<String> strict =
        List.of(
            java,
            "-XX:AOTMode=on",
            "-XX:AOTCache=" + home.resolve("aot/cache"),
            "@" + home.resolve("lib/jvm/command.options"));
    Command.of(strict).with("-cp", path, "dev.tigris.cli.Main", "help").run().expect(0);
  }

  /// Spark's driver needs a whole JDK, which the archive is not.
  @Test
  void submitsProgramsAndSortsToSpark() throws Exception {
    String java = System.getProperty("java.home");
    String spark = spark().toString();
    String jar = totals(java);
    Command command =
        Command.of(home.resolve("bin/tigris").toString())
            .in(folder)
            .errorsApart()
            .environment("SPARK_HOME", spark)
            .environment("SPARK_LOCAL_IP", "127.0.0.1")
            .environment("XDG_STATE_HOME", folder.toString());
    Command run = command.with("run", jar, "20", "--on", "spark:local[2]");
    assertEquals(2, run.environment("JAVA_HOME", "/nowhere").run().exitCode());
    assertEquals(
        "sum %d\n".formatted(2 * 20 * 499_500), run.environment("JAVA_HOME", java).output());

    Files.writeString(folder.resolve("table.csv"), "id,note\n1,\"a\nb\"\n3,c\n2,\"d,\"\n");
    String _ =
        command
            .with("sort", "--csv", "-k", "id:nr", "table.csv", "ordered.csv")
            .with("--on", "spark:local[2]")
            .environment("JAVA_HOME", java)
            .output();
    assertEquals(
        "id,note\n3,c\n2,\"d,\"\n1,\"a\nb\"\n", Files.readString(folder.resolve("ordered.csv")));
  }

  /// Makes what is an installation of Spark to the command, from the jars of this build.
  private static Path spark() throws Exception {
    Path spark = folder.resolve("spark");
    Path script = Files.createDirectories(spark.resolve("bin")).resolve("spark-submit");
    Files.writeString(
        script,
        """
        #!/bin/sh
        exec "$JAVA_HOME/bin/java" --enable-native-access=ALL-UNNAMED -cp '%s' \
          org.apache.spark.deploy.SparkSubmit "$@"
        """
            .formatted(Files.readString(SPARK_PATH).strip()));
    assertTrue(script.toFile().setExecutable(true));
    return spark;
  }

  /// Makes the jar of the documentation's program, and returns its name.
  private static String totals(String java) throws Exception {
    Path source = folder.resolve("Totals.java");
    String document = Files.readString(FakeCheckout.repository().resolve("docs/cluster.md"));
    int start = document.indexOf("// Totals.java");
    Files.writeString(source, document.substring(start, document.indexOf("```", start)));
    String path = home.resolve("lib") + "/*";
    String _ =
        Command.of(java + "/bin/javac", "-d", "classes", "-cp", path, source.toString())
            .in(folder)
            .output();
    String _ =
        Command.of(java + "/bin/jar", "--create", "--file", "totals.jar")
            .with("--main-class", "Totals", "-C", "classes", ".")
            .in(folder)
            .output();
    return "totals.jar";
  }
}
