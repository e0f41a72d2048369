package dev.tigris.specializer;

import java.lang.classfile.Attributes;
import java.lang.classfile.ClassModel;
import java.lang.classfile.MethodModel;
import java.lang.classfile.attribute.RuntimeVisibleAnnotationsAttribute;
import java.lang.classfile.constantpool.ClassEntry;
import java.lang.constant.ClassDesc;
import java.lang.reflect.AccessFlag;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/// A class as the specializer sees it: its place in the hierarchy and its fields.
///
/// @param superclass empty for `Object` only
/// @param binding the flags of its binding constructor, if it has one
/// @param isIdentity whether it says that objects of it have an identity
public record ClassInfo(
    ClassDesc name,
    Optional<ClassDesc> superclass,
    List<ClassDesc> interfaces,
    Set<AccessFlag> flags,
    List<FieldInfo> fields,
    Optional<Set<AccessFlag>> binding,
    boolean isIdentity) {
  static ClassInfo of(ClassModel model) {
    ClassDesc name = model.thisClass().asSymbol();
    return new ClassInfo(
        name,
        model.superclass().map(ClassEntry::asSymbol),
        model.interfaces().stream().map(ClassEntry::asSymbol).toList(),
        model.flags().flags(),
        model.fields().stream().map(field -> FieldInfo.of(name, field)).toList(),
        model.methods().stream()
            .filter(ClassInfo::isBindingConstructor)
            .map(method -> method.flags().flags())
            .findFirst(),
        model
            .findAttribute(Attributes.runtimeVisibleAnnotations())
            .filter(ClassInfo::saysIdentity)
            .isPresent());
  }

  private static boolean saysIdentity(RuntimeVisibleAnnotationsAttribute said) {
    return said.annotations().stream()
        .anyMatch(annotation -> annotation.classSymbol().equals(MemoryNames.IDENTITY));
  }

  private static boolean isBindingConstructor(MethodModel method) {
    return method.methodName().equalsString("<init>")
        && method.methodTypeSymbol().equals(MemoryNames.BINDING_CONSTRUCTOR_TYPE);
  }

  /// Whether the specializer has been here: it added the constructor that cannot be written in Java
  /// source, because a synthetic member has no source.
  boolean isSpecialized() {
    return binding.map(flags -> flags.contains(AccessFlag.SYNTHETIC)).orElse(false);
  }

  boolean isInterface() {
    return flags.contains(AccessFlag.INTERFACE);
  }

  boolean isAccessibleFrom(ClassDesc other) {
    return flags.contains(AccessFlag.PUBLIC) || name.packageName().equals(other.packageName());
  }
}
