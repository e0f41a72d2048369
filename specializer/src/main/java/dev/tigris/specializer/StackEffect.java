package dev.tigris.specializer;

import java.lang.classfile.Instruction;
import java.lang.classfile.Opcode;
import java.lang.classfile.TypeKind;
import java.lang.classfile.instruction.ArrayLoadInstruction;
import java.lang.classfile.instruction.ArrayStoreInstruction;
import java.lang.classfile.instruction.BranchInstruction;
import java.lang.classfile.instruction.ConstantInstruction;
import java.lang.classfile.instruction.ConvertInstruction;
import java.lang.classfile.instruction.FieldInstruction;
import java.lang.classfile.instruction.IncrementInstruction;
import java.lang.classfile.instruction.InvokeDynamicInstruction;
import java.lang.classfile.instruction.InvokeInstruction;
import java.lang.classfile.instruction.LoadInstruction;
import java.lang.classfile.instruction.MonitorInstruction;
import java.lang.classfile.instruction.NewMultiArrayInstruction;
import java.lang.classfile.instruction.NewObjectInstruction;
import java.lang.classfile.instruction.NewPrimitiveArrayInstruction;
import java.lang.classfile.instruction.NewReferenceArrayInstruction;
import java.lang.classfile.instruction.NopInstruction;
import java.lang.classfile.instruction.OperatorInstruction;
import java.lang.classfile.instruction.StackInstruction;
import java.lang.classfile.instruction.StoreInstruction;
import java.lang.classfile.instruction.TypeCheckInstruction;
import java.lang.constant.ClassDesc;
import java.lang.constant.MethodTypeDesc;
import java.util.OptionalInt;

/// By how many slots an instruction changes the height of the operand stack (JVMS 6.5).
final class StackEffect {
  private StackEffect() {}

  /// Empty for instructions that nothing follows: after these, frames say what is on the stack.
  static OptionalInt of(Instruction instruction) {
    return switch (instruction) {
      case LoadInstruction load -> known(load.typeKind().slotSize());
      case StoreInstruction store -> known(-store.typeKind().slotSize());
      case ConstantInstruction constant -> known(constant.typeKind().slotSize());
      case FieldInstruction access -> known(ofField(access));
      case InvokeInstruction call -> {
        int receiver = call.opcode() == Opcode.INVOKESTATIC ? 0 : 1;
        yield known(ofCall(call.typeSymbol()) - receiver);
      }
      case InvokeDynamicInstruction call -> known(ofCall(call.typeSymbol()));
      case OperatorInstruction operator -> known(ofOperator(operator));
      case ConvertInstruction convert ->
          known(convert.toType().slotSize() - convert.fromType().slotSize());
      case ArrayLoadInstruction load -> known(load.typeKind().slotSize() - 2);
      case ArrayStoreInstruction store -> known(-store.typeKind().slotSize() - 2);
      case StackInstruction stack -> known(ofStack(stack.opcode()));
      case NewObjectInstruction _ -> known(1);
      case MonitorInstruction _ -> known(-1);
      case BranchInstruction branch -> ofBranch(branch.opcode());
      case NewPrimitiveArrayInstruction _,
          NewReferenceArrayInstruction _,
          TypeCheckInstruction _,
          IncrementInstruction _,
          NopInstruction _ ->
          known(0);
      case NewMultiArrayInstruction array -> known(1 - array.dimensions());
      default -> OptionalInt.empty();
    };
  }

  private static OptionalInt known(int slots) {
    return OptionalInt.of(slots);
  }

  private static int slots(ClassDesc type) {
    return TypeKind.from(type).slotSize();
  }

  private static int ofField(FieldInstruction access) {
    int value = slots(access.typeSymbol());
    return switch (access.opcode()) {
      case GETFIELD -> value - 1;
      case PUTFIELD -> -value - 1;
      case GETSTATIC -> value;
      default -> -value;
    };
  }

  private static int ofCall(MethodTypeDesc type) {
    int arguments = type.parameterList().stream().mapToInt(StackEffect::slots).sum();
    return slots(type.returnType()) - arguments;
  }

  private static int ofOperator(OperatorInstruction operator) {
    return switch (operator.opcode()) {
      case INEG, LNEG, FNEG, DNEG, ARRAYLENGTH -> 0;
      case LSHL, LSHR, LUSHR -> -1;
      case LCMP, DCMPL, DCMPG -> -3;
      case FCMPL, FCMPG -> -1;
      default -> -operator.typeKind().slotSize();
    };
  }

  private static OptionalInt ofBranch(Opcode opcode) {
    return switch (opcode) {
      case GOTO, GOTO_W -> OptionalInt.empty();
      case IFEQ, IFNE, IFLT, IFGE, IFGT, IFLE, IFNULL, IFNONNULL -> known(-1);
      default -> known(-2);
    };
  }

  private static int ofStack(Opcode opcode) {
    return switch (opcode) {
      case POP -> -1;
      case POP2 -> -2;
      case DUP, DUP_X1, DUP_X2 -> 1;
      case DUP2, DUP2_X1, DUP2_X2 -> 2;
      default -> 0;
    };
  }
}
