package dev.tigris.memory.schema;

import dev.tigris.memory.Primitive;
import dev.tigris.memory.internal.ObjectAccess;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// A kind of data that can lie at an offset of a container: the objects of a class, an array, a
/// list or a table. Shapes name each other by their index in the [Schema].
sealed interface Shape {
  /// Marks a struct without a parent.
  int NONE = -1;

  /// Returns the size in bytes, or that of the part before the elements if the number of those
  /// varies.
  int sizeBytes();

  /// The objects of one class.
  ///
  /// @param name of the class
  /// @param parent the struct of its superclass, [#NONE] if that is [Pso]
  /// @param members the fields, superclass fields first, at rising offsets
  /// @param inherited how many of the members the superclass declares
  record Struct(String name, int sizeBytes, int parent, List<Member> members, int inherited)
      implements Shape {}

  /// A [PsoArray].
  record Elements() implements Shape {
    @Override
    public int sizeBytes() {
      return ObjectAccess.ELEMENTS_AT;
    }
  }

  /// A [PsoList].
  record References(int element) implements Shape {
    @Override
    public int sizeBytes() {
      return ObjectAccess.ELEMENTS_AT;
    }
  }

  /// A [PsoTable].
  record Table(int element) implements Shape {
    @Override
    public int sizeBytes() {
      return ObjectAccess.ELEMENTS_AT;
    }
  }

  /// A stored field.
  record Member(String name, int offset, Content content) {
    int end() {
      return offset + content.sizeBytes();
    }
  }

  /// The kind of value that a stored field holds. [FieldKind] is the kind of a field of a loaded
  /// class. The program that wrote a container may have had other classes, so here types are named
  /// and numbered.
  sealed interface Content {
    int sizeBytes();

    default int alignmentBytes() {
      return sizeBytes();
    }

    /// A primitive value.
    record Value(Primitive primitive) implements Content {
      @Override
      public int sizeBytes() {
        return primitive.sizeBytes();
      }
    }

    /// A constant of an enum.
    ///
    /// @param codes of the constants; null if only the name of the enum is known
    record Constant(String type, @Nullable Set<Integer> codes) implements Content {
      @Override
      public int sizeBytes() {
        return Integer.BYTES;
      }
    }

    /// A reference to something of a shape.
    record Reference(int shape) implements Content {
      @Override
      public int sizeBytes() {
        return Long.BYTES;
      }
    }

    /// Text in place.
    record Text(int capacityBytes) implements Content {
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
    record Array(Primitive element, int length) implements Content {
      @Override
      public int sizeBytes() {
        return element.sizeBytes() * length;
      }

      @Override
      public int alignmentBytes() {
        return element.sizeBytes();
      }
    }

    /// An object in place.
    record Nested(int shape, int sizeBytes) implements Content {
      @Override
      public int alignmentBytes() {
        return Long.BYTES;
      }
    }
  }
}
