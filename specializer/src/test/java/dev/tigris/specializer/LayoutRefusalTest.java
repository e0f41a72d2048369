package dev.tigris.specializer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.util.List;
import org.junit.jupiter.api.Test;

/// What the objects of a class would be like, and what cannot be found out about it.
class LayoutRefusalTest extends InWorkshop {
  private List<String> problems() throws IOException {
    return shop.specializeAll().problems().stream().map(Problem::toString).toList();
  }

  private static String object(String name, String members) {
    return """
        package app;
        import dev.tigris.memory.*;
        public class %1$s extends Pso {
          %2$s
          public %1$s(Container container) { super(container); }
        }
        """
        .formatted(name, members);
  }

  /// What was false was to say that it cannot be stored, or to drop an annotation.
  @Test
  void saysWhichClassIsMissingToTellWhetherAFieldCanBeStored() throws IOException {
    shop.javac.compile(
        object("Far", "int x;"),
        "package app; public class Near extends Far { public Near() { super(null); } }",
        object("Holder", "@InPlace Far inside; Near near; Far far() { return inside; }"));
    Files.delete(shop.javac.folder().resolve("app/Far.class"));
    List<String> problems = problems();
    for (String field : List.of("inside", "near")) {
      assertTrue(
          problems.stream()
              .anyMatch(
                  problem ->
                      problem.startsWith(
                          "app.Holder.%s(Holder.java): nobody can tell whether it can be stored, as app.Far is not found: put on the class path"
                              .formatted(field))),
          problems.toString());
    }
    assertFalse(problems.toString().contains("drop it"), problems.toString());
  }

  @Test
  void refusesWhatLooksLikeAClassOfObjectsIfASuperclassIsNotFound() throws IOException {
    shop.javac.compile(
        object("Base", "int x;"),
        """
        package app;
        import dev.tigris.memory.*;
        class Passing extends Base { Passing(Container container) { super(container); } }
        """,
        """
        package app;
        import dev.tigris.memory.*;
        class Further extends Passing { Further(Container container) { super(container); } }
        """,
        """
        package app;
        import dev.tigris.memory.*;
        class Noted extends Base { @HeapOnly String note; Noted() { super(null); } }
        """);
    Files.delete(shop.javac.folder().resolve("app/Base.class"));
    String why = " looks like a class of objects, and nobody can tell, as app.Base is not found";
    List<String> problems = problems();
    for (String name : List.of("Further", "Noted", "Passing")) {
      assertTrue(
          problems.stream()
              .anyMatch(p -> p.startsWith("app.%1$s.*(%1$s.java):".formatted(name) + why)),
          problems.toString());
    }
    assertEquals(3, problems.size(), problems.toString());
  }

  @Test
  void leavesOthersAloneWhoseSuperclassIsNotFound() throws IOException {
    shop.javac.compile(
        "package lib; public class Base { public Base(Object any) {} public int x; }",
        """
        package app;
        import dev.tigris.memory.*;
        class Service extends lib.Base {
          Container container;
          Service(Container container) { super(container); this.container = container; x = 1; }
        }
        """);
    Files.delete(shop.javac.folder().resolve("lib/Base.class"));
    assertEquals(List.of(), problems());
  }
}
