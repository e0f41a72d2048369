package dev.tigris.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeFalse;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.tigris.cli.Shell.Result;
import dev.tigris.cli.demo.SlowConsumers;
import dev.tigris.testing.Slow;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The `demo` command.
class DemoCommandTest {
  @TempDir Path folder;
  private Shell shell;

  @BeforeEach
  void makeShell() {
    shell = new Shell(folder);
  }

  @Test
  void saysWhereItWantsToWrite() throws Exception {
    Path build = Files.createFile(folder.resolve("build")); // where a folder should be
    Result result = shell.run("demo");
    assertEquals(ExitCode.BAD_OUTPUT, result.code(), result.err());
    assertTrue(result.err().contains("the demo cannot write to its folder " + build), result.err());
  }

  @Test
  void showsEverythingAndLeavesItsPictureOnly() throws Exception {
    Path picture = Files.writeString(folder.resolve("old.png"), "old");
    Path link = Files.createDirectory(folder.resolve("build")).resolve("demo.png");
    Files.createSymbolicLink(link, picture);
    Result result = shell.run("demo --quick");
    assertEquals(ExitCode.OK, result.code(), result.toString());
    assertTrue(result.out().contains("SUCCESS - all records are in order"), result.out());
    for (var policy : SlowConsumers.POLICIES) {
      assertTrue(result.out().contains("\n  " + policy.label() + "\n    0 slow"), result.out());
    }
    assertTrue(result.out().contains("Try next"), result.out());
    try (var left = Files.list(folder.resolve("build"))) {
      assertEquals(List.of(link), left.toList());
    }
    assertTrue(Files.isSymbolicLink(link), "a link stays one");
    // There is no picture where there are no fonts, and the demo says so.
    boolean isDrawn = result.out().contains("As a picture: ");
    assertEquals(isDrawn, Files.size(picture) > 3);
  }

  @Test
  @Slow("the whole demo, for its last step")
  void failsWhenThePictureCannotBeWritten() {
    Path full = Path.of("/dev/full");
    assumeTrue(Files.exists(full), "there is no device that is always full");
    Result result = shell.run("demo --quick --png " + full);
    assumeFalse(result.out().contains("it cannot be drawn here"), "there are no fonts");
    assertEquals(ExitCode.BAD_OUTPUT, result.code(), result.toString());
    assertTrue(result.err().contains("the picture '/dev/full' cannot be written"), result.err());
  }

  @Test
  @Slow("starts twelve JVMs")
  void showsASlowProcessAndAKilledOne() throws Exception {
    Result result = shell.run("demo cluster --quick");
    assertEquals(ExitCode.OK, result.code(), result.toString());
    assertEquals(2, result.out().split("1,600 waters in all", -1).length - 1, result.out());
    long[] waters =
        result
            .out()
            .lines()
            .filter(line -> line.matches(" +process \\d +#.*"))
            .mapToLong(
                line -> Long.parseLong(line.replaceAll(".*# +", "").replaceAll("[^0-9]", "")))
            .toArray();
    assertEquals(8, waters.length, result.out());
    assertTrue(waters[3] < waters[0] && waters[3] < waters[1], result.out());
    assertTrue(result.out().contains("(SIGKILL)"), result.out());
    assertTrue(result.out().matches("(?s).*attempt [2-4] has ended well.*"), result.out());
    try (var left = Files.list(folder.resolve("build"))) {
      assertEquals(List.of(), left.toList());
    }
  }

  @Test
  @Slow("three runs of 0.6 s, and 80 MB written")
  void showsMirroredDisksOfWhichSomeAreSlow() {
    Path png = folder.resolve("disks.png");
    Result result = shell.run("demo disks --quick --png " + png);
    assertEquals(ExitCode.OK, result.code(), result.err());
    assertTrue(result.out().contains("graduated declustering"), result.out());
    assertTrue(result.out().contains("reader 7 "), result.out());
    assertTrue(Files.exists(png) || result.out().contains("There is no picture"), result.out());
  }
}
