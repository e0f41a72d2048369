package dev.tigris.memory.arrow;

import dev.tigris.memory.FieldKind;
import dev.tigris.memory.Primitive;
import dev.tigris.memory.internal.ObjectAccess;
import java.util.ArrayList;
import java.util.List;

/// Makes the columns for the cells of a class.
///
/// Thread rule: one thread.
final class Columns {
  private final boolean enumsAreText;
  private long nextDictionary;

  Columns(boolean enumsAreText) {
    this.enumsAreText = enumsAreText;
  }

  List<Column> of(List<Cell> cells) {
    List<Column> columns = new ArrayList<>();
    for (Cell cell : cells) {
      columns.add(of(cell));
    }
    return List.copyOf(columns);
  }

  private Column of(Cell cell) {
    return switch (cell.kind()) {
      case FieldKind.Value(Primitive primitive) when primitive == Primitive.BOOLEAN ->
          new BoolColumn(cell);
      case FieldKind.Value(Primitive primitive) -> new FixedColumn(cell, primitive);
      case FieldKind.Text(int capacityBytes) -> new TextColumn(cell, capacityBytes);
      case FieldKind.Array(Primitive element, int length) -> new ArrayColumn(cell, element, length);
      case FieldKind.Nested _ -> new StructColumn(cell, of(cell.inner()));
      case FieldKind.Constant(var type) -> {
        List<String> names = ObjectAccess.OBJECTS.constantNames(type);
        yield new EnumColumn(cell, names, enumsAreText ? -1 : nextDictionary++);
      }
      case FieldKind.Reference _ -> throw new IllegalStateException("references are no cells");
    };
  }
}
