package dev.tigris.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.List;
import org.junit.jupiter.api.Test;

class PsoLayoutTest {
  static class Point extends Pso {
    byte tag;
    int x;
    static int made;
    int y;
    @HeapOnly Object note;

    Point(Container container) {
      super(container);
    }
  }

  static class Labelled extends Point {
    short label;
    volatile Point next;
    boolean last;

    Labelled(Container container) {
      super(container);
    }
  }

  static final class Empty extends Pso {
    Empty(Container container) {
      super(container);
    }
  }

  private static List<Integer> offsets(Class<? extends Pso> type) {
    return PsoLayout.of(type).fields().stream().map(PsoField::offset).toList();
  }

  @Test
  void alignsAsTheCCompilerDoes() {
    assertEquals(List.of(0, 4, 8), offsets(Point.class));
    assertEquals(16, PsoLayout.of(Point.class).sizeBytes());
  }

  @Test
  void putsSuperclassFieldsFirstAndWhereTheyWere() {
    assertEquals(List.of(0, 4, 8, 12, 16, 24), offsets(Labelled.class));
    assertEquals(32, PsoLayout.of(Labelled.class).sizeBytes());
    PsoField next = PsoLayout.of(Labelled.class).fields().get(4);
    assertEquals(
        new PsoField(Labelled.class, "next", new FieldKind.Reference(Point.class, null), 16, true),
        next);
  }

  @Test
  void givesAnObjectWithoutFieldsAPlaceOfItsOwn() {
    assertEquals(8, PsoLayout.of(Empty.class).sizeBytes());
  }

  @Test
  void refusesPsoItself() {
    assertThrows(IllegalArgumentException.class, () -> PsoLayout.of(Pso.class));
  }

  @Test
  void printsItself() {
    String table = PsoLayout.of(Labelled.class).toString();
    assertEquals("       8  int y", table.lines().toList().get(3));
    assertEquals(
        "      16  -> " + Point.class.getName() + " volatile next", table.lines().toList().get(5));
  }
}
