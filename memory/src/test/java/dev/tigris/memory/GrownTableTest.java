package dev.tigris.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tigris.memory.schema.Conversion;
import dev.tigris.memory.schema.Schema;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Tables that grow beyond the capacity that they were made with.
class GrownTableTest {
  private static final int ELEMENTS = 1_000;

  @TempDir private Path folder;

  static final class Item extends Pso {
    long number;

    @Capacity(12)
    Utf8 name;

    Item first;

    Item(Container container) {
      super(container);
    }
  }

  static final class Shelf extends Pso {
    PsoTable<Item> items;
    Item best;

    Shelf(Container container) {
      super(container);
    }
  }

  private static void add(PsoTable<Item> table, int count) {
    for (int i = 0; i < count; i++) {
      long index = table.size();
      Item item = table.add();
      item.number = index;
      item.name.set("item " + index);
      item.first = table.get(index / 2);
    }
  }

  private static void check(PsoTable<Item> table, int count) {
    assertEquals(count, table.size());
    assertTrue(table.capacity() >= count);
    for (int i = 0; i < count; i++) {
      Item item = table.get(i);
      assertEquals(i, item.number);
      assertEquals("item " + i, item.name.toString());
      assertEquals(i / 2, item.first.number);
    }
    int next = 0;
    for (PsoCursor<Item> cursor = table.cursor(); cursor.next(); next++) {
      assertEquals(next, cursor.index());
      assertEquals(next, cursor.element().number);
    }
    assertEquals(count, next);
    next = 0;
    for (Item item : table) {
      assertEquals(next++, item.number);
    }
    int from = count / 3;
    int to = count / 2;
    for (PsoCursor<Item> part : List.of(table.cursor(from, to), table.cursor(to, to))) {
      while (part.next()) {
        assertEquals(from++, part.element().number);
      }
    }
    assertEquals(to, from);
    if (count > 0) {
      PsoCursor<Item> cursor = table.cursor();
      cursor.seek(count - 1);
      assertEquals(count - 1, cursor.element().number);
    }
    assertThrows(IndexOutOfBoundsException.class, () -> table.get(count));
  }

  @ParameterizedTest
  @CsvSource({"0", "1", "7", "1000"})
  void keepsIndexesObjectsAndReferences(int capacity) {
    Container container = Jbuf.allocate(1 << 20).asContainer();
    PsoTable<Item> table = new PsoTable<>(container, Item.class, capacity);
    container.root(table);
    List<Item> held = new ArrayList<>();
    for (int i = 0; i < ELEMENTS; i++) {
      add(table, 1);
      held.add(table.get(i));
    }
    check(table, ELEMENTS);
    for (int i = 0; i < ELEMENTS; i++) {
      assertEquals(i, held.get(i).number);
      assertEquals(held.get(i).offset(), table.get(i).offset());
    }
    Schema.ofTable(Item.class).validate(container);
    check(copyOf(container).rootTable(Item.class), ELEMENTS);
    assertEquals(capacity < ELEMENTS ? 2 : 1, version(container), "others are told by name");
  }

  private static int version(Container container) {
    return container.segment().get(java.lang.foreign.ValueLayout.JAVA_INT, 8);
  }

  private static Container copyOf(Container container) {
    Bytes bytes = Jbuf.allocate(container.capacityBytes()).asBytes();
    bytes.segment().copyFrom(container.segment());
    return bytes.asContainer();
  }

  @Test
  void growsWhenItsFileIsMappedWithMore() throws Exception {
    Path file = folder.resolve("file");
    Schema schema = Schema.ofTable(Item.class);
    int count = 0;
    for (long bytes = 1 << 13; bytes < 1 << 18; bytes *= 2) {
      try (Jbuf jbuf = Jbuf.map(file, Mapping.DURABLE, bytes, schema)) {
        Container container = jbuf.asContainer();
        PsoTable<Item> table = container.rootTable(Item.class);
        if (table == null) {
          table = new PsoTable<>(container, Item.class, 10);
          container.root(table);
        }
        check(table, count);
        PsoTable<Item> filled = table;
        ContainerFullException full =
            assertThrows(ContainerFullException.class, () -> add(filled, ELEMENTS * 10));
        assertTrue(full.getMessage().contains("map the file with more"), full.getMessage());
        count = (int) table.size();
        check(table, count);
        schema.validate(container);
        jbuf.flush();
      }
    }
    assertTrue(count > 3_000, "most of the room is used: " + count);
  }

  @Test
  void isSeenToGrowByOtherProcesses() throws Exception {
    Path file = folder.resolve("file");
    try (Jbuf one = Jbuf.map(file, Mapping.SHARED, 1 << 18);
        Jbuf other = Jbuf.map(file, Mapping.SHARED)) {
      Container container = one.asContainer();
      PsoTable<Item> table = new PsoTable<>(container, Item.class, 4);
      container.root(table);
      PsoTable<Item> theirs = other.asContainer().rootTable(Item.class);
      for (int count = 0; count < ELEMENTS; count += 200) {
        add(count % 400 == 0 ? table : theirs, 200); // they add in turn
        check(table, count + 200);
        check(theirs, count + 200);
      }
    }
  }

  @Test
  void liesInOnePieceWhenItWasConverted() {
    Container container = Jbuf.allocate(1 << 20).asContainer();
    Schema schema = Schema.of(Shelf.class);
    container.declare(schema);
    Shelf shelf = new Shelf(container);
    shelf.items = new PsoTable<>(container, Item.class, 3);
    container.root(shelf);
    add(shelf.items, ELEMENTS);
    shelf.best = shelf.items.get(777);
    Conversion conversion = Conversion.of(container, schema);
    Container target = Jbuf.allocate(conversion.bytes()).asContainer();
    conversion.into(target);
    schema.validate(target);
    Shelf converted = target.root(Shelf.class);
    check(converted.items, ELEMENTS);
    assertEquals(777, converted.best.number);
    assertEquals(converted.items.get(777).offset(), converted.best.offset());
    assertEquals(1, version(target));
    assertEquals(shelf.items.capacity(), converted.items.capacity());
    assertThrows(ContainerFullException.class, () -> add(converted.items, 10 * ELEMENTS));
  }

  /// Damaged bytes are refused, or lead to elements inside the container.
  @Test
  void refusesSegmentsThatCannotBe() {
    Container good = Jbuf.allocate(1 << 16).asContainer();
    Schema schema = Schema.ofTable(Item.class);
    good.declare(schema);
    PsoTable<Item> table = new PsoTable<>(good, Item.class, 3);
    good.root(table);
    add(table, 200);
    long seed = System.nanoTime();
    Random random = new Random(seed);
    List<Long> heads = new ArrayList<>(List.of(table.offset(), table.offset() + 8));
    long segment = -good.segment().get(java.lang.foreign.ValueLayout.JAVA_LONG, table.offset() + 8);
    while (segment != 0) {
      heads.addAll(List.of(segment, segment + 8, segment + 16));
      segment = good.segment().get(java.lang.foreign.ValueLayout.JAVA_LONG, segment + 16);
    }
    int refused = 0;
    for (int round = 0; round < 3_000; round++) {
      Bytes bytes = Jbuf.allocate(good.capacityBytes()).asBytes();
      bytes.segment().copyFrom(good.segment());
      for (int damage = 0; damage <= random.nextInt(2); damage++) {
        long at = heads.get(random.nextInt(heads.size()));
        long value = random.nextInt(3) == 0 ? random.nextLong() : random.nextInt(1 << 14) & -8;
        bytes.setLong(at, random.nextInt(4) == 0 ? -value : value);
      }
      Container container = bytes.asContainer();
      try {
        schema.validate(container);
        PsoTable<Item> opened = container.rootTable(Item.class);
        for (Item item : opened) {
          assertTrue(item.name.toString().length() <= 12);
        }
        Conversion conversion = Conversion.of(container, schema, schema);
        Container target = Jbuf.allocate(conversion.bytes()).asContainer();
        conversion.into(target);
        schema.validate(target);
      } catch (CorruptContainerException e) {
        refused++;
        touch(container);
      }
    }
    assertTrue(refused > 1_000, "seed " + seed);
  }

  private static void touch(Container container) {
    try {
      PsoTable<Item> opened = container.rootTable(Item.class);
      for (long i = 0; i < Math.min(opened.size(), 300); i++) {
        assertTrue(opened.get(i).name.toString().length() <= 12);
      }
      opened.add();
    } catch (CorruptReferenceException | CorruptTextException | ContainerFullException e) {
      // As it should.
    }
  }
}
