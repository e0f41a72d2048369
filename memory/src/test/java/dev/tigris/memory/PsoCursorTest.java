package dev.tigris.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.RandomAccessFile;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
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

  private List<PsoCollection<Numbered>> numbered(int count) {
    PsoTable<Numbered> table = new PsoTable<>(container, Numbered.class, count);
    PsoList<Numbered> list = new PsoList<>(container, Numbered.class, count);
    for (int i = 0; i < count; i++) {
      Numbered added = table.add();
      added.value = i;
      list.add(added);
    }
    return List.of(table, list);
  }

  @Test
  void seeksAnElementAndGoesOnBehindIt() {
    for (PsoCollection<Numbered> collection : numbered(10)) {
      PsoCursor<Numbered> cursor = collection.cursor();
      for (int index : new int[] {7, 0, 9, 3}) {
        cursor.seek(index);
        assertTrue(cursor.isPresent());
        assertEquals(index, cursor.index());
        assertEquals(index, cursor.element().value);
        assertEquals(index < 9, cursor.next());
        assertEquals(Math.min(index + 1, 9), cursor.element().value);
      }
      for (long outside : new long[] {-1, 10, Long.MIN_VALUE, Long.MAX_VALUE}) {
        assertThrows(IndexOutOfBoundsException.class, () -> cursor.seek(outside));
      }
      assertEquals(4, cursor.element().value);
      cursor.restart();
      assertTrue(cursor.next());
      assertEquals(0, cursor.element().value);
    }
  }

  @Test
  void visitsARange() {
    for (PsoCollection<Numbered> collection : numbered(10)) {
      PsoCursor<Numbered> cursor = collection.cursor(3, 6);
      for (int round = 0; round < 2; round++) {
        assertEquals(2, cursor.index());
        for (int i = 3; i < 6; i++) {
          assertTrue(cursor.next());
          assertEquals(i, cursor.index());
          assertEquals(i, cursor.element().value);
        }
        assertFalse(cursor.next());
        cursor.restart();
      }
      cursor.seek(5);
      assertEquals(5, cursor.element().value);
      for (long outside : new long[] {2, 6}) {
        IndexOutOfBoundsException e =
            assertThrows(IndexOutOfBoundsException.class, () -> cursor.seek(outside));
        assertEquals(
            "this cursor visits the elements from 3 up to 6, not " + outside, e.getMessage());
      }
      assertFalse(collection.cursor(4, 4).next());
      assertFalse(collection.cursor(10, 10).next());
      assertThrows(IndexOutOfBoundsException.class, () -> collection.cursor(4, 11));
      assertThrows(IndexOutOfBoundsException.class, () -> collection.cursor(5, 4));
      assertThrows(IndexOutOfBoundsException.class, () -> collection.cursor(-1, 4));
    }
  }

  @Test
  void threadsDivideTheElementsOfOneCollectionAmongThem() throws Exception {
    for (PsoCollection<Numbered> collection : numbered(1000)) {
      for (int threads : new int[] {1, 3, 7, 1001}) {
        List<Callable<Long>> visits = new ArrayList<>();
        for (PsoCursor<Numbered> part : collection.cursors(threads)) {
          visits.add(() -> sum(part));
        }
        assertEquals(threads, visits.size());
        long sum = 0;
        try (ExecutorService pool = Executors.newFixedThreadPool(Math.min(threads, 4))) {
          for (Future<Long> one : pool.invokeAll(visits)) {
            sum += one.get();
          }
        }
        assertEquals(1000 * 999 / 2, sum);
      }
      assertThrows(IllegalArgumentException.class, () -> collection.cursors(0));
      assertEquals(1000 * 999 / 2, collection.parallelStream().mapToLong(each -> each.value).sum());
    }
  }

  private static long sum(PsoCursor<Numbered> cursor) {
    long sum = 0;
    while (cursor.next()) {
      assertEquals(cursor.index(), cursor.element().value);
      sum += cursor.element().value;
    }
    return sum;
  }

  @Test
  void aStreamHasAnObjectForEachElement() {
    for (PsoCollection<Numbered> collection : numbered(10)) {
      List<Numbered> all = collection.stream().toList();
      assertEquals(10, all.size());
      assertEquals(
          List.of(2L, 3L), collection.stream().skip(2).limit(2).map(n -> n.value).toList());
      for (int i = 0; i < 10; i++) {
        assertEquals(i, all.get(i).value);
        assertEquals(collection.get(i), all.get(i));
      }
      List<Numbered> iterated = new ArrayList<>();
      collection.forEach(iterated::add);
      assertEquals(all, iterated);
      assertEquals(all, collection.parallelStream().toList());
      assertEquals(10, collection.spliterator().getExactSizeIfKnown());
    }
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
