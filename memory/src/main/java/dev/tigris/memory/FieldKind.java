package dev.tigris.memory;

import org.jspecify.annotations.Nullable;

/// The kind of value that a stored field holds.
public sealed interface FieldKind {
  /// A primitive value.
  record Value(Primitive primitive) implements FieldKind {
    @Override
    public int sizeBytes() {
      return primitive.sizeBytes();
    }
  }

  /// A constant of an enum, as the hash code of its name ([String#hashCode]) in four bytes; 0 is
  /// null.
  record Constant(Class<? extends Enum<?>> type) implements FieldKind {
    @Override
    public int sizeBytes() {
      return Integer.BYTES;
    }
  }

  /// A reference to an object of the same container, as a 64-bit offset from the container's first
  /// byte; 0 is null.
  ///
  /// @param target the class of the object that is recovered
  /// @param element the class of its elements, if it is a [PsoList] or a [PsoTable]
  record Reference(Class<? extends Pso> target, @Nullable Class<? extends Pso> element)
      implements FieldKind {
    @Override
    public int sizeBytes() {
      return Long.BYTES;
    }
  }

  /// Text in place: its length in bytes as four bytes, then `capacityBytes` bytes ([Utf8]).
  record Text(int capacityBytes) implements FieldKind {
    @Override
    public int sizeBytes() {
      return Integer.BYTES + capacityBytes;
    }

    @Override
    public int alignmentBytes() {
      return Integer.BYTES;
    }
  }

  /// An array in place.
  record Array(Primitive element, int length) implements FieldKind {
    @Override
    public int sizeBytes() {
      return element.sizeBytes() * length;
    }

    @Override
    public int alignmentBytes() {
      return element.sizeBytes();
    }
  }

  /// Another object in place ([InPlace]).
  ///
  /// @param sizeBytes of such an object
  record Nested(Class<? extends Pso> type, int sizeBytes) implements FieldKind {
    @Override
    public int alignmentBytes() {
      return Long.BYTES;
    }
  }

  /// The size in bytes.
  int sizeBytes();

  /// Returns the number of which the offset is a multiple.
  default int alignmentBytes() {
    return sizeBytes();
  }

  /// Whether it lies in the object as a whole: reading the field gives what stands for it, and
  /// nothing can be assigned.
  default boolean isPart() {
    return this instanceof Text || this instanceof Array || this instanceof Nested;
  }
}
