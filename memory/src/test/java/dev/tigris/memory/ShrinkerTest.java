package dev.tigris.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tigris.memory.schema.Schema;
import dev.tigris.testing.Slow;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Names that a shrinker makes: what notices them, and the rules that the documentation gives.
class ShrinkerTest {
  static final class Point extends Pso {
    int x;
    int y;

    Point(Container container) {
      super(container);
    }
  }

  static final class Renamed extends Pso {
    int b;
    int a;
    Point c;

    Renamed(Container container) {
      super(container);
    }
  }

  @SuppressWarnings("TypeName") // as a shrinker would name it
  static final class q extends Pso {
    int left;
    Renamed renamed;

    q(Container container) {
      super(container);
    }
  }

  private static final String ENTRY =
      """
      package app;
      import dev.tigris.memory.*;
      import dev.tigris.memory.schema.Schema;
      import java.nio.file.Path;
      public class Entry extends Pso {
        public enum Side { BUY, SELL }
        public static class Inner extends Pso {
          long deep;
          public Inner(Container container) { super(container); }
        }
        int quantity;
        Side side;
        Entry next;
        @Capacity(8) Utf8 symbol;
        @InPlace Inner inner;
        public Entry(Container container) { super(container); }

        public static void main(String[] arguments) throws Exception {
          Schema schema = Schema.ofTable(Entry.class);
          Jbuf file = Jbuf.map(Path.of(arguments[0]), Mapping.DURABLE, 1 << 16, schema);
          Container container = file.asContainer();
          PsoTable<Entry> table = container.rootTable(Entry.class);
          if (table == null) {
            table = new PsoTable<>(container, Entry.class, 10);
            container.root(table);
          }
          Entry entry = table.add();
          entry.quantity = 5;
          entry.side = Side.SELL;
          entry.next = table.get(0);
          entry.symbol.set("ACME");
          entry.inner.deep = 77;
          file.flush();
          for (PsoCursor<Entry> at = table.cursor(); at.next(); ) {
            Entry e = at.element();
            System.out.println(e.quantity + " " + e.side + " " + e.symbol + " " + e.next.inner.deep);
          }
          System.out.print(schema);
        }
      }
      """;

  /// What docs/specializer.md says.
  private static final String RULES =
      """
      -keep class * extends dev.tigris.memory.Pso {
        <fields>;
        <init>(dev.tigris.memory.PsoBinding);
      }
      -keepnames enum *
      -keepclassmembers enum * { *; }
      -keepattributes Signature,RuntimeVisibleAnnotations,InnerClasses,EnclosingMethod
      """;

  @Test
  void aSchemaTellsNamesThatAShrinkerHasMade() {
    assertEquals(List.of(), Schema.of(Point.class).shortenedNames());
    assertEquals(
        List.of("the fields of " + Renamed.class.getName()),
        Schema.of(Renamed.class).shortenedNames());
    assertEquals(
        List.of(q.class.getName(), "the fields of " + Renamed.class.getName()),
        Schema.of(q.class).shortenedNames());
  }

  @Test
  void writingThemToAFileIsWarnedOf(@TempDir Path folder) throws Exception {
    String source =
        """
        import dev.tigris.memory.*;
        import dev.tigris.memory.schema.Schema;
        import java.nio.file.Path;
        public class Writes {
          public static class a extends Pso {
            int quantity;
            public a(Container container) { super(container); }
          }
          public static void main(String[] arguments) throws Exception {
            Schema schema = Schema.of(a.class);
            Jbuf.allocate(4096).asContainer().declare(schema);
            System.out.println("in memory");
            Jbuf.map(Path.of(arguments[0]), Mapping.SHARED, 4096, schema).asContainer();
          }
        }
        """;
    Outside.compile(folder, "Writes", source);
    Outside.specialize(folder);
    Outside.Outcome outcome =
        Outside.run(Outside.quick(), List.of("Writes", folder.resolve("file").toString()), folder);
    assertEquals(0, outcome.exitCode(), outcome.output());
    String warning = "names that a shrinker seems to have made: Writes$a.";
    int inMemory = outcome.output().indexOf("in memory");
    assertTrue(inMemory >= 0 && outcome.output().indexOf(warning) > inMemory, outcome.output());
  }

  @Test
  @Slow("a shrinker reads the JDK's classes")
  void classesThatWereSpecializedAndShrunkKeepWhatIsStored(@TempDir Path folder) throws Exception {
    Path classes = folder.resolve("classes");
    Outside.compile(classes, "Entry", ENTRY);
    Outside.specialize(classes);
    Path file = folder.resolve("book");
    List<String> before = run(classes, file);
    assertEquals("5 SELL ACME 77", before.getFirst());

    List<String> after = run(shrunk(folder, classes, RULES), file);
    assertEquals("5 SELL ACME 77", after.getFirst());
    assertEquals("5 SELL ACME 77", after.get(1));
    assertEquals(before.subList(1, before.size()), after.subList(2, after.size()));
  }

  private static List<String> run(Path classes, Path file) {
    Outside.Outcome outcome =
        Outside.run(Outside.quick(), List.of("app.Entry", file.toString()), classes);
    assertEquals(0, outcome.exitCode(), outcome.output());
    return outcome.output().lines().toList();
  }

  private static Path shrunk(Path folder, Path classes, String rules) throws Exception {
    Path library = Files.createDirectories(folder.resolve("library"));
    for (String name : List.of("lang", "util", "io", "nio")) {
      copy("java/" + name, library);
    }
    Path shrunk = folder.resolve("shrunk.jar");
    Path configuration =
        Files.writeString(
            folder.resolve("rules.pro"),
            """
            -injars '%s'
            -outjars '%s'
            -libraryjars '%s'
            -libraryjars '%s'
            -keep class app.Entry { public static void main(java.lang.String[]); }
            -dontwarn
            -dontnote
            """
                    .formatted(classes, shrunk, library, Outside.MEMORY)
                + rules);
    List<Path> jars = new ArrayList<>();
    for (String name :
        List.of(
            "proguard.ProGuard",
            "proguard.classfile.Clazz",
            "com.google.gson.Gson",
            "org.json.JSONObject",
            "org.apache.logging.log4j.LogManager",
            "org.apache.logging.log4j.core.LoggerContext",
            "kotlin.Unit",
            "kotlin.metadata.jvm.KotlinClassMetadata")) {
      jars.add(ToolsTest.jarOf(name));
    }
    Outside.Outcome outcome =
        Outside.run(
            Outside.quick(),
            List.of("proguard.ProGuard", "@" + configuration),
            jars.toArray(Path[]::new));
    assertEquals(0, outcome.exitCode(), outcome.output());
    return shrunk;
  }

  /// A shrinker wants classes in files, and this JDK may have them in its image only.
  private static void copy(String packages, Path to) throws IOException {
    Path from = Path.of(URI.create("jrt:/java.base/" + packages));
    try (Stream<Path> all = Files.walk(from)) {
      for (Path each : (Iterable<Path>) all::iterator) {
        Path copy = to.resolve(packages).resolve(from.relativize(each).toString());
        if (Files.isDirectory(each)) {
          Files.createDirectories(copy);
        } else {
          Files.copy(each, copy);
        }
      }
    }
  }
}
