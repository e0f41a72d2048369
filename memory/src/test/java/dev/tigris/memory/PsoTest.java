package dev.tigris.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.invoke.MethodHandles;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.IntSupplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class PsoTest {
  static class Everything extends Pso {
    boolean flag;
    byte tiny;
    char unit;
    short small;
    int number;
    float ratio;
    long big;
    double real;

    Everything(Container container) {
      super(container);
    }
  }

  static class Ordered extends Pso {
    volatile boolean flag;
    volatile byte tiny;
    volatile char unit;
    volatile short small;
    volatile int number;
    volatile float ratio;
    volatile long big;
    volatile double real;
    volatile Ordered next;

    Ordered(Container container) {
      super(container);
    }
  }

  static class Point extends Pso {
    private int x;
    int y = 2;
    @HeapOnly String note = "made";

    Point(Container container) {
      super(container);
    }

    IntSupplier reader() {
      return () -> x;
    }

    final class Watcher {
      int look() {
        return x + y;
      }
    }
  }

  static final class Labelled extends Point {
    long x;

    Labelled(Container container) {
      super(container);
    }

    long both() {
      return x * 1000 + ((Point) this).x;
    }
  }

  private static Container container() {
    return Jbuf.allocate(4096).asContainer();
  }

  @Test
  void readsBackEveryKindOfFieldAndTouchesNoNeighbour() {
    Container container = container();
    Everything before = new Everything(container);
    Everything object = new Everything(container);
    Everything after = new Everything(container);
    object.flag = true;
    object.tiny = Byte.MIN_VALUE;
    object.unit = Character.MAX_VALUE;
    object.small = Short.MIN_VALUE;
    object.number = Integer.MIN_VALUE;
    object.ratio = Float.intBitsToFloat(0x7fc0_1234);
    object.big = Long.MIN_VALUE + 1;
    object.real = Double.longBitsToDouble(0x7ff8_0000_0000_1234L);
    assertTrue(object.flag);
    assertEquals(Byte.MIN_VALUE, object.tiny);
    assertEquals(Character.MAX_VALUE, object.unit);
    assertEquals(Short.MIN_VALUE, object.small);
    assertEquals(Integer.MIN_VALUE, object.number);
    assertEquals(0x7fc0_1234, Float.floatToRawIntBits(object.ratio));
    assertEquals(Long.MIN_VALUE + 1, object.big);
    assertEquals(0x7ff8_0000_0000_1234L, Double.doubleToRawLongBits(object.real));
    assertBlank(before);
    assertBlank(after);
    object.flag = false;
    assertFalse(object.flag);
  }

  private static void assertBlank(Everything object) {
    assertFalse(object.flag);
    assertEquals(0, object.tiny);
    assertEquals(0, object.unit);
    assertEquals(0, object.small);
    assertEquals(0, object.number);
    assertEquals(0, object.ratio);
    assertEquals(0, object.big);
    assertEquals(0, object.real);
  }

  @Test
  void readsBackVolatileFields() {
    Ordered object = new Ordered(container());
    object.flag = true;
    object.tiny = -1;
    object.unit = 'x';
    object.small = -2;
    object.number = -3;
    object.ratio = 0.5f;
    object.big = -4;
    object.real = 0.25;
    object.next = object;
    assertTrue(object.flag);
    assertEquals(-1, object.tiny);
    assertEquals('x', object.unit);
    assertEquals(-2, object.small);
    assertEquals(-3, object.number);
    assertEquals(0.5f, object.ratio);
    assertEquals(-4, object.big);
    assertEquals(0.25, object.real);
    assertEquals(object, object.next);
  }

  @Test
  void storesLittleEndianAtTheOffsetsOfTheLayout() {
    Jbuf jbuf = Jbuf.allocate(256);
    Container container = jbuf.asContainer();
    Everything object = new Everything(container);
    object.flag = true;
    object.number = 0x0102_0304;
    object.real = 1.0;
    Bytes bytes = new Bytes(container.lease, container.address, container.capacityBytes());
    assertEquals(1, bytes.get(64));
    assertEquals(4, bytes.get(64 + 8));
    assertEquals(0x0102_0304, bytes.getInt(64 + 8));
    assertEquals(0x3f, bytes.get(64 + 24 + 7));
  }

  @Test
  void readsTheLowestBitOfABoolean() {
    Container container = container();
    Everything object = new Everything(container);
    Bytes bytes = new Bytes(container.lease, container.address, container.capacityBytes());
    for (int value = 0; value < 256; value++) {
      bytes.set(64, (byte) value);
      assertEquals((value & 1) != 0, object.flag);
    }
  }

  @Test
  void countsAndComparesInExpressionsAsAFieldDoes() {
    Point point = new Point(container());
    point.x = 5;
    assertEquals(5, point.x++);
    assertEquals(7, ++point.x);
    point.x <<= 2;
    assertEquals(28, point.x);
    point.y = point.x;
    assertEquals(point.x, point.y);
  }

  @Test
  void runsFieldInitializersInConstructorsOnly() {
    Container container = container();
    Point point = new Point(container);
    assertEquals(2, point.y);
    assertEquals("made", point.note);
    container.root(point);
    point.y = 9;
    Point again = reopened(container).root(Point.class);
    assertEquals(9, again.y);
    assertNull(again.note);
  }

  /// The same bytes with nothing remembered, as if they had come from elsewhere.
  private static Container reopened(Container container) {
    return Container.openOrFormat(container.lease, container.address, container.capacityBytes());
  }

  @Test
  void reachesPrivateFieldsFromLambdasAndInnerClasses() {
    Point point = new Point(container());
    point.x = 40;
    assertEquals(40, point.reader().getAsInt());
    assertEquals(42, point.new Watcher().look());
  }

  @Test
  void inheritsFieldsAndKeepsShadowedOnesApart() {
    Labelled labelled = new Labelled(container());
    labelled.x = 7;
    ((Point) labelled).x = 8;
    labelled.y = 9;
    assertEquals(7008, labelled.both());
    Point point = labelled;
    assertEquals(9, point.y);
    assertEquals(8, point.x);
  }

  /// What a loop over objects takes follows from how many cache lines they fill
  /// (docs/decisions/011).
  @Test
  void takesTheRoomOfTwoFieldsInTheHeap() {
    Set<String> fields =
        Stream.of(Pso.class.getDeclaredFields())
            .filter(field -> !Modifier.isStatic(field.getModifiers()))
            .map(Field::getName)
            .collect(Collectors.toSet());
    assertEquals(Set.of("bits", "home"), fields);
  }

  @Test
  void equalsWhatStandsForTheSamePlace() {
    Container container = container();
    Point one = new Point(container);
    container.root(one);
    Point view = reopened(container).root(Point.class);
    one.x = 5;
    assertEquals(5, view.x);
    assertNotSame(one, view);
    assertTrue(one.equals(view));
  }

  /// Written by hand, it hands something else on than the specializer does.
  static final class Forged extends Pso {
    long first;
    long second;

    Forged(Container container, Object made) {
      super(container, made);
    }
  }

  @Test
  void anObjectHasItsSizeWhateverAConstructorSaysIsMade() throws ReflectiveOperationException {
    Container container = container();
    MethodHandles.Lookup smaller =
        MethodHandles.privateLookupIn(Small.class, MethodHandles.lookup());
    Small small = new Small(container);
    small.only = 7;
    for (Object made : new Object[] {PsoLinkage.made(smaller, "_", Object.class), "text"}) {
      Forged forged = new Forged(container, made);
      forged.second = 9;
      Small next = new Small(container);
      assertEquals(0, next.only);
      assertEquals(9, forged.second);
      assertEquals(forged.offset() + PsoLayout.of(Forged.class).sizeBytes(), next.offset());
    }
  }

  static final class Small extends Pso {
    int only;

    Small(Container container) {
      super(container);
    }
  }

  @Test
  void refusesAnObjectThatDoesNotFit() {
    Container container = Jbuf.allocate(Container.HEADER_BYTES + 40).asContainer();
    Everything fits = new Everything(container);
    fits.real = 1;
    assertThrows(ContainerFullException.class, () -> new Everything(container));
    Point small = new Point(container);
    assertEquals(2, small.y);
  }

  @Test
  void keepsTheMemoryOfItsContainer() throws InterruptedException {
    Jbuf jbuf = Jbuf.allocate(1024);
    CountDownLatch verified = new CountDownLatch(1);
    Point point = new Point(jbuf.asContainer());
    point.x = 11;
    jbuf.unreference(ignored -> verified.countDown());
    for (int round = 0; round < 5; round++) {
      System.gc();
      assertFalse(verified.await(10, TimeUnit.MILLISECONDS));
    }
    assertEquals(11, point.x);
  }

  @Test
  void throwsAsAFieldAccessDoesOnNull() {
    Point point = null;
    assertThrows(NullPointerException.class, () -> point.x = 1);
    assertThrows(NullPointerException.class, () -> point.reader());
  }
}
