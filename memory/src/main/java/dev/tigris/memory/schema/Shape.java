package dev.tigris.memory.schema;

import dev.tigris.memory.Primitive;
import dev.tigris.memory.internal.ObjectAccess;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// What can lie at an offset of a container, as a [Schema] describes it. Other shapes are named by
/// their index in the schema.
sealed interface Shape {
  /// Marks a struct without a parent.
  int NONE = -1;

  /// The size in bytes, or that of the part in front if it differs from one to the next.
  int sizeBytes();

  /// Objects of one class.
  ///
  /// @param name the class's
  /// @param parent the struct of its superclass, [#NONE] if that is [Pso]
  /// @param members the fields, superclass fields first, at rising offsets
  /// @param inherited how many of them are the superclass's
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

  /// What a stored field holds. [FieldKind] says the same of a class that is loaded; what wrote a
  /// container may have had another version of it, or one that is not here at all, so other types
  /// are named and numbered here.
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
    /// @param codes those of the constants, null if only the name is known
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
