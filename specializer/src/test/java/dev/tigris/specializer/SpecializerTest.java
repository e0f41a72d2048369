package dev.tigris.specializer;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassModel;
import java.lang.classfile.CodeElement;
import java.lang.classfile.MethodModel;
import java.lang.classfile.instruction.FieldInstruction;
import java.lang.classfile.instruction.InvokeDynamicInstruction;
import java.lang.classfile.instruction.InvokeInstruction;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.DynamicCallSiteDesc;
import java.lang.constant.MethodTypeDesc;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SpecializerTest {
  private static final String TRADE =
      """
      package app;
      import dev.tigris.memory.*;
      public class Trade extends Pso {
        public long id;
        protected int quantity;
        private boolean open;
        public Trade next;
        @HeapOnly public String note;
        public static int made;
        public Trade(Container container) { super(container); quantity = 1; made++; }
        Runnable opener() { return () -> open = true; }
        class Watcher { boolean look() { return open; } }
      }
      """;

  @TempDir private Path temporary;
  private Javac javac;
  private ClassPath classPath;
  private Specializer specializer;

  @BeforeEach
  void compileTrade() throws IOException {
    javac = new Javac(Files.createDirectories(temporary.resolve("classes")));
    classPath = new ClassPath(List.of(javac.folder()));
    specializer = new Specializer(new ClassHierarchy(classPath), Rule.standard());
  }

  @AfterEach
  void closeClassPath() {
    classPath.close();
  }

  private byte[] bytes(String name) throws IOException {
    return Files.readAllBytes(javac.folder().resolve(name + ".class"));
  }

  private Specialized specialize(String name) throws IOException {
    return specializer.specialize(bytes(name));
  }

  /// The field instructions and our call sites of a method, in order.
  private static List<String> accesses(byte[] classFile, String method) {
    List<String> accesses = new ArrayList<>();
    for (MethodModel candidate : ClassFile.of().parse(classFile).methods()) {
      if (candidate.methodName().equalsString(method)) {
        for (CodeElement element : candidate.code().orElseThrow()) {
          if (element instanceof FieldInstruction field) {
            accesses.add(field.opcode() + " " + field.name().stringValue());
          } else if (element instanceof InvokeDynamicInstruction site
              && site.bootstrapMethod().owner().equals(MemoryNames.LINKAGE)) {
            accesses.add(
                site.name().stringValue()
                    + site.typeSymbol().displayDescriptor()
                    + " "
                    + site.bootstrapArgs().getLast());
          }
        }
      }
    }
    return accesses;
  }

  private List<String> problems(String... sources) throws IOException {
    javac.compile(sources);
    return problemsIn(javac.folder(), specializer);
  }

  private static List<String> problemsIn(Path folder, Specializer specializer) throws IOException {
    return ClassFiles.specialize(folder, specializer).problems().stream()
        .map(Problem::toString)
        .toList();
  }

  @Test
  void replacesReadsAndWritesOfEveryStoredField() throws IOException {
    javac.compile(
        TRADE,
        """
        package app;
        class User {
          long use(Trade trade) {
            trade.quantity += 2;
            trade.next = trade.next.next;
            return trade.id;
          }
        }
        """);
    Specialized user = specialize("app/User");
    assertTrue(user.changed());
    assertEquals(
        List.of(
            "get(Trade)int quantity",
            "set(Trade,int)void quantity",
            "get(Trade)Trade next",
            "get(Trade)Trade next",
            "set(Trade,Trade)void next",
            "get(Trade)long id"),
        accesses(user.bytes(), "use"));
    assertEquals(List.of(), ClassFile.of().verify(user.bytes()).stream().toList());
  }

  @Test
  void replacesPrivateFieldsInLambdasAndInnerClasses() throws IOException {
    javac.compile(TRADE);
    assertEquals(
        List.of("set(Trade,boolean)void open"),
        accesses(specialize("app/Trade").bytes(), "lambda$opener$0"));
    assertEquals(
        List.of("GETFIELD this$0", "get(Trade)boolean open"),
        accesses(specialize("app/Trade$Watcher").bytes(), "look"));
  }

  @Test
  void leavesHeapOnlyFieldsStaticFieldsAndOtherClassesAlone() throws IOException {
    javac.compile(
        TRADE,
        """
        package app;
        class User {
          int count;
          String use(Trade trade) {
            count = Trade.made;
            return trade.note;
          }
        }
        """);
    Specialized user = specialize("app/User");
    assertFalse(user.changed());
    assertEquals(
        List.of("GETSTATIC made", "PUTFIELD count", "GETFIELD note"),
        accesses(user.bytes(), "use"));
    MethodReport method = user.report().methods().getFirst();
    assertEquals("@HeapOnly", method.lines().getFirst().outcome());
  }

  @Test
  void declaresTheClassBeforeItsOwnStaticInitializer() throws IOException {
    javac.compile(TRADE.replace("public static int made;", "public static int made = 3;"));
    ClassModel trade = ClassFile.of().parse(specialize("app/Trade").bytes());
    List<String> calls = new ArrayList<>();
    for (MethodModel method : trade.methods()) {
      if (method.methodName().equalsString("<clinit>")) {
        for (CodeElement element : method.code().orElseThrow()) {
          if (element instanceof InvokeInstruction call) {
            calls.add(call.name().stringValue());
          } else if (element instanceof FieldInstruction field) {
            calls.add(field.name().stringValue());
          }
        }
      }
    }
    assertEquals(List.of("lookup", "declare", "made"), calls);
  }

  @Test
  void changesNothingTheSecondTime() throws IOException {
    javac.compile(TRADE);
    Specialized first = specialize("app/Trade");
    Specialized second = specializer.specialize(first.bytes());
    assertTrue(first.changed());
    assertTrue(first.report().declared());
    assertFalse(second.changed());
    assertArrayEquals(first.bytes(), second.bytes());
    assertEquals(
        first.report().methods().stream().mapToLong(MethodReport::rewritten).sum(),
        second.report().methods().stream().mapToLong(MethodReport::rewrittenEarlier).sum());
  }

  @Test
  void givesTheSameBytesWhetherOrNotOtherClassesWereSpecializedBefore() throws IOException {
    String user = "package app; class User { long use(Trade t) { return t.id; } }";
    javac.compile(TRADE, user);
    byte[] first = specialize("app/User").bytes();
    ClassFiles.specialize(javac.folder(), specializer);
    javac.compile(user);
    Specializer fresh = new Specializer(new ClassHierarchy(classPath), Rule.standard());
    assertArrayEquals(first, fresh.specialize(bytes("app/User")).bytes());
  }

  @Test
  void findsFieldsOfSuperclassesAndTellsShadowedOnesApart() throws IOException {
    javac.compile(
        TRADE,
        """
        package app;
        import dev.tigris.memory.*;
        class Option extends Trade {
          long id;
          Option(Container container) { super(container); }
          long both() { return id + super.id + quantity; }
        }
        """);
    assertEquals(
        List.of("get(Option)long id", "get(Trade)long id", "get(Option)int quantity"),
        accesses(specialize("app/Option").bytes(), "both"));
  }

  @Test
  void passesTheCallersOwnClassWhereTheJvmDemandsItOfProtectedFields() throws IOException {
    javac.compile(
        TRADE,
        """
        package elsewhere;
        import dev.tigris.memory.*;
        class Option extends app.Trade {
          Option(Container container) { super(container); }
          int viaSuper() { return super.quantity; }
        }
        """);
    assertEquals(
        List.of("get(Option)int quantity"),
        accesses(specialize("elsewhere/Option").bytes(), "viaSuper"));
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
    assertTrue(problems.getFirst().contains("the specializer's to write"));
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
    assertTrue(problems.getFirst().contains("of a type that this class cannot see"));
  }

  @Test
  void writesNothingWhenAnyClassHasAProblem() throws IOException {
    javac.compile(
        TRADE,
        """
        package app;
        import dev.tigris.memory.*;
        class Bad extends Pso { String text; Bad(Container c) { super(c); } }
        """);
    byte[] before = bytes("app/Trade");
    Report report = ClassFiles.specialize(javac.folder(), specializer);
    assertEquals(1, report.problems().size());
    assertEquals(0, report.classesChanged());
    assertArrayEquals(before, bytes("app/Trade"));
  }

  @Test
  void findsUnrewrittenAccessesWithClassMethodAndLine() throws IOException {
    javac.compile(TRADE);
    ClassFiles.specialize(javac.folder(), specializer);
    javac.compile("package app; class User {\n  long use(Trade t) {\n    return t.id;\n  }\n}");
    List<Problem> problems = ClassFiles.check(List.of(javac.folder()), specializer);
    assertEquals(
        List.of("app.User.use(User.java:3): getfield app.Trade.id was not rewritten"),
        problems.stream().map(Problem::toString).toList());
    ClassFiles.specialize(javac.folder(), specializer);
    assertEquals(List.of(), ClassFiles.check(List.of(javac.folder()), specializer));
  }

  @Test
  void findsClassesThatWereNotSpecialized() throws IOException {
    javac.compile(TRADE);
    List<Problem> problems = specializer.check(bytes("app/Trade"));
    assertEquals("the class was not specialized", problems.getFirst().message());
  }

  @Test
  void saysWhenAMethodGetsTooLong() throws IOException {
    String statements = "trade.quantity = trade.quantity + 1; ".repeat(700);
    javac.compile(TRADE, "package app; class Long { void use(Trade trade) { " + statements + "} }");
    MethodReport method = specialize("app/Long").report().methods().getFirst();
    assertTrue(method.becameHuge());
    assertTrue(method.bytesBefore() < method.bytesAfter());
    String tooMany = "trade.quantity = trade.quantity + 1; ".repeat(5200);
    javac.compile(TRADE, "package app; class Long { void use(Trade trade) { " + tooMany + "} }");
    Specialized result = specialize("app/Long");
    assertFalse(result.changed());
    assertTrue(result.problems().getFirst().message().startsWith("cannot be rewritten"));
  }

  @Test
  void asksUserRulesInOrderAboutMethodCallsToo() throws IOException {
    ClassDesc doorbells = ClassDesc.of("app.Doorbells");
    Rule doorbell =
        new Rule() {
          @Override
          public String name() {
            return "doorbell";
          }

          @Override
          public Decision decide(Site site) {
            if (site.instruction() instanceof InvokeInstruction call
                && call.name().equalsString("ring")) {
              return new Decision.Replace(
                  DynamicCallSiteDesc.of(
                      ConstantDescs.ofCallsiteBootstrap(
                          doorbells, "link", ConstantDescs.CD_CallSite),
                      "ring",
                      MethodTypeDesc.of(ConstantDescs.CD_void, ConstantDescs.CD_int)));
            }
            return Decision.PASS;
          }
        };
    javac.compile(
        """
        package app;
        class User {
          static void ring(int value) {}
          void use() { ring(3); }
        }
        """);
    Specializer withRule =
        new Specializer(
            new ClassHierarchy(classPath), List.of(doorbell, Rule.standard().getFirst()));
    Specialized user = withRule.specialize(bytes("app/User"));
    assertTrue(user.changed());
    assertEquals("doorbell", user.report().methods().getFirst().lines().getFirst().outcome());
  }

  @Test
  void reportsWhatItDidMethodByMethod() throws IOException {
    javac.compile(TRADE, "package app; class User { long use(Trade t) { return t.id; } }");
    Report report = ClassFiles.specialize(javac.folder(), specializer);
    assertTrue(report.text().contains("use(Trade)long  5 -> 7 bytes"), report.text());
    assertTrue(report.text().contains("line 1  getfield app.Trade.id  by pso-field"));
    assertTrue(report.summary().contains("(1 declared)"), report.summary());
  }
}
