package dev.tigris.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.RandomAccessFile;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// What is the cursor's own; [PsoCollectionTest] has what it visits.
class PsoCursorTest {
  static final class Numbered extends Pso {
    long value;

    Numbered(Container container) {
      super(container);
    }
  }

  private final Container container = Jbuf.allocate(1 << 16).asContainer();

  @Test
  void beginsAgain() {
    PsoTable<Numbered> table = new PsoTable<>(container, Numbered.class, 3);
    PsoList<Numbered> list = new PsoList<>(container, Numbered.class, 3);
    for (int i = 0; i < 3; i++) {
      list.add(table.add());
      table.get(i).value = i;
    }
    for (PsoCollection<Numbered> collection : List.of(table, list)) {
      PsoCursor<Numbered> cursor = collection.cursor();
      for (int steps = 0; steps < 4; steps++) {
        for (int i = 0; i < steps && cursor.next(); i++) {
          assertEquals(i, cursor.index());
          assertEquals(i, cursor.element().value);
        }
        cursor.restart();
        assertEquals(-1, cursor.index());
        assertFalse(cursor.isPresent());
        assertThrows(IllegalStateException.class, cursor::element);
      }
    }
  }

  /// As many as an `int` counts, and more.
  @ParameterizedTest
  @ValueSource(longs = {Integer.MAX_VALUE, Integer.MAX_VALUE + 1L})
  void visitsHoweverManyElementsThereAre(long count, @TempDir Path folder) throws Exception {
    Path file = folder.resolve("sparse");
    try (RandomAccessFile created = new RandomAccessFile(file.toFile(), "rw")) {
      created.setLength(count * Long.BYTES);
    }
    RawContainer sparse = Jbuf.map(file, Mapping.SHARED).asRawContainer();
    PsoCursor<Numbered> numbers = sparse.cursor(0, count, Numbered.class);
    for (int i = 0; i < 100; i++) {
      assertTrue(numbers.next());
      numbers.element().value = i;
      assertEquals(i, numbers.index());
    }
    assertEquals(57, sparse.at(57 * Long.BYTES, Numbered.class).value);
  }

  static final class Row extends Pso {
    long id;

    @Capacity(2)
    Longs cells;

    Row other;

    Row(Container container) {
      super(container);
    }
  }

  /// An object stays the last element until the next one is asked for. What is read from it in
  /// between, or written to it, is not the next one's.
  @Test
  void takesNothingOfTheLastElementAlong() {
    Row elsewhere = new Row(Jbuf.allocate(1024).asContainer());
    PsoTable<Row> rows = new PsoTable<>(container, Row.class, 3);
    for (int i = 0; i < 3; i++) {
      rows.add().cells.set(0, 10L + i);
    }
    PsoList<Row> list = new PsoList<>(container, Row.class, 3);
    for (int i = 0; i < 3; i++) {
      list.add(rows.get(i));
    }
    for (PsoCursor<Row> cursor : List.of(rows.cursor(), list.cursor())) {
      assertTrue(cursor.next());
      Row row = cursor.element();
      for (int i = 0; i < 2; i++) {
        assertTrue(cursor.next());
        assertEquals(10L + i, row.cells.get(0));
        row.other = elsewhere;
        assertSame(row, cursor.element());
        assertEquals(11L + i, row.cells.get(0));
        assertNull(row.other);
      }
    }
  }
}
