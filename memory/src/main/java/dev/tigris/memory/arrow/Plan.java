package dev.tigris.memory.arrow;

import dev.tigris.memory.FieldKind;
import dev.tigris.memory.Primitive;
import dev.tigris.memory.internal.ObjectAccess;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// Matches the cells of a class with the columns of a file by name, and refuses what does not fit.
///
/// Thread rule: one thread.
final class Plan {
  private final boolean nullsAreZero;
  private final boolean missingAreZero;

  /// The fields that have no column.
  private final List<String> missing = new ArrayList<>();

  private Plan(boolean nullsAreZero, boolean missingAreZero) {
    this.nullsAreZero = nullsAreZero;
    this.missingAreZero = missingAreZero;
  }

  static List<Filler> of(
      List<Cell> cells, List<SourceColumn> columns, boolean nullsAreZero, boolean missingAreZero)
      throws ArrowException {
    Plan plan = new Plan(nullsAreZero, missingAreZero);
    List<Filler> fillers = plan.match(cells, columns);
    if (!plan.missing.isEmpty()) {
      throw new ArrowException(
          "there is no column for %s. The columns are %s. ArrowRows.withZeroForMissing takes zero for what is missing"
              .formatted(
                  String.join(", ", plan.missing),
                  columns.stream()
                      .map(column -> column.field().name())
                      .collect(Collectors.joining("', '", "'", "'"))));
    }
    return fillers;
  }

  private List<Filler> match(List<Cell> cells, List<SourceColumn> columns) throws ArrowException {
    List<Filler> fillers = new ArrayList<>();
    for (Cell cell : cells) {
      List<SourceColumn> named =
          columns.stream().filter(each -> each.field().name().equals(cell.name())).toList();
      if (named.size() > 1) {
        throw new ArrowException(
            "there are %d columns '%s' for %s: give them different names"
                .formatted(named.size(), cell.name(), cell.path()));
      }
      if (!named.isEmpty() && isNothing(named.getFirst(), cell)) {
        continue;
      }
      if (!named.isEmpty()) {
        fillers.add(filler(cell, named.getFirst()));
      } else if (!missingAreZero) {
        missing.add(cell.path());
      }
    }
    return List.copyOf(fillers);
  }

  /// Whether a column has nothing but nulls, and the field may be null or take zero.
  private boolean isNothing(SourceColumn column, Cell cell) {
    return column.field().type() instanceof ArrowType.Null
        && (nullsAreZero || cell.kind() instanceof FieldKind.Constant);
  }

  private Filler filler(Cell cell, SourceColumn column) throws ArrowException {
    ArrowType type = column.field().type();
    Filler found =
        switch (cell.kind()) {
          case FieldKind.Value(Primitive primitive) -> number(cell, column, primitive);
          case FieldKind.Text(int capacityBytes) when type instanceof ArrowType.Text ->
              new TextFiller(cell, column, nullsAreZero, capacityBytes);
          case FieldKind.Constant(var constants) when type instanceof ArrowType.Text ->
              new EnumFiller(cell, column, ObjectAccess.OBJECTS.constantNames(constants));
          case FieldKind.Array(Primitive element, int length) ->
              array(cell, column, element, length);
          case FieldKind.Nested _
              when type instanceof ArrowType.Struct && column.field().dictionary() == null ->
              new StructFiller(cell, column, nullsAreZero, match(cell.inner(), column.children()));
          default -> null;
        };
    if (found == null) {
      throw new ArrowException(
          "%s has the type %s, which %s (%s) does not hold without loss: convert the column, or change the field"
              .formatted(column, column.field().typeText(), cell.path(), nameOf(cell)));
    }
    return found;
  }

  private static String nameOf(Cell cell) {
    String kind =
        switch (cell.kind()) {
          case FieldKind.Value(Primitive primitive) -> primitive.type().getName();
          case FieldKind.Text(int capacityBytes) ->
              "text of up to %d bytes".formatted(capacityBytes);
          case FieldKind.Constant(var type) -> "enum " + type.getName();
          case FieldKind.Array(Primitive element, int length) ->
              "%s[%d]".formatted(element.type().getName(), length);
          case FieldKind.Nested(var type, int _) -> type.getName();
          case FieldKind.Reference _ -> "reference";
        };
    return cell.meaning() == null ? kind : kind + ", " + cell.meaning();
  }

  private @Nullable Filler number(Cell cell, SourceColumn column, Primitive primitive) {
    Numbers numbers = Numbers.of(column.field().type(), primitive, cell.meaning());
    return numbers == null ? null : new NumberFiller(cell, column, nullsAreZero, numbers);
  }

  private @Nullable Filler array(Cell cell, SourceColumn column, Primitive element, int length) {
    Field field = column.field();
    if (field.type() instanceof ArrowType.FixedBinary(int bytes)) {
      var from = new ArrowType.Whole(Byte.SIZE, cell.meaning() == null);
      Numbers plain = Numbers.of(from, element, cell.meaning());
      return plain != null && element == Primitive.BYTE && bytes == length
          ? new ArrayFiller(cell, column, nullsAreZero, length, plain)
          : null;
    }
    boolean isList = field.dictionary() == null && isListOf(field.type(), length);
    Numbers numbers =
        isList ? Numbers.of(field.children().getFirst().type(), element, cell.meaning()) : null;
    return numbers == null ? null : new ArrayFiller(cell, column, nullsAreZero, length, numbers);
  }

  private static boolean isListOf(ArrowType type, int length) {
    return switch (type) {
      case ArrowType.FixedList(int fixed) -> fixed == length;
      case ArrowType.Many(ArrowType.Size _, boolean hasSizes) -> !hasSizes;
      default -> false;
    };
  }
}
