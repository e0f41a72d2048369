package dev.tigris.specializer;

import java.lang.classfile.Annotation;
import java.lang.classfile.Attributes;
import java.lang.classfile.FieldModel;
import java.lang.constant.ClassDesc;
import java.lang.reflect.AccessFlag;
import java.util.Set;

/// A field as its class file declares it.
///
/// @param owner the class that declares it
/// @param heapOnly whether it carries `@HeapOnly`
public record FieldInfo(
    ClassDesc owner, String name, ClassDesc type, Set<AccessFlag> flags, boolean heapOnly) {
  static FieldInfo of(ClassDesc owner, FieldModel field) {
    boolean heapOnly =
        field
            .findAttribute(Attributes.runtimeVisibleAnnotations())
            .map(
                attribute ->
                    attribute.annotations().stream()
                        .map(Annotation::classSymbol)
                        .anyMatch(MemoryNames.HEAP_ONLY::equals))
            .orElse(false);
    return new FieldInfo(
        owner,
        field.fieldName().stringValue(),
        field.fieldTypeSymbol(),
        field.flags().flags(),
        heapOnly);
  }

  boolean has(AccessFlag flag) {
    return flags.contains(flag);
  }
}
