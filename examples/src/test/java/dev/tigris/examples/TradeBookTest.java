package dev.tigris.examples;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.tigris.memory.CorruptContainerException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TradeBookTest {
  @TempDir private Path folder;

  @Test
  void keepsWhatWasAddedAndNothingElse() throws IOException {
    Path path = folder.resolve("book");
    TradeBook book = TradeBook.open(path);
    book.add("ACME", 5, 12.5);
    book.add("ÜBER", -2, 3);
    book.add("ACME", 1, 0.5);
    // As another program finds it: the file as it is on the disk.
    Path copy = Files.copy(path, folder.resolve("copy"));
    TradeBook again = TradeBook.open(copy);
    assertEquals(3, again.size());
    assertEquals(63, again.worth("ACME"));
    assertEquals(-6, again.worth("ÜBER"));
    assertEquals(0, again.worth("ACM"));
  }

  @Test
  void keepsNothingOfWhatItRefuses() throws IOException {
    TradeBook book = TradeBook.open(folder.resolve("book"));
    assertThrows(IllegalArgumentException.class, () -> book.add("ÜBERLEBEN AG", 5, 12.5));
    book.add("ACME", 5, 12.5);
    assertEquals(1, book.size());
  }

  @Test
  void refusesADamagedFile() throws IOException {
    Path path = folder.resolve("book");
    TradeBook.open(path).add("ACME", 5, 12.5);
    byte[] bytes = Files.readAllBytes(path);
    bytes[32] ^= 1; // the root's offset
    Path damaged = Files.write(folder.resolve("damaged"), bytes);
    assertThrows(CorruptContainerException.class, () -> TradeBook.open(damaged));
  }
}
