package dev.tigris.specializer;

import java.lang.classfile.Annotation;
import java.lang.classfile.AnnotationElement;
import java.lang.classfile.AnnotationValue;
import java.lang.classfile.Attributes;
import java.lang.classfile.FieldModel;
import java.lang.classfile.Signature;
import java.lang.classfile.attribute.RuntimeVisibleAnnotationsAttribute;
import java.lang.constant.ClassDesc;
import java.lang.reflect.AccessFlag;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.stream.Collectors;

/// A field as it is declared, also where the specializer has left less of it in its class.
///
/// @param owner the class that declares it
/// @param annotations those that are visible at run time
/// @param capacity what it says in `@Capacity`, where it does
/// @param element the class of the elements of a list or table, where the declaration names one
public record FieldInfo(
    ClassDesc owner,
    String name,
    ClassDesc type,
    Set<AccessFlag> flags,
    Set<ClassDesc> annotations,
    OptionalInt capacity,
    Optional<ClassDesc> element) {
  static FieldInfo of(ClassDesc owner, FieldModel field) {
    List<Annotation> annotations =
        field
            .findAttribute(Attributes.runtimeVisibleAnnotations())
            .map(RuntimeVisibleAnnotationsAttribute::annotations)
            .orElse(List.of());
    ClassDesc type = DeadField.typeOf(field);
    return new FieldInfo(
        owner,
        field.fieldName().stringValue(),
        type,
        field.flags().flags(),
        annotations.stream().map(Annotation::classSymbol).collect(Collectors.toUnmodifiableSet()),
        annotations.stream()
            .filter(annotation -> annotation.classSymbol().equals(MemoryNames.CAPACITY))
            .flatMap(annotation -> annotation.elements().stream())
            .map(AnnotationElement::value)
            .filter(AnnotationValue.OfInt.class::isInstance)
            .mapToInt(value -> ((AnnotationValue.OfInt) value).intValue())
            .findFirst(),
        MemoryNames.COLLECTIONS.contains(type) ? typeArgument(field) : Optional.empty());
  }

  /// The one class that is the argument of a field's type: of `PsoList<Trade>` and of
  /// `PsoList<Trade<String>>` it is `Trade`. Empty for other declarations, such as `PsoList`,
  /// `PsoList<? extends Trade>` and `PsoList<T>`.
  private static Optional<ClassDesc> typeArgument(FieldModel field) {
    try {
      return field
          .findAttribute(Attributes.signature())
          .map(attribute -> Signature.parseFrom(attribute.signature().stringValue()))
          .flatMap(FieldInfo::argument);
    } catch (IllegalArgumentException e) {
      return Optional.empty(); // damaged, which the JVM does not mind
    }
  }

  private static Optional<ClassDesc> argument(Signature type) {
    return type instanceof Signature.ClassTypeSig generic
            && generic.typeArgs().size() == 1
            && generic.typeArgs().getFirst() instanceof Signature.TypeArg.Bounded argument
            && argument.wildcardIndicator() == Signature.TypeArg.Bounded.WildcardIndicator.NONE
            && argument.boundType() instanceof Signature.ClassTypeSig element
        ? Optional.of(element.classDesc())
        : Optional.empty();
  }

  /// Whether the program has declared that it stays in the Java object.
  boolean isHeapOnly() {
    return has(MemoryNames.HEAP_ONLY) && !has(AccessFlag.STATIC) && !has(AccessFlag.SYNTHETIC);
  }

  boolean has(AccessFlag flag) {
    return flags.contains(flag);
  }

  boolean has(ClassDesc annotation) {
    return annotations.contains(annotation);
  }
}
