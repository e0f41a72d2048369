package dev.tigris.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.tigris.memory.schema.Schema;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// A process that changes the bytes of a container at any time, to anything, while another one uses
/// the objects in it: what is read is a value or an exception of this module, nothing lies outside
/// of the container, and the JVM goes on.
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

  private static BufferedReader output(Process process) {
    return new BufferedReader(
        new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
  }

  /// Lets a user read for a while, while a scribbler writes.
  private void survives(String mode, Mapping mapping, String... scribbler) throws Exception {
    long seed = System.nanoTime();
    Path file = file(seed);
    String millis = System.getProperty("tigris.test.scribbleMillis", "800");
    List<String> command = new ArrayList<>(List.of(scribbler));
    for (Object argument : List.of(file, MARGIN_BYTES, CONTAINER_BYTES, seed)) {
      command.add(argument.toString());
    }
    Process user =
        Forked.java(
            ScribbledUser.class,
            List.of("-Xmx64m", mode),
            file.toString(),
            mapping.toString(),
            millis);
    Process writer = null;
    try (BufferedReader read = output(user)) {
      assertEquals("ready", read.readLine());
      writer = new ProcessBuilder(command).redirectErrorStream(true).start();
      assertEquals("ready", output(writer).readLine());
      end(user);
      String said = read.readAllAsString();
      assertEquals(0, user.waitFor(), said + "seed " + seed);
      assertEquals("survived\n", said);
      assertTrue(writer.isAlive(), "nobody wrote any more");
      end(writer);
      assertEquals(0, writer.waitFor());
    } finally {
      user.destroyForcibly();
      if (writer != null) {
        writer.destroyForcibly();
      }
    }
    byte[] bytes = Files.readAllBytes(file);
    for (int i = 0; i < MARGIN_BYTES; i++) {
      assertEquals(MARGIN, bytes[i], "seed " + seed);
      assertEquals(MARGIN, bytes[MARGIN_BYTES + CONTAINER_BYTES + i], "seed " + seed);
    }
  }

  /// Ends the input of a process, or of its waiting for it.
  private static void end(Process process) throws IOException {
    process.outputWriter().append('\n').close();
  }

  @ParameterizedTest
  @CsvSource({
    "-Xint, SHARED",
    "-XX:TieredStopAtLevel=1, SHARED",
    "-XX:-TieredCompilation, SHARED",
    "-XX:-TieredCompilation, DURABLE",
  })
  void survivesAProcessInJava(String mode, Mapping mapping) throws Exception {
    String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
    String classes = Path.of("target", "test-classes").toString();
    survives(mode, mapping, java, "-Xmx32m", "-cp", classes, Scribbler.class.getName());
  }

  @Test
  void survivesAProcessInC() throws Exception {
    Path program = folder.resolve("scribble");
    Path source = folder.resolve("scribble.c");
    try (var resource = ForeignWriterTest.class.getResourceAsStream("/foreign/scribble.c")) {
      Files.copy(resource, source);
    }
    assumeTrue(isThere("gcc"), "skipped: there is no gcc (apt: gcc libc6-dev)");
    assertEquals(0, run("gcc", "-O2", "-o", program.toString(), source.toString()));
    for (String mode : List.of("-Xint", "-XX:TieredStopAtLevel=1", "-XX:-TieredCompilation")) {
      survives(mode, Mapping.SHARED, program.toString());
    }
  }

  private static boolean isThere(String program) throws InterruptedException {
    try {
      return run(program, "--version") == 0;
    } catch (IOException e) {
      return false;
    }
  }

  private static int run(String... command) throws IOException, InterruptedException {
    return new ProcessBuilder(command)
        .redirectErrorStream(true)
        .redirectOutput(ProcessBuilder.Redirect.DISCARD)
        .start()
        .waitFor();
  }
}
