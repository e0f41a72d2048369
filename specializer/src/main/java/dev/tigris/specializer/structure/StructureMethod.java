package dev.tigris.specializer.structure;

import java.lang.constant.ClassDesc;
import java.lang.constant.MethodTypeDesc;
import java.util.stream.Collectors;

/// What a rule says of one method.
///
/// @param type as the class declares it
/// @param recipe in the notation that `memory` reads
public record StructureMethod(String name, MethodTypeDesc type, String recipe) {
  /// Name and descriptor, which tell the methods of a class apart.
  public String key() {
    return name + type.descriptorString();
  }

  /// As the class would declare it: `int version()`.
  @Override
  public String toString() {
    return type.returnType().displayName()
        + " "
        + name
        + type.parameterList().stream()
            .map(ClassDesc::displayName)
            .collect(Collectors.joining(", ", "(", ")"));
  }
}
