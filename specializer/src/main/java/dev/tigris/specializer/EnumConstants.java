package dev.tigris.specializer;

import java.lang.constant.ClassDesc;
import java.lang.reflect.AccessFlag;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/// The constants of an enum, which are stored by the hash codes of their names, where 0 is null
/// (`EnumCodes` of `memory`, whose words these are).
final class EnumConstants {
  private EnumConstants() {}

  /// What is wrong with an enum that is to be stored; nothing if the type is none.
  static Optional<String> problem(ClassDesc type, ClassHierarchy hierarchy) {
    return Storage.isEnum(type, hierarchy)
        ? hierarchy.find(type).flatMap(EnumConstants::problem)
        : Optional.empty();
  }

  private static Optional<String> problem(ClassInfo type) {
    String name = Location.nameOf(type.name());
    Map<Integer, String> byCode = new HashMap<>();
    for (FieldInfo field : type.fields()) {
      if (field.has(AccessFlag.ENUM)) {
        int code = field.name().hashCode();
        if (code == 0) {
          return Optional.of(
              ("%s.%s cannot be stored: the hash code of its name is 0, which stands "
                      + "for null. Rename it")
                  .formatted(name, field.name()));
        }
        String other = byCode.put(code, field.name());
        if (other != null) {
          return Optional.of(
              "%s.%s and %s cannot be told apart when stored: their names have the same hash code."
                      .formatted(name, other, field.name())
                  + " Rename one");
        }
      }
    }
    return Optional.empty();
  }
}
