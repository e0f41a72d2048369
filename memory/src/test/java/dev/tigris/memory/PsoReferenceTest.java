package dev.tigris.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Objects with an identity: what is remembered, and for how long. [PlaceEqualityTest] has the
/// others.
class PsoReferenceTest {
  @Identity
  static class Node extends Pso implements Cloneable {
    int value;
    Node next;
    Node other;

    Node(Container container, int value) {
      super(container);
      this.value = value;
    }

    @Override
    public Node clone() {
      try {
        return (Node) super.clone();
      } catch (CloneNotSupportedException e) {
        throw new AssertionError(e);
      }
    }
  }

  static final class Wide extends Node {
    long more;

    Wide(Container container) {
      super(container, 1);
    }
  }

  /// The bytes of a Node, with the references as the numbers that they are.
  static final class Bare extends Pso {
    int value;
    long next;
    long other;

    Bare(Container container) {
      super(container);
    }
  }

  private final Container container = Jbuf.allocate(4096).asContainer();
  private final Node first = new Node(container, 1);
  private final Node second = new Node(container, 2);

  private Bare bare(Node node) {
    container.root(node);
    Bare bare = container.root(Bare.class);
    assertEquals(node.value, bare.value);
    return bare;
  }

  @Test
  void isNullUntilItIsWritten() {
    assertNull(first.next);
    first.next = null;
    assertNull(first.next);
  }

  @Test
  void returnsTheObjectThatWasWritten() {
    first.next = second;
    assertSame(second, first.next);
    assertNull(first.other);
    assertEquals(second.offset(), bare(first).next);
    first.next = null;
    assertNull(first.next);
    assertEquals(0, bare(first).next);
  }

  @Test
  void recoversAnObjectOnceAndReturnsItFromThenOn() {
    bare(first).next = second.offset();
    Node recovered = first.next;
    assertEquals(2, recovered.value);
    assertNotSame(second, recovered);
    assertSame(recovered, first.next);
    recovered.value = 5;
    assertEquals(5, second.value);
  }

  @Test
  void followsAnOffsetThatSomebodyElseChanged() {
    Node third = new Node(container, 3);
    first.next = second;
    Bare bare = bare(first);
    bare.next = third.offset();
    assertEquals(3, first.next.value);
    bare.next = 0;
    assertNull(first.next);
    bare.next = second.offset();
    assertEquals(2, first.next.value);
  }

  @Test
  void recoversTheDeclaredClassOfASubclassObject() {
    Wide wide = new Wide(container);
    wide.more = 9;
    first.next = wide;
    assertSame(wide, first.next);
    container.root(first);
    Container reopened =
        Container.openOrFormat(container.lease, container.address, container.capacityBytes());
    Node recovered = reopened.root(Node.class).next;
    assertSame(Node.class, recovered.getClass());
    assertEquals(1, recovered.value);
  }

  @Test
  void walksAListThatCameFromElsewhere() {
    Node last = first;
    for (int value = 2; value <= 50; value++) {
      last.next = new Node(container, value);
      last = last.next;
    }
    container.root(first);
    Container reopened =
        Container.openOrFormat(container.lease, container.address, container.capacityBytes());
    List<Integer> values = new ArrayList<>();
    for (Node at = reopened.root(Node.class); at != null; at = at.next) {
      values.add(at.value);
    }
    assertEquals(50, values.size());
    assertEquals(50, values.getLast());
  }

  @Test
  void keepsAReferenceToAnotherContainerForItself() {
    Node foreign = new Node(Jbuf.allocate(256).asContainer(), 7);
    first.next = foreign;
    assertSame(foreign, first.next);
    Bare bare = bare(first);
    assertEquals(0, bare.next);
    container.root(bare);
    assertNull(container.root(Node.class).next);

    first.next = second;
    assertSame(second, first.next);
    bare.next = 0;
    assertNull(first.next);

    first.next = foreign;
    first.next = null;
    assertNull(first.next);
  }

  @Test
  void refusesOffsetsWhereNoObjectCanBe() {
    Bare bare = bare(first);
    long size = PsoLayout.of(Node.class).sizeBytes();
    long last = container.capacityBytes() - size;
    for (long offset :
        new long[] {
          -8,
          Long.MIN_VALUE,
          Long.MAX_VALUE,
          Long.MAX_VALUE - 7,
          8,
          56,
          65,
          66,
          68,
          last + 8,
          container.capacityBytes(),
          1L << 40
        }) {
      bare.next = offset;
      CorruptReferenceException e =
          assertThrows(CorruptReferenceException.class, () -> first.next.value++, "" + offset);
      assertTrue(e.getMessage().contains("Node.next holds " + offset), e.getMessage());
    }
    bare.next = last;
    assertEquals(0, first.next.value);
  }

  @Test
  void believesTheCapacityThatJavaKnowsAndNotTheHeader() {
    Bare bare = bare(first);
    Bytes bytes = new Bytes(container.lease, container.address, container.capacityBytes());
    bytes.setLong(24, 1 << 20);
    bare.next = 1 << 16;
    assertThrows(CorruptReferenceException.class, () -> first.next.value++);
  }

  @Test
  void refusesARootWhereNoObjectCanBe() {
    container.rootOffset(8);
    assertThrows(CorruptReferenceException.class, () -> container.root(Node.class));
    Node foreign = new Node(Jbuf.allocate(256).asContainer(), 7);
    assertThrows(IllegalArgumentException.class, () -> container.root(foreign));
    container.clear();
    assertNull(container.root(Node.class));
  }

  @Test
  void givesAllThreadsTheSameObject() throws Exception {
    assertThreadsAgree(
        () -> {
          container.clear();
          Node holder = new Node(container, 1);
          bare(holder).next = new Node(container, 2).offset();
          return holder;
        });
  }

  private static void assertThreadsAgree(Supplier<Node> holders) throws Exception {
    int threads = 4;
    CyclicBarrier start = new CyclicBarrier(threads);
    try (ExecutorService pool = Executors.newFixedThreadPool(threads)) {
      for (int round = 0; round < 200; round++) {
        Node holder = holders.get();
        Callable<Node> read =
            () -> {
              start.await();
              return holder.next;
            };
        Set<Node> seen = new HashSet<>();
        for (Future<Node> result : pool.invokeAll(Collections.nCopies(threads, read))) {
          seen.add(result.get());
        }
        assertEquals(1, seen.size());
      }
    }
  }

  /// Where an object's offset is too large for what is compared at once.
  @Test
  void remembersObjectsThatLieBehind32GiB(@TempDir Path folder) throws Exception {
    long far = 32L << 30;
    RawContainer sparse = sparse(folder, far + 4096);
    for (long offset : new long[] {far - 64, far, far + 64}) {
      Node target = sparse.at(offset, Node.class);
      target.value = 7;
      Node holder = sparse.at(4096, Node.class);
      Bare bare = sparse.at(4096, Bare.class);
      holder.next = target;
      holder.other = target;
      assertSame(target, holder.next);
      assertSame(target, holder.other);
      assertEquals(offset, bare.next);

      Node again = sparse.at(4096, Node.class);
      Node recovered = again.next;
      assertNotSame(target, recovered);
      assertEquals(7, recovered.value);
      assertSame(recovered, again.next);
      assertSame(again.other, again.other);
      assertThreadsAgree(() -> sparse.at(4096, Node.class));

      bare.next = 0;
      bare.other = 8192;
      assertNull(holder.next);
      assertNull(again.next);
      assertEquals(0, again.other.value);
      bare.next = offset;
      assertSame(recovered, again.next);
      again.next = null;
      assertNull(again.next);
      bare.next = offset;
      assertNotSame(recovered, again.next); // it was forgotten with the null that was written
      bare.next = -8;
      assertThrows(CorruptReferenceException.class, () -> again.next.value++);
    }
  }

  private static RawContainer sparse(Path folder, long bytes) throws IOException {
    Path file = folder.resolve("sparse");
    try (RandomAccessFile created = new RandomAccessFile(file.toFile(), "rw")) {
      created.setLength(bytes);
    }
    return Jbuf.map(file, Mapping.SHARED).asRawContainer();
  }

  @Test
  void keepsNoObjectOfACursor() {
    PsoTable<Bare> table = new PsoTable<>(container, Bare.class, 2);
    Bare one = table.add();
    one.value = 1;
    table.add().value = 2;
    RawContainer all =
        new RawContainer(container.lease, container.address, container.capacityBytes());
    PsoCursor<Node> cursor = all.cursor(one.offset(), 2, Node.class);
    Node holder = all.at(second.offset(), Node.class);
    assertTrue(cursor.next());
    Node element = cursor.element();
    holder.next = element;
    holder.other = element;
    Node next = holder.next;
    assertNotSame(element, next);
    assertTrue(cursor.next());
    assertSame(element, cursor.element());
    assertEquals(2, element.value);
    assertEquals(1, next.value);
    assertSame(next, holder.next);
    assertEquals(1, holder.other.value);

    // Nor one that remembers something of its own; but a copy of it, which stays.
    element.other = new Node(Jbuf.allocate(256).asContainer(), 7);
    holder.next = element;
    assertNotSame(element, holder.next);
    Node copy = element.clone();
    holder.next = copy;
    assertSame(copy, holder.next);
  }

  @Test
  void neverShowsANullThatNobodyWrote() throws Exception {
    Node foreign = new Node(Jbuf.allocate(256).asContainer(), 7);
    neverShowsANull(() -> first.next, value -> first.next = value, second, foreign);
  }

  @Test
  void aListNeverShowsANullThatNobodyWrote() throws Exception {
    Node foreign = new Node(Jbuf.allocate(256).asContainer(), 7);
    PsoList<Node> list = new PsoList<>(container, Node.class, 1);
    list.add(second);
    neverShowsANull(() -> list.get(0), value -> list.set(0, value), second, foreign);
    assertSame(foreign, list.get(0));
  }

  private static void neverShowsANull(
      Supplier<Node> reading, Consumer<Node> writing, Node one, Node other) throws Exception {
    writing.accept(one);
    int rounds = 20_000;
    try (ExecutorService pool = Executors.newFixedThreadPool(2)) {
      Future<?> writer =
          pool.submit(
              () -> {
                for (int round = 0; round < rounds; round++) {
                  writing.accept(one);
                  writing.accept(other);
                }
              });
      Future<?> reader =
          pool.submit(
              () -> {
                for (int round = 0; round < rounds; round++) {
                  assertTrue(reading.get() != null);
                }
              });
      writer.get();
      reader.get();
    }
  }
}
