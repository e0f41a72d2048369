package dev.tigris.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tigris.memory.MappingTest.Entry;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// References to objects of another container, where that container may not be lost.
class StrictContainerTest {
  private static final int BYTES = 1 << 16;

  @TempDir private Path folder;

  private final Entry elsewhere = new Entry(Jbuf.allocate(BYTES).asContainer());

  @ParameterizedTest
  @EnumSource(names = {"SHARED", "DURABLE"})
  void refusesThemOverAFileThatWouldHaveNull(Mapping mapping) throws Exception {
    try (Jbuf file = Jbuf.map(folder.resolve("file"), mapping, BYTES)) {
      Container container = file.asContainer();
      Entry entry = new Entry(container);
      Entry own = new Entry(container);
      entry.next = own;
      IllegalArgumentException e =
          assertThrows(IllegalArgumentException.class, () -> entry.next = elsewhere);
      assertTrue(e.getMessage().contains("Entry.next cannot refer to"), e.getMessage());
      assertTrue(e.getMessage().contains("over a file"), e.getMessage());
      assertEquals(own.offset(), entry.next.offset(), "what was there stays");
      PsoList<Entry> list = new PsoList<>(container, Entry.class, 2);
      list.add(own);
      assertThrows(IllegalArgumentException.class, () -> list.set(0, elsewhere));
      assertThrows(IllegalArgumentException.class, () -> list.add(elsewhere));
      assertEquals(1, list.size());
      entry.next = null;
      assertNull(entry.next);
    }
  }

  @Test
  void keepsThemInMemoryUnlessItIsToldNotTo() {
    Container container = Jbuf.allocate(BYTES).asContainer();
    Entry entry = new Entry(container);
    entry.next = elsewhere;
    assertSame(elsewhere, entry.next);
    container.refuseForeignReferences();
    assertThrows(IllegalArgumentException.class, () -> entry.next = elsewhere);
    entry.next = entry;
    assertEquals(entry.offset(), entry.next.offset());
    RawContainer raw = Jbuf.allocate(BYTES).asRawContainer();
    raw.refuseForeignReferences();
    assertThrows(IllegalArgumentException.class, () -> raw.at(64, Entry.class).next = entry);
  }
}
