package dev.tigris.memory;

import dev.tigris.memory.SchemaTest.Labelled;
import dev.tigris.memory.SchemaTest.Order;
import dev.tigris.memory.SchemaTest.Point;
import dev.tigris.memory.schema.Conversion;
import dev.tigris.memory.schema.Schema;
import dev.tigris.memory.schema.SchemaException;
import org.jspecify.annotations.Nullable;

/// Bytes that claim to be a container: opening, validating, reading, and converting them.
public final class ContainerFuzz {
  private static final int CAPACITY = 4096;
  private static final Schema SCHEMA = Schema.of(Order.class);

  /// What was in use last must not be what makes an input good or bad.
  private static final Bytes BYTES = Jbuf.allocate(CAPACITY).asBytes();

  private ContainerFuzz() {}

  /// One input: what the container holds, and zeros behind it.
  public static void fuzzerTestOneInput(byte[] input) {
    BYTES.fill((byte) 0);
    BYTES.copyFrom(0, input, 0, Math.min(input.length, CAPACITY));
    Container container;
    try {
      container = BYTES.asContainer();
    } catch (CorruptContainerException e) {
      return;
    }
    boolean valid = true;
    try {
      SCHEMA.validate(container);
    } catch (CorruptContainerException | SchemaException e) {
      valid = false;
    }
    read(container, valid);
    convert(container);
  }

  private static void read(Container container, boolean valid) {
    try {
      Order root = container.root(Order.class);
      if (root != null) {
        read(root, 3);
      }
    } catch (CorruptReferenceException
        | CorruptTextException
        | CorruptContainerException
        | UnknownConstantException e) {
      if (valid) {
        throw new AssertionError("what was validated can be read", e);
      }
    }
  }

  private static void read(Order order, int depth) {
    Object _ = order.side;
    double _ = order.origin.x + order.samples.get(3);
    Point point = order.anywhere;
    int _ = point == null ? 0 : point.y;
    read(order.bytes);
    PsoList<Labelled> labels = order.labels;
    for (long i = 0; labels != null && i < Math.min(labels.size(), 4); i++) {
      Labelled label = labels.get(i);
      for (int hops = 0; label != null && hops < 4; hops++) {
        String _ = label.label.toString();
        label = label.next;
      }
    }
    PsoTable<Order> parts = order.parts;
    for (long i = 0; parts != null && depth > 0 && i < Math.min(parts.size(), 4); i++) {
      read(parts.get(i), depth - 1);
    }
    PsoList<PsoArray> arrays = order.arrays;
    for (long i = 0; arrays != null && i < Math.min(arrays.size(), 4); i++) {
      read(arrays.get(i));
    }
  }

  private static void read(@Nullable PsoArray array) {
    if (array != null && array.length() > 0) {
      Object _ = array.element();
    }
  }

  /// To the schema of this program from the one that the container names, and from its own.
  private static void convert(Container container) {
    Schema named;
    try {
      named = container.schema();
    } catch (CorruptContainerException e) {
      return;
    }
    convert(container, named == null ? SCHEMA : named);
  }

  static void convert(Container container, Schema from) {
    try {
      Conversion conversion = Conversion.of(container, from, SCHEMA);
      long bytes = conversion.bytes();
      if (bytes <= 1 << 20) {
        Jbuf jbuf = Jbuf.allocate(bytes);
        try {
          Container target = jbuf.peek();
          conversion.into(target);
          target.declare(SCHEMA);
          SCHEMA.validate(target);
        } finally {
          jbuf.free();
        }
      }
    } catch (CorruptContainerException | SchemaException e) {
      // It was found out.
    }
  }
}
