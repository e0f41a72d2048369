package dev.tigris.specializer;

import java.lang.classfile.Annotation;
import java.lang.classfile.Attributes;
import java.lang.classfile.FieldModel;
import java.lang.constant.ClassDesc;
import java.lang.reflect.AccessFlag;
import java.util.Set;
import java.util.stream.Collectors;

/// A field as its class file declares it.
///
/// @param owner the class that declares it
/// @param annotations those that are visible at run time
public record FieldInfo(
    ClassDesc owner,
    String name,
    ClassDesc type,
    Set<AccessFlag> flags,
    Set<ClassDesc> annotations) {
  static FieldInfo of(ClassDesc owner, FieldModel field) {
    Set<ClassDesc> annotations =
        field
            .findAttribute(Attributes.runtimeVisibleAnnotations())
            .map(
                attribute ->
                    attribute.annotations().stream()
                        .map(Annotation::classSymbol)
                        .collect(Collectors.toUnmodifiableSet()))
            .orElse(Set.of());
    return new FieldInfo(
        owner,
        field.fieldName().stringValue(),
        field.fieldTypeSymbol(),
        field.flags().flags(),
        annotations);
  }

  boolean has(AccessFlag flag) {
    return flags.contains(flag);
  }

  boolean has(ClassDesc annotation) {
    return annotations.contains(annotation);
  }
}
