package dev.tigris.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class PsoCollectionTest {
  @Identity
  static final class Point extends Pso {
    int x;

    @Capacity(4)
    Utf8 name;

    Point next;

    Point(Container container) {
      super(container);
    }

    Point(Container container, int x) {
      super(container);
      this.x = x;
    }
  }

  static final class Shape extends Pso {
    PsoList<Point> corners;
    PsoTable<Point> dots;
    PsoArray weights;

    Shape(Container container) {
      super(container);
    }
  }

  private final Bytes bytes = Jbuf.allocate(1 << 16).asBytes();
  private final Container container = bytes.asContainer();

  private Container reopened() {
    return bytes.asContainer();
  }

  @Test
  void aListGivesTheSameObjectsAndRecoversThemElsewhere() {
    PsoList<Point> list = new PsoList<>(container, Point.class, 3);
    Point one = new Point(container, 1);
    list.add(one);
    list.add(null);
    list.add(new Point(container, 3));
    container.root(list);

    assertSame(one, list.get(0));
    assertThrows(ContainerFullException.class, () -> list.add(one));
    PsoList<Point> again = reopened().rootList(Point.class);
    assertEquals(3, again.size());
    assertEquals(1, again.get(0).x);
    assertNotSame(one, again.get(0));
    assertSame(again.get(0), again.get(0));
    assertNull(again.get(1));
    List<Integer> values = new ArrayList<>();
    for (Point point : again) {
      values.add(point == null ? -1 : point.x);
    }
    assertEquals(List.of(1, -1, 3), values);
    assertThrows(IndexOutOfBoundsException.class, () -> again.get(3));
    assertThrows(IndexOutOfBoundsException.class, () -> again.set(3, null));
  }

  @Test
  void anElementThatIsAddedToATableIsZeroWhateverLiesThere() {
    PsoTable<Point> table = new PsoTable<>(container, Point.class, 2);
    long end = container.usedBytes();
    Point behind = new Point(container, 9);
    for (long at = table.offset() + PsoCollection.ELEMENTS_AT; at < end; at++) {
      bytes.set(at, (byte) 0x77); // as whoever has made it shorter may leave it
    }
    for (Point added : List.of(table.add(), table.add())) {
      assertEquals(0, added.x);
      assertEquals("", added.name.toString());
      assertNull(added.next);
    }
    assertEquals(9, behind.x);
  }

  @Test
  void anIterationGoesOnToTheEndThatItHasSeenWhenTheListBecomesShorter() {
    PsoList<Point> list = new PsoList<>(container, Point.class, 2);
    list.add(new Point(container, 1));
    list.add(new Point(container, 2));
    Iterator<Point> points = list.iterator();
    bytes.setLong(list.offset(), 0);
    assertEquals(1, points.next().x);
    assertEquals(2, points.next().x);
    assertFalse(points.hasNext());
    assertThrows(NoSuchElementException.class, points::next);
    assertThrows(IndexOutOfBoundsException.class, () -> list.get(0));
  }

  @Test
  void anElementOfAnotherContainerIsKeptByTheJavaObjectOnly() {
    Container elsewhere = Jbuf.allocate(1024).asContainer();
    PsoList<Point> list = new PsoList<>(container, Point.class, 2);
    Point stranger = new Point(elsewhere, 5);
    list.add(stranger);
    container.root(list);

    assertSame(stranger, list.get(0));
    assertNull(reopened().rootList(Point.class).get(0));
    Point own = new Point(container, 6);
    list.set(0, own);
    assertSame(own, list.get(0));
    list.set(0, null);
    assertNull(list.get(0));
  }

  @Test
  void aTableHoldsItsObjectsOneAfterTheOther() {
    PsoTable<Point> table = new PsoTable<>(container, Point.class, 10);
    for (int i = 0; i < 10; i++) {
      Point point = table.add();
      point.x = i;
      point.name.set("p" + i);
    }
    container.root(table);
    assertEquals(10, table.capacity());

    PsoTable<Point> again = reopened().rootTable(Point.class);
    assertEquals(10, again.size());
    assertEquals("p7", again.get(7).name.toString());
    assertEquals(
        PsoLayout.of(Point.class).sizeBytes(), again.get(1).offset() - again.get(0).offset());
  }

  @Test
  void aCursorVisitsAllElementsWithOneObject() {
    PsoTable<Point> table = new PsoTable<>(container, Point.class, 5);
    PsoList<Point> list = new PsoList<>(container, Point.class, 6);
    for (int i = 0; i < 5; i++) {
      Point point = table.add();
      point.x = i;
      point.name.set("p" + i);
      list.add(point);
    }
    list.add(null);
    for (PsoCollection<Point> collection : List.of(table, list)) {
      PsoCursor<Point> cursor = collection.cursor();
      assertThrows(IllegalStateException.class, cursor::element);
      Point first = null;
      int visited = 0;
      while (cursor.next()) {
        if (cursor.isPresent()) {
          first = first == null ? cursor.element() : first;
          assertSame(first, cursor.element());
          assertEquals(visited, cursor.element().x);
          assertEquals("p" + visited, cursor.element().name.toString());
          visited++;
        } else {
          assertThrows(IllegalStateException.class, cursor::element);
        }
      }
      assertEquals(5, visited);
      assertFalse(cursor.next());
    }
  }

  @Test
  void aCursorsObjectStaysWhereItIsUntilTheNextElementIsAskedFor() {
    PsoTable<Point> table = new PsoTable<>(container, Point.class, 3);
    for (int i = 0; i < 3; i++) {
      table.add().x = i;
    }
    PsoCursor<Point> cursor = table.cursor();
    assertTrue(cursor.next());
    Point point = cursor.element();
    assertTrue(cursor.next());
    assertTrue(cursor.next());
    assertEquals(0, point.x);
    assertSame(point, cursor.element());
    assertEquals(2, point.x);
  }

  /// It may skip elements, or find none where it is. What it finds is an element.
  @Test
  void aCursorThatThreadsShareAgainstTheRuleStaysInItsTable() throws Exception {
    PsoTable<Point> table = new PsoTable<>(container, Point.class, 50);
    while (table.size() < 50) {
      table.add();
    }
    long first = table.get(0).offset();
    long last = table.get(49).offset();
    try (ExecutorService pool = Executors.newFixedThreadPool(2)) {
      for (int round = 0; round < 2_000; round++) {
        PsoCursor<Point> cursor = table.cursor();
        Callable<Boolean> visit =
            () -> {
              while (cursor.next()) {
                long offset = offset(cursor);
                assertTrue(offset == -1 || (offset >= first && offset <= last), "at " + offset);
              }
              return true;
            };
        for (Future<Boolean> visited : pool.invokeAll(List.of(visit, visit))) {
          assertTrue(visited.get());
        }
      }
    }
  }

  private static long offset(PsoCursor<Point> cursor) {
    try {
      return cursor.element().offset();
    } catch (IllegalStateException e) {
      return -1;
    }
  }

  @Test
  void aCursorsObjectFollowsReferencesOfTheElementItIsAt() {
    Container elsewhere = Jbuf.allocate(1024).asContainer();
    PsoTable<Point> table = new PsoTable<>(container, Point.class, 3);
    for (int i = 0; i < 3; i++) {
      Point point = table.add();
      point.next = new Point(container, 10 * i);
    }
    PsoCursor<Point> cursor = table.cursor();
    for (int i = 0; cursor.next(); i++) {
      assertEquals(10 * i, cursor.element().next.x);
      cursor.element().next = new Point(elsewhere, -1);
      assertEquals(-1, cursor.element().next.x);
    }
    assertNull(table.get(0).next);
  }

  @Test
  void fieldsSayWhatTheirCollectionsHold() {
    Shape shape = new Shape(container);
    shape.corners = new PsoList<>(container, Point.class, 2);
    shape.corners.add(new Point(container, 4));
    shape.dots = new PsoTable<>(container, Point.class, 2);
    shape.dots.add().x = 8;
    shape.weights = new PsoArray(container, Primitive.DOUBLE, 3);
    shape.weights.asDoubles().set(2, 2.5);
    container.root(shape);

    Shape again = reopened().root(Shape.class);
    assertEquals(4, again.corners.get(0).x);
    assertEquals(8, again.dots.get(0).x);
    assertEquals(2.5, again.weights.asDoubles().get(2));
    assertSame(again.corners, again.corners);
  }

  @ParameterizedTest
  @EnumSource
  void anArrayHoldsEachPrimitiveType(Primitive element) {
    if (element == Primitive.BOOLEAN) {
      assertThrows(
          IllegalArgumentException.class, () -> new PsoArray(container, Primitive.BOOLEAN, 1));
      return;
    }
    PsoArray array = new PsoArray(container, element, 5);
    assertEquals(element, array.element());
    assertEquals(5, array.length());
    container.root(array);
    PsoArray again = reopened().root(PsoArray.class);
    assertEquals(element, again.element());
    assertEquals(5, again.length());
    boolean isInts = element == Primitive.INT;
    if (isInts) {
      assertEquals(5, again.asInts().length());
    } else {
      assertThrows(TypedException.class, again::asInts);
    }
  }

  @Test
  void aContainerThatIsTooSmallRefusesTheWholeArray() {
    assertThrows(
        ContainerFullException.class, () -> new PsoArray(container, Primitive.LONG, 1 << 13));
    assertThrows(
        ContainerFullException.class,
        () -> new PsoArray(container, Primitive.LONG, Long.MAX_VALUE / 16));
    assertThrows(
        IllegalArgumentException.class,
        () -> new PsoArray(container, Primitive.LONG, Long.MAX_VALUE / 8));
    assertThrows(IllegalArgumentException.class, () -> new PsoArray(container, Primitive.INT, -1));
    assertThrows(IllegalArgumentException.class, () -> new PsoTable<>(container, Point.class, -1));
    assertThrows(
        ContainerFullException.class,
        () -> new PsoTable<>(container, Point.class, Long.MAX_VALUE / PsoLayout.MAX_BYTES));
  }

  @ParameterizedTest
  @ValueSource(longs = {-1, Long.MIN_VALUE, 1 << 14, Long.MAX_VALUE, Long.MAX_VALUE / 8})
  void aSizeThatCannotBeIsAnError(long size) {
    PsoArray array = new PsoArray(container, Primitive.INT, 4);
    bytes.setLong(array.offset() + 8, size);
    container.root(array);
    PsoArray corrupt = reopened().root(PsoArray.class);
    assertThrows(CorruptReferenceException.class, corrupt::length);
    assertThrows(CorruptReferenceException.class, corrupt::asInts);

    PsoTable<Point> table = new PsoTable<>(container, Point.class, 4);
    container.root(table);
    bytes.setLong(table.offset() + 8, size);
    assertThrows(CorruptReferenceException.class, () -> reopened().rootTable(Point.class));
    assertEquals(0, table.size());
    bytes.setLong(table.offset(), size);
    assertThrows(CorruptReferenceException.class, table::size);
    assertThrows(CorruptReferenceException.class, () -> table.get(0));
    assertThrows(CorruptReferenceException.class, table::cursor);
  }

  @Test
  void anArrayThatWasCheckedIsNotLookedAtAgain() {
    PsoArray array = new PsoArray(container, Primitive.INT, 4);
    assertEquals(4, array.asInts().length());
    bytes.set(array.offset(), (byte) 'B');
    bytes.setLong(array.offset() + 8, Long.MAX_VALUE);
    assertEquals(4, array.length());
    assertEquals(Primitive.INT, array.element());
    assertEquals(4, array.asInts().length());
  }

  @ParameterizedTest
  @ValueSource(longs = {-8, 8, 65, 1 << 16, Long.MAX_VALUE - 7})
  void anElementThatCannotBeIsAnError(long offset) {
    PsoList<Point> list = new PsoList<>(container, Point.class, 1);
    list.add(new Point(container));
    bytes.setLong(list.offset() + 16, offset);
    assertThrows(CorruptReferenceException.class, () -> list.get(0));
    PsoCursor<Point> cursor = list.cursor();
    assertThrows(CorruptReferenceException.class, cursor::next);
  }

  @Test
  void aRootIsOpenedForOneClassOfElements() {
    PsoTable<Point> table = new PsoTable<>(container, Point.class, 4);
    table.add().x = 3;
    container.root(table);
    assertSame(table, container.rootTable(Point.class));
    // 32 bytes are no longer where 4 points of 32 bytes are, if a shape is what is asked for.
    PsoTable<Shape> shapes = container.rootTable(Shape.class);
    assertNotSame(table, shapes);
    Container tight = Jbuf.allocate(64 + 16 + 4 * 8).asContainer();
    PsoTable<Tiny> tiny = new PsoTable<>(tight, Tiny.class, 4);
    tight.root(tiny);
    assertThrows(CorruptReferenceException.class, () -> tight.rootTable(Shape.class));
    PsoTable<?> unopened = reopened().root(PsoTable.class);
    assertThrows(IllegalStateException.class, () -> unopened.get(0));
  }

  static final class Tiny extends Pso {
    byte tag;

    Tiny(Container container) {
      super(container);
    }
  }

  @Test
  void whatDiffersInSizeIsNeitherInATableNorUnderACursor() {
    assertThrows(
        IllegalArgumentException.class, () -> new PsoTable<>(container, PsoArray.class, 1));
    PsoList<PsoArray> arrays = new PsoList<>(container, PsoArray.class, 1);
    arrays.add(new PsoArray(container, Primitive.INT, 1));
    assertThrows(IllegalStateException.class, arrays::cursor);
    assertEquals(1, arrays.get(0).length());
  }

  @Test
  void containersAreNested() {
    PsoArray room = new PsoArray(container, Primitive.BYTE, 1024);
    container.root(room);
    Container inner = room.asBytes().asContainer();
    inner.root(new Point(inner, 77));

    Container innerAgain = reopened().root(PsoArray.class).asBytes().asContainer();
    assertEquals(77, innerAgain.root(Point.class).x);
    assertTrue(innerAgain.capacityBytes() == 1024);
  }
}
