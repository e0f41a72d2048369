package dev.tigris.cli;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.tigris.cli.Shell.Result;
import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@EnabledOnOs(OS.LINUX)
class DiskCommandTest {
  @TempDir private Path folder;

  private Result run(String line) {
    return new Shell(folder).run(line);
  }

  private JsonNode json(String line) throws Exception {
    Result result = run(line);
    assertEquals(ExitCode.OK, result.code(), result.err() + result.out());
    return new ObjectMapper().readTree(result.out());
  }

  @Test
  void saysWhatWorksInAFolderAndOfAFile() throws Exception {
    String people = run("disk info @/").out();
    assertTrue(people.contains("folder, file system "), people);
    assertTrue(people.contains("direct I/O "), people);
    JsonNode facts = json("disk info --json @/");
    assertEquals("ok", facts.get("status").asText());
    assertEquals("folder", facts.get("kind").asText());
    assertTrue(facts.get("freeBytes").asLong() > 0);
    assertTrue(facts.has("copiesShareBlocks"));
    Files.write(folder.resolve("file"), new byte[5000]);
    JsonNode file = json("disk info --json @/file");
    assertEquals(5000, file.get("bytes").asLong());
    assertEquals(facts.get("directIo"), file.get("directIo"));
    assertArrayEquals(new String[] {"file"}, folder.toFile().list(), "nothing else is left");
  }

  @Test
  void measuresAFolderAndLeavesNothing() throws Exception {
    JsonNode facts = json("disk bench --json --size 1m --millis 1 @/");
    for (JsonNode way : facts.get("ways")) {
      assertEquals(7, way.get("loads").size());
      for (JsonNode load : way.get("loads")) {
        assertTrue(load.get("operationsPerSecond").asDouble() > 0, load.toString());
      }
    }
    File[] left = folder.toFile().listFiles();
    assertEquals(0, left == null ? -1 : left.length, Arrays.toString(left));
  }

  @Test
  void readsAFileAndNeverWritesToIt() throws Exception {
    byte[] bytes = new byte[2 << 20];
    Arrays.fill(bytes, (byte) 5);
    Path file = Files.write(folder.resolve("file"), bytes);
    String people = run("disk bench --millis 1 @/file").out();
    assertTrue(people.contains("read at random"), people);
    assertFalse(people.contains("write"), people);
    assertArrayEquals(bytes, Files.readAllBytes(file));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "disk guess @/                   | USAGE     | there is no mode 'guess'",
        "disk info --size 1m @/          | USAGE     | disk info measures nothing",
        "disk bench --millis 0 @/        | USAGE     | --millis 0",
        "disk bench --size 4k @/         | USAGE     | at least 1m",
        "disk bench --size 4000t @/      | FAILED    | a quarter of that at most",
        "disk info @/missing             | BAD_INPUT | No such file or directory",
        "disk info /dev/null             | FAILED    | it has no disk",
      })
  void saysWhatIsWrong(String line, ExitCode code, String message) {
    Result result = run(line);
    assertEquals(code, result.code(), result.err());
    assertTrue(result.err().contains(message), result.err());
  }
}
