package dev.tigris.memory;

import java.util.Locale;

/// One instruction of a [Recipe]: Jaguar bytecode for a small stack machine.
///
/// *Peek* and *poke* have no address operand. Their base is always the recipe's receiver, which
/// only the machine knows, so that an address is nothing that a recipe could compute, keep or give
/// away.
sealed interface Instruction {
  /// What an access orders.
  enum Ordering {
    PLAIN,
    /// Reads: what was written before the release that wrote the value is seen.
    ACQUIRE,
    /// Writes: whoever acquires the value sees what was written before.
    RELEASE
  }

  /// `-> T`: pushes the recipe's argument.
  record Argument() implements Instruction {
    @Override
    public String toString() {
      return "argument";
    }
  }

  /// `-> T`: pushes what lies `offset` bytes behind the receiver's first byte.
  record Peek(Primitive primitive, int offset, Ordering ordering) implements Instruction {
    @Override
    public String toString() {
      return "peek " + describe(primitive, offset, ordering);
    }
  }

  /// `T ->`: writes a value `offset` bytes behind the receiver's first byte.
  record Poke(Primitive primitive, int offset, Ordering ordering) implements Instruction {
    @Override
    public String toString() {
      return "poke " + describe(primitive, offset, ordering);
    }
  }

  /// `long -> Pso`: turns a stored reference into the object that it means, which is checked.
  ///
  /// @param slot where the receiver keeps the object
  record Recover(int slot) implements Instruction {
    @Override
    public String toString() {
      return "recover slot " + slot;
    }
  }

  /// `Pso ->`: writes a reference, and keeps the object.
  ///
  /// @param slot where the receiver keeps the object
  /// @param offset of the stored reference, 8 bytes
  record Assign(int slot, int offset, Ordering ordering) implements Instruction {
    @Override
    public String toString() {
      return "assign " + describe(Primitive.LONG, offset, ordering) + " slot " + slot;
    }
  }

  /// `int -> Enum`: turns a stored code into the constant it stands for, which is checked.
  ///
  /// @param reader the class that declares the field
  record Decode(EnumCodes codes, PsoClass reader) implements Instruction {
    @Override
    public String toString() {
      return "decode " + codes;
    }
  }

  /// `Enum -> int`: turns a constant into its code.
  record Encode(EnumCodes codes) implements Instruction {
    @Override
    public String toString() {
      return "encode " + codes;
    }
  }

  /// `-> Utf8`: pushes a new [Utf8] for a text that lies in the receiver.
  ///
  /// @param offset of its length, behind which `capacityBytes` may be used
  record Text(int offset, int capacityBytes) implements Instruction {
    @Override
    public String toString() {
      return "text[" + capacityBytes + "] @" + offset;
    }
  }

  /// `-> View`: pushes a new [View] of an array that lies in the receiver.
  record Array(Primitive element, int offset, int length) implements Instruction {
    /// The size of the array in bytes.
    long sizeBytes() {
      return (long) length * element.sizeBytes();
    }

    @Override
    public String toString() {
      return "array " + name(element) + "[" + length + "] @" + offset;
    }
  }

  /// `-> Pso`: pushes an object that stands for one that lies in the receiver.
  ///
  /// @param index which of the receiver's objects in place it is
  /// @param offset of its first byte
  /// @param bytes how many it has
  record Nested(int index, int offset, int bytes) implements Instruction {
    @Override
    public String toString() {
      return "nested " + index + " @" + offset;
    }
  }

  /// `-> T`: pushes a value.
  ///
  /// @param value boxed as the type says
  record Constant(Primitive primitive, Object value) implements Instruction {
    @Override
    public String toString() {
      Object shown = value instanceof Character unit ? (Object) (int) unit : value;
      return "constant " + name(primitive) + " " + shown;
    }
  }

  /// `T, T -> T`: what Java's operator gives; see [Operator] for those that differ.
  record Compute(Operator operator, Primitive primitive) implements Instruction {
    @Override
    public String toString() {
      return operator.text() + " " + name(primitive);
    }
  }

  /// `T -> U`: a cast between types of numbers.
  record Convert(Primitive from, Primitive to) implements Instruction {
    @Override
    public String toString() {
      return "convert " + name(from) + " " + name(to);
    }
  }

  /// `T -> T`: puts the bytes of a whole number in the other order.
  record Reverse(Primitive primitive) implements Instruction {
    @Override
    public String toString() {
      return "reverse " + name(primitive);
    }
  }

  /// `T -> U`: takes the bits of a floating-point number for those of a whole one of the same size,
  /// or the other way round.
  record Reinterpret(Primitive from, Primitive to) implements Instruction {
    @Override
    public String toString() {
      return "reinterpret " + name(from) + " " + name(to);
    }
  }

  /// An operation on two values. None can fail: there is no division of whole numbers.
  enum Operator {
    ADD,
    SUBTRACT,
    MULTIPLY,
    /// Divides floating-point numbers only.
    DIVIDE,
    /// This and the next two work on whole numbers and on booleans.
    AND,
    OR,
    XOR,
    /// This and the next two: of a whole number, by an `int`, of which Java's bits count.
    SHL,
    SHR,
    USHR,
    /// This and the next: of whole numbers; gives a `boolean`.
    EQ,
    NE;

    boolean isShift() {
      return this == SHL || this == SHR || this == USHR;
    }

    boolean isComparison() {
      return this == EQ || this == NE;
    }

    /// Whether it computes with values of a type.
    boolean takes(Primitive primitive) {
      return switch (primitive) {
        case INT, LONG -> this != DIVIDE;
        case FLOAT, DOUBLE -> compareTo(DIVIDE) <= 0;
        case BOOLEAN -> this == AND || this == OR || this == XOR;
        case BYTE, SHORT, CHAR -> false;
      };
    }

    String text() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  private static String name(Primitive primitive) {
    return primitive.type().getName();
  }

  private static String describe(Primitive primitive, int offset, Ordering ordering) {
    String suffix =
        ordering == Ordering.PLAIN ? "" : " " + ordering.name().toLowerCase(Locale.ROOT);
    return name(primitive) + " @" + offset + suffix;
  }
}
