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
/// What stands for a text is made at each read, and C2 leaves it out where it inlines all that is
/// done with it. It stops inlining calls in a long method, but not call sites
/// (docs/decisions/071-made-at-each-read.md).
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
