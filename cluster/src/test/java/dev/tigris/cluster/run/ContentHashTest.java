package dev.tigris.cluster.run;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import dev.tigris.cluster.Exchange;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ContentHashTest {
  @TempDir private Path folder;

  /// The first change is within what a file system's clock can tell, and keeps the size.
  @Test
  void aFileThatChangesHasAnotherHash() throws Exception {
    Path file = Files.writeString(folder.resolve("a"), "one");
    String first = ContentHash.of(folder);
    assertEquals(first, ContentHash.of(folder));
    Files.writeString(file, "two");
    String second = ContentHash.of(folder);
    assertNotEquals(first, second);
    Files.writeString(file, "one");
    assertEquals(first, ContentHash.of(folder));
    Files.move(file, folder.resolve("b"));
    assertNotEquals(first, ContentHash.of(folder));
  }

  @Test
  void aKnownFileHasTheHashThatItHadWhenItWasRead() throws Exception {
    assertEquals(ContentHash.of(Exchange.class), ContentHash.of(Exchange.class));
  }
}
