package dev.tigris.specializer;

import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassModel;
import java.lang.classfile.Opcode;
import java.lang.classfile.instruction.InvokeInstruction;
import java.lang.constant.DynamicCallSiteDesc;

/// Has a text's methods inlined where a call would not be.
///
/// ```
/// invokevirtual Utf8.lengthBytes:()I   ->   invokedynamic lengthBytes:(LUtf8;)I
/// ```
///
/// Each read makes an object for the text, and C2 removes it where it inlines all its uses. In a
/// long method C2 stops inlining calls, but goes on inlining call sites.
final class PsoTextRule implements OwnRule {
  @Override
  public String name() {
    return "pso-text";
  }

  @Override
  public boolean concerns(ClassModel type, ClassHierarchy hierarchy) {
    // Class files of before Java 7 can have no call sites.
    return type.majorVersion() >= ClassFile.JAVA_7_VERSION
        && !type.thisClass().asSymbol().equals(MemoryNames.TEXT)
        && Rule.mentions(type, MemoryNames.TEXT::equals);
  }

  @Override
  public Decision decide(Site site) {
    if (site.instruction() instanceof InvokeInstruction call
        && call.opcode() == Opcode.INVOKEVIRTUAL
        && call.owner().asSymbol().equals(MemoryNames.TEXT)
        && MethodPlan.codeBytes(site.method()) <= MethodReport.HUGE_METHOD_BYTES) {
      return new Decision.Replace(
          DynamicCallSiteDesc.of(
              MemoryNames.TEXT_BOOTSTRAP,
              call.name().stringValue(),
              call.typeSymbol().insertParameterTypes(0, MemoryNames.TEXT)));
    }
    return Decision.PASS;
  }
}
