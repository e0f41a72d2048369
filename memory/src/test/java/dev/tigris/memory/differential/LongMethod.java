package dev.tigris.memory.differential;

import static java.lang.constant.ConstantDescs.CD_int;
import static java.lang.constant.ConstantDescs.CD_long;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.classfile.Attributes;
import java.lang.classfile.ClassFile;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.Label;
import java.lang.classfile.Opcode;
import java.lang.classfile.instruction.SwitchCase;
import java.lang.constant.ClassDesc;
import java.lang.constant.MethodTypeDesc;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/// A method of some length, which does the same things again and again.
///
/// @param pattern what it does, in turn
/// @param codeBytes how long it is: at most [#MAX_BYTES]
record LongMethod(List<Block> pattern, int codeBytes) {
  /// The longest that the JVM takes.
  static final int MAX_BYTES = 65_535;

  static final String HOME = "lengthy";

  private static final ClassDesc COUNTER = ClassDesc.of(HOME, "Counter");
  private static final ClassDesc STEPS = ClassDesc.of(HOME, "Steps");
  private static final MethodTypeDesc TYPE = MethodTypeDesc.of(CD_long, COUNTER, COUNTER, CD_long);

  private static final int A = 0;
  private static final int B = 1;
  private static final int X = 2;
  private static final int SUM = 4;

  private static final String PROGRAM =
      """
      package lengthy;
      import dev.tigris.memory.*;
      public class Program {
        public static String run(Container container) {
          Counter a = new Counter(container);
          Counter b = new Counter(container);
          a.next = b;
          container.root(a);
          StringBuilder trace = new StringBuilder();
          for (int round = 0; round < 3; round++) {
            try {
              trace.append(Steps.steps(a, b, 7)).append(' ');
            } catch (NullPointerException e) {
              trace.append("null ");
              a.next = a;
            }
          }
          return trace.toString();
        }
        public static String dump(Container container) {
          Counter a = container.root(Counter.class);
          return a.count + " " + a.total + " " + (a.next == null ? "null" : "" + a.next.total);
        }
      }
      """;

  private static final Map<String, String> SOURCES =
      Map.of(
          HOME + ".Counter",
          """
          package lengthy;
          import dev.tigris.memory.*;
          public class Counter extends Pso {
            public int count; public volatile long total; public Counter next;
            public Counter(Container container) { super(container); }
          }
          """,
          HOME + ".Steps",
          """
          package lengthy;
          class Steps { static native long steps(Counter a, Counter b, long x); }
          """,
          HOME + ".Program",
          PROGRAM);

  /// What a method does over and over. The specializer can move some of these to another method.
  enum Block {
    /// `a.count += 5`, or so.
    ADD,
    /// `b.total = b.total * 31 + x`.
    MIX,
    /// `a.next = b`.
    REFER,
    /// `a.next = null`, when the sum says so.
    FORGET,
    /// `a.next.count++`.
    FOLLOW,
    /// `sum = sum * 31 + a.total`.
    SUM,
    /// `try { a.next.count++; } catch (NullPointerException e) { sum++; }`.
    CATCH,
    /// `switch (a.count & 3) ...`.
    SWITCH,
    /// Leaves the method when the sum says so, which is a long jump.
    LEAVE
  }

  /// All of the program but the method.
  private static final class Frame {
    static final Map<String, byte[]> CLASSES = compile();

    private Frame() {}

    private static Map<String, byte[]> compile() {
      try {
        return Compiled.of(SOURCES, Program.MEMORY);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }

  /// The program with this method.
  Program program() {
    Map<String, byte[]> classes = new HashMap<>(Frame.CLASSES);
    classes.put(HOME + ".Steps", longest());
    return new Program(HOME, classes, toString());
  }

  /// As many blocks as there is room for, and no-ops for what is left.
  private byte[] longest() {
    int blocks = codeBytes / 6;
    while (build(blocks, 0) == null) {
      blocks = blocks * 9 / 10;
    }
    byte[] whole = build(blocks, 0);
    byte[] padded = build(blocks, codeBytes - length(whole));
    return padded == null ? whole : padded;
  }

  /// A class file, or null if the method would be too long.
  private byte[] build(int blocks, int padding) {
    try {
      byte[] classFile =
          ClassFile.of()
              .build(
                  STEPS,
                  type ->
                      type.withMethodBody(
                          "steps",
                          TYPE,
                          ClassFile.ACC_STATIC,
                          code -> {
                            Label end = code.newLabel();
                            code.lconst_0().lstore(SUM);
                            for (int number = 0; number < blocks; number++) {
                              block(pattern.get(number % pattern.size()), number, code, end);
                            }
                            for (int number = 0; number < padding; number++) {
                              code.nop();
                            }
                            code.labelBinding(end).lload(SUM).lreturn();
                          }));
      return length(classFile) <= codeBytes ? classFile : null;
    } catch (IllegalArgumentException tooLong) {
      return null;
    }
  }

  private static int length(byte[] classFile) {
    return ClassFile.of()
        .parse(classFile)
        .methods()
        .getFirst()
        .findAttribute(Attributes.code())
        .orElseThrow()
        .codeLength();
  }

  private static void block(Block block, int number, CodeBuilder code, Label end) {
    switch (block) {
      case ADD ->
          code.aload(A)
              .aload(A)
              .getfield(COUNTER, "count", CD_int)
              .loadConstant(number % 40_000)
              .iadd()
              .putfield(COUNTER, "count", CD_int);
      case MIX ->
          code.aload(B)
              .dup()
              .getfield(COUNTER, "total", CD_long)
              .ldc(31L)
              .lmul()
              .lload(X)
              .ladd()
              .putfield(COUNTER, "total", CD_long);
      case REFER -> code.aload(A).aload(B).putfield(COUNTER, "next", COUNTER);
      case FORGET -> forget(code);
      case FOLLOW -> follow(code);
      case SUM ->
          code.lload(SUM)
              .ldc(31L)
              .lmul()
              .aload(A)
              .getfield(COUNTER, "total", CD_long)
              .ladd()
              .lstore(SUM);
      case CATCH ->
          code.trying(
              LongMethod::follow,
              handlers ->
                  handlers.catching(
                      ClassDesc.of("java.lang.NullPointerException"),
                      handler -> handler.pop().lload(SUM).lconst_1().ladd().lstore(SUM)));
      case SWITCH -> choose(code);
      case LEAVE -> code.lload(SUM).ldc(4242L).lcmp().ifeq(end);
    }
  }

  private static void forget(CodeBuilder code) {
    code.lload(SUM)
        .lconst_1()
        .land()
        .l2i()
        .ifThen(
            Opcode.IFNE, then -> then.aload(A).aconst_null().putfield(COUNTER, "next", COUNTER));
  }

  private static void follow(CodeBuilder code) {
    code.aload(A)
        .getfield(COUNTER, "next", COUNTER)
        .dup()
        .getfield(COUNTER, "count", CD_int)
        .iconst_1()
        .iadd()
        .putfield(COUNTER, "count", CD_int);
  }

  private static void choose(CodeBuilder code) {
    Label first = code.newLabel();
    Label other = code.newLabel();
    Label after = code.newLabel();
    code.aload(A).getfield(COUNTER, "count", CD_int).iconst_3().iand();
    code.tableswitch(0, 2, other, List.of(SwitchCase.of(0, first), SwitchCase.of(2, first)));
    code.labelBinding(first).lload(SUM).lconst_1().ladd().lstore(SUM).goto_(after);
    code.labelBinding(other).aload(B).iconst_1().putfield(COUNTER, "count", CD_int);
    code.labelBinding(after);
  }
}
