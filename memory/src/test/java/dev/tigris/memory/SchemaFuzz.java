package dev.tigris.memory;

import dev.tigris.memory.SchemaTest.Order;
import dev.tigris.memory.schema.Schema;
import java.nio.charset.StandardCharsets;
import java.util.Random;

/// The text of a schema, and a conversion from whatever it says.
public final class SchemaFuzz {
  private static final Container FULL = full();

  private SchemaFuzz() {}

  /// A container in which any offset may be one of anything.
  private static Container full() {
    Container container = Jbuf.allocate(2048).asContainer();
    Order order = new Order(container);
    container.root(order);
    Random random = new Random(1);
    while (container.remainingBytes() > 0) {
      long at = container.allocate(8);
      container.raw(at, 8).set(java.lang.foreign.ValueLayout.JAVA_LONG, 0, 8L * random.nextInt(40));
    }
    return container;
  }

  /// One input: the text.
  public static void fuzzerTestOneInput(byte[] input) {
    String text = new String(input, StandardCharsets.UTF_8);
    Schema schema;
    try {
      schema = Schema.parse(text);
    } catch (IllegalArgumentException e) {
      return;
    }
    if (!schema.toString().equals(text) || schema.fingerprint() == 0) {
      throw new AssertionError("what is read is what was written");
    }
    try {
      schema.validate(FULL);
    } catch (CorruptContainerException e) {
      // Most are.
    }
    ContainerFuzz.convert(FULL, schema);
  }
}
