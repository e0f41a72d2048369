package dev.tigris.specializer;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassModel;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.Instruction;
import java.lang.classfile.MethodModel;
import java.lang.classfile.Opcode;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// Rules that come by a class which they, or others, have changed before.
class RepeatedRuleTest extends InWorkshop {
  private static final Set<Opcode> ARITHMETIC = Set.of(Opcode.IADD, Opcode.ISUB, Opcode.IMUL);

  /// Keeps the addition that it looks for.
  private static final Sample DOUBLING =
      new Sample("doubling", Opcode.IADD, code -> code.iadd().loadConstant(2).imul());

  private static final Sample ADDING = new Sample("adding", Opcode.IMUL, CodeBuilder::iadd);

  /// A rule about one instruction of the program.
  private record Sample(
      String name,
      Opcode opcode,
      Consumer<CodeBuilder> code,
      boolean isIdempotent,
      boolean isRequired)
      implements Rule {
    Sample(String name, Opcode opcode, Consumer<CodeBuilder> code) {
      this(name, opcode, code, false, false);
    }

    Sample idempotent() {
      return new Sample(name, opcode, code, true, isRequired);
    }

    Sample required() {
      return new Sample(name, opcode, code, isIdempotent, true);
    }

    @Override
    public boolean concerns(ClassModel type, ClassHierarchy hierarchy) {
      return type.thisClass().asInternalName().equals("app/Program");
    }

    @Override
    public Decision decide(Site site) {
      return site.instruction().opcode() == opcode
          ? new Decision.Rewrite(1, code, List.of())
          : Decision.PASS;
    }
  }

  @BeforeEach
  void compile() throws IOException {
    shop.javac.compile("package app; class Program { int run(int a, int b) { return a + b; } }");
  }

  private Specializer specializer(Rule... rules) {
    return new Specializer(new ClassHierarchy(shop.classPath), List.of(rules));
  }

  private Specialized specialize(byte[] classFile, Rule... rules) {
    Specialized result = specializer(rules).specialize(classFile);
    assertEquals(List.of(), result.problems());
    return result;
  }

  private byte[] program() throws IOException {
    return shop.bytes("app/Program");
  }

  private static List<Opcode> arithmetic(Specialized program) {
    ClassModel model = ClassFile.of().parse(program.bytes());
    MethodModel run =
        model.methods().stream()
            .filter(method -> method.methodName().equalsString("run"))
            .findFirst()
            .orElseThrow();
    return run.code()
        .orElseThrow()
        .elementStream()
        .filter(Instruction.class::isInstance)
        .map(instruction -> ((Instruction) instruction).opcode())
        .filter(ARITHMETIC::contains)
        .toList();
  }

  @Test
  void isAskedOnceThoughItKeepsWhatItLooksFor() throws IOException {
    Specialized first = specialize(program(), DOUBLING);
    assertEquals(List.of(Opcode.IADD, Opcode.IMUL), arithmetic(first));
    Specialized second = specialize(first.bytes(), DOUBLING);
    assertFalse(second.changed());
    assertTrue(second.wasRewrittenBefore(), "so it can carry no patch");
    assertArrayEquals(first.bytes(), second.bytes());
  }

  @Test
  void isAskedIfItIsNew() throws IOException {
    Specialized first = specialize(program(), DOUBLING);
    Specialized second = specialize(first.bytes(), DOUBLING, ADDING);
    assertEquals(List.of(Opcode.IADD, Opcode.IADD), arithmetic(second));
    assertFalse(specialize(second.bytes(), DOUBLING, ADDING).changed());
  }

  /// What another rule's code has is not for one that was there, in vain, when that was written.
  @Test
  void isNotAskedAgainWhereItFoundNothing() throws IOException {
    Specialized first = specialize(program(), ADDING, DOUBLING);
    assertEquals(List.of(Opcode.IADD, Opcode.IMUL), arithmetic(first));
    assertFalse(specialize(first.bytes(), ADDING, DOUBLING).changed());
  }

  @Test
  void isAskedAgainIfItIsIdempotent() throws IOException {
    Specialized first = specialize(program(), ADDING.idempotent(), DOUBLING);
    assertEquals(List.of(Opcode.IADD, Opcode.IMUL), arithmetic(first));
    Specialized second = specialize(first.bytes(), ADDING.idempotent(), DOUBLING);
    assertEquals(List.of(Opcode.IADD, Opcode.IADD), arithmetic(second));
  }

  @Test
  void isNotMissedByACheckOnceItHadItsTurn() throws IOException {
    Rule required = DOUBLING.required();
    assertEquals(1, specializer(required).check(program()).size());
    byte[] rewritten = specialize(program(), required).bytes();
    assertEquals(List.of(), specializer(required).check(rewritten));
  }

  @Test
  void isReportedIfItFoundNothing() throws IOException {
    Specializer both = specializer(new PsoFieldRule(), DOUBLING, ADDING);
    for (String run : List.of("first", "second")) {
      Report report =
          ClassFiles.specialize(List.of(shop.javac.folder()), both, new Delivery.Rewritten());
      String summary = report.summary();
      assertTrue(summary.endsWith(" left alone; nothing by adding"), run + ": " + summary);
    }
  }

  /// A rule of another module, say, which has the same name.
  private static final class Namesake implements Rule {
    @Override
    public String name() {
      return ADDING.name();
    }

    @Override
    public boolean concerns(ClassModel type, ClassHierarchy hierarchy) {
      return ADDING.concerns(type, hierarchy);
    }

    @Override
    public Decision decide(Site site) {
      return ADDING.decide(site);
    }
  }

  @Test
  void isAskedThoughANamesakeWas() throws IOException {
    Specialized first = specialize(program(), ADDING, DOUBLING);
    Specialized second = specialize(first.bytes(), new Namesake());
    assertEquals(List.of(Opcode.IADD, Opcode.IADD), arithmetic(second));
  }
}
