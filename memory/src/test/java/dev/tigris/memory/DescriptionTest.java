package dev.tigris.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// What the main types say in a debugger or a log.
class DescriptionTest {
  static final class Point extends Pso {
    int x;

    Point(Container container) {
      super(container);
    }
  }

  private final Bytes bytes = Jbuf.allocate(1 << 16).asBytes();
  private final Container container = bytes.asContainer();

  @Test
  void saysWhatThereIs() {
    PsoList<Point> list = new PsoList<>(container, Point.class, 3);
    PsoTable<Point> table = new PsoTable<>(container, Point.class, 5);
    list.add(table.add());
    list.add(null);
    PsoArray array = new PsoArray(container, Primitive.LONG, 7);
    container.root(list);
    assertEquals("PsoList[2 of Point, room for 3]", list.toString());
    assertEquals("PsoTable[1 of Point, room for 5]", table.toString());
    assertEquals("PsoArray[7 of long]", array.toString());
    assertEquals("Longs[56 bytes]", array.asLongs().toString());
    assertEquals(
        "Container[%d bytes, %d used]".formatted(1 << 16, container.usedBytes()),
        container.toString());
  }

  @ParameterizedTest
  @ValueSource(longs = {-1, 4, Long.MAX_VALUE})
  void saysWhatIsStoredEvenWhereThatCannotBe(long stored) {
    PsoList<Point> list = new PsoList<>(container, Point.class, 3);
    PsoArray array = new PsoArray(container, Primitive.LONG, 7);
    bytes.setLong(list.offset, stored);
    bytes.setLong(array.offset, stored);
    bytes.setLong(array.offset + 8, stored);
    assertEquals("PsoList[%d of Point, room for 3]".formatted(stored), list.toString());
    assertEquals("PsoArray[%d of something]".formatted(stored), array.toString());
  }
}
