package dev.tigris.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tigris.memory.schema.Conversion;
import dev.tigris.memory.schema.Schema;
import dev.tigris.memory.schema.SchemaException;
import java.util.Random;
import org.junit.jupiter.api.Test;

class SchemaTest {
  enum Side {
    BUY,
    SELL
  }

  static class Point extends Pso {
    int x;
    int y;

    Point(Container container) {
      super(container);
    }
  }

  static final class Labelled extends Point {
    @Capacity(12)
    Utf8 label;

    Labelled next;

    Labelled(Container container) {
      super(container);
    }
  }

  static final class Order extends Pso {
    boolean open;
    char letter;
    Side side;
    @InPlace Point origin;

    @Capacity(4)
    Doubles samples;

    Point anywhere;
    PsoArray bytes;
    PsoList<Labelled> labels;
    PsoTable<Order> parts;
    PsoList<PsoArray> arrays;

    Order(Container container) {
      super(container);
    }
  }

  private static final String ORDER =
      """
      TIGRIS SCHEMA 1
      root 1
      struct dev.tigris.memory.SchemaTest$Point 8
        0 int x
        4 int y
      struct dev.tigris.memory.SchemaTest$Order 88
        0 boolean open
        2 char letter
        4 enum dev.tigris.memory.SchemaTest$Side side
        8 in 0 origin
        16 array double 4 samples
        48 ref 0 anywhere
        56 ref 2 bytes
        64 ref 4 labels
        72 ref 5 parts
        80 ref 6 arrays
      array
      struct dev.tigris.memory.SchemaTest$Labelled 32 extends 0
        8 text 12 label
        24 ref 3 next
      list 3
      table 1
      list 2
      """;

  @Test
  void saysWhereEveryFieldLies() {
    assertEquals(ORDER, Schema.of(Order.class).toString());
    assertTrue(Schema.ofTable(Point.class).toString().endsWith("table 0\n"));
    assertTrue(Schema.ofList(PsoArray.class).toString().endsWith("array\nlist 0\n"));
  }

  @Test
  void isReadBackFromItsText() {
    Schema schema = Schema.of(Order.class);
    Schema parsed = Schema.parse(schema.toString());
    assertEquals(schema, parsed);
    assertEquals(schema.fingerprint(), parsed.fingerprint());
    assertNotEquals(schema.fingerprint(), Schema.of(Labelled.class).fingerprint());
    assertNotEquals(schema.fingerprint(), Schema.ofList(Order.class).fingerprint());
  }

  @Test
  void isKeptByTheContainer() {
    Jbuf jbuf = Jbuf.allocate(4096);
    Container container = jbuf.asContainer();
    assertNull(container.schema());
    Schema schema = Schema.of(Order.class);
    container.declare(schema);
    long used = container.usedBytes();
    container.declare(schema);
    assertEquals(used, container.usedBytes());
    assertEquals(schema, container.schema());
    assertEquals(schema.fingerprint(), container.fingerprint());
    SchemaException e =
        assertThrows(SchemaException.class, () -> container.declare(Schema.of(Labelled.class)));
    assertTrue(e.getMessage().contains("SchemaTest$Order"), e.getMessage());
    assertThrows(SchemaException.class, () -> Schema.of(Point.class).validate(container));
  }

  @Test
  void copiesAnObjectWithWhatItLeadsToAndNothingElse() {
    Container source = Jbuf.allocate(1 << 16).asContainer();
    for (int i = 0; i < 100; i++) {
      new Labelled(source).x = i;
    }
    Labelled second = new Labelled(source);
    second.label.set("second");
    Labelled first = new Labelled(source);
    first.x = 7;
    first.next = second;
    Schema schema = Schema.of(Labelled.class);
    Conversion copy = Conversion.of(first, schema, schema);
    Container target = Jbuf.allocate(copy.objectBytes()).asContainer();
    copy.objectsInto(target);
    assertEquals(copy.objectBytes(), target.usedBytes());
    assertEquals(0, target.fingerprint());
    Labelled copied = target.root(Labelled.class);
    assertEquals(7, copied.x);
    assertEquals("second", copied.next.label.toString());
    schema.validate(target);
    assertThrows(IllegalArgumentException.class, () -> copy.objectsInto(target));
    Container small = Jbuf.allocate(Container.HEADER_BYTES).asContainer();
    assertThrows(ContainerFullException.class, () -> copy.objectsInto(small));
    assertThrows(
        CorruptContainerException.class,
        () -> {
          source.clear();
          Conversion _ = Conversion.of(first, schema, schema);
        });
  }

  @Test
  void saysWhetherItCanBeConverted() {
    Schema schema = Schema.of(Labelled.class);
    assertEquals(Labelled.class.getName(), schema.rootName());
    schema.requireConvertible(schema);
    SchemaException e =
        assertThrows(
            SchemaException.class, () -> schema.requireConvertible(Schema.of(Order.class)));
    assertTrue(e.getMessage().contains("Labelled"), e.getMessage());
  }

  @Test
  void isEachContainersOwn() {
    Schema orders = Schema.of(Order.class);
    Schema points = Schema.of(Point.class);
    Container first = Jbuf.allocate(4096).asContainer();
    Container second = Jbuf.allocate(4096).asContainer();
    Container inside = new PsoArray(first, Primitive.BYTE, 1024).asBytes().asContainer();
    first.declare(orders);
    second.declare(points);
    inside.declare(points);
    for (Container each : new Container[] {second, inside}) {
      assertEquals(points, each.schema());
      points.validate(each);
      assertThrows(SchemaException.class, () -> orders.validate(each));
    }
    assertEquals(orders, first.schema());
    orders.validate(first);
    assertThrows(SchemaException.class, () -> points.validate(first));
    assertEquals(0, Jbuf.allocate(4096).asContainer().fingerprint());
  }

  @Test
  void refusesToBeKeptWhereThereIsNoRoom() {
    Container container = Jbuf.allocate(128).asContainer();
    assertThrows(ContainerFullException.class, () -> container.declare(Schema.of(Order.class)));
    assertEquals(0, container.fingerprint());
  }

  /// Whatever the text, it is read as a schema that prints the same, or refused.
  @Test
  void readsOrRefusesAnyText() {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    int read = 0;
    for (int i = 0; i < 20_000; i++) {
      String text = damaged(ORDER, random);
      try {
        assertEquals(text, Schema.parse(text).toString(), "seed " + seed);
        read++;
      } catch (IllegalArgumentException e) {
        // As it should.
      }
    }
    assertTrue(read < 15_000, "seed " + seed);
  }

  private static String damaged(String text, Random random) {
    StringBuilder damaged = new StringBuilder(text);
    for (int i = random.nextInt(3); i >= 0 && damaged.length() > 1; i--) {
      int at = random.nextInt(damaged.length());
      switch (random.nextInt(4)) {
        case 0 -> damaged.setCharAt(at, (char) ('0' + random.nextInt(10)));
        case 1 -> damaged.deleteCharAt(at);
        case 2 -> damaged.insert(at, "9 \nx-".charAt(random.nextInt(5)));
        default -> damaged.setLength(Math.max(1, at));
      }
    }
    return damaged.toString();
  }

  @Test
  void refusesAContainerWhoseSchemaIsDamaged() {
    Bytes bytes = Jbuf.allocate(4096).asBytes();
    bytes.asContainer().declare(Schema.of(Order.class));
    for (long at : new long[] {16, 40, 64, 72, 100}) {
      byte before = bytes.get(at);
      bytes.set(at, (byte) (before ^ 0x10));
      Container container = bytes.asContainer();
      assertThrows(CorruptContainerException.class, container::schema);
      bytes.set(at, before);
    }
    assertEquals(Schema.of(Order.class), bytes.asContainer().schema());
  }
}
