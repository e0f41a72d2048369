package dev.tigris.bench.memory;

import dev.tigris.memory.Container;
import dev.tigris.memory.Pso;
import java.lang.classfile.TypeKind;
import java.lang.constant.ClassDesc;
import java.util.Locale;

/// Fields of one type that a generated method works on: of plain and of pre-serialized objects that
/// declare the same ones.
enum Fields {
  /// Sixteen ints, and nothing else.
  SIXTEEN_INTS("f", TypeKind.INT, 16),
  BOOLEAN("z", TypeKind.BOOLEAN, 4),
  BYTE("b", TypeKind.BYTE, 4),
  SHORT("s", TypeKind.SHORT, 4),
  CHAR("c", TypeKind.CHAR, 4),
  INT("i", TypeKind.INT, 4),
  LONG("l", TypeKind.LONG, 4),
  FLOAT("f", TypeKind.FLOAT, 4),
  DOUBLE("d", TypeKind.DOUBLE, 4);

  final TypeKind type;
  final int count;
  private final String prefix;

  Fields(String prefix, TypeKind type, int count) {
    this.prefix = prefix;
    this.type = type;
    this.count = count;
  }

  Class<?> plain() {
    return this == SIXTEEN_INTS ? PlainInts.class : PlainMixed.class;
  }

  Class<? extends Pso> pso() {
    return this == SIXTEEN_INTS ? PsoInts.class : PsoMixed.class;
  }

  Object newPlain() {
    return this == SIXTEEN_INTS ? new PlainInts() : new PlainMixed();
  }

  Pso newPso(Container container) {
    return this == SIXTEEN_INTS ? new PsoInts(container) : new PsoMixed(container);
  }

  String field(int index) {
    return prefix + index;
  }

  ClassDesc typeDesc() {
    return type.upperBound();
  }

  /// What a field holds after `value` was stored in it, as a number.
  double stored(double value) {
    long whole = (long) value;
    return switch (type) {
      case BOOLEAN -> whole & 1;
      case BYTE -> (byte) whole;
      case SHORT -> (short) whole;
      case CHAR -> (char) whole;
      case INT -> (int) whole;
      case LONG -> whole;
      case FLOAT -> (float) value;
      case DOUBLE -> value;
      case REFERENCE, VOID -> throw new IllegalStateException("no such fields");
    };
  }

  /// The type's name.
  String label() {
    return name().toLowerCase(Locale.ROOT);
  }
}
