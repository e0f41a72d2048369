package dev.tigris.specializer;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassModel;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.Instruction;
import java.lang.classfile.Label;
import java.lang.classfile.Opcode;
import java.lang.classfile.TypeKind;
import java.lang.classfile.instruction.FieldInstruction;
import java.lang.classfile.instruction.InvokeInstruction;
import java.lang.classfile.instruction.NewObjectInstruction;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.MethodTypeDesc;
import java.lang.reflect.InvocationTargetException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Function;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Rules about instructions of every kind, and what they may do.
class GeneralRuleTest {
  private static final ClassDesc PROGRAM = ClassDesc.of("app.Program");
  private static final MethodTypeDesc INTS_TO_INT =
      MethodTypeDesc.of(ConstantDescs.CD_int, ConstantDescs.CD_int, ConstantDescs.CD_int);

  @TempDir private Path temporary;
  private Javac javac;

  @BeforeEach
  void openShop() {
    javac = new Javac(temporary.resolve("classes"));
  }

  /// A rule for one kind of instruction.
  private record Sample(Function<Site, Decision> decide) implements Rule {
    @Override
    public String name() {
      return "sample";
    }

    @Override
    public boolean concerns(ClassModel type, ClassHierarchy hierarchy) {
      return type.thisClass().asSymbol().equals(PROGRAM);
    }

    @Override
    public Decision decide(Site site) {
      return decide.apply(site);
    }
  }

  private static Rule on(Opcode opcode, Consumer<CodeBuilder> code, AddedMember... members) {
    return new Sample(
        site ->
            site.instruction().opcode() == opcode
                ? new Decision.Rewrite(1, code, List.of(members))
                : Decision.PASS);
  }

  private Specialized specialize(String body, Rule... rules) throws IOException {
    javac.compile("package app; public class Program { " + body + " }");
    try (ClassPath path = new ClassPath(List.of(javac.folder()))) {
      return new Specializer(new ClassHierarchy(path), List.of(rules))
          .specialize(compiled("app.Program"));
    }
  }

  private byte[] compiled(String name) throws IOException {
    return Files.readAllBytes(javac.folder().resolve(name.replace('.', '/') + ".class"));
  }

  /// Calls `static int run(int, int)` of the specialized program.
  private int run(Specialized specialized, int first, int second) throws Throwable {
    assertEquals(List.of(), specialized.problems());
    assertTrue(specialized.changed());
    ClassLoader loader =
        new ClassLoader(GeneralRuleTest.class.getClassLoader()) {
          @Override
          protected Class<?> findClass(String name) throws ClassNotFoundException {
            try {
              byte[] bytes = name.equals("app.Program") ? specialized.bytes() : compiled(name);
              return defineClass(name, bytes, 0, bytes.length);
            } catch (IOException e) {
              throw new ClassNotFoundException(name, e);
            }
          }
        };
    try {
      return (int)
          loader
              .loadClass("app.Program")
              .getMethod("run", int.class, int.class)
              .invoke(null, first, second);
    } catch (InvocationTargetException e) {
      throw e.getCause();
    }
  }

  private int run(String body, int first, int second, Rule... rules) throws Throwable {
    return run(specialize(body, rules), first, second);
  }

  @Test
  void rewritesOperators() throws Throwable {
    String sum = "public static int run(int a, int b) { return a + b; }";
    Rule exact =
        on(
            Opcode.IADD,
            code -> code.invokestatic(ClassDesc.of("java.lang.Math"), "addExact", INTS_TO_INT));
    assertEquals(5, run(sum, 2, 3, exact));
    assertThrows(ArithmeticException.class, () -> run(sum, Integer.MAX_VALUE, 1, exact));
  }

  @Test
  void namesTheRuleWhoseCodeDoesNotFit() throws IOException {
    Rule forgetful = on(Opcode.IADD, CodeBuilder::pop2);
    Specialized refused =
        specialize("public static int run(int a, int b) { return a + b; }", forgetful);
    assertFalse(refused.changed());
    assertEquals(1, refused.problems().size());
    String problem = refused.problems().getFirst().toString();
    assertTrue(problem.startsWith("app.Program.run"), problem);
    assertTrue(
        problem.contains("the code that these rules give in place of its own (sample)"), problem);
    assertEquals(1, problem.lines().count(), problem);
  }

  @Test
  void rewritesArrayAccessesAndAddsAMethod() throws Throwable {
    MethodTypeDesc type =
        MethodTypeDesc.of(
            ConstantDescs.CD_int, ConstantDescs.CD_int.arrayType(), ConstantDescs.CD_int);
    AddedMember wrap =
        new AddedMember.Method(
            "sample$wrap",
            type,
            ClassFile.ACC_PRIVATE | ClassFile.ACC_STATIC,
            code ->
                code.aload(0)
                    .iload(1)
                    .aload(0)
                    .arraylength()
                    .invokestatic(ClassDesc.of("java.lang.Math"), "floorMod", INTS_TO_INT)
                    .iaload()
                    .ireturn());
    Rule rule = on(Opcode.IALOAD, code -> code.invokestatic(PROGRAM, wrap.name(), type), wrap);
    // The added method has such an access, too; it is the rule's own and is left alone.
    assertEquals(
        30,
        run(
            "public static int run(int a, int b) { int[] x = {10, 20}; return x[a] + x[b]; }",
            -1,
            4,
            rule));
  }

  @Test
  void rewritesNewAndAddsAField() throws Throwable {
    AddedMember count =
        new AddedMember.Field("sample$made", ConstantDescs.CD_int, ClassFile.ACC_STATIC);
    Rule rule =
        new Sample(
            site ->
                site.instruction() instanceof NewObjectInstruction made
                    ? new Decision.Rewrite(
                        1,
                        code ->
                            code.getstatic(PROGRAM, count.name(), ConstantDescs.CD_int)
                                .iconst_1()
                                .iadd()
                                .putstatic(PROGRAM, count.name(), ConstantDescs.CD_int)
                                .new_(made.className().asSymbol()),
                        List.of(count))
                    : site.instruction() instanceof FieldInstruction field
                            && field.name().equalsString("made")
                        ? new Decision.Rewrite(
                            1,
                            code -> code.getstatic(PROGRAM, count.name(), ConstantDescs.CD_int),
                            List.of(count))
                        : Decision.PASS);
    assertEquals(
        7,
        run(
            """
            static int made;
            public static int run(int a, int b) {
              for (int i = 0; i < a; i++) { new Object(); new StringBuilder(); }
              Object more = new Object();
              return made;
            }
            """,
            3,
            0,
            rule));
  }

  @Test
  void rewritesMethodCallsOfEveryKindAndAddsConstants() throws Throwable {
    List<Opcode> seen = new ArrayList<>();
    Rule rule =
        new Sample(
            site -> {
              if (site.instruction() instanceof InvokeInstruction call
                  && (call.name().stringValue().startsWith("number")
                      || call.name().equalsString("hashCode"))) {
                seen.add(call.opcode());
                return new Decision.Rewrite(
                    1,
                    code -> {
                      if (call.opcode() != Opcode.INVOKESTATIC) {
                        code.pop();
                      }
                      code.loadConstant(1_000_000);
                    },
                    List.of());
              }
              return Decision.PASS;
            });
    assertEquals(
        5_000_000,
        run(
            """
            interface Source { int numberD(); }
            static int numberA() { return 1; }
            int own() { return super.hashCode(); }
            private int numberB() { return 2; }
            public int numberC() { return 3; }
            static class Sub extends Program { public int numberC() { return 0; } }
            public static int run(int a, int b) {
              Source source = () -> 4;
              return numberA() + new Program().own() + new Program().numberB() + new Sub().numberC() + source.numberD();
            }
            """,
            0,
            0,
            rule));
    assertTrue(
        seen.containsAll(
            List.of(
                Opcode.INVOKESTATIC,
                Opcode.INVOKEVIRTUAL,
                Opcode.INVOKESPECIAL,
                Opcode.INVOKEINTERFACE)));
  }

  /// `a / b`, or 0 for `b == 0`: in new variables, since a handler clears the operand stack.
  private static void divide(CodeBuilder code) {
    int divisor = code.allocateLocal(TypeKind.INT);
    int dividend = code.allocateLocal(TypeKind.INT);
    Label start = code.newLabel();
    Label end = code.newLabel();
    Label handler = code.newLabel();
    Label after = code.newLabel();
    code.istore(divisor).istore(dividend);
    code.labelBinding(start).iload(dividend).iload(divisor).idiv().istore(dividend);
    code.labelBinding(end).goto_(after);
    code.labelBinding(handler).pop().iconst_0().istore(dividend);
    code.labelBinding(after).iload(dividend);
    code.exceptionCatch(start, end, handler, ClassDesc.of("java.lang.ArithmeticException"));
  }

  @Test
  void addsHandlersThatComeBeforeThoseAround() throws Throwable {
    String source =
        """
        public static int run(int a, int b) {
          try { return a / b; } catch (RuntimeException e) { return -1; }
        }
        """;
    Rule rule = on(Opcode.IDIV, GeneralRuleTest::divide);
    assertEquals(0, run(source, 7, 0, rule));
    assertEquals(3, run(source, 7, 2, rule));
  }

  /// Replaces `x + 1 + 1` by `x + 2`.
  private static final Rule TWICE =
      new Sample(
          site -> {
            List<Opcode> next = site.sequence(4).stream().map(Instruction::opcode).toList();
            return next.equals(List.of(Opcode.ICONST_1, Opcode.IADD, Opcode.ICONST_1, Opcode.IADD))
                ? new Decision.Rewrite(4, code -> code.iconst_2().iadd(), List.of())
                : Decision.PASS;
          });

  @Test
  void rewritesSequencesThroughLinesAndVariables() throws Throwable {
    Specialized specialized =
        specialize(
            """
            public static int run(int a, int b) {
              int x = a + 1
                  + 1;
              int y = x + 1 + 1; int z = y
                + 1 + 1;
              return z;
            }
            """,
            TWICE);
    assertEquals(16, run(specialized, 10, 0));
    MethodReport report = specialized.report().methods().getFirst();
    assertEquals(3, report.rewritten());
    assertTrue(report.lines().getFirst().instruction().endsWith("and 3 more"));
    assertTrue(report.bytesAfter() < report.bytesBefore());
  }

  @Test
  void endsASequenceWhereAJumpLeads() throws IOException {
    List<Integer> lengths = new ArrayList<>();
    specialize(
        "public static int run(int a, int b) { return (b > 0 ? a + 1 : a) + 1; }",
        new Sample(
            site -> {
              if (site.method().methodName().equalsString("run")) {
                lengths.add(site.sequence(100).size());
              }
              return Decision.PASS;
            }));
    // iload ifle iload iconst iadd goto | iload | iconst iadd ireturn
    assertEquals(List.of(6, 5, 4, 3, 2, 1, 1, 3, 2, 1), lengths);
    // Not IllegalArgumentException, which says that the class is damaged.
    assertThrows(
        IllegalStateException.class,
        () ->
            specialize(
                "public static int run(int a, int b) { return b > 0 ? a : b; }",
                new Sample(site -> new Decision.Rewrite(9, code -> {}, List.of()))));
  }

  @Test
  void saysWhichRuleFailsAndWhere() {
    Sample rule = new Sample(site -> List.<Decision>of().getFirst());
    String program = "public static int run(int a, int b) { return a; }";
    var e = assertThrows(RuntimeException.class, () -> specialize(program, rule));
    assertTrue(e.getMessage().matches("app.Program.*java:[0-9]+.: the rule sample .*"), "" + e);
  }

  @Test
  void asksRulesInTheirOrder() throws Throwable {
    String sum = "public static int run(int a, int b) { return a + b; }";
    Rule subtract = on(Opcode.IADD, CodeBuilder::isub);
    Rule multiply = on(Opcode.IADD, CodeBuilder::imul);
    Rule leave = new Sample(site -> new Decision.Leave("on purpose"));
    assertEquals(-1, run(sum, 2, 3, subtract, multiply));
    assertEquals(6, run(sum, 2, 3, multiply, subtract));
    assertFalse(specialize(sum, leave, multiply).changed());
  }

  @Test
  void refusesCodeThatDoesNotVerify() throws IOException {
    Specialized specialized =
        specialize(
            "public static int run(int a, int b) { return a + b; }",
            on(Opcode.IADD, CodeBuilder::fadd));
    assertFalse(specialized.changed());
    assertEquals(1, specialized.problems().size());
    assertTrue(
        specialized.problems().getFirst().message().contains("does not verify"),
        specialized.problems().toString());
  }

  @Test
  void refusesAMemberThatTheClassHasAlready() throws IOException {
    Specialized specialized =
        specialize(
            "static int mine; public static int run(int a, int b) { return a + b; }",
            on(
                Opcode.IADD,
                CodeBuilder::isub,
                new AddedMember.Field("mine", ConstantDescs.CD_int, ClassFile.ACC_STATIC)));
    assertFalse(specialized.changed());
    assertTrue(specialized.problems().getFirst().toString().contains("rename this member"));
  }

  @Test
  void doesNotMindUnappliedRulesThatAreNotRequired() throws IOException {
    Rule rule = on(Opcode.IADD, CodeBuilder::isub);
    Specialized before = specialize("public static int run(int a, int b) { return a + b; }");
    try (ClassPath path = new ClassPath(List.of(javac.folder()))) {
      Specializer specializer = new Specializer(new ClassHierarchy(path), List.of(rule));
      assertEquals(List.of(), specializer.check(before.bytes()));
      assertArrayEquals(
          specializer.specialize(before.bytes()).bytes(),
          specializer.specialize(before.bytes()).bytes());
    }
  }
}
