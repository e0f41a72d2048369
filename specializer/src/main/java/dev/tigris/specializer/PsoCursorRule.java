package dev.tigris.specializer;

import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassModel;
import java.lang.classfile.Opcode;
import java.lang.classfile.instruction.InvokeInstruction;
import java.lang.classfile.instruction.TypeCheckInstruction;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.DynamicCallSiteDesc;
import java.lang.constant.MethodTypeDesc;

/// Tells a cursor or a collection which class of objects the code around it expects, which generics
/// have erased.
///
/// ```
/// invokevirtual element:()LPso;   ->   invokedynamic element:(LPsoCursor;)LPso;    Trade.class
/// checkcast Trade                      checkcast Trade
/// invokevirtual get:(J)LPso;      ->   invokedynamic element:(LPsoList;J)LPso;     Trade.class
/// checkcast Trade                      checkcast Trade
/// ```
///
/// The call site returns what the method returns. It also knows how far objects of the class lie
/// from one another in a table, and a constant costs less than a call that returns it. It knows the
/// constructor of the class, too, so that C2 leaves out an object that is used at once.
final class PsoCursorRule implements OwnRule {
  private static final MethodTypeDesc ELEMENT_TYPE = MethodTypeDesc.of(MemoryNames.PSO);
  private static final MethodTypeDesc GET_TYPE =
      MethodTypeDesc.of(MemoryNames.PSO, ConstantDescs.CD_long);

  @Override
  public String name() {
    return "pso-cursor";
  }

  @Override
  public boolean concerns(ClassModel type, ClassHierarchy hierarchy) {
    // Class files that are older than Java 7 cannot have call sites.
    return type.majorVersion() >= ClassFile.JAVA_7_VERSION
        && Rule.mentions(type, owner -> owner.equals(MemoryNames.CURSOR) || isCollection(owner));
  }

  @Override
  public Decision decide(Site site) {
    if (!(site.instruction() instanceof InvokeInstruction call)
        || !isElement(call)
        || MethodPlan.codeBytes(site.method()) > MethodReport.HUGE_METHOD_BYTES) {
      return Decision.PASS;
    }
    if (site.sequence(2).getLast() instanceof TypeCheckInstruction check
        && check.opcode() == Opcode.CHECKCAST) {
      // The call site finds out whether that is a class of objects. Code works without this rule,
      // so the rule must not need the class file.
      ClassDesc expected = check.type().asSymbol();
      return new Decision.Replace(
          DynamicCallSiteDesc.of(
              MemoryNames.ELEMENT_BOOTSTRAP,
              MemoryNames.ELEMENT,
              call.typeSymbol().insertParameterTypes(0, call.owner().asSymbol()),
              expected));
    }
    return Decision.PASS;
  }

  private static boolean isElement(InvokeInstruction call) {
    ClassDesc owner = call.owner().asSymbol();
    return call.opcode() == Opcode.INVOKEVIRTUAL
        && ((owner.equals(MemoryNames.CURSOR)
                && call.name().equalsString(MemoryNames.ELEMENT)
                && call.typeSymbol().equals(ELEMENT_TYPE))
            || (isCollection(owner)
                && call.name().equalsString(MemoryNames.GET)
                && call.typeSymbol().equals(GET_TYPE)));
  }

  private static boolean isCollection(ClassDesc owner) {
    return owner.equals(MemoryNames.COLLECTION) || MemoryNames.COLLECTIONS.contains(owner);
  }
}
