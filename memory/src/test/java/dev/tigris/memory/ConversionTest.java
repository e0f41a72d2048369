// Over 400 lines: one pair of old and new classes, and everything that converting means for it.
package dev.tigris.memory;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.abort;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.tigris.memory.schema.Conversion;
import dev.tigris.memory.schema.Schema;
import dev.tigris.memory.schema.SchemaException;
import dev.tigris.testing.EveryTier;
import dev.tigris.testing.Tier;
import dev.tigris.testing.process.Jvm;
import java.io.IOException;
import java.lang.foreign.ValueLayout;
import java.lang.reflect.InvocationTargetException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.UserDefinedFileAttributeView;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// Two versions of the same classes, as two programs have them that use one file.
class ConversionTest {
  /// The folder of the classes of each version, by their sources: most tests begin with the file of
  /// the same old program.
  private static final Map<List<String>, Path> VERSIONS = new HashMap<>();

  @TempDir private static Path versions;
  @TempDir private Path folder;

  @AfterAll
  static void forgetVersions() {
    VERSIONS.clear();
  }

  private Path file() {
    return folder.resolve("objects");
  }

  /// Compiles classes, each a name and a source, and runs `App.run(file)`.
  private String run(String... sources) throws Exception {
    return run(version(sources), file());
  }

  /// The folder of the compiled classes.
  private static Path version(String... sources) throws IOException {
    Path version = VERSIONS.get(List.of(sources));
    if (version == null) {
      version = compile(sources);
      VERSIONS.put(List.of(sources), version);
    }
    return version;
  }

  private static String run(Path version, Path file) throws Exception {
    URL[] path = {version.toUri().toURL()};
    try (URLClassLoader loader = new URLClassLoader(path, Pso.class.getClassLoader())) {
      return (String) loader.loadClass("App").getMethod("run", Path.class).invoke(null, file);
    } catch (InvocationTargetException e) {
      throw e.getCause() instanceof Exception cause ? cause : e;
    }
  }

  private static Path compile(String... sources) throws IOException {
    Path version = versions.resolve("" + VERSIONS.size());
    Map<String, String> byName = new HashMap<>();
    for (String source : sources) {
      byName.put(source.replaceAll("(?s).*?(?:class|enum) (\\w+).*", "$1"), source);
    }
    Outside.compile(version, byName);
    Outside.specialize(version);
    return version;
  }

  private static String app(String mapping, String body) {
    return program(
        """
        Schema schema = Schema.of(Node.class);
        Jbuf jbuf = Jbuf.map(file, Mapping.%s, 1 << 16, schema, ConversionOption.ALLOW_LOSS);
        Container container = jbuf.asContainer();
        %s
        """
            .formatted(mapping, body));
  }

  private static String program(String body) {
    return """
    import dev.tigris.memory.*;
    import dev.tigris.memory.schema.*;
    import java.nio.file.Files;
    import java.nio.file.Path;
    import java.util.ArrayList;
    import java.util.List;
    import java.util.concurrent.*;
    public class App {
      public static String run(Path file) throws Exception {
        %s
      }
    }
    """
        .formatted(body);
  }

  private static final String OLD_FIELDS =
      """
      public int number; public byte small; public Node next; public String gone() { return ""; }
      @Capacity(8) public Utf8 name; public double price; public Side side;
      @InPlace public Point point; public PsoList<Node> list; public PsoTable<Point> table;
      public PsoArray array; public Point inner; @Capacity(3) public Ints ints;
      """;
  private static final String NEW_FIELDS =
      """
      public long added; public PsoTable<Point> table; public long number; public int small;
      public Side side; @Capacity(20) public Utf8 name; public Node next;
      public boolean flag; @InPlace public Point point; public PsoList<Node> list;
      public PsoArray array; public Point inner; @Capacity(5) public Ints ints;
      @Capacity(4) public Utf8 comment;
      """;
  private static final String OLD_POINT =
      """
      import dev.tigris.memory.*;
      public class Point extends Pso {
        public int x; public int y;
        public Point(Container container) { super(container); }
      }
      """;
  private static final String NEW_POINT = OLD_POINT.replace("int x; public", "double z, x; public");

  private static final String WRITE =
      """
      Node a = new Node(container);
      new Node(container).number = 99;       // nobody can reach it
      Node b = new Node(container);
      container.root(a);
      a.number = -7; a.small = -3; a.next = b; a.name.set("größe"); a.price = 2.5;
      a.side = Side.SELL; a.point.x = 11; a.point.y = 12; a.ints.set(2, 33);
      b.number = 8; b.next = a; b.inner = a.point;
      a.list = new PsoList<>(container, Node.class, 4);
      a.list.add(b); a.list.add(null); a.list.add(a);
      a.table = new PsoTable<>(container, Point.class, 3);
      for (int i = 0; i < 2; i++) { Point p = a.table.add(); p.x = i; p.y = 10 * i; }
      a.inner = a.table.get(1);
      a.array = new PsoArray(container, Primitive.SHORT, 3);
      a.array.asShorts().set(1, (short) 5);
      jbuf.flush();
      return "written";
      """;
  private static final String READ =
      """
      Node a = container.root(Node.class), b = a.next;
      Schema.of(Node.class).validate(container);
      return a.number + " " + a.small + " " + a.name + " " + a.added + a.flag + a.comment.isEmpty()
        + " " + a.side + " " + a.point.x + "," + a.point.y + "," + a.point.z + " " + a.ints.get(2)
        + " " + b.number + " " + (b.next.number == a.number) + " " + b.inner.x
        + " " + a.list.size() + (a.list.get(0).number == 8) + a.list.get(1) + (a.list.get(2).name)
        + " " + a.table.size() + "/" + a.table.capacity() + " " + a.inner.y
        + " " + a.array.asShorts().get(1) + " " + a.array.length();
      """;
  private static final String SIDE = "public enum Side { BUY, SELL }";
  private static final String NEW_SIDE = "public enum Side { NONE, SELL, BUY }";

  private void writeOld() throws Exception {
    assertEquals("written", run(OLD_POINT, SIDE, sourceOfNode(OLD_FIELDS), app("SHARED", WRITE)));
  }

  private static String sourceOfNode(String fields) {
    return """
    import dev.tigris.memory.*;
    public class Node extends Pso {
      %s
      public Node(Container container) { super(container); }
    }
    """
        .formatted(fields);
  }

  @ParameterizedTest
  @CsvSource({"SHARED", "DURABLE"})
  void keepsEverythingThatStaysThroughEveryKindOfChange(String mapping) throws Exception {
    writeOld();
    String read = run(NEW_POINT, NEW_SIDE, sourceOfNode(NEW_FIELDS), app(mapping, READ));
    assertEquals(
        "-7 -3 größe 0falsetrue SELL 11.0,12,0.0 33 8 true 11.0 3truenullgröße 2/3 10 5 3", read);
    assertEquals(List.of("objects", "objects.journal"), files());
  }

  /// Each maps the old file, and then one of them finds that the other has put a new one there.
  @Test
  void keepsWhatIsWrittenByTwoWhoConvertAFileAtOnce() throws Exception {
    run(
        sourceOfNode("public int left, right;"),
        app("SHARED", "container.root(new Node(container)); return \"\";"));
    String race =
        """
        try (var threads = Executors.newFixedThreadPool(2)) {
          for (int round = 0; round < 20; round++) {
            Path copy = file.resolveSibling("copy" + round);
            Files.copy(file, copy);
            var start = new CyclicBarrier(2);
            List<Callable<Node>> both = new ArrayList<>();
            for (boolean isLeft : new boolean[] {true, false}) {
              both.add(() -> {
                start.await();
                Jbuf mine = Jbuf.map(copy, Mapping.SHARED, 1 << 16, Schema.of(Node.class));
                Node node = mine.asContainer().root(Node.class);
                if (isLeft) {
                  node.left = 7;
                } else {
                  node.right = 8;
                }
                mine.flush();
                return node;
              });
            }
            for (var each : threads.invokeAll(both)) {
              each.get();
            }
            Jbuf after = Jbuf.map(copy, Mapping.SHARED, 1 << 16, Schema.of(Node.class));
            Node node = after.asContainer().root(Node.class);
            if (node.left != 7 || node.right != 8) {
              return "round " + round + ": " + node.left + " " + node.right;
            }
          }
        }
        return "kept";
        """;
    String newer = sourceOfNode("public long left, right; public int more;");
    assertEquals("kept", run(newer, program(race)));
  }

  @Test
  void changesNothingWhereTheSchemaIsTheSame() throws Exception {
    writeOld();
    byte[] before = Files.readAllBytes(file());
    run(OLD_POINT, NEW_SIDE, sourceOfNode(OLD_FIELDS), app("SHARED", "return \"\";"));
    assertArrayEquals(before, Files.readAllBytes(file()));
  }

  /// Runs the app of a version in a process of its own, whose log is printed.
  static final class Program {
    public static void main(String[] arguments) throws Exception {
      System.out.println(run(Path.of(arguments[0]), Path.of(arguments[1])));
    }
  }

  private static final String OPEN =
      "Jbuf.map(file, Mapping.DURABLE, 0, Schema.of(Node.class)%s).close(); return \"opened\";";

  /// As version 1 of a program, which would otherwise delete what version 2 has stored.
  @Test
  void deletesNothingWithoutBeingAskedTo() throws Exception {
    writeOld();
    byte[] before = Files.readAllBytes(file());
    String[] smaller = {
      OLD_POINT,
      SIDE,
      sourceOfNode("public int number; public Node next;"),
      program(OPEN.formatted(""))
    };
    SchemaException e = assertThrows(SchemaException.class, () -> run(smaller));
    assertTrue(e.getMessage().contains("Node.price (double)"), e.getMessage());
    assertTrue(e.getMessage().contains("Node.name (text of 8 bytes)"), e.getMessage());
    assertTrue(e.getMessage().contains("Node.list (a reference to PsoList<Node>)"), e.getMessage());
    assertTrue(e.getMessage().contains("objects of Point"), e.getMessage());
    assertFalse(e.getMessage().contains("Node.number"), e.getMessage());
    assertTrue(e.getMessage().contains("ConversionOption.ALLOW_LOSS"), e.getMessage());
    assertArrayEquals(before, Files.readAllBytes(file()));
  }

  @Test
  void keepsTheOldFileIfAskedToAndSaysWhatItHasDone() throws Exception {
    writeOld();
    byte[] before = Files.readAllBytes(file());
    long old = openSchema().fingerprint();
    String options = ", ConversionOption.ALLOW_LOSS, ConversionOption.KEEP_OLD_FILE";
    String smaller = sourceOfNode("public int number; public Node next;");
    Path version = version(smaller, program(OPEN.formatted(options)));
    String[] arguments = {version.toString(), file().toString()};
    String said = Jvm.of(Program.class).quick().command(arguments).output();
    writeOldAgain();
    said += Jvm.of(Program.class).quick().command(arguments).output();
    String kept = "objects.old-%016x".formatted(old);
    assertEquals(List.of("objects", "objects.journal", kept, kept + "-2"), files());
    assertArrayEquals(before, Files.readAllBytes(folder.resolve(kept)));
    assertEquals(3, said.split("converted ", -1).length, said);
    assertTrue(said.contains("Node.price is gone"), said);
    assertTrue(said.contains(kept + "-2"), said);
  }

  private void writeOldAgain() throws Exception {
    Files.delete(file());
    writeOld();
  }

  @Test
  void leavesAPrivateFileAsItIs() throws Exception {
    writeOld();
    byte[] before = Files.readAllBytes(file());
    SchemaException e =
        assertThrows(
            SchemaException.class,
            () -> run(NEW_POINT, SIDE, sourceOfNode(NEW_FIELDS), app("PRIVATE", READ)));
    assertTrue(e.getMessage().contains("Node.price is gone"), e.getMessage());
    assertTrue(e.getMessage().contains("Node.added is new"), e.getMessage());
    assertTrue(e.getMessage().contains("SHARED or DURABLE once"), e.getMessage());
    assertArrayEquals(before, Files.readAllBytes(file()));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "int number | short number | Node.number was int and is short",
        "int number | Node number | Node.number was int and is a reference to Node",
        "double price | long price | Node.price was double and is long",
        "Capacity(8) public Utf8 | Capacity(7) public Utf8 | Node.name was text of 8 bytes and is",
        "Capacity(3) public Ints | Capacity(2) public Ints | Node.ints was 3 ints in place and is",
        "public Point inner | public Node inner | Node.inner was Point and is Node",
        "@InPlace public Point | public Point | Node.point was Point in place and is a reference",
        "PsoTable<Point> | PsoTable<Node> | Node.table was PsoTable<Point> and is PsoTable<Node>",
        "PsoList<Node> | PsoList<Point> | Node.list was PsoList<Node> and is PsoList<Point>",
        "PsoTable<Point> | PsoList<Point> | Node.table was PsoTable<Point> and is PsoList<Point>",
        "Side side | Thread.State side | Node.side was enum Side and is enum java.lang.Thread$State",
      })
  void refusesOtherChangesAndNamesTheField(String before, String after, String reason)
      throws Exception {
    writeOld();
    byte[] bytes = Files.readAllBytes(file());
    String changed = OLD_FIELDS.replace(before, after);
    SchemaException e =
        assertThrows(
            SchemaException.class,
            () -> run(OLD_POINT, SIDE, sourceOfNode(changed), app("SHARED", "return \"\";")));
    assertTrue(e.getMessage().contains(reason), e.getMessage());
    assertTrue(e.getMessage().startsWith(file() + " cannot be opened: "), e.getMessage());
    assertTrue(e.getMessage().endsWith("other names: those begin empty"), e.getMessage());
    assertArrayEquals(bytes, Files.readAllBytes(file()));
    assertEquals(List.of("objects"), files());
  }

  /// As a program in another language leaves one that takes elements out of a table.
  @Test
  void refusesWhatIsLeftBehindTheLastElementOfATable() throws Exception {
    writeOld(); // whose `inner` is the second element of a table
    ByteBuffer bytes = ByteBuffer.wrap(Files.readAllBytes(file())).order(ByteOrder.LITTLE_ENDIAN);
    int table = 0;
    while (bytes.getLong(table) != 2 || bytes.getLong(table + 8) != 3) {
      table += Long.BYTES;
    }
    Files.write(file(), bytes.putLong(table, 1).array());
    var e =
        assertThrows(
            CorruptContainerException.class,
            () -> run(NEW_POINT, NEW_SIDE, sourceOfNode(NEW_FIELDS), app("SHARED", READ)));
    assertTrue(e.getMessage().contains("the last element of a table"), e.getMessage());
    assertArrayEquals(bytes.array(), Files.readAllBytes(file()));
  }

  /// As it came in a message of the old program.
  private static final String CONVERT =
      """
      Container message = Jbuf.map(file, Mapping.PRIVATE).asContainer();
      long bytes = schema.convertedBytes(message);
      byte[] before = message.segment().toArray(java.lang.foreign.ValueLayout.JAVA_BYTE);
      Container small = Jbuf.allocate(bytes - 8).asContainer();
      try {
        schema.convert(message, small);
        return "it fitted";
      } catch (ContainerFullException e) {
        if (small.usedBytes() != 64 || small.fingerprint() != 0) { return "left half done"; }
      }
      Container container = Jbuf.allocate(bytes + 200).asContainer();
      schema.convert(message, container);
      if (!java.util.Arrays.equals(
          before, message.segment().toArray(java.lang.foreign.ValueLayout.JAVA_BYTE))) {
        return "the message changed";
      }
      try {
        schema.convert(message, container);
        return "converted into what was full already";
      } catch (IllegalArgumentException e) { }
      // Once more, from itself: nothing changes.
      if (schema.convertedBytes(container) != bytes) { return "it grew"; }
      """;

  @Test
  void convertsContainersThatAreNoFiles() throws Exception {
    writeOld();
    byte[] file = Files.readAllBytes(file());
    String read =
        run(
            NEW_POINT,
            NEW_SIDE,
            sourceOfNode(NEW_FIELDS),
            app("SHARED", CONVERT + READ)
                .replaceFirst("Jbuf jbuf = [^;]*;", "")
                .replace("Container container = jbuf.asContainer();", ""));
    assertEquals(
        "-7 -3 größe 0falsetrue SELL 11.0,12,0.0 33 8 true 11.0 3truenullgröße 2/3 10 5 3", read);
    assertArrayEquals(file, Files.readAllBytes(file()));
  }

  @Test
  void leavesAnEmptyContainerEmptyIfTheOtherOneCannotBeConverted() throws Exception {
    writeOld();
    Container source = Jbuf.map(file(), Mapping.PRIVATE).asContainer();
    Container target = Jbuf.allocate(1 << 16).asContainer();
    SchemaException other =
        assertThrows(
            SchemaException.class,
            () -> Schema.of(MappingTest.Entry.class).convert(source, target));
    assertTrue(other.getMessage().contains("the root was Node"), other.getMessage());
    assertFalse(other.getMessage().contains("another name"), other.getMessage());
    SchemaException none =
        assertThrows(
            SchemaException.class,
            () ->
                Schema.of(MappingTest.Entry.class)
                    .convert(target, Jbuf.allocate(99).asContainer()));
    assertTrue(none.getMessage().contains("keeps no schema"), none.getMessage());
    assertEquals(Container.HEADER_BYTES, target.usedBytes());
    assertEquals(0, target.fingerprint());
  }

  private List<String> files() throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      return files.map(path -> path.getFileName().toString()).sorted().toList();
    }
  }

  @Test
  void replacesWhatAConverterLeftThatWasKilled() throws Exception {
    writeOld();
    Files.write(folder.resolve(".objects.converting"), new byte[100]);
    run(NEW_POINT, SIDE, sourceOfNode(NEW_FIELDS), app("SHARED", READ));
    assertFalse(Files.exists(folder.resolve(".objects.converting")));
  }

  @Test
  void saysThatItNeedsAFileBesideTheOldOne() throws Exception {
    writeOld();
    Path inItsPlace = Files.createDirectory(folder.resolve(".objects.converting"));
    Files.createFile(inItsPlace.resolve("file"));
    byte[] old = Files.readAllBytes(folder.resolve("objects"));
    IOException failed =
        assertThrows(
            IOException.class,
            () -> run(NEW_POINT, SIDE, sourceOfNode(NEW_FIELDS), app("SHARED", READ)));
    String why = "objects has to be converted into a new file beside it (";
    assertTrue(failed.getMessage().contains(why), failed.getMessage());
    assertArrayEquals(old, Files.readAllBytes(folder.resolve("objects")));
  }

  @Test
  void keepsWhatWasNotedAboutTheFile() throws Exception {
    writeOld();
    var notes = Files.getFileAttributeView(file(), UserDefinedFileAttributeView.class);
    assumeTrue(notes != null, "skipped: nothing can be noted about files here");
    try {
      notes.write("origin", ByteBuffer.wrap(new byte[] {1, 2, 3}));
      notes.write("empty", ByteBuffer.allocate(0));
    } catch (IOException e) {
      abort("skipped: nothing can be noted about files of this file system");
    }
    run(NEW_POINT, SIDE, sourceOfNode(NEW_FIELDS), app("SHARED", READ));
    assertEquals(Set.of("origin", "empty"), Set.copyOf(notes.list()));
    ByteBuffer value = ByteBuffer.allocate(4);
    notes.read("origin", value);
    assertEquals(ByteBuffer.wrap(new byte[] {1, 2, 3}), value.flip());
  }

  @ParameterizedTest
  @CsvSource({"SHARED", "DURABLE"})
  void leavesAFileAsItIsThatIsDamagedFarInside(String mapping) throws Exception {
    writeOld();
    ByteBuffer bytes = ByteBuffer.wrap(Files.readAllBytes(file())).order(ByteOrder.LITTLE_ENDIAN);
    int next = (int) bytes.getLong(32) + 8; // of the root: behind an int and a byte
    int second = (int) bytes.getLong(next);
    bytes.putLong(second + 8, bytes.capacity() - 8);
    Files.write(file(), bytes.array());
    CorruptContainerException e =
        assertThrows(
            CorruptContainerException.class,
            () -> run(NEW_POINT, NEW_SIDE, sourceOfNode(NEW_FIELDS), app(mapping, READ)));
    assertTrue(e.getMessage().contains("Node.next of the object at " + second), e.getMessage());
    assertArrayEquals(bytes.array(), Files.readAllBytes(file()));
    assertEquals(1, files().stream().filter(name -> !name.endsWith(".journal")).count());
  }

  @Test
  void refusesAFileThatDoesNotSayWhatIsInIt() throws Exception {
    Container container = Jbuf.map(file(), Mapping.SHARED, 4096).asContainer();
    new MappingTest.Entry(container);
    SchemaException e =
        assertThrows(
            SchemaException.class,
            () -> Jbuf.map(file(), Mapping.SHARED, 0, Schema.of(MappingTest.Entry.class)));
    assertTrue(e.getMessage().contains("keeps no schema"), e.getMessage());
  }

  @ParameterizedTest
  @CsvSource({"SHARED", "DURABLE", "PRIVATE"})
  void leavesWhatIsNoWholeContainerAsItIs(Mapping mapping) throws Exception {
    writeOld();
    byte[] whole = Files.readAllBytes(file());
    byte[] newer = whole.clone();
    newer[8] = 3;
    long used = Jbuf.map(file(), Mapping.PRIVATE).asContainer().usedBytes();
    refuses(mapping, "a text".getBytes(StandardCharsets.UTF_8), "a file of 6 bytes is too short");
    refuses(
        mapping,
        "a text\n".repeat(99).getBytes(StandardCharsets.UTF_8),
        "they begin with neither its magic");
    refuses(mapping, newer, "format version 3");
    refuses(mapping, Arrays.copyOf(whole, (int) used - 8), "bytes are used");
    refuses(mapping, Arrays.copyOf(whole, 64), "bytes are used");
  }

  @Test
  void leavesAFileAsItIsWhereALengthIsNegative() throws Exception {
    writeOld();
    byte[] before = Files.readAllBytes(file());
    Schema other = Schema.of(MappingTest.Entry.class);
    assertThrows(IllegalArgumentException.class, () -> Jbuf.map(file(), Mapping.SHARED, -1, other));
    assertArrayEquals(before, Files.readAllBytes(file()));
  }

  private void refuses(Mapping mapping, byte[] bytes, String reason) throws IOException {
    Files.write(file(), bytes);
    CorruptContainerException e =
        assertThrows(
            CorruptContainerException.class,
            () -> Jbuf.map(file(), mapping, 1 << 17, Schema.of(MappingTest.Entry.class)));
    assertTrue(e.getMessage().contains(reason), e.getMessage());
    assertTrue(e.getMessage().contains(file().toString()), e.getMessage());
    assertArrayEquals(bytes, Files.readAllBytes(file()));
    assertEquals(List.of("objects"), files());
  }

  @ParameterizedTest
  @CsvSource({"SHARED", "DURABLE"})
  void makesAFileLongerOnlyIfItIsNotRefused(String mapping) throws Exception {
    String longer =
        "return \"\" + Jbuf.map(file, Mapping.%s, 1 << 17, Schema.of(Node.class)).capacityBytes();"
            .formatted(mapping);
    writeOld();
    byte[] before = Files.readAllBytes(file());
    assertThrows(
        SchemaException.class,
        () -> run(OLD_POINT, SIDE, sourceOfNode("public short number;"), program(longer)));
    assertArrayEquals(before, Files.readAllBytes(file()));
    assertEquals("" + (1 << 17), run(OLD_POINT, SIDE, sourceOfNode(OLD_FIELDS), program(longer)));
  }

  @Test
  void completesAFlushBeforeItLooksAtTheHeader() throws Exception {
    Schema schema = Schema.of(MappingTest.Entry.class);
    Jbuf.map(file(), Mapping.SHARED, 8192, schema).free();
    byte[] whole = Files.readAllBytes(file());
    Bytes page = Jbuf.allocate(4096).asBytes();
    page.copyFrom(0, whole, 0, 4096);
    try (Journal journal = Journal.own(file())) {
      journal.record(new long[] {0}, page.address, 4096, whole.length);
    }
    byte[] half = whole.clone();
    Arrays.fill(half, 0, 64, (byte) 'x');
    Files.write(file(), Arrays.copyOf(half, 100));
    IOException cut =
        assertThrows(IOException.class, () -> Jbuf.map(file(), Mapping.DURABLE, 0, schema));
    assertTrue(cut.getMessage().contains("a flush was interrupted"), cut.getMessage());
    Files.write(file(), half);
    Path link = Files.createSymbolicLink(folder.resolve("link"), file());
    Jbuf.map(link, Mapping.DURABLE, 0, schema).free();
    assertArrayEquals(whole, Files.readAllBytes(file()));
  }

  /// What an object holds does not depend on how it is reached: not on whether it has a subclass's
  /// fields, too.
  @Test
  void movesAFieldToASuperclassInObjectsOfSubclassesToo() throws Exception {
    String type =
        """
        import dev.tigris.memory.*;
        public class %s extends %s {
          %s
          public %1$s(Container container) { super(container); }
        }
        """;
    String node = type.formatted("Node", "Pso", "public A a; public B b; public A plain;");
    String map = "Jbuf jbuf = Jbuf.map(file, Mapping.SHARED, 1 << 12, Schema.of(Node.class));";
    String write =
        map
            + """
            Container container = jbuf.asContainer();
            Node node = new Node(container);
            node.b = new B(container);
            node.a = node.b;
            node.b.x = 42;
            node.plain = new A(container);
            node.plain.x = 43;
            container.root(node);
            return "";
            """;
    String read =
        map
            + """
            Node node = jbuf.asContainer().root(Node.class);
            return node.a.x + " " + node.b.x + " " + node.plain.x;
            """;
    run(
        type.formatted("A", "Pso", "public int x;"),
        type.formatted("B", "A", "public int y;"),
        node,
        program(write));
    assertEquals(
        "42 0 43",
        run(
            type.formatted("Base", "Pso", "public int x;"),
            type.formatted("A", "Base", ""),
            type.formatted("B", "A", "public int y, x;"),
            node,
            program(read)));
  }

  @Test
  void keepsTheClassOfAnObjectThatIsReachedAsItsSuperclassToo() throws Exception {
    String point = OLD_POINT.replace("Point", "Base");
    String derived =
        """
        import dev.tigris.memory.*;
        public class Node extends Base {
          public %s more; public Base base; public Node node;
          public Node(Container container) { super(container); }
        }
        """;
    run(
        point,
        derived.formatted("int"),
        app(
            "SHARED",
            """
            Node a = new Node(container), b = new Node(container);
            container.root(a); a.base = b; a.node = b; b.x = 3; b.more = 4; b.base = a; return "";
            """));
    assertEquals(
        "3 4 3 true",
        run(
            NEW_POINT.replace("Point", "Base"),
            derived.formatted("long"),
            app(
                "SHARED",
                """
                Node a = container.root(Node.class);
                return (int) a.base.x + " " + a.node.more + " " + (int) a.node.x + " "
                    + (a.node.base.y == a.y);
                """)));
  }

  /// The part and what it is a part of begin at the same place, and end at the same.
  @ParameterizedTest
  @ValueSource(strings = {"", "public long id;"})
  void keepsAPartWhereItIsThatIsAsLargeAsItsHolder(String added) throws Exception {
    String box = sourceOfNode("@InPlace public Point point;").replace("Node", "Box");
    String node = sourceOfNode("public Point point; public Box box;");
    run(
        OLD_POINT,
        box,
        node,
        app(
            "SHARED",
            """
            Node a = new Node(container); container.root(a);
            a.box = new Box(container); a.point = a.box.point; a.point.x = 5; return "";
            """));
    assertEquals(
        "5.0 5.0 6.0",
        run(
            NEW_POINT,
            box.replace("@InPlace", added + " @InPlace"),
            node,
            app(
                "SHARED",
                """
                Node a = container.root(Node.class);
                String before = a.point.x + " " + a.box.point.x;
                a.point.x = 6; return before + " " + a.box.point.x;
                """)));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "public int more; | public int x; | 3 0",
        "public int more; public int x; | public int x; | 3 4",
        "public int x; | public int more; | 3 3",
        "public int x; public int z; | public int x; public long z; | 3 4",
      })
  void keepsFieldsOfOneNameApart(String before, String after, String found) throws Exception {
    String base = OLD_POINT.replace("Point", "Base");
    String write = "Node a = new Node(container); container.root(a); a.x = 4; ((Base) a).x = 3;";
    String read = "Node a = container.root(Node.class); return ((Base) a).x + \" \" + a.x;";
    run(base, derived(before), app("SHARED", write + "return \"\";"));
    assertEquals(found, run(base, derived(after), app("SHARED", read)));
  }

  private static String derived(String fields) {
    return sourceOfNode(fields).replace("extends Pso", "extends Base");
  }

  /// As it is after a process was killed that added an element: the reference is there, and does
  /// not count yet.
  @Test
  void leavesBehindWhatAListHoldsBehindItsLastElement() {
    Bytes bytes = Jbuf.allocate(4096).asBytes();
    Container source = bytes.asContainer();
    Schema schema = Schema.ofList(MappingTest.Entry.class);
    source.declare(schema);
    PsoList<MappingTest.Entry> list = new PsoList<>(source, MappingTest.Entry.class, 3);
    list.add(new MappingTest.Entry(source));
    list.add(new MappingTest.Entry(source));
    source.root(list);
    bytes.setLong(list.offset(), 1);
    schema.validate(source);
    Container target = Jbuf.allocate(schema.convertedBytes(source)).asContainer();
    schema.convert(source, target);
    schema.validate(target);
    PsoList<MappingTest.Entry> converted = target.rootList(MappingTest.Entry.class);
    assertEquals(1, converted.size());
    assertEquals(3, converted.capacity());
    assertEquals(0, target.segment().get(ValueLayout.JAVA_LONG, converted.offset() + 24));
  }

  /// A damaged file is refused, or converted to one that can be read.
  @Test
  @EveryTier("files: 1,000, 5,000, 1,000,000")
  void convertsOrRefusesAnyBytes() throws Exception {
    writeOld();
    byte[] good = Files.readAllBytes(file());
    Schema from = openSchema();
    long seed = System.nanoTime();
    Random random = new Random(seed);
    int converted = 0;
    int files = Tier.choose(1_000, 5_000, 1_000_000);
    for (int i = 0; i < files; i++) {
      Bytes bytes = Jbuf.allocate(good.length).asBytes();
      bytes.copyFrom(0, good, 0, good.length);
      Container source = bytes.asContainer();
      for (int damage = random.nextInt(3); damage > 0; damage--) {
        long at = 32L + random.nextInt((int) source.usedBytes() - 32);
        bytes.setLong(at & -8, 8L * random.nextInt((int) source.usedBytes() / 8 + 3));
      }
      try {
        Conversion conversion = Conversion.of(source, from, from);
        Container target = Jbuf.allocate(conversion.bytes()).asContainer();
        conversion.into(target);
        from.validate(target);
        converted++;
      } catch (CorruptContainerException e) {
        // As it should.
      }
    }
    assertTrue(converted > 100, "seed " + seed);
  }

  private Schema openSchema() throws IOException {
    return Jbuf.map(file(), Mapping.PRIVATE).asContainer().schema();
  }
}
