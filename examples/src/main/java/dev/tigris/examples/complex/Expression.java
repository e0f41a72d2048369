package dev.tigris.examples.complex;

import java.lang.classfile.CodeBuilder;
import java.lang.classfile.Instruction;
import java.lang.classfile.Opcode;
import java.lang.classfile.TypeKind;
import java.lang.classfile.instruction.ArrayLoadInstruction;
import java.lang.classfile.instruction.ConstantInstruction;
import java.lang.classfile.instruction.ConvertInstruction;
import java.lang.classfile.instruction.FieldInstruction;
import java.lang.classfile.instruction.InvokeInstruction;
import java.lang.classfile.instruction.LoadInstruction;
import java.lang.classfile.instruction.NewObjectInstruction;
import java.lang.classfile.instruction.OperatorInstruction;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.MethodTypeDesc;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// An expression over complex numbers, found at the front of a sequence of instructions.
///
/// It is parsed by running the instructions on a stack of kinds of values. Only what has no effect
/// but on the stack may stand in an expression: then it makes no difference that a number's parts
/// are read when it is pushed, and not when the operator is called.
final class Expression {
  /// What a value on the operand stack is.
  private sealed interface Value {}

  /// A reference, pushed by the instruction at an index; perhaps to a complex number.
  private record Reference(int pushedAt) implements Value {}

  /// A complex number that the expression made, now two doubles.
  private record Made() implements Value {}

  /// A `new Complex` before its constructor is called, now nothing.
  private record Unmade() implements Value {}

  private record Plain(TypeKind kind) implements Value {}

  private static final ClassDesc COMPLEX = ComplexRule.COMPLEX;
  private static final MethodTypeDesc PARTS =
      MethodTypeDesc.of(ConstantDescs.CD_void, ConstantDescs.CD_double, ConstantDescs.CD_double);
  private static final MethodTypeDesc PART = MethodTypeDesc.of(ConstantDescs.CD_double);
  private static final MethodTypeDesc OPERATOR = MethodTypeDesc.of(COMPLEX, COMPLEX);
  private static final MethodTypeDesc SET = MethodTypeDesc.of(ConstantDescs.CD_void, COMPLEX);

  private final List<Instruction> code;
  private final ClassDesc in;
  private final Deque<Value> stack = new ArrayDeque<>();

  /// Where references are pushed that an operator takes: their parts take their place.
  private final Set<Integer> taken = new HashSet<>();

  /// Which instructions are done on doubles, instead of by a method of an object.
  private final Set<Integer> unboxed = new HashSet<>();

  private int operators;
  private int length;
  private boolean boxes;

  private Expression(List<Instruction> code, ClassDesc in) {
    this.code = code;
    this.in = in;
  }

  /// Whether an expression may begin with an instruction.
  static boolean canBegin(Instruction instruction) {
    return isReference(instruction)
        || (instruction instanceof NewObjectInstruction made
            && made.className().asSymbol().equals(COMPLEX));
  }

  private static boolean isReference(Instruction instruction) {
    return (instruction instanceof LoadInstruction load && load.typeKind() == TypeKind.REFERENCE)
        || instruction.opcode() == Opcode.GETSTATIC;
  }

  /// Finds the longest expression that a sequence begins with and that saves an object.
  ///
  /// @param in the class around it: reading another's static field may run its initializer
  static Optional<Expression> parse(List<Instruction> sequence, ClassDesc in) {
    Expression parsed = new Expression(sequence, in);
    for (int index = 0; index < sequence.size() && parsed.step(index); index++) {
      parsed.mayEndAfter(index);
    }
    return parsed.length == 0 ? Optional.empty() : Optional.of(parsed);
  }

  private void mayEndAfter(int index) {
    boolean plain = stack.isEmpty() || (stack.size() == 1 && stack.peek() instanceof Plain);
    boolean number = stack.size() == 1 && stack.peek() instanceof Made;
    if ((plain && operators > 0) || (number && operators > 1)) {
      length = index + 1;
      boxes = number;
    }
  }

  /// How many instructions it has.
  int length() {
    return length;
  }

  /// Runs an instruction; false if it cannot be part of an expression.
  private boolean step(int index) {
    return switch (code.get(index)) {
      case LoadInstruction load -> push(index, load.typeKind());
      case ConstantInstruction constant -> push(index, constant.typeKind());
      case FieldInstruction field -> field(index, field);
      case NewObjectInstruction made -> {
        stack.push(new Unmade());
        yield made.className().asSymbol().equals(COMPLEX)
            && index + 1 < code.size()
            && code.get(index + 1).opcode() == Opcode.DUP;
      }
      case ArrayLoadInstruction load ->
          pop(TypeKind.INT) && popReference() && push(index, load.typeKind());
      case OperatorInstruction operator -> operator(index, operator);
      case ConvertInstruction convert -> pop(convert.fromType()) && push(index, convert.toType());
      case InvokeInstruction call -> call.owner().asSymbol().equals(COMPLEX) && call(index, call);
      // The one that belongs to 'new'.
      case Instruction other -> other.opcode() == Opcode.DUP && stack.peek() instanceof Unmade;
    };
  }

  private boolean push(int index, TypeKind kind) {
    stack.push(kind == TypeKind.REFERENCE ? new Reference(index) : new Plain(kind.asLoadable()));
    return true;
  }

  private boolean pop(TypeKind kind) {
    return stack.poll() instanceof Plain plain && plain.kind == kind.asLoadable();
  }

  private boolean popPair(TypeKind kind) {
    boolean upper = pop(kind);
    boolean lower = pop(kind);
    return upper && lower;
  }

  private boolean popReference() {
    return stack.poll() instanceof Reference;
  }

  private boolean field(int index, FieldInstruction field) {
    TypeKind kind = TypeKind.from(field.typeSymbol());
    return switch (field.opcode()) {
      case GETSTATIC -> field.owner().asSymbol().equals(in) && push(index, kind);
      case GETFIELD -> popReference() && push(index, kind);
      default -> false;
    };
  }

  private boolean operator(int index, OperatorInstruction operator) {
    TypeKind kind = operator.typeKind();
    return switch (operator.opcode()) {
      case DADD, DSUB, DMUL, DDIV, DREM, FADD, FSUB, FMUL, FDIV, IADD, ISUB, IMUL ->
          popPair(kind) && push(index, kind);
      case DNEG, FNEG, INEG -> pop(kind) && push(index, kind);
      default -> false;
    };
  }

  private boolean call(int index, InvokeInstruction call) {
    MethodTypeDesc type = call.typeSymbol();
    return switch (call.name().stringValue()) {
      case "<init>" -> {
        boolean made = popPair(TypeKind.DOUBLE);
        made = made && stack.poll() instanceof Unmade && type.equals(PARTS);
        yield made && number(index);
      }
      case "plus", "minus", "times" -> type.equals(OPERATOR) && takePair() && number(index);
      case "set" -> type.equals(SET) && take(stack.poll()) && popReference() && unboxed.add(index);
      case "re", "im", "norm" -> {
        Value of = stack.poll();
        if (of instanceof Made) {
          unboxed.add(index);
        }
        yield type.equals(PART)
            && (of instanceof Made || of instanceof Reference)
            && push(index, TypeKind.DOUBLE);
      }
      default -> false;
    };
  }

  private boolean number(int index) {
    unboxed.add(index);
    operators++;
    stack.push(new Made());
    return true;
  }

  private boolean takePair() {
    boolean right = take(stack.poll());
    boolean left = take(stack.poll());
    return right && left;
  }

  private boolean take(@Nullable Value operand) {
    if (operand instanceof Reference reference) {
      taken.add(reference.pushedAt);
    }
    return operand instanceof Reference || operand instanceof Made;
  }

  /// Writes the same expression without objects.
  void write(CodeBuilder builder) {
    List<Integer> variables = new ArrayList<>();
    for (int part = 0; part < 4; part++) {
      variables.add(builder.allocateLocal(TypeKind.DOUBLE));
    }
    Arithmetic arithmetic = new Arithmetic(builder, variables);
    for (int index = 0; index < length; index++) {
      Instruction instruction = code.get(index);
      if (instruction instanceof InvokeInstruction call && unboxed.contains(index)) {
        arithmetic.instead(call.name().stringValue());
      } else if (!(instruction instanceof NewObjectInstruction)
          && instruction.opcode() != Opcode.DUP) {
        builder.with(instruction);
        if (taken.contains(index)) {
          arithmetic.parts();
        }
      }
    }
    if (boxes) {
      arithmetic.box();
    }
  }

  /// Arithmetic on pairs of doubles on the operand stack, `a + b i` below `c + d i`.
  private record Arithmetic(CodeBuilder builder, List<Integer> variables) {
    private void load(int variable) {
      builder.dload(variables.get(variable));
    }

    /// Stores the top of the stack, the last part first.
    private void store(int count) {
      for (int variable = count - 1; variable >= 0; variable--) {
        builder.dstore(variables.get(variable));
      }
    }

    /// Of the reference on top.
    void parts() {
      builder
          .dup()
          .invokevirtual(COMPLEX, "re", PART)
          .dup2_x1()
          .pop2()
          .invokevirtual(COMPLEX, "im", PART);
    }

    void box() {
      store(2);
      builder.new_(COMPLEX).dup();
      load(0);
      load(1);
      builder.invokespecial(COMPLEX, ConstantDescs.INIT_NAME, PARTS);
    }

    void instead(String method) {
      switch (method) {
        case "<init>" -> {} // its arguments are the number
        case "plus", "minus" -> byParts(method.equals("plus"));
        case "times" -> times();
        case "set" -> builder.invokevirtual(COMPLEX, "set", PARTS);
        case "re" -> builder.pop2();
        case "im" -> {
          store(2);
          load(1);
        }
        case "norm" -> {
          store(2);
          product(0, 0);
          product(1, 1);
          builder.dadd();
        }
        default -> throw new IllegalStateException("no method of an expression: " + method);
      }
    }

    private void product(int left, int right) {
      load(left);
      load(right);
      builder.dmul();
    }

    private void byParts(boolean sum) {
      store(4);
      for (int part = 0; part < 2; part++) {
        load(part);
        load(part + 2);
        if (sum) {
          builder.dadd();
        } else {
          builder.dsub();
        }
      }
    }

    private void times() {
      store(4);
      product(0, 2);
      product(1, 3);
      builder.dsub();
      product(0, 3);
      product(1, 2);
      builder.dadd();
    }
  }
}
