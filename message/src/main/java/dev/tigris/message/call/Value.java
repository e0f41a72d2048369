package dev.tigris.message.call;

import dev.tigris.memory.FieldKind;
import dev.tigris.memory.Pso;
import dev.tigris.memory.PsoLayout;
import dev.tigris.memory.schema.Schema;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// A parameter or a result as both sides know it: its kind, and the schema of an object.
///
/// @param schema null for what is no object
/// @param objectBytes the size of the object; 0 if it is not known here
/// @param isFlat whether it is known to lead to no other object: its bytes are all of it
/// @param isPlain whether it is known to have no bytes that need a check
record Value(Kind kind, @Nullable Schema schema, int objectBytes, boolean isFlat, boolean isPlain) {
  /// A value of a peer, of which this side may not have the class.
  Value(Kind kind, @Nullable Schema schema) {
    this(kind, schema, 0, false, false);
  }

  /// A value of this side.
  static Value of(Kind kind, Class<?> type) {
    if (kind != Kind.OBJECT) {
      return new Value(kind, null);
    }
    Class<? extends Pso> its = type.asSubclass(Pso.class);
    PsoLayout layout = PsoLayout.of(its);
    boolean isPlain = isPlain(layout);
    boolean isFlat = isPlain || isFlat(layout);
    return new Value(kind, Schema.of(its), layout.sizeBytes(), isFlat, isPlain);
  }

  private static boolean isFlat(PsoLayout layout) {
    return layout.fields().stream()
        .allMatch(
            field ->
                switch (field.kind()) {
                  case FieldKind.Reference _ -> false;
                  case FieldKind.Nested nested -> isFlat(PsoLayout.of(nested.type()));
                  default -> true;
                });
  }

  private static boolean isPlain(PsoLayout layout) {
    return layout.fields().stream()
        .allMatch(
            field ->
                switch (field.kind()) {
                  case FieldKind.Value _, FieldKind.Array _ -> true;
                  case FieldKind.Nested nested -> isPlain(PsoLayout.of(nested.type()));
                  default -> false;
                });
  }

  Value {
    if ((kind == Kind.OBJECT) != (schema != null)) {
      throw new IllegalArgumentException("a schema belongs to an object, and to nothing else");
    }
  }

  /// The schema of an object.
  Schema its() {
    return Objects.requireNonNull(schema);
  }

  /// Returns its name for people.
  String text() {
    if (schema == null) {
      return kind.text();
    }
    String name = schema.rootName();
    return name.substring(name.lastIndexOf('.') + 1);
  }
}
