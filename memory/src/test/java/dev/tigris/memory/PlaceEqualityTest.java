package dev.tigris.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/// A reference that is read gives an object that stands for a place. Which Java object that is says
/// nothing, unless the class has an identity.
class PlaceEqualityTest {
  static class Node extends Pso {
    int value;
    Node next;

    Node(Container container) {
      super(container);
    }
  }

  static final class Wide extends Node {
    long more;

    Wide(Container container) {
      super(container);
    }
  }

  /// A superclass without fields, which is not abstract.
  static class Event extends Pso {
    Event(Container container) {
      super(container);
    }
  }

  static class Marked extends Event {
    Marked(Container container) {
      super(container);
    }
  }

  static final class Sale extends Marked {
    long id;

    Sale(Container container) {
      super(container);
    }
  }

  /// Its first field is an object of its superclass's class, which has no fields.
  static final class Sequel extends Event {
    @InPlace Marked before;
    Event any;

    Sequel(Container container) {
      super(container);
    }
  }

  /// Of no class that is Sequel's, but begins with one.
  static class Page extends Pso {
    @InPlace Marked top;
    int number;

    Page(Container container) {
      super(container);
    }
  }

  static final class Report extends Event {
    @InPlace Page page;

    Report(Container container) {
      super(container);
    }
  }

  /// Has another object at its first byte.
  static final class Box extends Pso {
    @InPlace Node inner;

    @Capacity(8)
    Utf8 name;

    @Capacity(8)
    Utf8 other;

    Node first;

    Box(Container container) {
      super(container);
    }
  }

  static final class Named extends Pso {
    int number;
    Named next;

    Named(Container container, int number) {
      super(container);
      this.number = number;
    }

    @Override
    public boolean equals(Object other) {
      return other instanceof Named named && named.number == number;
    }

    @Override
    public int hashCode() {
      return number;
    }
  }

  @Identity
  static class Account extends Pso {
    Account parent;

    Account(Container container) {
      super(container);
    }
  }

  static final class Child extends Account {
    Child sibling;
    Noted noted;

    Child(Container container) {
      super(container);
    }
  }

  static final class Noted extends Pso {
    @HeapOnly String note;
    Node node;

    Noted(Container container) {
      super(container);
    }
  }

  private final Bytes bytes = Jbuf.allocate(8192).asBytes();
  private final Container container = bytes.asContainer();

  @Test
  void twoReadsGiveObjectsThatAreEqual() {
    Node first = new Node(container);
    Node second = new Node(container);
    first.next = second;
    second.value = 7;
    assertNotSame(first.next, first.next);
    assertEquals(second, first.next);
    assertEquals(second.hashCode(), first.next.hashCode());
    assertNotEquals(first, first.next);
    first.next.value++;
    assertEquals(8, second.value);
    assertFalse(second.equals(null));
    assertNotEquals((Object) "a text", second);

    Set<Node> seen = new HashSet<>();
    for (int round = 0; round < 3; round++) {
      assertEquals(round == 0, seen.add(first.next));
    }
    assertTrue(seen.contains(second));
    assertEquals(0, new ArrayList<>(List.of(second)).indexOf(first.next));
  }

  @Test
  void anElementIsEqualHoweverItIsReached() {
    PsoTable<Node> table = new PsoTable<>(container, Node.class, 3);
    PsoList<Node> list = new PsoList<>(container, Node.class, 3);
    for (int i = 0; i < 3; i++) {
      list.add(table.add());
    }
    assertEquals(table.get(1), list.get(1));
    assertNotSame(list.get(1), list.get(1));
    assertNotEquals(table.get(1), table.get(2));
    PsoCursor<Node> cursor = list.cursor();
    assertTrue(cursor.next());
    assertEquals(table.get(0), cursor.element());
    assertEquals(table.get(0).hashCode(), cursor.element().hashCode());
    assertTrue(cursor.next());
    assertEquals(table.get(1), cursor.element());
    Set<Node> all = new HashSet<>();
    list.forEach(all::add);
    assertEquals(Set.of(table.get(0), table.get(1), table.get(2)), all);
  }

  @Test
  void theSameOffsetInAnotherContainerIsAnotherPlace() {
    Node one = new Node(container);
    Node other = new Node(Jbuf.allocate(256).asContainer());
    assertEquals(one.offset(), other.offset());
    assertNotEquals(one, other);
    container.root(one);
    assertEquals(one, bytes.asContainer().root(Node.class));
  }

  @Test
  void whatLiesAtTheFirstByteIsNotWhatItLiesIn() {
    Box box = new Box(container);
    assertEquals(box.offset(), box.inner.offset());
    assertNotEquals(box, box.inner);
    assertNotEquals(box.inner, box);
    assertEquals(box.inner, box.inner);
    box.first = box.inner;
    assertEquals(box.inner, box.first);
  }

  @Test
  void anObjectOfASubclassEqualsWhatItIsRecoveredAs() {
    Wide wide = new Wide(container);
    Node holder = new Node(container);
    holder.next = wide;
    assertSame(Node.class, holder.next.getClass());
    assertEquals(wide, holder.next);
    assertEquals(holder.next, wide);
    assertEquals(wide.hashCode(), holder.next.hashCode());
  }

  @Test
  void aSuperclassWithoutFieldsIsNoOtherPlace() {
    Sale sale = new Sale(container);
    Sale other = new Sale(container);
    PsoList<Event> events = new PsoList<>(container, Event.class, 2);
    PsoList<Marked> marked = new PsoList<>(container, Marked.class, 1);
    events.add(sale);
    events.add(other);
    marked.add(sale);
    assertSame(Event.class, events.get(0).getClass());
    for (Event same : List.of(events.get(0), marked.get(0))) {
      assertEquals(sale, same);
      assertEquals(same, sale);
      assertEquals(same, events.get(0));
      assertEquals(sale.hashCode(), same.hashCode());
      assertNotEquals(other, same);
      assertNotEquals(same, other);
    }
    assertTrue(new HashSet<Event>(Set.of(sale)).contains(events.get(0)));
    assertEquals(1, List.of(sale, other).indexOf(events.get(1)));
  }

  @Test
  void noTwoObjectsOfASuperclassWithoutFieldsHaveOnePlace() {
    Sequel sequel = new Sequel(container);
    assertEquals(sequel.offset() + 8, sequel.before.offset());
    assertNotEquals(sequel, sequel.before);
    sequel.any = sequel;
    assertEquals(sequel, sequel.any);
    assertNotEquals(sequel.before, sequel.any);
    sequel.any = sequel.before;
    assertEquals(sequel.before, sequel.any);
    assertNotEquals(sequel, sequel.any);

    Report report = new Report(container);
    assertEquals(report.offset() + 8, report.page.top.offset());
    assertEquals(report.page.offset(), report.page.top.offset());
    assertNotEquals(report, report.page.top);
  }

  @Test
  void aTextEqualsTheOneOfAnotherReadOfItsObject() {
    Box box = new Box(container);
    container.root(box);
    Box again = bytes.asContainer().root(Box.class);
    assertNotSame(box, again);
    assertEquals(box.name, again.name);
    assertEquals(box.name.hashCode(), again.name.hashCode());
    assertNotEquals(box.name, box.other);
  }

  @Test
  void aClassKeepsItsOwnEquals() {
    Named one = new Named(container, 1);
    Named same = new Named(container, 1);
    one.next = new Named(container, 2);
    assertEquals(one, same);
    assertNotEquals(one, one.next);
    assertEquals(Set.of(one, one.next), Set.of(same, one.next));
  }

  @Test
  void anObjectWithAnIdentityIsTheSameEachTime() {
    Child child = new Child(container);
    child.parent = child;
    assertSame(child, child.parent);
    child.sibling = new Child(container);
    child.noted = new Noted(container);
    child.noted.note = "kept";
    container.root(child);
    assertEquals("kept", child.noted.note);

    Child again = bytes.asContainer().root(Child.class);
    assertSame(again.parent, again.parent);
    assertSame(again.sibling, again.sibling);
    assertNull(again.noted.note);
    again.noted.note = "here";
    assertEquals("here", again.noted.note);
    assertEquals("kept", child.noted.note);
    PsoList<Noted> list = new PsoList<>(container, Noted.class, 1);
    list.add(child.noted);
    assertSame(child.noted, list.get(0));

    assertTrue(PsoLayout.of(Child.class).hasIdentity());
    assertTrue(PsoLayout.of(Noted.class).hasIdentity());
    assertFalse(PsoLayout.of(Node.class).hasIdentity());
    assertFalse(PsoLayout.of(Box.class).hasIdentity());
  }

  @Test
  void aReferenceToAnotherContainerIsKeptByTheObjectThatItWasAssignedTo() {
    Container elsewhere = Jbuf.allocate(1024).asContainer();
    Node holder = new Node(container);
    holder.next = new Node(container);
    Node next = holder.next;
    Node stranger = new Node(elsewhere);
    next.next = stranger;
    assertSame(stranger, next.next);
    assertNull(holder.next.next);
    next.next = holder;
    assertEquals(holder, next.next);
    assertEquals(holder, holder.next.next);

    Box box = new Box(container); // an object in place is its holder's
    box.inner.next = stranger;
    assertSame(stranger, box.inner.next);
  }

  @Test
  void anObjectThatWasReadKeepsTheMemory() throws InterruptedException {
    Jbuf jbuf = Jbuf.allocate(1024);
    CountDownLatch verified = new CountDownLatch(1);
    Node read = readOnce(jbuf.asContainer());
    jbuf.unreference(ignored -> verified.countDown());
    for (int round = 0; round < 5; round++) {
      System.gc();
      assertFalse(verified.await(10, TimeUnit.MILLISECONDS));
    }
    assertEquals(11, read.value);
    read = null;
    while (!verified.await(10, TimeUnit.MILLISECONDS)) {
      System.gc();
    }
  }

  private static Node readOnce(Container container) {
    PsoList<Node> list = new PsoList<>(container, Node.class, 1);
    Node node = new Node(container);
    node.value = 11;
    list.add(node);
    return list.get(0);
  }
}
