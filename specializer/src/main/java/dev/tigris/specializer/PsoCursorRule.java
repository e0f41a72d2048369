package dev.tigris.specializer;

import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassModel;
import java.lang.classfile.Instruction;
import java.lang.classfile.Opcode;
import java.lang.classfile.instruction.InvokeInstruction;
import java.lang.classfile.instruction.TypeCheckInstruction;
import java.lang.constant.ClassDesc;
import java.lang.constant.DynamicCallSiteDesc;
import java.lang.constant.MethodTypeDesc;

/// Tells a cursor which class of objects the code around it expects, which generics have erased.
///
/// ```
/// invokevirtual element:()LPso;   ->   invokedynamic element:(LPsoCursor;)LPso;    Trade.class
/// checkcast Trade                      checkcast Trade
/// ```
///
/// The call site gives what the method gives. But it knows how far objects of the class lie from
/// one another in a table, and a constant costs less than a call that returns it.
final class PsoCursorRule implements OwnRule {
  private static final MethodTypeDesc METHOD_TYPE = MethodTypeDesc.of(MemoryNames.PSO);
  private static final MethodTypeDesc SITE_TYPE =
      MethodTypeDesc.of(MemoryNames.PSO, MemoryNames.CURSOR);

  @Override
  public String name() {
    return "pso-cursor";
  }

  @Override
  public boolean concerns(ClassModel type, ClassHierarchy hierarchy) {
    // Class files of before Java 7 can have no call sites.
    return type.majorVersion() >= ClassFile.JAVA_7_VERSION
        && Rule.mentions(type, MemoryNames.CURSOR::equals);
  }

  @Override
  public Decision decide(Site site) {
    if (!isElement(site.instruction())
        || MethodPlan.codeBytes(site.method()) > MethodReport.HUGE_METHOD_BYTES) {
      return Decision.PASS;
    }
    if (site.sequence(2).getLast() instanceof TypeCheckInstruction check
        && check.opcode() == Opcode.CHECKCAST) {
      // Whether that is a class of objects the call site finds out: its class file need not be
      // there for a rule that can be done without.
      ClassDesc expected = check.type().asSymbol();
      return new Decision.Replace(
          DynamicCallSiteDesc.of(
              MemoryNames.ELEMENT_BOOTSTRAP, MemoryNames.ELEMENT, SITE_TYPE, expected));
    }
    return Decision.PASS;
  }

  private static boolean isElement(Instruction instruction) {
    return instruction instanceof InvokeInstruction call
        && call.opcode() == Opcode.INVOKEVIRTUAL
        && call.owner().asSymbol().equals(MemoryNames.CURSOR)
        && call.name().equalsString(MemoryNames.ELEMENT)
        && call.typeSymbol().equals(METHOD_TYPE);
  }
}
