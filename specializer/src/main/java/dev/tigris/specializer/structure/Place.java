package dev.tigris.specializer.structure;

import java.lang.classfile.TypeKind;

/// The place of a value in a structure, aligned and inside of it.
///
/// @param at where that is said
/// @param order `acquire`, `release` or nothing
/// @param big whether the byte that counts most comes first
record Place(TypeKind type, int offset, String order, boolean big, int at) {
  /// Code that peeks.
  Code read(Words words) throws RuleException {
    if (order.equals("release")) {
      throw words.wrong(at, "a read cannot 'release': write 'acquire', or nothing");
    }
    if (!big) {
      return Code.of(type, at, "peek " + describe(type));
    }
    TypeKind bits = bits();
    Code code =
        Code.of(bits, at, "peek " + describe(bits)).then(bits, "reverse " + Code.name(bits));
    return bits == type ? code : code.then(type, reinterpret(bits, type));
  }

  /// Code that pokes what other code leaves, which is of this place's type.
  Code write(Words words, Code value) throws RuleException {
    if (order.equals("acquire")) {
      throw words.wrong(at, "a write cannot 'acquire': write 'release', or nothing");
    }
    if (!big) {
      return value.then(TypeKind.VOID, "poke " + describe(type));
    }
    TypeKind bits = bits();
    Code whole = bits == type ? value : value.then(bits, reinterpret(type, bits));
    return whole
        .then(bits, "reverse " + Code.name(bits))
        .then(TypeKind.VOID, "poke " + describe(bits));
  }

  private String describe(TypeKind kind) {
    return Code.name(kind) + " @" + offset + (order.isEmpty() ? "" : " " + order);
  }

  private static String reinterpret(TypeKind from, TypeKind to) {
    return "reinterpret " + Code.name(from) + " " + Code.name(to);
  }

  /// The whole number whose bytes can be put in the other order.
  private TypeKind bits() {
    return switch (type) {
      case FLOAT -> TypeKind.INT;
      case DOUBLE -> TypeKind.LONG;
      default -> type;
    };
  }
}
