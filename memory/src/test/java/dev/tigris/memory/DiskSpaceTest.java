package dev.tigris.memory;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tigris.os.DiskSpace;
import dev.tigris.testing.host.Needs;
import dev.tigris.testing.process.Command;
import dev.tigris.testing.process.Jvm;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

class DiskSpaceTest {
  private static final int BYTES = 3_000_000;

  @TempDir Path folder;
  private Path file;

  @BeforeEach
  void makeAFile() throws IOException {
    file = Files.writeString(folder.resolve("file"), "what is there");
  }

  @Test
  @EnabledOnOs(OS.LINUX)
  void reservesBlocksThatReadAsZeros() throws Exception {
    assertTrue(blocks() < BYTES / 512);
    assertTrue(DiskSpace.reserve(file, BYTES));
    assertTrue(blocks() >= BYTES / 512);
    byte[] expected = Arrays.copyOf("what is there".getBytes(StandardCharsets.US_ASCII), BYTES);
    assertArrayEquals(expected, Files.readAllBytes(file));
  }

  /// How many blocks of 512 bytes the file has.
  private long blocks() {
    String output = Command.of("stat", "--format=%b", file.toString()).output();
    return Long.parseLong(output.strip());
  }

  @Test
  void makesNoFileShorter() throws IOException {
    DiskSpace.reserve(file, 4);
    assertEquals("what is there", Files.readString(file));
  }

  @Test
  @EnabledOnOs(OS.LINUX)
  void saysWhatIsMissing() {
    IOException refused =
        assertThrows(IOException.class, () -> DiskSpace.reserve(file, Long.MAX_VALUE / 2));
    String why = refused.getMessage(); // in memory a file may be that large, and finds no room
    assertTrue(why.contains("File too large") || why.contains("No space left"), why);
    assertThrows(IOException.class, () -> DiskSpace.reserve(folder.resolve("missing"), 10));
  }

  /// Reserves room for a file whose name is not ASCII.
  static final class Accented {
    private Accented() {}

    public static void main(String[] arguments) throws IOException {
      Path named = Path.of(System.getProperty("folder"), "sorti\u00e9");
      Files.writeString(named, "x");
      boolean reserved = DiskSpace.reserve(named, 100);
      System.out.printf(
          "%s %s %s%n", System.getProperty("sun.jnu.encoding"), reserved, Files.size(named));
    }
  }

  @Test
  @EnabledOnOs(OS.LINUX)
  void findsAFileWhoseNameIsNotInUtf8() throws Exception {
    String line = "localedef -i en_US -f ISO-8859-1 '%s'".formatted(folder.resolve("en_US.latin1"));
    Needs.command("no locale can be made: apt-get install locales", Command.shell(line));
    String latin = "export LC_ALL=en_US.latin1 LOCPATH='%s'".formatted(folder);
    String printed =
        Jvm.of(Accented.class).options("-Dfolder=" + folder).command().after(latin).output();
    assertEquals("ISO-8859-1 true 100\n", printed);
  }

  @Test
  @EnabledOnOs(OS.LINUX)
  void saysWhereItCannotBeDone() throws IOException {
    assertFalse(DiskSpace.reserve(Path.of("/dev/null"), 10));
  }
}
