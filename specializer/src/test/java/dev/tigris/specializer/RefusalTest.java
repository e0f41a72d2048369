package dev.tigris.specializer;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.lang.classfile.ClassFile;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.Label;
import java.lang.classfile.instruction.DiscontinuedInstruction;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.MethodTypeDesc;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RefusalTest extends InWorkshop {
  private List<String> problems(String... sources) throws IOException {
    shop.javac.compile(sources);
    return shop.specializeAll().problems().stream().map(Problem::toString).toList();
  }

  @Test
  void refusesMethodsWithoutABodyThatStandForNoField() throws IOException {
    List<String> problems =
        problems(
            """
            package app;
            import dev.tigris.memory.*;
            class Bell extends Pso {
              volatile int value;
              Bell(Container container) { super(container); }
              native int value();
              native void value(int to);
              native long values();
              native void value(long to);
              native int twice(int to);
              static native int count();
            }
            """);
    String reason = "(Bell.java): has no body, but neither a field nor a rule of its name";
    assertEquals(4, problems.size(), problems.toString());
    assertTrue(problems.stream().allMatch(problem -> problem.contains(reason)));
  }

  @Test
  void refusesMethodsWithoutABodyThatStandForAFieldThatTheClassMayNotAccess() throws IOException {
    List<String> problems =
        problems(
            """
            package app;
            import dev.tigris.memory.*;
            class Bell extends Pso {
              private int secret;
              Bell(Container container) { super(container); }
              static class Nested extends Bell {
                Nested(Container container) { super(container); }
                native int secret();
              }
            }
            """,
            """
            package app;
            import dev.tigris.memory.*;
            class Loud extends Bell {
              Loud(Container container) { super(container); }
              native int secret();
            }
            """);
    assertEquals(1, problems.size(), problems.toString());
    assertTrue(problems.getFirst().startsWith("app.Loud.secret"), problems.toString());
  }

  @Test
  void refusesWhatIsWrongAboutFieldsThatLieInTheObject() throws IOException {
    List<String> problems =
        problems(
            """
            package app;
            import dev.tigris.memory.*;
            class Bad extends Pso {
              Utf8 boundless;
              Ints numbers;
              @Capacity(3) int count;
              @InPlace int wrong;
              @InPlace PsoArray array;
              @Capacity(3) volatile Utf8 ordered;
              @Capacity(0) Utf8 empty;
              @Capacity(1 << 21) Utf8 endless;
              @Capacity(3) Utf8 name;
              @Capacity(3) Ints fine;
              @InPlace Point point;
              Bad(Container container) { super(container); }
              static class Point extends Pso { int x; Point(Container c) { super(c); } }
              void assign(Bad other) { name = other.name; point = other.point; fine = null; }
            }
            """);
    for (String expected :
        List.of(
            "app.Bad.boundless(Bad.java): a field of type Utf8 needs a capacity",
            "app.Bad.numbers(Bad.java): a field of type Ints needs a capacity",
            "app.Bad.count(Bad.java): @Capacity is for text and arrays",
            "app.Bad.wrong(Bad.java): @InPlace is for an object of fixed size",
            "app.Bad.array(Bad.java): @InPlace is for an object of fixed size",
            "app.Bad.ordered(Bad.java): 'volatile' has no meaning",
            "app.Bad.empty(Bad.java): a capacity of 0 is out of bounds",
            "app.Bad.endless(Bad.java): a capacity of 2097152 is out of bounds",
            "app.Bad.name lies in place and cannot be assigned",
            "app.Bad.point lies in place and cannot be assigned",
            "app.Bad.fine lies in place and cannot be assigned")) {
      assertTrue(
          problems.stream().anyMatch(problem -> problem.contains(expected)),
          () -> expected + " in\n" + String.join("\n", problems));
    }
    assertEquals(11, problems.size(), () -> String.join("\n", problems));
  }

  private static String collection(String name) {
    return """
        package dev.tigris.memory;
        public class %1$s<T extends Pso> extends Pso {
          public %1$s(Container container) { super(container); }
        }
        """
        .formatted(name);
  }

  @Test
  void refusesCollectionsThatDoNotSayWhatTheyHold() throws IOException {
    List<String> problems =
        problems(
            """
            package app;
            import dev.tigris.memory.*;
            class Bad<T extends Bad<T>> extends Pso {
              @SuppressWarnings("rawtypes") PsoList raw;
              PsoList<?> any;
              PsoList<? extends Point> some;
              PsoTable<T> variable;
              PsoList<PsoTable<Point>> nested;
              PsoTable<Shape> shapes;
              PsoList<Point> points;
              PsoList<Bad<T>> generic;
              PsoTable<Point> table;
              @HeapOnly PsoList<?> outside;
              Bad(Container container) { super(container); }
              static class Point extends Pso { int x; Point(Container c) { super(c); } }
              abstract static class Shape extends Pso { Shape(Container c) { super(c); } }
            }
            """,
            collection("PsoList"),
            collection("PsoTable"));
    for (String field : List.of("raw", "any", "some", "variable", "nested", "shapes")) {
      String expected = "app.Bad." + field + "(Bad.java): a field of type Pso";
      assertTrue(problems.stream().anyMatch(p -> p.startsWith(expected)), expected + problems);
    }
    assertEquals(6, problems.size(), () -> String.join("\n", problems));
    assertTrue(problems.getFirst().contains("declare it as PsoList<E>"), problems.getFirst());
  }

  /// Its bytecode names the list alone, and so does not need the class of what is in it.
  @Test
  void judgesWhatAListHoldsWhereTheListIsDeclared() throws IOException {
    String elements = "class Bad extends Pso { PsoList<?> any; Bad(Container c) { super(c); } }";
    List<String> problems =
        problems(
            "package app; import dev.tigris.memory.*; " + elements,
            "package app; class User { Object use(Bad bad) { return bad.any; } }",
            collection("PsoList"));
    assertEquals(1, problems.size(), () -> String.join("\n", problems));
    assertTrue(problems.getFirst().startsWith("app.Bad.any"), problems.getFirst());
  }

  @Test
  void refusesFieldsThatCannotBeStored() throws IOException {
    List<String> problems =
        problems(
            """
            package app;
            import dev.tigris.memory.*;
            class Bad extends Pso {
              final int fixed = System.identityHashCode(this);
              String text;
              int[] array;
              transient int passing;
              Pso any;
              Shape shape;
              abstract static class Shape extends Pso { Shape(Container c) { super(c); } }
              class Inner extends Pso {
                Inner(Container c) { super(c); }
                int look() { return array.length; }
              }
              Bad(Container container) { super(container); }
            }
            """);
    for (String expected :
        List.of(
            "app.Bad.fixed(Bad.java): a final field",
            "app.Bad.text(Bad.java): a field of type String cannot be stored",
            "app.Bad.array(Bad.java): a field of type int[] cannot be stored",
            "app.Bad.passing(Bad.java): 'transient'",
            "app.Bad.any(Bad.java): a reference to Pso",
            "app.Bad.shape(Bad.java): a reference to the abstract class",
            "app.Bad$Inner.this$0(Bad.java): an inner or local class")) {
      assertTrue(problems.stream().anyMatch(p -> p.startsWith(expected)), expected + problems);
    }
  }

  @Test
  void refusesToWriteAFieldBeforeThereIsAnObject() throws IOException {
    List<String> problems =
        problems(
            """
            package app;
            import dev.tigris.memory.*;
            class Early extends Pso {
              int quantity;
              Early(Container container) {
                quantity = 5;
                super(container);
              }
            }
            """);
    assertEquals(1, problems.size());
    assertTrue(
        problems
            .getFirst()
            .startsWith("app.Early.<init>(Early.java:6): putfield app.Early.quantity"),
        problems.getFirst());
    assertTrue(problems.getFirst().contains("before super(...)"));
  }

  @Test
  void allowsWritesToOtherObjectsBeforeThereIsOne() throws IOException {
    assertEquals(
        List.of(),
        problems(
            """
            package app;
            import dev.tigris.memory.*;
            class Late extends Pso {
              int quantity;
              Late(Container container, Late other) {
                other.quantity = 5;
                super(container);
                quantity = 6;
              }
            }
            """));
  }

  @Test
  void refusesAHandWrittenBindingConstructor() throws IOException {
    List<String> problems =
        problems(
            """
            package app;
            import dev.tigris.memory.*;
            class Thief extends Pso {
              Thief(PsoBinding binding) { super(binding); }
            }
            """);
    assertEquals(1, problems.size());
    assertTrue(problems.getFirst().contains("the specializer adds the constructor"));
  }

  @Test
  void refusesAFieldOfATypeThatItsUserCannotSee() throws IOException {
    List<String> problems =
        problems(
            """
            package app;
            import dev.tigris.memory.*;
            public class Holder extends Pso {
              public Secret secret;
              public Holder(Container c) { super(c); }
              static class Secret extends Pso { Secret(Container c) { super(c); } }
            }
            """,
            """
            package elsewhere;
            class User { Object use(app.Holder holder) { return holder.secret; } }
            """);
    assertEquals(1, problems.size(), problems.toString());
    assertTrue(problems.getFirst().contains("has a type that this class cannot access"));
  }

  @Test
  void writesNothingWhenAnyClassHasAProblem() throws IOException {
    shop.javac.compile(
        Workshop.TRADE,
        """
        package app;
        import dev.tigris.memory.*;
        class Bad extends Pso { String text; Bad(Container c) { super(c); } }
        """);
    byte[] before = shop.bytes("app/Trade");
    Report report = shop.specializeAll();
    assertEquals(1, report.problems().size());
    assertEquals(0, report.classesChanged());
    assertArrayEquals(before, shop.bytes("app/Trade"));
  }

  @Test
  void findsUnrewrittenAccessesWithClassMethodAndLine() throws IOException {
    shop.javac.compile(Workshop.TRADE);
    shop.specializeAll();
    shop.javac.compile(
        "package app; class User {\n  long use(Trade t) {\n    return t.id;\n  }\n}");
    List<Problem> problems =
        ClassFiles.check(List.of(shop.javac.folder()), shop.specializer).problems();
    assertEquals(
        List.of("app.User.use(User.java:3): getfield app.Trade.id was not rewritten"),
        problems.stream().map(Problem::toString).toList());
    shop.specializeAll();
    assertEquals(
        List.of(), ClassFiles.check(List.of(shop.javac.folder()), shop.specializer).problems());
  }

  @Test
  void findsClassesThatWereNotSpecialized() throws IOException {
    shop.javac.compile(Workshop.TRADE);
    List<Problem> problems = shop.specializer.check(shop.bytes("app/Trade"));
    assertEquals("the class was not specialized", problems.getFirst().message());
  }

  /// The class-file library writes a call site there, and its verifier lets it pass; the JVM not.
  @ParameterizedTest
  @ValueSource(ints = {45, 48, 49, 50})
  void refusesAClassFileOfAVersionWithoutCallSites(int version) throws IOException {
    shop.javac.compile(Workshop.TRADE, user("\ncount = trade.quantity;"));
    byte[] user = shop.bytes("app/User");
    user[7] = (byte) version;
    Specialized result = shop.specializer.specialize(user);
    assertFalse(result.changed());
    assertEquals(
        List.of(
            "app.User.use(User.java:2): a class file of version "
                + version
                + " can have no call sites: compile it for Java 7 (version 51) or later"),
        result.problems().stream().map(Problem::toString).toList());
  }

  /// Subroutines, which Java 7 did away with, are for rules to read and for nobody to write.
  @Test
  void leavesAnOldClassAsItIsThatHasObjectsAndNoneOfTheirFields() throws IOException {
    shop.javac.compile(Workshop.TRADE);
    byte[] old =
        ClassFile.of()
            .build(
                ClassDesc.of("app.Old"),
                type ->
                    type.withVersion(ClassFile.JAVA_4_VERSION, 0)
                        .withMethodBody(
                            "use",
                            MethodTypeDesc.ofDescriptor("(Lapp/Trade;)V"),
                            ClassFile.ACC_STATIC,
                            RefusalTest::callSubroutine));
    Specialized result = shop.specializer.specialize(old);
    assertFalse(result.changed());
    assertEquals(List.of(), result.problems());
    assertArrayEquals(old, result.bytes());
    assertEquals(List.of(), shop.specializer.check(old));
  }

  private static void callSubroutine(CodeBuilder code) {
    Label subroutine = code.newLabel();
    code.with(DiscontinuedInstruction.JsrInstruction.of(subroutine))
        .aload(0)
        .getfield(ClassDesc.of("app.Trade"), "note", ConstantDescs.CD_String)
        .pop()
        .return_()
        .labelBinding(subroutine)
        .astore(1)
        .with(DiscontinuedInstruction.RetInstruction.of(1));
  }

  @Test
  void saysWhenAMethodGetsTooLong() throws IOException {
    // Each statement writes a local variable, so none can be moved to another method.
    String statement = "count = trade.quantity; ";
    shop.javac.compile(Workshop.TRADE, user(statement.repeat(1300)));
    MethodReport method = shop.specialize("app/User").report().methods().getFirst();
    assertTrue(method.becameHuge());
    assertTrue(method.hasTooManySites());
    assertTrue(method.bytesBefore() < method.bytesAfter());
    shop.javac.compile(user(statement.repeat(10_000)));
    Specialized result = shop.specialize("app/User");
    assertFalse(result.changed());
    assertTrue(result.problems().getFirst().message().startsWith("cannot be rewritten"));
  }

  private static String user(String statements) {
    return "package app; class User { void use(Trade trade) { int count; " + statements + "} }";
  }
}
