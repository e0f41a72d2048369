package dev.tigris.specializer;

import java.lang.classfile.ClassBuilder;
import java.lang.classfile.ClassFile;
import java.lang.classfile.CodeBuilder;
import java.lang.constant.ClassDesc;
import java.lang.constant.MethodTypeDesc;
import java.util.function.Consumer;

/// A field or method that a rule adds to a class, marked as synthetic.
public sealed interface AddedMember {
  /// The name; begin it with the rule's own, so that it meets no other.
  String name();

  /// A field.
  ///
  /// @param flags access flags (JVMS 4.5)
  record Field(String name, ClassDesc type, int flags) implements AddedMember {}

  /// A method.
  ///
  /// @param flags access flags (JVMS 4.6)
  /// @param code writes its body, the same each time
  record Method(String name, MethodTypeDesc type, int flags, Consumer<CodeBuilder> code)
      implements AddedMember {}

  /// Name and descriptor, which tell the members of a class apart.
  default String key() {
    return switch (this) {
      case Field field -> field.name + ":" + field.type.descriptorString();
      case Method method -> method.name + method.type.descriptorString();
    };
  }

  /// Adds the member to a class.
  default void addTo(ClassBuilder builder) {
    switch (this) {
      case Field field ->
          builder.withField(field.name, field.type, field.flags | ClassFile.ACC_SYNTHETIC);
      case Method method ->
          builder.withMethodBody(
              method.name, method.type, method.flags | ClassFile.ACC_SYNTHETIC, method.code);
    }
  }
}
