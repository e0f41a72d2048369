package dev.tigris.cluster.run;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Facts that the coordinator looks up once, and the workers are told.
class ArgumentsTest {
  private final Arguments looking =
      Arguments.looking(
          List.of("a", "b"), 4, 8, 42, Instant.ofEpochSecond(7, 9), new FilePlaces.OneHost(4));

  @TempDir private Path folder;

  private static Arguments sent(Arguments arguments) throws IOException {
    return Arguments.read(Frame.reading(Frame.bytes(arguments::write)));
  }

  @Test
  void aWorkerIsToldAllThatTheCoordinatorHasLookedUp() throws IOException {
    Files.createFile(folder.resolve("b.csv"));
    Files.createFile(folder.resolve("a.csv"));
    Files.createFile(folder.resolve("a.txt"));
    Files.createDirectory(folder.resolve("c.csv"));
    List<Path> files = List.of(folder.resolve("a.csv"), folder.resolve("b.csv"));
    AtomicInteger looks = new AtomicInteger();
    assertEquals(files, looking.files(folder, "*.csv"));
    assertEquals("1", looking.fact("rows", () -> String.valueOf(looks.incrementAndGet())));
    assertEquals(Optional.empty(), looking.environment("TIGRIS_NO_SUCH_VARIABLE"));
    Arguments there = sent(looking.settled());
    Files.createFile(folder.resolve("d.csv"));
    assertEquals(files, there.files(folder, "*.csv"));
    assertEquals("1", there.fact("rows", () -> String.valueOf(looks.incrementAndGet())));
    assertEquals(Optional.empty(), there.environment("TIGRIS_NO_SUCH_VARIABLE"));
    assertEquals(List.of("a", "b"), there.words());
    assertEquals(looking.toString(), there.toString());
    assertEquals(1, looks.get());
  }

  @Test
  void aWorkerThatAsksForMoreIsRefused() throws IOException {
    Arguments there = sent(looking.settled());
    String message =
        assertThrows(IllegalStateException.class, () -> there.property("java.version"))
            .getMessage();
    assertTrue(message.contains("property java.version"), message);
  }

  @Test
  void aFactThatCannotBeLookedUpHasItsCause() {
    assertThrows(IOException.class, () -> looking.files(folder.resolve("nothing"), "*"));
    Arguments.FactException failure =
        assertThrows(
            Arguments.FactException.class,
            () ->
                looking.fact(
                    "rows",
                    () -> {
                      throw new IOException("no table");
                    }));
    assertEquals("no table", failure.getCause().getMessage());
  }

  @Test
  void aMissingWordIsNamed() {
    assertEquals("b", looking.word(1));
    assertEquals("else", looking.word(2, "else"));
    String message =
        assertThrows(IllegalArgumentException.class, () -> looking.word(2)).getMessage();
    assertTrue(message.contains("argument 3"), message);
  }
}
