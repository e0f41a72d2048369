package dev.tigris.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
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

  enum Side {
    BUY,
    SELL
  }

  static final class Trade extends Pso {
    long id;
    boolean open;
    char unit;
    Side side;
    Side other;

    @Capacity(12)
    Utf8 symbol;

    @Capacity(16)
    Doubles samples;

    @InPlace Point origin;
    Trade next;
    PsoList<Trade> parts;
    @HeapOnly Object note;

    Trade(Container container) {
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
    bytes.setLong(list.offset(), stored);
    bytes.setLong(array.offset(), stored);
    bytes.setLong(array.offset() + 8, stored);
    assertEquals("PsoList[%d of Point, room for 3]".formatted(stored), list.toString());
    assertEquals("PsoArray[%d of something]".formatted(stored), array.toString());
  }

  @Test
  void saysWhatIsStoredInAnObject() {
    Trade trade = new Trade(container);
    trade.id = 7;
    trade.open = true;
    trade.unit = 'x';
    trade.side = Side.SELL;
    trade.symbol.set("T\u009bI\nG");
    trade.origin.x = -1;
    trade.next = new Trade(container);
    trade.parts = new PsoList<>(container, Trade.class, 1);
    assertEquals(
        "Trade@%d[id=7, open=true, unit=x, side=SELL, other=null, symbol=\"T?I?G\", samples=double[16], "
                .formatted(trade.offset())
            + "origin=Point[x=-1], next=Trade@%d, parts=PsoList<Trade>@%d]"
                .formatted(trade.next.offset(), trade.parts.offset()),
        trade.toString());
  }

  /// The JDK looks for the class around a nested one when it is asked for its simple name.
  @Test
  void saysWhatIsStoredWhereTheClassAroundIsMissing(@TempDir Path folder) throws Exception {
    Outside.compile(
        folder,
        "Around",
        """
        import dev.tigris.memory.*;
        public class Around {
          public static class Inside extends Pso {
            public int x;
            public Inside next;
            @InPlace public Part part;
            public Inside(Container container) {
              super(container);
              next = this;
            }
          }
          public static class Part extends Pso {
            public int y;
            public Part(Container container) { super(container); }
          }
        }
        """);
    Outside.specialize(folder);
    Files.delete(folder.resolve("Around.class"));
    try (var loader =
        new URLClassLoader(new URL[] {folder.toUri().toURL()}, Pso.class.getClassLoader())) {
      Object inside =
          loader.loadClass("Around$Inside").getConstructor(Container.class).newInstance(container);
      assertEquals("Inside@64[x=0, next=Inside@64, part=Part[y=0]]", inside.toString());
    }
  }

  @Test
  void saysWhatIsStoredInAnObjectEvenWhereThatCannotBe() {
    Trade trade = new Trade(container);
    bytes.slice(trade.offset(), PsoLayout.of(Trade.class).sizeBytes()).fill((byte) 0x85);
    String text = trade.toString();
    assertTrue(text.contains("side=85858585"), text);
    assertTrue(text.contains("symbol=text of 2240120197 bytes"), text);
    assertTrue(text.contains("next=Trade@-8825501086245354107"), text);
    PsoField symbol =
        PsoLayout.of(Trade.class).fields().stream()
            .filter(field -> field.name().equals("symbol"))
            .findFirst()
            .orElseThrow();
    bytes.setInt(trade.offset() + symbol.offset(), 12);
    assertTrue(trade.toString().contains("symbol=\"\ufffd"), trade.toString());
  }
}
