package dev.tigris.memory;

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
  record Decode(EnumCodes codes) implements Instruction {
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

  /// `-> Object`: pushes what stands for a field that lies in the receiver itself.
  ///
  /// @param index of the part
  record Part(int index) implements Instruction {
    @Override
    public String toString() {
      return "part " + index;
    }
  }

  private static String describe(Primitive primitive, int offset, Ordering ordering) {
    String suffix =
        ordering == Ordering.PLAIN ? "" : " " + ordering.name().toLowerCase(java.util.Locale.ROOT);
    return primitive.type().getName() + " @" + offset + suffix;
  }
}
