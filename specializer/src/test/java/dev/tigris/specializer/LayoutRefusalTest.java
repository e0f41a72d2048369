package dev.tigris.specializer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.util.List;
import org.junit.jupiter.api.Test;

/// What the objects of a class would be like, and what cannot be found out about it. That `memory`
/// says the same of a class that is loaded is for its own RefusedAlikeTest to show.
class LayoutRefusalTest extends InWorkshop {
  private List<String> problems(String... sources) throws IOException {
    shop.javac.compile(sources);
    return problems();
  }

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

  @Test
  void refusesEnumsWhoseConstantsCannotBeToldApart() throws IOException {
    assertEquals(
        List.of(
            "app.Trade.kind(Trade.java): app.Trade$Kind.Aa and BB cannot be told apart when"
                + " stored: their names have the same hash code. Rename one",
            "app.Trade.none(Trade.java): app.Trade$None.f5a5a608 cannot be stored: the hash code"
                + " of its name is 0, which stands for null. Rename it"),
        problems(
            object(
                "Trade",
                """
                enum Kind { Aa, B, BB }
                enum None { A, f5a5a608 }
                enum Fine { A, B; static final Fine DEFAULT = A; int Aa; int BB; }
                Kind kind;
                None none;
                Fine fine;
                @HeapOnly Kind outside;
                static Kind last;
                Kind kind() { return kind; }
                """)));
  }

  @Test
  void refusesObjectsThatWouldLieInThemselves() throws IOException {
    assertEquals(
        List.of(
            "app.Node.next(Node.java): objects of app.Node would lie in themselves: use a"
                + " reference",
            "app.Other.node(Other.java): objects of app.Node would lie in themselves: use a"
                + " reference",
            "app.Outer$Inner.outer(Outer.java): objects of app.Outer would lie in themselves: use"
                + " a reference",
            "app.Outer.inner(Outer.java): objects of app.Outer$Inner would lie in themselves: use"
                + " a reference"),
        problems(
                object("Node", "@InPlace Node next; Node last; void cut() { next.last = null; }"),
                object("Other", "@InPlace Node node;"),
                object(
                    "Outer",
                    """
                    @InPlace Inner inner;
                    static class Inner extends Pso {
                      @InPlace Outer outer;
                      @InPlace @HeapOnly Inner note;
                      @InPlace static Inner first;
                      Inner(Container container) { super(container); }
                    }
                    """))
            .stream()
            .sorted()
            .toList());
  }

  @Test
  void refusesObjectsThatAreTooLargeAtTheFieldThatMakesThemSo() throws IOException {
    String tooLarge =
        " is larger than the 1048576 bytes of the largest object: use a reference to "
            + "a PsoArray or a PsoTable for its largest part";
    assertEquals(
        List.of(
            "app.Half$Sub.first(Half.java): app.Half$Sub" + tooLarge,
            "app.Whole.number(Whole.java): app.Whole" + tooLarge),
        problems(
                object(
                    "Half",
                    """
                    @Capacity(131071) Ints numbers;
                    static class Sub extends Half {
                      @InPlace Half other;
                      byte first, last;
                      Sub(Container container) { super(container); }
                    }
                    """),
                object("Whole", "@InPlace Half one; @Capacity(524284) Utf8 two; int number, more;"))
            .stream()
            .sorted()
            .toList());
  }

  /// From each of sixty there are two ways to the next.
  @Test
  void findsOutAtOnceWhatHasOthersTwiceWhichHaveOthersTwice() throws IOException {
    StringBuilder levels = new StringBuilder("int number;");
    for (int level = 0; level < 60; level++) {
      levels.append(
          """
          static class Level%1$d extends Pso {
            @InPlace %2$s one;
            @InPlace %2$s other;
            Level%1$d(Container container) { super(container); }
          }
          """
              .formatted(level, level == 0 ? "Deep" : "Level" + (level - 1)));
    }
    List<String> problems = problems(object("Deep", levels.toString()));
    // 8 bytes and two of each: the 17th is the first of more than 2^20, by its second field.
    assertEquals(43, problems.size(), problems.toString());
    assertTrue(problems.contains(tooLarge("Level17", "other")), problems.toString());
    assertTrue(problems.contains(tooLarge("Level59", "one")), problems.toString());
  }

  private static String tooLarge(String name, String field) {
    return ("app.Deep$%1$s.%2$s(Deep.java): app.Deep$%1$s is larger than the 1048576 bytes "
            + "of the largest object: use a reference to a PsoArray or a PsoTable for its "
            + "largest part")
        .formatted(name, field);
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
                          ("app.Holder.%s(Holder.java): app.Far, the type of this "
                                  + "field, is not found: put the jars")
                              .formatted(field))),
          problems.toString());
    }
    assertFalse(problems.toString().contains("remove it"), problems.toString());
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
    String why = " looks like a class of objects, but app.Base is not found";
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
