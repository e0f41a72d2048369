package dev.tigris.specializer.structure;

import java.lang.classfile.TypeKind;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// A part of a recipe that leaves one value.
///
/// @param type of the value
/// @param at where it stands in the file
/// @param literal the value, if it is written as a whole number of type `int`
/// @param steps the instructions
record Code(TypeKind type, int at, Optional<Integer> literal, List<String> steps) {
  Code {
    steps = List.copyOf(steps);
  }

  static Code of(TypeKind type, int at, String... steps) {
    return new Code(type, at, Optional.empty(), List.of(steps));
  }

  /// The code of one value after that of another, and an instruction that takes both.
  static Code both(Code left, Code right, TypeKind result, String instruction) {
    List<String> steps = new ArrayList<>(left.steps);
    steps.addAll(right.steps);
    steps.add(instruction);
    return new Code(result, left.at, Optional.empty(), steps);
  }

  /// An instruction that takes the value and leaves another.
  Code then(TypeKind result, String instruction) {
    List<String> more = new ArrayList<>(steps);
    more.add(instruction);
    return new Code(result, at, Optional.empty(), more);
  }

  /// Java's cast between types of numbers.
  Code cast(TypeKind to) {
    if (type == to) {
      return new Code(type, at, Optional.empty(), steps);
    }
    return then(to, "convert " + name(type) + " " + name(to));
  }

  /// The type that Java's operators make of it: at least `int` (JLS 5.6).
  TypeKind promoted() {
    return type == TypeKind.BOOLEAN ? type : type.asLoadable();
  }

  static String name(TypeKind type) {
    return type.upperBound().displayName();
  }
}
