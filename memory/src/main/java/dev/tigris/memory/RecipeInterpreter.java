package dev.tigris.memory;

import dev.tigris.memory.Instruction.Operator;
import dev.tigris.memory.Instruction.Ordering;
import dev.tigris.memory.raw.Raw;
import java.lang.invoke.VarHandle;
import java.lang.ref.Reference;
import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/// Runs a recipe step by step. It defines what a recipe means; tests hold the compiler against it.
final class RecipeInterpreter {
  private final Recipe recipe;
  private final Pso receiver;

  /// A deque takes no null, which a reference may be.
  private final Deque<Value> stack = new ArrayDeque<>();

  private record Value(@Nullable Object value) {}

  private RecipeInterpreter(Recipe recipe, Pso receiver) {
    this.recipe = recipe;
    this.receiver = receiver;
  }

  /// Runs a recipe that has been verified.
  ///
  /// @param argument what the recipe takes beside its receiver, boxed; ignored if it takes nothing
  /// @return what it returns, boxed; null if nothing
  static @Nullable Object run(Recipe recipe, Pso receiver, @Nullable Object argument) {
    Pso.checkLease(receiver);
    RecipeInterpreter machine = new RecipeInterpreter(recipe, receiver);
    for (Instruction instruction : recipe.body()) {
      machine.step(instruction, argument);
    }
    Reference.reachabilityFence(receiver);
    return machine.stack.isEmpty() ? null : machine.stack.pop().value;
  }

  private void step(Instruction instruction, @Nullable Object argument) {
    switch (instruction) {
      case Instruction.Argument() -> stack.push(new Value(argument));
      case Instruction.Peek(Primitive primitive, int offset, Ordering ordering) -> {
        boolean acquire = ordering == Ordering.ACQUIRE;
        stack.push(new Value(peek(primitive, address(offset), acquire)));
      }
      case Instruction.Poke(Primitive primitive, int offset, Ordering ordering) -> {
        boolean release = ordering == Ordering.RELEASE;
        poke(primitive, address(offset), pop(), release);
      }
      case Instruction.Recover(int index) ->
          stack.push(new Value(Pso.recover(receiver, (long) pop(), slot(index))));
      case Instruction.Assign(int index, int offset, Ordering ordering) -> {
        boolean release = ordering == Ordering.RELEASE;
        Pso.assign(receiver, (Pso) stack.pop().value, slot(index), offset, release);
      }
      case Instruction.Decode(EnumCodes codes, PsoClass reader) ->
          stack.push(new Value(codes.decode((int) pop(), reader)));
      case Instruction.Encode(EnumCodes codes) ->
          stack.push(new Value(codes.encode((Enum<?>) stack.pop().value)));
      case Instruction.Text(int offset, int capacityBytes) ->
          stack.push(new Value(new Utf8(receiver, offset, capacityBytes)));
      case Instruction.Array array ->
          stack.push(new Value(receiver.view(array.element(), array.offset(), array.sizeBytes())));
      case Instruction.Nested(int index, int offset, int _) ->
          stack.push(new Value(Pso.nested(receiver, inPlace(index), index, offset)));
      case Instruction.Constant(Primitive _, Object value) -> stack.push(new Value(value));
      case Instruction.Compute(Operator operator, Primitive primitive) -> {
        Object right = pop();
        stack.push(new Value(compute(operator, primitive, pop(), right)));
      }
      case Instruction.Convert(Primitive from, Primitive to) ->
          stack.push(new Value(convert(from, to, pop())));
      case Instruction.Reverse(Primitive _) -> stack.push(new Value(reverse(pop())));
      case Instruction.Reinterpret(Primitive _, Primitive _) ->
          stack.push(new Value(reinterpret(pop())));
    }
  }

  private PsoSlot slot(int index) {
    return PsoClass.of(receiver.getClass()).slot(index);
  }

  private PsoTarget inPlace(int index) {
    return PsoTarget.inPlace(PsoClass.of(receiver.getClass()), index);
  }

  private static Object compute(Operator operator, Primitive of, Object left, Object right) {
    return switch (of) {
      case BOOLEAN -> compute(operator, (boolean) left, (boolean) right);
      case INT -> compute(operator, (int) left, (int) right);
      case LONG -> compute(operator, (long) left, ((Number) right).longValue());
      case FLOAT -> compute(operator, (float) left, (float) right);
      case DOUBLE -> compute(operator, (double) left, (double) right);
      case BYTE, SHORT, CHAR -> throw none(operator, of);
    };
  }

  private static IllegalStateException none(Operator operator, Object of) {
    return new IllegalStateException(operator + " of " + of + " was verified");
  }

  private static Object compute(Operator operator, boolean left, boolean right) {
    return switch (operator) {
      case AND -> left && right;
      case OR -> left || right;
      case XOR -> left != right;
      default -> throw none(operator, left);
    };
  }

  private static Object compute(Operator operator, int left, int right) {
    return switch (operator) {
      case ADD -> left + right;
      case SUBTRACT -> left - right;
      case MULTIPLY -> left * right;
      case AND -> left & right;
      case OR -> left | right;
      case XOR -> left ^ right;
      case SHL -> left << right;
      case SHR -> left >> right;
      case USHR -> left >>> right;
      case EQ -> left == right;
      case NE -> left != right;
      case DIVIDE -> throw none(operator, left);
    };
  }

  private static Object compute(Operator operator, long left, long right) {
    return switch (operator) {
      case ADD -> left + right;
      case SUBTRACT -> left - right;
      case MULTIPLY -> left * right;
      case AND -> left & right;
      case OR -> left | right;
      case XOR -> left ^ right;
      case SHL -> left << right;
      case SHR -> left >> right;
      case USHR -> left >>> right;
      case EQ -> left == right;
      case NE -> left != right;
      case DIVIDE -> throw none(operator, left);
    };
  }

  private static Object compute(Operator operator, float left, float right) {
    return switch (operator) {
      case ADD -> left + right;
      case SUBTRACT -> left - right;
      case MULTIPLY -> left * right;
      case DIVIDE -> left / right;
      default -> throw none(operator, left);
    };
  }

  private static Object compute(Operator operator, double left, double right) {
    return switch (operator) {
      case ADD -> left + right;
      case SUBTRACT -> left - right;
      case MULTIPLY -> left * right;
      case DIVIDE -> left / right;
      default -> throw none(operator, left);
    };
  }

  /// Java's casts (JLS 5.1). A `float` is exact as a `double`, and any whole number as a `long`.
  private static Object convert(Primitive from, Primitive to, Object value) {
    if (from == Primitive.FLOAT || from == Primitive.DOUBLE) {
      double number = ((Number) value).doubleValue();
      return switch (to) {
        case BYTE -> (byte) number;
        case SHORT -> (short) number;
        case CHAR -> (char) number;
        case INT -> (int) number;
        case LONG -> (long) number;
        case FLOAT -> (float) number;
        case DOUBLE -> number;
        case BOOLEAN -> throw new IllegalStateException("a number is no boolean");
      };
    }
    long number = value instanceof Character unit ? unit : ((Number) value).longValue();
    return switch (to) {
      case BYTE -> (byte) number;
      case SHORT -> (short) number;
      case CHAR -> (char) number;
      case INT -> (int) number;
      case LONG -> number;
      case FLOAT -> (float) number;
      case DOUBLE -> (double) number;
      case BOOLEAN -> throw new IllegalStateException("a number is no boolean");
    };
  }

  private static Object reverse(Object value) {
    return switch (value) {
      case Short number -> Short.reverseBytes(number);
      case Character number -> Character.reverseBytes(number);
      case Integer number -> Integer.reverseBytes(number);
      case Long number -> Long.reverseBytes(number);
      default -> throw new IllegalStateException(value + " has no order of bytes");
    };
  }

  private static Object reinterpret(Object value) {
    return switch (value) {
      case Integer bits -> Float.intBitsToFloat(bits);
      case Float number -> Float.floatToRawIntBits(number);
      case Long bits -> Double.longBitsToDouble(bits);
      case Double number -> Double.doubleToRawLongBits(number);
      default -> throw new IllegalStateException(value + " cannot be reinterpreted");
    };
  }

  private long address(int offset) {
    return Raw.address(receiver.bits) + offset;
  }

  private Object pop() {
    Object value = stack.pop().value;
    if (value == null) {
      throw new IllegalStateException("null where " + recipe + " has a primitive");
    }
    return value;
  }

  /// Reads a value.
  // The handles are exact, so the result type is stated in each call.
  static Object peek(Primitive primitive, long at, boolean acquire) {
    Object value =
        switch (primitive) {
          case BOOLEAN -> ((byte) Raw.BYTE.get(Raw.GLOBAL, at) & 1) != 0;
          case BYTE -> (byte) Raw.BYTE.get(Raw.GLOBAL, at);
          case SHORT -> (short) Raw.SHORT.get(Raw.GLOBAL, at);
          case CHAR -> (char) Raw.CHAR.get(Raw.GLOBAL, at);
          case INT -> (int) Raw.INT.get(Raw.GLOBAL, at);
          case LONG -> (long) Raw.LONG.get(Raw.GLOBAL, at);
          case FLOAT -> (float) Raw.FLOAT.get(Raw.GLOBAL, at);
          case DOUBLE -> (double) Raw.DOUBLE.get(Raw.GLOBAL, at);
        };
    if (acquire) {
      VarHandle.acquireFence();
    }
    return value;
  }

  private static void poke(Primitive primitive, long at, Object value, boolean release) {
    if (release) {
      VarHandle.releaseFence();
    }
    switch (primitive) {
      case BOOLEAN -> Raw.BYTE.set(Raw.GLOBAL, at, (byte) ((boolean) value ? 1 : 0));
      case BYTE -> Raw.BYTE.set(Raw.GLOBAL, at, (byte) value);
      case SHORT -> Raw.SHORT.set(Raw.GLOBAL, at, (short) value);
      case CHAR -> Raw.CHAR.set(Raw.GLOBAL, at, (char) value);
      case INT -> Raw.INT.set(Raw.GLOBAL, at, (int) value);
      case LONG -> Raw.LONG.set(Raw.GLOBAL, at, (long) value);
      case FLOAT -> Raw.FLOAT.set(Raw.GLOBAL, at, (float) value);
      case DOUBLE -> Raw.DOUBLE.set(Raw.GLOBAL, at, (double) value);
    }
  }
}
