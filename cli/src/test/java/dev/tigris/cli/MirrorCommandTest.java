package dev.tigris.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.tigris.cli.Shell.Result;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@EnabledOnOs(OS.LINUX)
class MirrorCommandTest {
  @TempDir private Path folder;

  @BeforeEach
  void makeDisks() throws IOException {
    for (String disk : new String[] {"a", "b", "c"}) {
      Files.createDirectory(folder.resolve(disk));
    }
    byte[] bytes = new byte[100_000];
    new Random(3).nextBytes(bytes);
    Files.write(folder.resolve("data"), bytes);
  }

  private Result run(String line) {
    return new Shell(folder).run(line);
  }

  private Result ok(String line) {
    Result result = run(line);
    assertEquals(ExitCode.OK, result.code(), result.err() + result.out());
    return result;
  }

  @Test
  void makesChecksAndRepairsADataSet() throws Exception {
    Result made = ok("mirror @/data --to @/a,@/b,@/c --block 4k");
    assertTrue(made.out().contains("a/data.mirror: 100,000 bytes on 3 disks"), made.out());
    assertTrue(ok("mirror check @/b/data.mirror").out().contains("6 copies, 0 bad"));
    try (var files = Files.list(folder.resolve("b"))) {
      for (Path file : files.filter(each -> !each.toString().endsWith(".mirror")).toList()) {
        Files.write(file, new byte[5000]);
      }
    }
    Result found = run("mirror check @/a/data.mirror");
    assertEquals(ExitCode.FAILED, found.code());
    assertTrue(found.out().contains("6 copies, 2 bad, 0 repaired, 0 blocks lost"), found.out());
    assertTrue(found.err().contains("has been cut short"), found.err());
    assertTrue(ok("mirror repair @/a/data.mirror").out().contains("2 bad, 2 repaired"));
    Files.createDirectory(folder.resolve("d"));
    ok("mirror repair @/a/data.mirror --replace @/b @/d");
    JsonNode json = new ObjectMapper().readTree(ok("mirror check --json @/d/data.mirror").out());
    assertTrue(json.get("isWell").asBoolean(), json.toString());
    assertFalse(json.get("dataSets").isEmpty());
  }

  @Test
  void copiesADataSetBackToAFile() throws Exception {
    ok("mirror @/data --to @/a,@/b,@/c --block 4k");
    Files.delete(folder.resolve("b").resolve("data.mirror"));
    Files.delete(folder.resolve("a").resolve("data.mirror"));
    Result repaired = ok("mirror repair @/c/data.mirror");
    String told =
        "6 copies, 0 bad, 0 repaired, 0 blocks lost; manifests: 2 missing or old, 2 written";
    assertTrue(repaired.out().contains(told), repaired.out());
    assertFalse(ok("mirror check @/b/data.mirror").out().contains("manifests"));
    Path back = folder.resolve("back");
    assertTrue(ok("mirror copy @/b/data.mirror @/back").out().contains("back: 100,000 bytes"));
    assertEquals(-1, Files.mismatch(folder.resolve("data"), back));
    Files.delete(back);
    Files.move(folder.resolve("c"), folder.resolve("away"));
    Result around = ok("mirror copy @/a/data.mirror @/back");
    assertTrue(around.err().contains(folder.resolve("c") + " is not there"), around.err());
    assertTrue(around.out().contains("all of them intact: repair"), around.out());
    assertEquals(-1, Files.mismatch(folder.resolve("data"), back));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "mirror @/data | USAGE | name the folders",
        "mirror @/none --to @/a,@/b | BAD_INPUT | check its name",
        "mirror @/data --to @/a | USAGE | disks: 1, where 2 copies need as many",
        "mirror @/data --to @/a,@/x | FAILED | tigris: @/x is not a folder",
        "mirror @/data --to @/a,@/a | FAILED | tigris: @/a is named twice",
        "mirror @/data --to @/a,@/b --block 5000 | USAGE | a multiple of 4096",
        "mirror @/data --to @/a,@/b --block 5g | USAGE | a multiple of 4096",
        "mirror @/data --to @/a,b:disk | BAD_INPUT | give its whole path, HOST:/DIR",
        "mirror @/data --to @/a,@/b, | BAD_INPUT | an empty name",
        "mirror check | USAGE | give the manifest",
        "mirror copy @/a/data.mirror | USAGE | the file to make of it",
        "mirror copy @/none.mirror @/back | BAD_INPUT | on any disk of the data set",
        "mirror check @/none.mirror | BAD_INPUT | on any disk of the data set",
        "mirror check @/data | FAILED | is no manifest",
        "mirror check @/data --replace @/a @/b | USAGE | --replace is for repair",
        "mirror repair @/data --replace @/a @/b --replace @/b @/c | USAGE | given twice"
      })
  void saysWhatIsWrong(String line, ExitCode code, String message) {
    Result result = run(line);
    assertEquals(code, result.code(), result.err());
    assertTrue(result.err().contains(message.replace("@", folder.toString())), result.err());
  }

  @Test
  void repairsOneDiskOfTwoThatHaveDied() throws Exception {
    for (String disk : new String[] {"d", "e", "f"}) {
      Files.createDirectory(folder.resolve(disk));
    }
    ok("mirror @/data --to @/a,@/b,@/c,@/d --block 4k");
    Files.move(folder.resolve("b"), folder.resolve("away-b"));
    Files.move(folder.resolve("d"), folder.resolve("away-d"));
    Result none = run("mirror repair @/a/data.mirror");
    assertEquals(ExitCode.FAILED, none.code());
    assertTrue(none.out().contains("8 copies, 4 bad, 0 repaired, 0 blocks lost"), none.out());
    assertTrue(none.err().contains(folder.resolve("b") + " is not there: mount"), none.err());
    Result first = run("mirror repair @/a/data.mirror --replace @/b @/e");
    assertEquals(ExitCode.FAILED, first.code());
    assertTrue(first.out().contains("4 bad, 2 repaired"), first.out());
    assertTrue(ok("mirror repair @/e/data.mirror --replace @/d @/f").out().contains("2 repaired"));
    assertTrue(ok("mirror check @/f/data.mirror").out().contains("8 copies, 0 bad"));
  }
}
