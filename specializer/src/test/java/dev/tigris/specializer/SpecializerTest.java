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
import org.junit.jupiter.params.provider.CsvSource;

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

  /// Who was specialized against a class that has changed since, and was not compiled again.
  @ParameterizedTest
  @CsvSource({
    "public long id, public int id, app.Trade.id of type long no longer exists",
    "public long id, public static long id, app.Trade.id is static now",
    "protected int quantity, private int count, app.Trade.quantity of type int no longer exists",
    "public long id, @HeapOnly public final long id = 4, app.Trade.id is final now",
  })
  void refusesCallSitesOfFieldsThatAreNoLongerThere(String was, String is, String problem)
      throws IOException {
    refusesCallSites(Workshop.TRADE.replace("quantity = 1;", "").replace(was, is), problem);
  }

  @Test
  void refusesCallSitesOfObjectsThatAreNoneNow() throws IOException {
    refusesCallSites(
        "package app; public class Trade { public long id; protected int quantity; }",
        "app.Trade.id no longer belongs to a class of objects");
  }

  /// @param trade the class of objects as it is now
  private void refusesCallSites(String trade, String problem) throws IOException {
    String user =
        "package app; class User { long use(Trade t) { t.id = 4; return t.id + t.quantity; } }";
    shop.javac.compile(Workshop.TRADE, user);
    byte[] stale = shop.specialize("app/User").bytes();

    shop.javac.compile(trade);
    Specializer fresh = new Specializer(new ClassHierarchy(shop.classPath), Rule.standard());
    for (List<Problem> found : List.of(fresh.check(stale), fresh.specialize(stale).problems())) {
      String first = found.getFirst().toString();
      assertTrue(first.startsWith("app.User.use(User.java:1): " + problem), first);
    }
  }

  /// As no specializer writes them.
  @Test
  void passesCallSitesThatAreNone() throws IOException {
    shop.javac.compile(Workshop.TRADE);
    ClassDesc trade = ClassDesc.of("app.Trade");
    MethodTypeDesc nothing = MethodTypeDesc.of(ConstantDescs.CD_void);
    MethodTypeDesc read = MethodTypeDesc.of(ConstantDescs.CD_long, trade);
    for (DynamicCallSiteDesc site :
        List.of(
            DynamicCallSiteDesc.of(MemoryNames.FIELD_BOOTSTRAP, "get", read),
            DynamicCallSiteDesc.of(MemoryNames.FIELD_BOOTSTRAP, "get", nothing, trade, "id"),
            DynamicCallSiteDesc.of(MemoryNames.FIELD_BOOTSTRAP, "set", nothing, trade, "id"),
            DynamicCallSiteDesc.of(MemoryNames.FIELD_BOOTSTRAP, "get", read, "id", trade))) {
      byte[] odd =
          ClassFile.of()
              .build(
                  ClassDesc.of("app.Odd"),
                  type ->
                      type.withMethodBody(
                          "use",
                          nothing,
                          ClassFile.ACC_STATIC,
                          code -> {
                            site.invocationType().parameterList().forEach(_ -> code.aconst_null());
                            code.invokedynamic(site);
                            if (!site.invocationType().returnType().equals(ConstantDescs.CD_void)) {
                              code.pop2();
                            }
                            code.return_();
                          }));
      assertEquals(List.of(), shop.specializer.check(odd));
      assertFalse(shop.specializer.specialize(odd).changed());
    }
  }

  @Test
  void leavesCallSitesOfAFieldThatIsOnTheHeapNow() throws IOException {
    String user = "package app; class User { long use(Trade t) { return t.id; } }";
    shop.javac.compile(Workshop.TRADE, user);
    byte[] stale = shop.specialize("app/User").bytes();
    shop.javac.compile(Workshop.TRADE.replace("public long id", "@HeapOnly public long id"));
    Specializer fresh = new Specializer(new ClassHierarchy(shop.classPath), Rule.standard());
    assertEquals(List.of(), fresh.check(stale), "they link to it");
    assertFalse(fresh.specialize(stale).changed());
  }

  @Test
  void refusesFieldsOfObjectsThatNoRuleReplaces() throws IOException {
    shop.javac.compile(
        Workshop.TRADE, "package app; class User { long use(Trade t) { return t.id; } }");
    Specializer without =
        new Specializer(new ClassHierarchy(shop.classPath), List.of(new PsoCursorRule()));
    String problem = "the list of rules lacks pso-field: add it";
    for (String name : List.of("app/Trade", "app/User")) {
      Specialized refused = without.specialize(shop.bytes(name));
      assertFalse(refused.changed());
      assertTrue(refused.problems().getFirst().message().contains(problem), name);
      assertTrue(without.check(shop.bytes(name)).toString().contains(problem), name);
    }
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
        "package app; class User { void use(Trade t) { One o = t.id > 0 ? new One() "
            + ": new Two(); } }");
    Files.delete(shop.javac.folder().resolve("app/Two.class"));
    String problem = shop.specialize("app/User").problems().getFirst().toString();
    String expected = "app.User.use(User.java): cannot be rewritten: app.Two is not found: ";
    assertTrue(problem.startsWith(expected), problem);
    assertFalse(problem.contains("65,535"), problem);
  }
}
