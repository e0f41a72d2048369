package dev.tigris.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;

import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// A container that is opened once, and gets other bytes again and again: each message is read into
/// it, or another process clears it and fills it anew.
class ReplacedBytesTest {
  private static final int BYTES = 1 << 16;

  static final class Item extends Pso {
    long number;

    Item(Container container) {
      super(container);
    }
  }

  /// Keeps what was recovered from its fields.
  @Identity
  static final class Shelf extends Pso {
    PsoTable<Item> items;
    PsoList<Item> best;
    PsoArray sizes;

    Shelf(Container container) {
      super(container);
    }
  }

  /// The content of one message.
  ///
  /// @param gap the bytes that lie between a table and its segment, at least
  record Content(int capacity, int count, int gap) {
    long number(int index) {
      return 1_000_000L * capacity + 10_000L * gap + index;
    }

    void fill(Container container, PsoTable<Item> table) {
      for (int i = 0; i < count; i++) {
        if (i == capacity || i == 2 * capacity) {
          PsoArray _ = new PsoArray(container, Primitive.BYTE, gap);
        }
        table.add().number = number(i);
      }
    }

    void check(PsoTable<Item> table) {
      assertEquals(count, table.size());
      for (int i = 0; i < count; i++) {
        assertEquals(number(i), table.get(i).number, this::toString);
      }
      int next = 0;
      for (PsoCursor<Item> cursor = table.cursor(); cursor.next(); next++) {
        assertEquals(number(next), cursor.element().number, this::toString);
      }
      assertEquals(count, next);
    }
  }

  /// They differ in where the first segment is, where the second one is, how large the first part
  /// is, and whether there is any segment.
  private static final List<Content> CONTENTS =
      List.of(
          new Content(16, 30, 64),
          new Content(16, 30, 128),
          new Content(16, 60, 128),
          new Content(16, 60, 256),
          new Content(32, 32, 0),
          new Content(16, 17, 0),
          new Content(60, 60, 0),
          new Content(3, 50, 8));

  static Stream<List<Content>> pairs() {
    return CONTENTS.stream()
        .flatMap(one -> CONTENTS.stream().map(other -> List.of(one, other, one)));
  }

  private final Container container = Jbuf.allocate(BYTES).asContainer();

  /// Reads a message into the container.
  private void receive(Container sent) {
    container.byteBuffer().put(sent.byteBuffer());
  }

  @ParameterizedTest
  @MethodSource("pairs")
  void theRootTableIsThatOfTheMessageThatIsThere(List<Content> contents) {
    for (Content content : contents) {
      Container sent = Jbuf.allocate(BYTES).asContainer();
      PsoTable<Item> table = new PsoTable<>(sent, Item.class, content.capacity());
      sent.root(table);
      content.fill(sent, table);
      receive(sent);
      content.check(container.rootTable(Item.class));
    }
  }

  @ParameterizedTest
  @MethodSource("pairs")
  void aTableThatAKeptObjectRefersToIsOpenedAgain(List<Content> contents) {
    Shelf root = null;
    for (Content content : contents) {
      Container sent = Jbuf.allocate(BYTES).asContainer();
      Shelf shelf = new Shelf(sent);
      sent.root(shelf);
      shelf.items = new PsoTable<>(sent, Item.class, content.capacity());
      content.fill(sent, shelf.items);
      receive(sent);
      Shelf received = container.root(Shelf.class);
      content.check(received.items);
      assertSame(received.items, received.items);
      root = root == null ? received : root;
      assertSame(root, received);
    }
  }

  @Test
  void listsAndArraysThatAKeptObjectRefersToAreOpenedAgain() {
    Primitive[] types = {Primitive.INT, Primitive.LONG, Primitive.INT};
    for (int round = 0; round < types.length; round++) {
      Container sent = Jbuf.allocate(BYTES).asContainer();
      Shelf shelf = new Shelf(sent);
      sent.root(shelf);
      int count = 10 * (round + 1);
      shelf.sizes = new PsoArray(sent, types[round], count * 8L / types[round].sizeBytes());
      PsoArray _ = new PsoArray(sent, Primitive.BYTE, 800 - count * 8L); // so that the list stays
      shelf.best = new PsoList<>(sent, Item.class, count);
      for (int i = 0; i < count; i++) {
        Item item = new Item(sent);
        item.number = i;
        shelf.best.add(item);
      }
      receive(sent);
      Shelf received = container.root(Shelf.class);
      assertEquals(types[round], received.sizes.element());
      assertEquals(shelf.sizes.length(), received.sizes.length());
      assertEquals(count, received.best.size());
      assertEquals(count - 1, received.best.get(count - 1).number);
    }
  }

  @Test
  void aTableThatHasGrownStaysTheSameObject() {
    Shelf shelf = new Shelf(container);
    shelf.items = new PsoTable<>(container, Item.class, 2);
    PsoTable<Item> items = shelf.items;
    container.root(shelf);
    Shelf other = container.lease.jbuf.peek().root(Shelf.class);
    PsoTable<Item> theirs = other.items;
    assertNotSame(items, theirs);
    for (int i = 0; i < 200; i++) {
      items.add().number = i;
      assertSame(items, shelf.items);
      assertSame(theirs, other.items);
      assertEquals(i, other.items.get(i).number);
      assertEquals(items.capacity(), other.items.capacity());
    }
  }

  @Test
  void anotherProcessClearsAndFillsIt(@TempDir Path folder) throws Exception {
    Path file = folder.resolve("shared");
    try (Jbuf writer = Jbuf.map(file, Mapping.SHARED, BYTES);
        Jbuf reader = Jbuf.map(file, Mapping.SHARED)) {
      Container written = writer.asContainer();
      Container read = reader.asContainer();
      for (Content content : CONTENTS) {
        written.clear();
        PsoTable<Item> table = new PsoTable<>(written, Item.class, content.capacity());
        written.root(table);
        content.fill(written, table);
        content.check(read.rootTable(Item.class));
      }
    }
  }
}
