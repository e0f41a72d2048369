package dev.tigris.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tigris.memory.schema.Schema;
import dev.tigris.testing.EveryTier;
import dev.tigris.testing.Slow;
import dev.tigris.testing.Soak;
import dev.tigris.testing.Tier;
import dev.tigris.testing.host.Needs;
import dev.tigris.testing.process.Child;
import dev.tigris.testing.process.Command;
import dev.tigris.testing.process.Jvm;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// A process that changes the bytes of a container at any time, to anything, while another one uses
/// the objects in it: what is read is a value or an exception of this module, nothing lies outside
/// of the container, and the JVM goes on.
@EveryTier("milliseconds of scribbling: 200, 800, 60,000")
class ForeignWriterTest {
  /// The container lies between bytes that nobody may write to.
  static final int MARGIN_BYTES = 1 << 16;

  static final int CONTAINER_BYTES = 1 << 13;
  private static final byte MARGIN = 0x5a;

  @TempDir private Path folder;

  enum Side {
    BUY,
    SELL
  }

  static class Part extends Pso {
    volatile long number;
    int small;

    @Capacity(12)
    Utf8 name;

    Part(Container container) {
      super(container);
    }
  }

  static final class Node extends Part {
    boolean flag;
    Side side;
    double price;

    @Capacity(40)
    Utf8 text;

    @Capacity(4)
    Doubles doubles;

    @Capacity(256)
    Bytes nested;

    @InPlace Part part;
    volatile Node next;
    Node other;
    PsoList<Node> nodes;
    PsoTable<Part> parts;
    PsoArray array;

    Node(Container container) {
      super(container);
    }
  }

  /// Fills the container: a ring of nodes, of which each has everything.
  private static void fill(Container container) {
    container.declare(Schema.of(Node.class));
    Node first = null;
    Node last = null;
    for (int i = 0; container.remainingBytes() > 2048; i++) {
      Node node = new Node(container);
      node.number = i;
      node.small = -i;
      node.name.set("part " + i);
      node.flag = i % 2 == 0;
      node.side = i % 3 == 0 ? Side.BUY : i % 3 == 1 ? Side.SELL : null;
      node.text.set("größer und länger " + i);
      node.part.name.set("inner");
      Container nested = node.nested.asContainer();
      nested.root(new Part(nested));
      node.other = first;
      node.nodes = new PsoList<>(container, Node.class, 4);
      node.nodes.add(node);
      node.nodes.add(null);
      node.parts = new PsoTable<>(container, Part.class, 4);
      node.parts.add().name.set("table");
      node.parts.add().number = i;
      node.array = new PsoArray(container, i % 2 == 0 ? Primitive.SHORT : Primitive.DOUBLE, 5);
      if (last == null) {
        first = node;
        container.root(node);
      } else {
        last.next = node;
      }
      last = node;
    }
    last.next = first;
  }

  private Path file(long seed) throws IOException {
    byte[] margins = new byte[2 * MARGIN_BYTES + CONTAINER_BYTES];
    Arrays.fill(margins, MARGIN);
    Arrays.fill(margins, MARGIN_BYTES, MARGIN_BYTES + CONTAINER_BYTES, (byte) 0);
    Path file = Files.write(folder.resolve("objects" + seed), margins);
    Jbuf jbuf = Jbuf.map(file, Mapping.SHARED, 1);
    fill(jbuf.asBytes().slice(MARGIN_BYTES, CONTAINER_BYTES).asContainer());
    jbuf.flush();
    return file;
  }

  /// Lets a user read for a while, while a scribbler writes.
  private void survives(String mode, Mapping mapping, Command scribbler) throws Exception {
    long seed = System.nanoTime();
    Path file = file(seed);
    String millis = String.valueOf(Tier.choose(200, 800, 60_000));
    Command writes =
        scribbler.with(file.toString(), "" + MARGIN_BYTES, "" + CONTAINER_BYTES, "" + seed);
    Command reads =
        Jvm.of(ScribbledUser.class)
            .options("-Xmx64m", "-XX:+UseSerialGC", mode)
            .command(file.toString(), mapping.toString(), millis);
    try (Child user = reads.start()) {
      user.expectLine("ready");
      try (Child writer = writes.start()) {
        writer.expectLine("ready");
        user.say("");
        assertEquals("ready\nsurvived\n", user.outcome().orThrow(), "seed " + seed);
        assertTrue(writer.isAlive(), "nothing writes any more");
        writer.say("");
        writer.outcome().expect(0);
      }
    }
    byte[] bytes = Files.readAllBytes(file);
    for (int i = 0; i < MARGIN_BYTES; i++) {
      assertEquals(MARGIN, bytes[i], "seed " + seed);
      assertEquals(MARGIN, bytes[MARGIN_BYTES + CONTAINER_BYTES + i], "seed " + seed);
    }
  }

  private Command java() {
    return Jvm.of(Scribbler.class).quick().options("-Xmx32m").command();
  }

  /// A process in C starts at once, one in Java runs everywhere.
  private Command inC() throws IOException {
    if (!Needs.isThere("gcc")) {
      return java();
    }
    Path program = folder.resolve("scribble");
    Path source = folder.resolve("scribble.c");
    try (var resource = ForeignWriterTest.class.getResourceAsStream("/foreign/scribble.c")) {
      Files.copy(resource, source);
    }
    String _ = Command.of("gcc", "-O2", "-o", program.toString(), source.toString()).output();
    return Command.of(program.toString());
  }

  @ParameterizedTest
  @CsvSource({
    "-Xint, SHARED",
    "-XX:TieredStopAtLevel=1, SHARED",
    "-XX:-TieredCompilation, SHARED",
    "-XX:-TieredCompilation, DURABLE",
  })
  void survivesAProcessInC(String mode, Mapping mapping) throws Exception {
    survives(mode, mapping, inC());
  }

  @Test
  void survivesAProcessInJava() throws Exception {
    survives("-XX:-TieredCompilation", Mapping.SHARED, java());
  }

  @ParameterizedTest
  @CsvSource({
    "-Xint, SHARED",
    "-XX:TieredStopAtLevel=1, SHARED",
    "-XX:-TieredCompilation, DURABLE",
  })
  @Slow("the other ways to run code beside a process in Java")
  @Soak("a minute for each")
  void survivesAProcessInJavaHoweverCodeRuns(String mode, Mapping mapping) throws Exception {
    survives(mode, mapping, java());
  }
}
