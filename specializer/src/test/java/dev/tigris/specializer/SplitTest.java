package dev.tigris.specializer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.lang.classfile.ClassFile;
import java.lang.classfile.MethodModel;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.MethodTypeDesc;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SplitTest extends InWorkshop {
  private static final String MOVABLE = "trade.id = trade.quantity;\n";

  /// Each statement has two call sites with two references each, and writes a local variable, so
  /// that it cannot be moved.
  private static final String UNMOVABLE = "next = trade.next; trade.next = next;\n";

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
    for (MethodModel part : parts(user)) {
      assertEquals("(long,Trade)void", part.methodTypeSymbol().displayDescriptor());
      moved += Workshop.accesses(user.bytes(), part.methodName().stringValue()).size();
    }
    assertEquals(600, moved);
    assertFalse(shop.specializer.specialize(user.bytes()).changed());
  }

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

  /// As no compiler makes it: an instance method that has something else where 'this' was.
  @Test
  void leavesAMethodWholeThatHasNoThisAnyLonger() throws IOException {
    shop.javac.compile(Workshop.TRADE);
    ClassDesc trade = ClassDesc.of("app", "Trade");
    byte[] user =
        ClassFile.of()
            .build(
                ClassDesc.of("app", "User"),
                made ->
                    made.withMethodBody(
                        "use",
                        MethodTypeDesc.of(ConstantDescs.CD_void, trade),
                        0,
                        code -> {
                          code.ldc("not this").astore(0);
                          for (int i = 0; i < 400; i++) {
                            code.aload(1)
                                .aload(1)
                                .getfield(trade, "quantity", ConstantDescs.CD_int);
                            code.i2l().putfield(trade, "id", ConstantDescs.CD_long);
                          }
                          code.return_();
                        }));
    MethodReport method = shop.specializer.specialize(user).report().methods().getFirst();
    assertEquals(800, method.rewritten());
    assertEquals(0, method.parts());
    assertTrue(method.hasTooManySites());
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
    int moved = MethodPlan.codeBytes(parts(shop.specialize("app/User")).getFirst());
    assertTrue(moved <= Split.INLINED_BYTES, "" + moved);
    int sites = 2 * 26; // of two bytes more, which do not fit beside one another
    assertTrue(method.bytesAfter() + moved > method.bytesBefore() + 2 * sites, "" + moved);
  }

  private static List<MethodModel> parts(Specialized user) {
    return ClassFile.of().parse(user.bytes()).methods().stream()
        .filter(method -> method.methodName().stringValue().startsWith("tigris$use$"))
        .toList();
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
}
