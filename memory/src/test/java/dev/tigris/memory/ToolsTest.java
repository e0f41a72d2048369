package dev.tigris.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Tools that look at objects from outside: what they find, and what the documentation says to do
/// where they find nothing.
class ToolsTest {
  static class Point extends Pso {
    int x;
    @InPlace Spot spot;

    @Capacity(2)
    Longs cells;

    Point(Container container) {
      super(container);
    }
  }

  static final class Spot extends Pso {
    boolean isLit;
    char letter;

    Spot(Container container) {
      super(container);
    }
  }

  @SuppressWarnings("HidingField") // as a program may
  static final class Labelled extends Point {
    short x;

    @Capacity(8)
    Utf8 label;

    Point other;

    Labelled(Container container) {
      super(container);
    }
  }

  private static Path[] path = {};

  @Test
  void valuesHaveTheNamesOfTheirFields() {
    Container container = Jbuf.allocate(1024).asContainer();
    Labelled labelled = new Labelled(container);
    ((Point) labelled).x = 7;
    labelled.x = 8;
    labelled.spot.isLit = true;
    labelled.spot.letter = 'a';
    labelled.cells.set(1, 9);
    labelled.label.set("gr\u00fcn");
    labelled.other = labelled;
    Map<String, Object> values = PsoLayout.valuesOf(labelled);
    assertEquals(
        List.of(Point.class.getName() + ".x", "spot", "cells", "x", "label", "other"),
        List.copyOf(values.keySet()));
    assertEquals(7, values.get(Point.class.getName() + ".x"));
    assertEquals((short) 8, values.get("x"));
    assertEquals(Map.of("isLit", true, "letter", 'a'), values.get("spot"));
    assertEquals("[0, 9]", Arrays.toString((long[]) values.get("cells")));
    assertEquals("gr\u00fcn", values.get("label"));
    assertEquals(labelled, values.get("other"));

    Labelled copy = new Labelled(container);
    PsoLayout.setValues(copy, values);
    assertEquals(7, ((Point) copy).x);
    assertEquals(8, copy.x);
    assertEquals('a', copy.spot.letter);
    assertEquals(9, copy.cells.get(1));
    assertEquals(labelled, copy.other);
    for (Map<String, Object> wrong :
        List.<Map<String, Object>>of(
            Map.of("y", 1), Map.of("x", "1"), Map.of("label", 3), Map.of("cells", new int[2]))) {
      assertThrows(
          IllegalArgumentException.class, () -> PsoLayout.setValues(copy, wrong), wrong::toString);
    }
  }

  /// The jars of the tools. Their classes are named by text, as this module uses no mocks.
  private static List<Path> tools() throws Exception {
    List<Path> jars = new ArrayList<>();
    for (String name :
        List.of(
            "org.mockito.Mockito",
            "net.bytebuddy.ByteBuddy",
            "org.objenesis.Objenesis",
            "org.assertj.core.api.Assertions",
            "com.fasterxml.jackson.databind.ObjectMapper",
            "com.fasterxml.jackson.core.JsonFactory",
            "com.fasterxml.jackson.annotation.JacksonAnnotation")) {
      jars.add(jarOf(name));
    }
    return jars;
  }

  static Path jarOf(String className) throws Exception {
    return Path.of(
        Class.forName(className, false, ToolsTest.class.getClassLoader())
            .getProtectionDomain()
            .getCodeSource()
            .getLocation()
            .toURI());
  }

  @BeforeAll
  static void compile(@TempDir Path folder) throws Exception {
    Path[] jars = tools().toArray(Path[]::new);
    Outside.compileResource(folder, "Tools", jars);
    Outside.specialize(folder, jars);
    Path plugin = folder.resolve("mockito-extensions/org.mockito.plugins.MockMaker");
    Files.createDirectories(plugin.getParent());
    Files.writeString(plugin, "mock-maker-subclass");
    path = Stream.concat(Stream.of(folder), Stream.of(jars)).toArray(Path[]::new);
  }

  @Test
  void toolsFindWhatTheDocumentationSays() {
    Outside.Outcome outcome = Outside.run(Outside.quick(), List.of("Tools"), path);
    assertEquals(
        List.of(
            "the type by reflection: int",
            "the value by reflection: 0",
            "the values by name: 5",
            "text by name: ACME",
            "AssertJ, by method: true",
            "AssertJ, by name: true",
            "AssertJ, by reflection: AssertionError",
            "Jackson, by reflection: JsonMappingException",
            "Jackson: {\"quantity\":5,\"price\":1.5,\"side\":\"SELL\",\"symbol\":\"ACME\","
                + "\"levels\":[0,7],\"place\":{\"x\":3},\"next\":null,"
                + "\"points\":[{\"x\":0},null]}",
            "Mockito: 9.0 0"),
        outcome.output().lines().toList(),
        outcome.output());
  }

  /// What a debugger prints of an object is its `toString`; the values by name are a call away.
  @Test
  void aDebuggerShowsWhatIsStored(@TempDir Path folder) throws Exception {
    Outside.compileResource(folder, "Debugger");
    String classPath =
        String.join(File.pathSeparator, Stream.of(path).map(Path::toString).toList());
    String options =
        "-cp \"%s%s%s\" --enable-native-access=ALL-UNNAMED %s"
            .formatted(
                classPath, File.pathSeparator, Outside.MODULES, String.join(" ", Outside.quick()));
    Outside.Outcome outcome =
        Outside.run(
            Outside.quick("--add-modules", "jdk.jdi"),
            List.of("Debugger", options, "Tools only"),
            folder);
    assertEquals(0, outcome.exitCode(), outcome.output());
    List<String> lines = outcome.output().lines().toList();
    assertEquals("quantity: 0", lines.get(0));
    assertTrue(
        lines.get(1).contains("[quantity=5, price=1.5, side=SELL, symbol=\"ACME\""),
        lines::toString);
    assertTrue(
        lines.get(2).startsWith("{quantity=5, price=1.5, side=SELL, symbol=ACME"), lines::toString);
  }
}
