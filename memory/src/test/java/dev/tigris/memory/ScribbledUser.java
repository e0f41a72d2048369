package dev.tigris.memory;

import static dev.tigris.memory.ForeignWriterTest.CONTAINER_BYTES;
import static dev.tigris.memory.ForeignWriterTest.MARGIN_BYTES;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tigris.memory.ForeignWriterTest.Node;
import dev.tigris.memory.ForeignWriterTest.Part;
import dev.tigris.memory.ForeignWriterTest.Side;
import dev.tigris.memory.schema.Conversion;
import dev.tigris.memory.schema.Schema;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/// Uses the objects of [ForeignWriterTest] in every way, often enough to be compiled, while a
/// [Scribbler] changes their bytes, and looks where each lies.
final class ScribbledUser {
  private interface Use {
    void run() throws IOException;
  }

  private final Jbuf jbuf;
  private final Mapping mapping;
  private final Bytes bytes;
  private final Schema schema = Schema.of(Node.class);
  private final Container copy = Jbuf.allocate(1 << 17).asContainer();
  private final Part own = new Part(Jbuf.allocate(1 << 10).asContainer());
  private Container container;
  private Node node;
  private long values;
  private long refusals;
  private long sink;

  private ScribbledUser(Path file, Mapping mapping) throws IOException {
    this.mapping = mapping;
    jbuf = Jbuf.map(file, mapping, 1);
    bytes = jbuf.asBytes().slice(MARGIN_BYTES, CONTAINER_BYTES);
    container = bytes.asContainer();
    node = container.root(Node.class);
    own.name.set("own");
  }

  public static void main(String[] arguments) throws IOException {
    ScribbledUser user = new ScribbledUser(Path.of(arguments[0]), Mapping.valueOf(arguments[1]));
    System.out.println("ready");
    System.in.read(); // that somebody writes
    long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(Long.parseLong(arguments[2]));
    while (System.nanoTime() < end) {
      user.round();
    }
    System.out.println(user.values > 0 && user.refusals > 0 ? "survived" : "nothing happened");
  }

  private void round() throws IOException {
    use(this::open);
    use(() -> node = required(inside(container.root(Node.class))));
    for (int i = 0; i < 30; i++) {
      readFields();
      readTexts();
      write();
      collections();
      use(() -> node = required(inside(node.next)));
    }
    for (int i = 0; i < 20; i++) {
      use(() -> schema.validate(container));
      use(() -> sink += required(container.schema()).fingerprint());
      use(() -> container.declare(schema));
      use(this::convert);
    }
    use(
        () -> {
          if (mapping == Mapping.DURABLE) {
            jbuf.flush();
          }
        });
  }

  private void convert() {
    copy.clear();
    Conversion.of(container, schema, schema).into(copy);
  }

  private void open() {
    Container opened = bytes.asContainer();
    assertTrue(opened.usedBytes() <= CONTAINER_BYTES);
    node = required(inside(opened.root(Node.class)));
    container = opened;
  }

  private void readFields() {
    use(() -> sink += node.number + node.small + (node.flag ? 1 : 0) + (long) node.price);
    use(() -> sink += node.side == Side.SELL ? 1 : 0);
    use(() -> sink += required(inside(node.other)).small);
    use(() -> sink += inside(node.part).small + node.part.number);
    use(() -> sink += (long) inside(node.doubles).get(3));
    use(
        () -> {
          Part part = inside(inside(node.nested).asContainer()).root(Part.class);
          sink += part == null ? 0 : part.name.lengthBytes();
        });
  }

  private void readTexts() {
    use(() -> sink += node.text.toString().length());
    use(() -> sink += node.text.contentEquals("größer und länger 7") ? 1 : 0);
    use(() -> sink += node.text.contentEquals(node.name) ? 1 : 0);
    use(() -> sink += node.text.compareTo(node.part.name));
    use(() -> assertTrue(node.text.copyTo(new byte[40], 0) <= 40));
    use(() -> own.name.set(node.name));
    use(() -> node.part.name.set(node.name));
    use(() -> node.text.set("a text of another length"));
    for (int i = 0; i < 20; i++) {
      use(() -> checkLength(node.name));
    }
    useIndex(() -> sink += node.text.byteAt(node.text.lengthBytes() - 1));
  }

  private static void checkLength(Utf8 text) {
    int length = text.lengthBytes();
    assertTrue(length >= 0 && length <= text.capacityBytes(), () -> "a length of " + length);
  }

  private void write() {
    use(() -> node.number = sink);
    use(() -> node.side = Side.SELL);
    use(() -> node.other = node.next);
    use(() -> node.next = node.other);
    use(() -> node.doubles.set(0, (double) sink));
    use(() -> inside(new Node(container)).flag = true);
    use(() -> container.root(node));
  }

  private void collections() {
    for (int i = 0; i < 20; i++) {
      use(() -> checkSize(nodes()));
    }
    use(
        () -> {
          for (Node element : nodes()) {
            sink += element == null ? 0 : inside(element).small;
          }
        });
    use(
        () -> {
          for (PsoCursor<Node> cursor = nodes().cursor(); cursor.next(); ) {
            sink += cursor.isPresent() ? inside(cursor.element()).text.lengthBytes() : 0;
          }
        });
    use(
        () -> {
          for (PsoCursor<Part> cursor = parts().cursor(); cursor.next(); ) {
            sink += inside(cursor.element()).name.lengthBytes();
          }
        });
    use(() -> nodes().add(node));
    use(() -> inside(parts().add()).name.set("added"));
    useIndex(() -> setLast(nodes()));
    useIndex(() -> setLast(parts()));
    use(() -> sink += inside(view(required(node.array))).capacityBytes());
    useIndex(() -> setLast(required(node.array)));
  }

  private static void checkSize(PsoList<Node> list) {
    long size = list.size();
    assertTrue(size >= 0 && size <= list.capacity(), () -> "a size of " + size);
  }

  private void setLast(PsoList<Node> list) {
    list.set(list.size() - 1, node);
  }

  private void setLast(PsoTable<Part> table) {
    inside(table.get(table.size() - 1)).number = 3;
  }

  private static void setLast(PsoArray array) {
    array.asShorts().set(array.length() - 1, (short) 1);
  }

  private PsoList<Node> nodes() {
    return inside(required(node.nodes));
  }

  private PsoTable<Part> parts() {
    return inside(required(node.parts));
  }

  private static View view(PsoArray array) {
    return switch (array.element()) {
      case BOOLEAN -> throw new AssertionError("there are no such arrays");
      case BYTE -> array.asBytes();
      case SHORT -> array.asShorts();
      case CHAR -> array.asChars();
      case INT -> array.asInts();
      case LONG -> array.asLongs();
      case FLOAT -> array.asFloats();
      case DOUBLE -> array.asDoubles();
    };
  }

  /// What may come of it is a value, or an exception that this module has a class for.
  private void use(Use use) {
    try {
      use.run();
      values++;
    } catch (NullReferenceException e) {
      refusals++;
    } catch (RuntimeException e) {
      if (!e.getClass().getPackageName().startsWith(Pso.class.getPackageName())) {
        throw e;
      }
      refusals++;
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  /// The same where a size is asked for first, which may have changed when it is used as an
  /// index.
  private void useIndex(Use use) {
    use(
        () -> {
          try {
            use.run();
          } catch (IndexOutOfBoundsException e) {
            refusals++;
          }
        });
  }

  /// A reference that was overwritten with 0.
  private static final class NullReferenceException extends RuntimeException {
    private static final long serialVersionUID = 1;
  }

  private static <T> T required(T object) {
    if (object == null) {
      throw new NullReferenceException();
    }
    return object;
  }

  private <T extends Pso> T inside(T object) {
    if (object != null) {
      int size = PsoLayout.of(object.getClass()).sizeBytes();
      check(object.container().address + object.offset(), size);
      assertEquals(0, object.offset() & 7);
    }
    return object;
  }

  private <V extends View> V inside(V view) {
    check(view.address, view.capacityBytes());
    return view;
  }

  private <P extends Pso> PsoList<P> inside(PsoList<P> list) {
    check(list);
    return list;
  }

  private <P extends Pso> PsoTable<P> inside(PsoTable<P> table) {
    check(table);
    return table;
  }

  /// The first part. Scribbled bytes may say that a table has segments elsewhere: each element is
  /// checked when it is read.
  private void check(PsoCollection<?> collection) {
    check(
        collection.container().address + collection.offset(),
        PsoCollection.ELEMENTS_AT + collection.firstRoom() * collection.strideBytes());
  }

  private void check(long address, long size) {
    long at = address - bytes.address;
    assertTrue(at >= 0 && size >= 0 && at <= CONTAINER_BYTES - size, () -> at + " + " + size);
  }
}
