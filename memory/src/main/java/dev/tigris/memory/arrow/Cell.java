package dev.tigris.memory.arrow;

import dev.tigris.memory.FieldKind;
import dev.tigris.memory.Primitive;
import dev.tigris.memory.PsoField;
import dev.tigris.memory.PsoLayout;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// A stored field of a class as the cell of a row.
///
/// @param path names it in messages: `app.Trade.origin.x`
/// @param offset from the object's first byte, of the outermost object
/// @param inner the cells of an object in place
record Cell(
    String name,
    String path,
    FieldKind kind,
    ArrowAs.@Nullable Meaning meaning,
    int offset,
    List<Cell> inner) {
  /// How deep objects may lie in each other: Arrow's readers have limits of that order.
  private static final int MOST_NESTED = 32;

  /// The cells of a class's objects, in the order of the layout.
  ///
  /// @param referencesAreLeftOut whether references are no cells, rather than refused
  /// @throws IllegalArgumentException if a field cannot be a cell
  static List<Cell> of(PsoLayout layout, boolean referencesAreLeftOut) {
    return of(layout, layout.type().getName(), 0, 0, referencesAreLeftOut);
  }

  private static List<Cell> of(
      PsoLayout layout, String path, int base, int depth, boolean referencesAreLeftOut) {
    List<PsoField> fields = layout.fields();
    List<Cell> cells = new ArrayList<>();
    for (int index = 0; index < fields.size(); index++) {
      PsoField field = fields.get(index);
      String where = path + "." + field.name();
      if (field.kind() instanceof FieldKind.Reference) {
        if (!referencesAreLeftOut) {
          throw new IllegalArgumentException(
              "%s is a reference, which Arrow has no column for: leave references out (ArrowRows.withoutReferences), or put the object in place (@InPlace)"
                  .formatted(where));
        }
        continue;
      }
      boolean isHidden =
          fields.subList(index + 1, fields.size()).stream()
              .anyMatch(later -> later.name().equals(field.name()));
      String name = isHidden ? field.declaringClass().getName() + "." + field.name() : field.name();
      int offset = base + field.offset();
      List<Cell> inner = List.of();
      if (field.kind() instanceof FieldKind.Nested(var type, int _)) {
        if (depth == MOST_NESTED) {
          throw new IllegalArgumentException(
              "%s lies in %d other objects, and Arrow's readers refuse such a depth: flatten the class"
                  .formatted(where, depth));
        }
        inner = of(PsoLayout.of(type), where, offset, depth + 1, referencesAreLeftOut);
      }
      cells.add(new Cell(name, where, field.kind(), meaning(field, where), offset, inner));
    }
    return List.copyOf(cells);
  }

  private static ArrowAs.@Nullable Meaning meaning(PsoField field, String where) {
    ArrowAs said;
    try {
      said = field.declaringClass().getDeclaredField(field.name()).getAnnotation(ArrowAs.class);
    } catch (NoSuchFieldException e) {
      throw new IllegalStateException(where + " is a field of a layout, and not of its class", e);
    }
    if (said == null) {
      return null;
    }
    Primitive element =
        switch (field.kind()) {
          case FieldKind.Value(Primitive primitive) -> primitive;
          case FieldKind.Array(Primitive primitive, int _) -> primitive;
          default -> Primitive.BOOLEAN;
        };
    boolean isValue = field.kind() instanceof FieldKind.Value;
    boolean fits =
        switch (said.value()) {
          case UNSIGNED ->
              switch (element) {
                case BYTE, SHORT, INT, LONG -> true;
                case BOOLEAN, CHAR, FLOAT, DOUBLE -> false;
              };
          case DATE -> isValue && element == Primitive.INT;
          case TIMESTAMP_SECONDS, TIMESTAMP_MILLIS, TIMESTAMP_MICROS, TIMESTAMP_NANOS ->
              isValue && element == Primitive.LONG;
        };
    if (!fits) {
      throw new IllegalArgumentException(
          "%s cannot be %s: UNSIGNED is for integers and arrays of them, DATE for an int, and TIMESTAMP for a long"
              .formatted(where, said.value()));
    }
    return said.value();
  }

  /// The type of a primitive value with this meaning.
  ArrowType typeOf(Primitive primitive) {
    if (meaning == null || meaning == ArrowAs.Meaning.UNSIGNED) {
      boolean isSigned = meaning == null;
      return switch (primitive) {
        case BOOLEAN -> new ArrowType.Bool();
        case BYTE, SHORT, INT, LONG -> new ArrowType.Whole(primitive.sizeBytes() * 8, isSigned);
        case CHAR -> new ArrowType.Whole(Character.SIZE, false);
        case FLOAT, DOUBLE -> new ArrowType.Real(primitive.sizeBytes() * 8);
      };
    }
    return switch (meaning) {
      case DATE -> new ArrowType.Date(false);
      case TIMESTAMP_SECONDS -> new ArrowType.Timestamp(ArrowType.Unit.SECOND, "UTC");
      case TIMESTAMP_MILLIS -> new ArrowType.Timestamp(ArrowType.Unit.MILLISECOND, "UTC");
      case TIMESTAMP_MICROS -> new ArrowType.Timestamp(ArrowType.Unit.MICROSECOND, "UTC");
      case TIMESTAMP_NANOS -> new ArrowType.Timestamp(ArrowType.Unit.NANOSECOND, "UTC");
      case UNSIGNED -> throw new IllegalStateException("handled above");
    };
  }

  /// Whether it is an array of bytes, which Arrow has a type of its own for.
  boolean isBinary() {
    return kind instanceof FieldKind.Array(Primitive element, int _)
        && element == Primitive.BYTE
        && meaning == null;
  }
}
