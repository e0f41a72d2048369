package dev.tigris.specializer.structure;

import java.lang.constant.ClassDesc;
import java.lang.constant.MethodTypeDesc;
import java.util.stream.Collectors;

/// The meaning that a rule gives to a method.
///
/// @param type its type, as the class declares it
/// @param recipe its meaning, in the notation that `memory` reads
public record StructureMethod(String name, MethodTypeDesc type, String recipe) {
  /// Name and descriptor, which tell the methods of a class apart.
  public String key() {
    return name + type.descriptorString();
  }

  /// The method in the form of a declaration: `int version()`.
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
