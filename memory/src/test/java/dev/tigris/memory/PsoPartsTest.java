// Over 400 lines: all that lies in an object, and each way to reach it, on the same few classes.
package dev.tigris.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class PsoPartsTest {
  enum Side {
    BUY,
    SELL {
      @Override
      int sign() {
        return -1;
      }
    };

    int sign() {
      return 1;
    }

    @Override
    public String toString() {
      return "a side";
    }
  }

  static class Point extends Pso {
    int x;
    int y;

    Point(Container container) {
      super(container);
    }
  }

  static class Box extends Pso {
    byte tag;
    @InPlace Point from;
    @InPlace Point to;
    Point label;

    @Capacity(3)
    Shorts weights;

    @Capacity(5)
    Utf8 name;

    Side side;
    volatile Side lastSide;

    Box(Container container) {
      super(container);
    }
  }

  static final class Frame extends Box {
    @InPlace Box inner;

    @Capacity(2)
    Doubles scale;

    Frame(Container container) {
      super(container);
    }
  }

  /// Each array is aligned to its elements, and to nothing more.
  static final class Packed extends Pso {
    short before;

    @Capacity(4)
    Shorts shorts;

    @Capacity(3)
    Chars chars;

    short between;

    @Capacity(3)
    Ints ints;

    int next;

    @Capacity(1)
    Floats floats;

    byte after;

    @Capacity(3)
    Bytes bytes;

    Packed(Container container) {
      super(container);
    }
  }

  private final Bytes bytes = Jbuf.allocate(4096).asBytes();
  private final Container container = bytes.asContainer();

  @Test
  void liesAsAStructInAStruct() {
    assertEquals(
        List.of(0, 8, 16, 24, 32, 40, 52, 56),
        PsoLayout.of(Box.class).fields().stream().map(PsoField::offset).toList());
    assertEquals(64, PsoLayout.of(Box.class).sizeBytes());
    assertEquals(
        List.of(64, 128),
        PsoLayout.of(Frame.class).fields().stream().skip(8).map(PsoField::offset).toList());
    assertEquals(144, PsoLayout.of(Frame.class).sizeBytes());
  }

  @Test
  void objectsInPlaceAreReadAndWrittenThroughTheirFields() {
    Box box = new Box(container);
    box.from.x = 1;
    box.to.y = 4;
    box.weights.set(2, (short) 7);
    box.name.set("b\u00f6x");

    assertEquals(1, bytes.getInt(box.offset() + 8));
    assertEquals(4, bytes.getInt(box.offset() + 20));
    assertEquals(7, bytes.getShort(box.offset() + 36));
    assertEquals(4, bytes.getInt(box.offset() + 40));
    assertEquals("b\u00f6x", box.name.toString());
    assertEquals(3, box.weights.length());
    assertThrows(IndexOutOfBoundsException.class, () -> box.weights.set(3, (short) 1));
    assertEquals(box.from, box.from);
    box.weights.set(1, (short) 9);
    assertEquals(9, box.weights.get(1));
  }

  @Test
  void anArrayBeginsWhereItsElementsAreAligned() {
    Packed packed = new Packed(container);
    assertEquals(
        List.of(0, 2, 10, 16, 20, 32, 36, 40, 41),
        PsoLayout.of(Packed.class).fields().stream().map(PsoField::offset).toList());
    for (int i = 0; i < 3; i++) {
      packed.shorts.set(i, (short) (i + 1));
      packed.chars.set(i, (char) (i + 11));
      packed.ints.set(i, i + 21);
      packed.bytes.set(i, (byte) (i + 31));
    }
    packed.floats.set(0, 0.5f);
    for (int i = 0; i < 3; i++) {
      assertEquals(i + 1, bytes.getShort(packed.offset() + 2 + 2L * i));
      assertEquals(i + 11, bytes.getShort(packed.offset() + 10 + 2L * i));
      assertEquals(i + 21, bytes.getInt(packed.offset() + 20 + 4L * i));
      assertEquals(i + 31, bytes.get(packed.offset() + 41 + i));
      assertEquals(i + 1, packed.shorts.get(i));
      assertEquals(i + 11, packed.chars.get(i));
      assertEquals(i + 21, packed.ints.get(i));
    }
    assertEquals(Float.floatToIntBits(0.5f), bytes.getInt(packed.offset() + 36));
    assertEquals(0.5f, packed.floats.get(0));
    assertEquals(0, packed.before);
    assertEquals(0, packed.between);
    assertEquals(0, packed.next);
    assertEquals(0, packed.after);
  }

  @Test
  void partsOfPartsAreRecoveredWithTheObject() {
    Frame frame = new Frame(container);
    frame.inner.to.x = 5;
    frame.inner.name.set("in");
    frame.scale.set(1, 0.5);
    frame.inner.side = Side.SELL;
    container.root(frame);

    Frame again = bytes.asContainer().root(Frame.class);
    assertEquals(5, again.inner.to.x);
    assertEquals("in", again.inner.name.toString());
    assertEquals(0.5, again.scale.get(1));
    assertEquals(Side.SELL, again.inner.side);
    assertEquals(-1, again.inner.side.sign());
    assertNull(again.side);
  }

  @Test
  void anObjectInPlaceCanBeReferredTo() {
    Box box = new Box(container);
    box.label = box.to;
    box.to.y = 9;
    container.root(box);

    Box again = bytes.asContainer().root(Box.class);
    assertEquals(9, again.label.y);
    assertEquals(again.to.offset(), again.label.offset());
  }

  @Test
  void aConstantIsStoredByItsName() {
    Box box = new Box(container);
    assertNull(box.side);
    box.side = Side.SELL;
    box.lastSide = Side.BUY;
    assertEquals("SELL".hashCode(), bytes.getInt(box.offset() + 52));
    assertEquals(Side.SELL, box.side);
    assertEquals(Side.BUY, box.lastSide);
    box.side = null;
    assertEquals(0, bytes.getInt(box.offset() + 52));
    assertNull(box.side);
  }

  @Test
  void aConstantThatTheEnumDoesNotHaveIsAnError() {
    Box box = new Box(container);
    bytes.setInt(box.offset() + 52, "HOLD".hashCode());
    UnknownConstantException e =
        assertThrows(UnknownConstantException.class, () -> System.out.print(box.side));
    assertTrue(e.getMessage().contains("BUY"), e.getMessage());
  }

  @Test
  void partsKeepTheMemoryReferenced() {
    Jbuf jbuf = Jbuf.allocate(1024);
    Utf8 name = new Box(jbuf.asContainer()).name;
    Shorts weights = new Box(jbuf.asContainer()).weights;
    assertThrows(ReferencedException.class, jbuf::free);
    name.set("held");
    weights.set(0, (short) 1);
    assertEquals("held", name.toString());
  }

  @Test
  void aTextIsEqualToWhatStandsForTheSameFieldAndToNothingElse() {
    Box box = new Box(container);
    Box other = new Box(container);
    Frame frame = new Frame(container);
    assertEquals(box.name, box.name);
    assertEquals(box.name.hashCode(), box.name.hashCode());
    assertNotEquals(box.name, other.name);
    assertNotEquals(frame.name, frame.inner.name);
    assertFalse(box.name.equals((Object) ""));
    Pair pair = new Pair(container);
    assertNotEquals(pair.first, pair.second);
  }

  static final class Pair extends Pso {
    @Capacity(4)
    Utf8 first;

    @Capacity(4)
    Utf8 second;

    Pair(Container container) {
      super(container);
    }
  }

  static final class Leaf extends Pso {
    Point other;

    Leaf(Container container) {
      super(container);
    }
  }

  static final class Branch extends Pso {
    @InPlace Leaf leaf;
    Point other;

    Branch(Container container) {
      super(container);
    }
  }

  static final class Tree extends Pso {
    @InPlace Branch branch;
    Point other;

    Tree(Container container) {
      super(container);
    }

    void refer(Point to) {
      other = to;
      branch.other = to;
      branch.leaf.other = to;
    }

    void requireNoReference() {
      assertNull(other);
      assertNull(branch.other);
      assertNull(branch.leaf.other);
    }
  }

  @Test
  void aCursorForgetsWhatWasReferredToElsewhereAtAllDepths() {
    Point elsewhere = new Point(Jbuf.allocate(256).asContainer());
    PsoTable<Tree> table = new PsoTable<>(container, Tree.class, 2);
    PsoList<Tree> list = new PsoList<>(container, Tree.class, 2);
    list.add(table.add());
    list.add(table.get(0)); // the same again
    table.add();
    for (PsoCursor<Tree> cursor : List.of(table.cursor(), list.cursor())) {
      assertTrue(cursor.next());
      cursor.element().refer(elsewhere);
      assertTrue(cursor.next());
      assertNull(cursor.element().other); // and what lies in it is not looked at
      cursor.restart();
      assertTrue(cursor.next());
      cursor.element().requireNoReference();
      cursor.element().refer(elsewhere);
      cursor.restart();
      assertTrue(cursor.next());
      cursor.element().requireNoReference();
    }
  }

  @Test
  void aCursorTakesTextsAlongAndMakesArraysAndObjectsAnew() {
    PsoTable<Box> table = new PsoTable<>(container, Box.class, 2);
    for (int i = 0; i < 2; i++) {
      Box box = table.add();
      box.name.set("box" + i);
      box.weights.set(0, (short) i);
      box.from.x = i;
    }
    PsoCursor<Box> cursor = table.cursor();
    assertTrue(cursor.next());
    Utf8 name = cursor.element().name;
    Shorts weights = cursor.element().weights;
    Point from = cursor.element().from;
    assertTrue(cursor.next());
    assertEquals(name, cursor.element().name);
    assertEquals("box1", name.toString());
    assertEquals(0, weights.get(0));
    assertEquals(1, cursor.element().weights.get(0));
    assertEquals(0, from.x);
    assertEquals(1, cursor.element().from.x);
    assertEquals(0, from.x); // it is an object of its own
  }

  @Test
  void whatLiesInAnElementMovesAsTheElementDoes() {
    PsoTable<Frame> table = new PsoTable<>(container, Frame.class, 3);
    for (int i = 0; i < 3; i++) {
      Frame frame = table.add();
      frame.inner.to.x = 10 + i;
      frame.inner.name.set("in" + i);
      frame.inner.weights.set(2, (short) (20 + i));
      frame.inner.label = frame.inner.from;
      frame.inner.from.y = 30 + i;
    }
    PsoCursor<Frame> cursor = table.cursor();
    for (int round = 0; round < 2; round++) {
      for (int i = 0; cursor.next(); i++) {
        Box inner = cursor.element().inner;
        assertEquals(10 + i, inner.to.x);
        assertEquals("in" + i, inner.name.toString());
        assertEquals(20 + i, inner.weights.get(2));
        assertEquals(30 + i, inner.label.y);
        assertEquals(inner.from.offset(), inner.label.offset());
        inner.from.x = i;
      }
      cursor.restart();
    }
    assertEquals(2, table.get(2).inner.from.x);
  }

  @Test
  void whatAnObjectInAnElementRefersToElsewhereStaysWithIt() {
    PsoTable<Frame> table = new PsoTable<>(container, Frame.class, 2);
    table.add();
    table.add();
    PsoCursor<Frame> cursor = table.cursor();
    assertTrue(cursor.next());
    cursor.element().inner.label = new Point(Jbuf.allocate(1024).asContainer());
    assertNotNull(cursor.element().inner.label);
    assertTrue(cursor.next());
    assertNull(cursor.element().inner.label);
    // An object in place that moves is none to remember.
    cursor.element().inner.label = cursor.element().inner.to;
    Point to = cursor.element().inner.label;
    cursor.restart();
    assertTrue(cursor.next());
    cursor.element().inner.to.x = 5;
    to.x = 6;
    assertEquals(5, table.get(0).inner.to.x);
    assertEquals(6, table.get(1).inner.to.x);
  }

  @Test
  void aCloneOfACursorsObjectStaysWithItsElement() throws CloneNotSupportedException {
    PsoTable<Ticket> table = new PsoTable<>(container, Ticket.class, 3);
    for (int i = 0; i < 3; i++) {
      Ticket ticket = table.add();
      ticket.name.set("ticket" + i);
      ticket.seats.set(0, (short) i);
      ticket.place.x = i;
    }
    Container elsewhere = Jbuf.allocate(1024).asContainer();
    List<Ticket> clones = new ArrayList<>();
    for (PsoCursor<Ticket> cursor = table.cursor(); cursor.next(); ) {
      Ticket ticket = cursor.element();
      ticket.other = new Point(elsewhere);
      ticket.other.x = 10 + (int) cursor.index();
      // What stands for them is made here, and must not be shared.
      assertEquals(cursor.index(), ticket.seats.get(0));
      assertEquals(cursor.index(), ticket.place.x);
      assertEquals("ticket" + cursor.index(), ticket.name.toString());
      clones.add(ticket.clone());
    }
    PsoCursor<Ticket> again = table.cursor();
    assertTrue(again.next());
    assertEquals(0, again.element().place.x);
    Ticket plain = again.element().clone(); // which refers to nothing elsewhere
    assertTrue(again.next());
    assertEquals(1, again.element().place.x);
    assertEquals(0, plain.place.x);
    assertEquals("ticket0", plain.name.toString());
    for (int i = 0; i < 3; i++) {
      Ticket clone = clones.get(i);
      assertEquals("ticket" + i, clone.name.toString());
      assertEquals(i, clone.seats.get(0));
      assertEquals(i, clone.place.x);
      assertEquals(10 + i, clone.other.x);
    }
    // It is another object for the same bytes, and what it keeps for itself is its own.
    Ticket first = clones.getFirst();
    Ticket second = first.clone();
    second.place.x = 77;
    assertEquals(77, first.place.x);
    second.other = null;
    assertEquals(10, first.other.x);
  }

  static class Ticket extends Pso implements Cloneable {
    @Capacity(12)
    Utf8 name;

    @Capacity(2)
    Shorts seats;

    @InPlace Point place;
    Point other;

    Ticket(Container container) {
      super(container);
    }

    @Override
    public Ticket clone() throws CloneNotSupportedException {
      return (Ticket) super.clone();
    }
  }
}
