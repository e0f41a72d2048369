package dev.tigris.specializer;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.lang.classfile.Attributes;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassModel;
import java.lang.classfile.CodeElement;
import java.lang.classfile.MethodModel;
import java.lang.classfile.instruction.FieldInstruction;
import java.lang.classfile.instruction.InvokeInstruction;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.DynamicCallSiteDesc;
import java.lang.constant.MethodTypeDesc;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SpecializerTest extends InWorkshop {
  @Test
  void replacesReadsAndWritesOfEveryStoredField() throws IOException {
    shop.javac.compile(
        Workshop.TRADE,
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
    Specialized user = shop.specialize("app/User");
    assertTrue(user.changed());
    assertEquals(
        List.of(
            "get(Trade)int quantity",
            "set(Trade,int)void quantity",
            "get(Trade)Trade next",
            "get(Trade)Trade next",
            "set(Trade,Trade)void next",
            "get(Trade)long id"),
        Workshop.accesses(user.bytes(), "use"));
    assertEquals(List.of(), ClassFile.of().verify(user.bytes()).stream().toList());
  }

  @Test
  void replacesPrivateFieldsInLambdasAndInnerClasses() throws IOException {
    shop.javac.compile(Workshop.TRADE);
    assertEquals(
        List.of("set(Trade,boolean)void open"),
        Workshop.accesses(shop.specialize("app/Trade").bytes(), "lambda$opener$0"));
    assertEquals(
        List.of("GETFIELD this$0", "get(Trade)boolean open"),
        Workshop.accesses(shop.specialize("app/Trade$Watcher").bytes(), "look"));
  }

  @Test
  void leavesHeapOnlyFieldsStaticFieldsAndOtherClassesAlone() throws IOException {
    shop.javac.compile(
        Workshop.TRADE,
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
    Specialized user = shop.specialize("app/User");
    assertFalse(user.changed());
    assertEquals(
        List.of("GETSTATIC made", "PUTFIELD count", "GETFIELD note"),
        Workshop.accesses(user.bytes(), "use"));
    MethodReport method = user.report().methods().getFirst();
    assertEquals("@HeapOnly", method.lines().getFirst().outcome());
  }

  @Test
  void declaresTheClassBeforeItsOwnStaticInitializer() throws IOException {
    shop.javac.compile(
        Workshop.TRADE.replace("public static int made;", "public static int made = 3;"));
    ClassModel trade = ClassFile.of().parse(shop.specialize("app/Trade").bytes());
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
    shop.javac.compile(Workshop.TRADE);
    Specialized first = shop.specialize("app/Trade");
    Specialized second = shop.specializer.specialize(first.bytes());
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
    shop.javac.compile(Workshop.TRADE, user);
    byte[] first = shop.specialize("app/User").bytes();
    shop.specializeAll();
    shop.javac.compile(user);
    Specializer fresh = new Specializer(new ClassHierarchy(shop.classPath), Rule.standard());
    assertArrayEquals(first, fresh.specialize(shop.bytes("app/User")).bytes());
  }

  @Test
  void needsNoClassFileOfTheClassesOfMemory() throws IOException {
    shop.javac.compile(
        """
        package app;
        import dev.tigris.memory.*;
        class Named extends Pso {
          @Capacity(9) Utf8 name;
          Named(Container container) { super(container); }
          Utf8 read() { return name; }
        }
        """);
    ClassHierarchy without =
        new ClassHierarchy(
            type -> type.packageName().equals("app") ? shop.classPath.find(type) : null);
    Specialized named =
        new Specializer(without, Rule.standard()).specialize(shop.bytes("app/Named"));
    assertEquals(List.of(), named.problems());
    assertEquals(List.of("get(Named)Utf8 name"), Workshop.accesses(named.bytes(), "read"));
  }

  @Test
  void findsFieldsOfSuperclassesAndTellsShadowedOnesApart() throws IOException {
    shop.javac.compile(
        Workshop.TRADE,
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
        Workshop.accesses(shop.specialize("app/Option").bytes(), "both"));
  }

  @Test
  void passesTheCallersOwnClassWhereTheJvmDemandsItOfProtectedFields() throws IOException {
    shop.javac.compile(
        Workshop.TRADE,
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
        Workshop.accesses(shop.specialize("elsewhere/Option").bytes(), "viaSuper"));
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
          public boolean concerns(ClassModel type, ClassHierarchy hierarchy) {
            return Rule.mentions(type, ClassDesc.of("app.User")::equals);
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
    shop.javac.compile(
        """
        package app;
        class User {
          static void ring(int value) {}
          void use() { ring(3); }
        }
        """);
    Specializer withRule =
        new Specializer(
            new ClassHierarchy(shop.classPath), List.of(doorbell, Rule.standard().getFirst()));
    Specialized user = withRule.specialize(shop.bytes("app/User"));
    assertTrue(user.changed());
    assertEquals("doorbell", user.report().methods().getFirst().lines().getFirst().outcome());
  }

  @Test
  void reportsWhatItDidMethodByMethod() throws IOException {
    shop.javac.compile(
        Workshop.TRADE, "package app; class User { long use(Trade t) { return t.id; } }");
    Report report = shop.specializeAll();
    assertTrue(report.text().contains("use(Trade)long  5 -> 7 bytes"), report.text());
    assertTrue(report.text().contains("line 1  getfield app.Trade.id  by pso-field"));
    assertTrue(report.summary().contains("(1 declared)"), report.summary());
  }

  @Test
  void movesStatementsOutOfAMethodWithTooManyCallSites() throws IOException {
    String statements = "trade.id = trade.quantity + offset; take(trade.next);\n".repeat(200);
    shop.javac.compile(
        Workshop.TRADE,
        """
        package app;
        class User {
          void take(Trade trade) {}
          long use(long offset, Trade trade, int limit) {
            if (limit < 3) {
              return trade.id;
            }
            int twice = limit * 2;
            %s
            return twice + trade.id;
          }
        }
        """
            .formatted(statements));
    Specialized user = shop.specialize("app/User");
    assertEquals(List.of(), user.problems());
    MethodReport method =
        user.report().methods().stream()
            .filter(report -> report.method().startsWith("use"))
            .findFirst()
            .orElseThrow();
    assertEquals(602, method.rewritten());
    assertEquals(5, method.parts());
    assertEquals(2, Workshop.accesses(user.bytes(), "use").size());
    int moved = 0;
    for (MethodModel part : ClassFile.of().parse(user.bytes()).methods()) {
      String name = part.methodName().stringValue();
      if (name.startsWith("tigris$use$")) {
        assertEquals("(long,Trade)void", part.methodTypeSymbol().displayDescriptor());
        moved += Workshop.accesses(user.bytes(), name).size();
      }
    }
    assertEquals(600, moved);
    assertFalse(shop.specializer.specialize(user.bytes()).changed());
  }

  private static final String MOVABLE = "trade.id = trade.quantity;\n";

  /// Each statement has two call sites with two references each, and writes a local variable, so
  /// that it cannot be moved.
  private static final String UNMOVABLE = "next = trade.next; trade.next = next;\n";

  private MethodReport use(String statements) throws IOException {
    shop.javac.compile(
        Workshop.TRADE,
        """
        package app;
        class User {
          void use(Trade trade) {
            Trade next;
            %s
          }
        }
        """
            .formatted(statements));
    Specialized user = shop.specialize("app/User");
    assertEquals(List.of(), user.problems());
    return user.report().methods().getFirst();
  }

  @Test
  void countsReferencesToSayThatAMethodHasTooManyCallSites() throws IOException {
    assertFalse(use(UNMOVABLE.repeat(80)).hasTooManySites());
    MethodReport method = use(UNMOVABLE.repeat(90)); // 180 sites, 270 references
    assertEquals(0, method.parts());
    assertTrue(method.hasTooManySites());
  }

  @Test
  void saysThatTooManyCallSitesStayInAMethodThatWasSplit() throws IOException {
    String movable = MOVABLE.repeat(100);
    assertFalse(use(movable + UNMOVABLE.repeat(60)).hasTooManySites());
    MethodReport method = use(movable + UNMOVABLE.repeat(90));
    assertTrue(method.parts() > 0);
    assertTrue(method.hasTooManySites());
  }

  /// The last is a switch, whose table may take three bytes more behind shorter code.
  @ParameterizedTest
  @ValueSource(
      strings = {
        "%s",
        "for (int i = 0; i < 3; i++) { %s }",
        "if (trade != null) { %s }",
        "int n = 0; n++; n = n + 1000; %s",
        "synchronized (this) { %s }",
        "%s switch (trade.quantity) { case 1: case 2: case 3: trade.id = 0; }"
      })
  void keepsAMethodShortEnoughToBeInlined(String around) throws IOException {
    MethodReport method = use(around.formatted(MOVABLE.repeat(26)));
    assertEquals(1, method.parts());
    assertTrue(method.bytesBefore() <= Split.INLINED_BYTES, "" + method.bytesBefore());
    assertTrue(method.bytesAfter() <= Split.INLINED_BYTES, "" + method.bytesAfter());
    int moved = bytesOfParts(shop.specialize("app/User"));
    assertTrue(moved <= Split.INLINED_BYTES, "" + moved);
    int sites = 2 * 26; // of two bytes more, which do not fit beside one another
    assertTrue(method.bytesAfter() + moved > method.bytesBefore() + 2 * sites, "" + moved);
  }

  private static int bytesOfParts(Specialized user) {
    return ClassFile.of().parse(user.bytes()).methods().stream()
        .filter(method -> method.methodName().stringValue().startsWith("tigris$use$"))
        .mapToInt(method -> method.findAttribute(Attributes.code()).orElseThrow().codeLength())
        .sum();
  }

  @Test
  void leavesAMethodWholeWhereMovingStatementsWouldNotHelpToInlineIt() throws IOException {
    assertEquals(0, use(MOVABLE.repeat(20)).parts()); // it is short enough
    assertEquals(0, use(MOVABLE.repeat(40)).parts()); // it was too long before
    assertEquals(0, use(UNMOVABLE.repeat(30)).parts());
    assertEquals(0, use((MOVABLE + UNMOVABLE).repeat(15)).parts()); // each run is too short
  }

  @Test
  void namesWhatItMovesToAsNoOtherMethod() throws IOException {
    shop.javac.compile(
        Workshop.TRADE,
        "package app; class User { void use(Trade trade) { %s } void tigris$use$1$0() {} }"
            .formatted(MOVABLE.repeat(30)));
    Specialized user = shop.specialize("app/User");
    assertEquals(List.of(), user.problems());
    assertEquals(1, user.report().methods().getFirst().parts());
    assertFalse(Workshop.accesses(user.bytes(), "tigris$use$1$1").isEmpty());
  }

  @Test
  void reportsNothingAsDoneWhereThereIsAProblem() throws IOException {
    shop.javac.compile(
        Workshop.TRADE,
        "package app; class User { long use(Trade t) { return t.id; } }",
        """
        package app;
        class Wrong extends dev.tigris.memory.Pso {
          Object any;
          Wrong(dev.tigris.memory.Container container) { super(container); }
        }
        """);
    Report report = shop.specializeAll();
    assertEquals(0, report.rewritten());
    assertTrue(
        report.summary().endsWith(" classes: none rewritten, because of 1 problem"),
        report.summary());
    assertTrue(report.text().contains("\n\nWithout it:\n\napp.Trade"), report.text());
  }

  @Test
  void saysWhichClassIsMissing() throws IOException {
    shop.javac.compile(
        Workshop.TRADE,
        "package app; interface Named {} class One implements Named {} class Two extends One {}",
        "package app; class User { void use(Trade t) { One o = t.id > 0 ? new One() : new Two(); } }");
    Files.delete(shop.javac.folder().resolve("app/Two.class"));
    String problem = shop.specialize("app/User").problems().getFirst().toString();
    String expected = "app.User.use(User.java): cannot be rewritten: app.Two is not found: ";
    assertTrue(problem.startsWith(expected), problem);
    assertFalse(problem.contains("65,535"), problem);
  }
}
