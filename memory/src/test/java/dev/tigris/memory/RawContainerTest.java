package dev.tigris.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Test;

class RawContainerTest {
  static final class Node extends Pso {
    int value;
    Node next;

    Node(Container container) {
      super(container);
    }
  }

  private final Bytes bytes = Jbuf.allocate(100).asBytes();
  private final RawContainer raw = bytes.asRawContainer();

  @Test
  void laysObjectsWhereItIsTold() {
    bytes.setInt(32, 7);
    Node node = raw.at(32, Node.class);
    assertEquals(7, node.value);
    node.value = 8;
    assertEquals(8, bytes.getInt(32));
    assertEquals(0, raw.at(0, Node.class).value);
  }

  @Test
  void refusesPlacesOutside() {
    for (long offset : new long[] {-16, -8, 88, 96, 104, Long.MAX_VALUE - 7, Long.MIN_VALUE}) {
      assertThrows(IndexOutOfBoundsException.class, () -> raw.at(offset, Node.class));
    }
    assertThrows(IllegalArgumentException.class, () -> raw.at(4, Node.class));
    assertThrows(IndexOutOfBoundsException.class, () -> raw.cursor(8, 6, Node.class));
    assertThrows(
        IndexOutOfBoundsException.class, () -> raw.cursor(0, Long.MAX_VALUE / 8, Node.class));
    assertThrows(IndexOutOfBoundsException.class, () -> raw.cursor(0, -1, Node.class));
    assertThrows(IllegalArgumentException.class, () -> raw.at(0, PsoArray.class));
    assertThrows(IllegalArgumentException.class, () -> bytes.slice(4, 64).asRawContainer());
  }

  @Test
  void visitsObjectsThatLieOneAfterTheOther() {
    for (int i = 0; i < 6; i++) {
      bytes.setInt(i * 16L, i * i);
    }
    int sum = 0;
    PsoCursor<Node> nodes = raw.cursor(0, 6, Node.class);
    while (nodes.next()) {
      sum += nodes.element().value;
    }
    assertEquals(0 + 1 + 4 + 9 + 16 + 25, sum);
    assertFalse(raw.cursor(96, 0, Node.class).next());
  }

  @Test
  void followsReferencesFromItsFirstByte() {
    Node first = raw.at(16, Node.class);
    first.next = raw.at(48, Node.class);
    assertEquals(48, bytes.getLong(24));
    assertEquals(first.next, first.next);
    bytes.setLong(24, 96);
    assertThrows(CorruptReferenceException.class, () -> first.next.value++);
    bytes.setLong(24, 0);
    assertNull(first.next);
  }

  @Test
  void cannotReferToTheObjectAtOffsetZero() {
    Node node = raw.at(16, Node.class);
    Node zero = raw.at(0, Node.class);
    assertThrows(IllegalArgumentException.class, () -> node.next = zero);
    assertNull(node.next);
  }

  @Test
  void cannotTakeTheObjectsOfAContainerIn() {
    Container container = Jbuf.allocate(200).asContainer();
    Node inside = new Node(container);
    Node node = raw.at(16, Node.class);
    node.next = inside;
    assertEquals(inside, node.next);
    assertNull(raw.at(16, Node.class).next);
  }

  @Test
  void holdsAContainerInsideOfAnother() {
    Container outer = Jbuf.allocate(4096).asContainer();
    PsoArray room = new PsoArray(outer, Primitive.BYTE, 1024);
    Container inner = room.asBytes().asContainer();
    Node node = new Node(inner);
    node.value = 5;
    inner.root(node);
    outer.root(room);
    Container again = outer.root(PsoArray.class).asBytes().asContainer();
    assertEquals(5, again.root(Node.class).value);
    assertThrows(ContainerFullException.class, () -> again.allocate(1024));
  }
}
