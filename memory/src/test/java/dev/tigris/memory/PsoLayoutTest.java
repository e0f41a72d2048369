package dev.tigris.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PsoLayoutTest {
  static class Point extends Pso {
    byte tag;
    int x;
    static int made;
    int y;
    @HeapOnly Object note;

    Point(Container container) {
      super(container);
    }
  }

  static class Labelled extends Point {
    short label;
    volatile Point next;
    boolean last;

    Labelled(Container container) {
      super(container);
    }
  }

  static final class Empty extends Pso {
    Empty(Container container) {
      super(container);
    }
  }

  private static List<Integer> offsets(Class<? extends Pso> type) {
    return PsoLayout.of(type).fields().stream().map(PsoField::offset).toList();
  }

  @Test
  void alignsAsTheCCompilerDoes() {
    assertEquals(List.of(0, 4, 8), offsets(Point.class));
    assertEquals(16, PsoLayout.of(Point.class).sizeBytes());
  }

  @Test
  void putsSuperclassFieldsFirstAndWhereTheyWere() {
    assertEquals(List.of(0, 4, 8, 12, 16, 24), offsets(Labelled.class));
    assertEquals(32, PsoLayout.of(Labelled.class).sizeBytes());
    PsoField next = PsoLayout.of(Labelled.class).fields().get(4);
    assertEquals(
        new PsoField(Labelled.class, "next", new FieldKind.Reference(Point.class, null), 16, true),
        next);
  }

  @Test
  void givesAnObjectWithoutFieldsAPlaceOfItsOwn() {
    assertEquals(8, PsoLayout.of(Empty.class).sizeBytes());
  }

  @Test
  void refusesPsoItself() {
    assertThrows(IllegalArgumentException.class, () -> PsoLayout.of(Pso.class));
  }

  /// There are 2^60 ways through them.
  @Test
  void refusesObjectsThatAreTooLargeAsSoonAsThatIsClear(@TempDir Path folder) throws Exception {
    StringBuilder source = new StringBuilder("import dev.tigris.memory.*; public class Deep {");
    for (int level = 0; level < 60; level++) {
      source.append(
          """
          public static class Level%1$d extends Pso {
            @InPlace Level%2$d one;
            @InPlace Level%2$d other;
            public Level%1$d(Container container) { super(container); }
          }
          """
              .formatted(level, level + 1));
    }
    source.append("public static class Level60 extends Pso { long value;");
    source.append("public Level60(Container container) { super(container); } } }");
    Outside.compile(folder, "Deep", source.toString());
    try (var loader = new URLClassLoader(new URL[] {folder.toUri().toURL()})) {
      var type = loader.loadClass("Deep$Level0").asSubclass(Pso.class);
      var e =
          assertTimeoutPreemptively(
              Duration.ofMinutes(1),
              () -> assertThrows(IllegalArgumentException.class, () -> PsoLayout.of(type)));
      assertTrue(String.valueOf(e.getMessage()).contains("is larger than"), e::toString);
    }
  }

  @Test
  void printsItself() {
    String table = PsoLayout.of(Labelled.class).toString();
    assertEquals("       8  int y", table.lines().toList().get(3));
    assertEquals(
        "      16  -> " + Point.class.getName() + " volatile next", table.lines().toList().get(5));
  }
}
