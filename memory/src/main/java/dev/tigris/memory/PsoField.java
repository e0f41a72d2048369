package dev.tigris.memory;

/// A stored field of a [PsoLayout].
///
/// @param declaringClass the class that declares it: a subclass may declare another of the same
///     name
/// @param offset from the object's first byte
/// @param ordered whether the field is `volatile`: reads then acquire and writes release
public record PsoField(
    Class<?> declaringClass, String name, FieldKind kind, int offset, boolean ordered) {
  int end() {
    return offset + kind.sizeBytes();
  }
}
