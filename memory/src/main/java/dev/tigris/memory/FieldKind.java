package dev.tigris.memory;

/// What a stored field holds. Bounded text, arrays and enums will be further kinds.
public sealed interface FieldKind {
  /// A primitive value.
  record Value(Primitive primitive) implements FieldKind {
    @Override
    public int sizeBytes() {
      return primitive.sizeBytes();
    }
  }

  /// A reference to an object of the same container, as a 64-bit offset from the container's first
  /// byte; 0 is null.
  ///
  /// @param target the class of the object that is recovered
  record Reference(Class<? extends Pso> target) implements FieldKind {
    @Override
    public int sizeBytes() {
      return Long.BYTES;
    }
  }

  /// The size in bytes.
  int sizeBytes();

  /// What the offset must be a multiple of.
  default int alignmentBytes() {
    return sizeBytes();
  }
}
