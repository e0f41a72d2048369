package dev.tigris.memory;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTimeout;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tigris.memory.SchemaTest.Labelled;
import dev.tigris.memory.SchemaTest.Order;
import dev.tigris.memory.SchemaTest.Point;
import dev.tigris.memory.SchemaTest.Side;
import dev.tigris.memory.raw.Raw;
import dev.tigris.memory.schema.Schema;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ValidationTest {
  private static final Schema SCHEMA = Schema.of(Order.class);

  private final Bytes bytes = Jbuf.allocate(1 << 16).asBytes();
  private final Container container = bytes.asContainer();
  private final Order order = new Order(container);
  private final Labelled label = new Labelled(container);
  private final PsoArray array = new PsoArray(container, Primitive.SHORT, 5);
  private final PsoList<Labelled> labels = new PsoList<>(container, Labelled.class, 3);
  private final PsoTable<Order> parts = new PsoTable<>(container, Order.class, 2);

  ValidationTest() {
    container.root(order);
    order.side = Side.SELL;
    order.anywhere = label;
    order.bytes = array;
    order.labels = labels;
    order.parts = parts;
    label.label.set("größer");
    label.next = label;
    labels.add(label);
    labels.add(null);
    parts.add().anywhere = order.origin;
    parts.get(0).side = Side.BUY;
  }

  private void assertRefused(String reason) {
    CorruptContainerException e =
        assertThrows(CorruptContainerException.class, () -> SCHEMA.validate(container));
    assertTrue(e.getMessage().contains(reason), e.getMessage());
  }

  @Test
  void acceptsObjectsThatReferToEachOtherInEveryWay() {
    SCHEMA.validate(container);
    container.rootOffset(0);
    SCHEMA.validate(container);
  }

  @ParameterizedTest
  @ValueSource(longs = {-8, 8, 32, 65, 1L << 16, Long.MAX_VALUE, Long.MIN_VALUE, 60_000})
  void refusesReferencesToElsewhere(long offset) {
    bytes.setLong(order.offset() + 48, offset);
    assertRefused("SchemaTest$Order.anywhere of the object at 64");
    bytes.setLong(order.offset() + 48, label.offset());
    bytes.setLong(labels.offset() + 16 + 8, offset);
    assertRefused("an element of the object at");
    bytes.setLong(labels.offset() + 16 + 8, 0);
    container.rootOffset(offset);
    assertRefused("the root");
  }

  @Test
  void refusesLengthsThatDoNotFit() {
    for (long length : new long[] {-1, 4, 1 << 14, Long.MAX_VALUE, Long.MIN_VALUE}) {
      long size = bytes.getLong(labels.offset());
      bytes.setLong(labels.offset(), length);
      assertRefused("PsoList");
      bytes.setLong(labels.offset(), size);
      long capacity = bytes.getLong(parts.offset() + 8);
      bytes.setLong(parts.offset() + 8, length == 4 ? 0 : length);
      assertRefused("PsoTable");
      bytes.setLong(parts.offset() + 8, capacity);
      bytes.setLong(array.offset() + 8, length == 4 ? 1 << 15 : length);
      assertRefused("PsoArray");
      bytes.setLong(array.offset() + 8, 5);
      bytes.setInt(label.offset() + 8, length == 4 ? 13 : (int) length | 0x100);
      assertRefused("label");
      bytes.setInt(label.offset() + 8, 0);
    }
    SCHEMA.validate(container);
  }

  @Test
  void refusesConstantsAndElementsThatItDoesNotKnow() {
    bytes.setInt(parts.offset() + 16 + 4, 12345);
    assertRefused("side");
    bytes.setInt(parts.offset() + 16 + 4, 0);
    bytes.set(array.offset(), (byte) 'X');
    assertRefused("elements of the type 88");
  }

  @Test
  void refusesTextThatIsNoUtf8() {
    Random random = new Random(7);
    for (int i = 0; i < 20_000; i++) {
      byte[] text = new byte[1 + random.nextInt(12)];
      random.nextBytes(text);
      if (random.nextBoolean()) {
        text[random.nextInt(text.length)] &= 0x7f;
      }
      bytes.setInt(label.offset() + 8, text.length);
      bytes.copyFrom(label.offset() + 12, text, 0, text.length);
      boolean valid =
          Arrays.equals(
              text, new String(text, StandardCharsets.UTF_8).getBytes(StandardCharsets.UTF_8));
      if (valid) {
        SCHEMA.validate(container);
      } else {
        assertRefused("is not UTF-8");
      }
    }
  }

  /// What was validated can be read without an exception; what was refused, with exceptions of this
  /// module at the most.
  @Test
  void keepsItsPromiseForRandomlyDamagedBytes() {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    int accepted = 0;
    byte[] good = new byte[(int) container.usedBytes()];
    bytes.copyTo(0, good, 0, good.length);
    for (int i = 0; i < 20_000; i++) {
      for (int damage = random.nextInt(3); damage >= 0; damage--) {
        long at = 32L + random.nextInt(good.length - 32);
        if (random.nextInt(3) > 0) {
          bytes.setLong(at & -8, (long) random.nextInt(good.length / 8 + 3) * 8);
        } else {
          bytes.set(at, (byte) random.nextInt());
        }
      }
      boolean valid = true;
      try {
        SCHEMA.validate(container);
        accepted++;
      } catch (CorruptContainerException e) {
        valid = false;
      }
      try {
        Order root = new Opened(bytes).root();
        if (root != null) {
          read(root, 3);
        }
      } catch (CorruptReferenceException
          | CorruptTextException
          | CorruptContainerException
          | UnknownConstantException e) {
        if (valid) {
          throw new AssertionError("validated, seed " + seed, e);
        }
      }
      bytes.copyFrom(0, good, 0, good.length);
    }
    assertTrue(accepted > 0, "seed " + seed);
  }

  /// The same bytes as somebody sees them who opens them for the first time.
  private record Opened(Bytes bytes) {
    Order root() {
      return bytes.asContainer().root(Order.class);
    }
  }

  private static void read(Order order, int depth) {
    String _ = String.valueOf(order.side) + order.origin.x + order.samples.get(3);
    Point point = order.anywhere;
    int _ = point == null ? 0 : point.y;
    PsoArray array = order.bytes;
    long _ = array == null ? 0 : array.length();
    if (order.labels != null) {
      for (Labelled label : order.labels) {
        for (int i = 0; label != null && i < 3; i++) {
          String _ = label.label.toString();
          label = label.next;
        }
      }
    }
    if (order.parts != null && depth > 0) {
      for (long i = 0; i < Math.min(order.parts.size(), 4); i++) {
        read(order.parts.get(i), depth - 1);
      }
    }
    if (order.arrays != null) {
      for (PsoArray each : order.arrays) {
        long _ = each == null ? 0 : each.length();
      }
    }
  }

  @Test
  void takesTimeLinearInTheBytesWhateverTheySay() {
    Container large = Jbuf.allocate(8 << 20).asContainer();
    long count = large.remainingBytes() / 8 - 100;
    Order root = new Order(large);
    large.root(root);
    PsoList<Labelled> all = new PsoList<>(large, Labelled.class, (int) count);
    root.labels = all;
    assertTimeout(Duration.ofSeconds(20), () -> overlap(large, all, count));
  }

  /// Every element of the list overlaps the next one, and is the beginning of the list itself.
  private static void overlap(Container large, PsoList<Labelled> all, long count) {
    for (long i = 0; i < count; i++) {
      all.add(null);
    }
    for (long i = 0; i < count - 8; i++) {
      long at = all.offset() + PsoCollection.ELEMENTS_AT + i * Long.BYTES;
      Raw.LONG.set(Raw.GLOBAL, large.at(at), at);
    }
    assertThrows(CorruptContainerException.class, () -> SCHEMA.validate(large));
  }

  @Test
  void followsAListOfAMillionObjectsWithoutRecursion() {
    Container large = Jbuf.allocate(40 << 20).asContainer();
    Labelled last = null;
    for (int i = 0; i < 1_000_000; i++) {
      Labelled next = new Labelled(large);
      next.next = last;
      last = next;
    }
    large.root(last);
    Schema.of(Labelled.class).validate(large);
  }
}
