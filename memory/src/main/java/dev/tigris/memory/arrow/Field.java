package dev.tigris.memory.arrow;

import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// A column of a schema, or a part of one.
///
/// @param type of the values; of a dictionary's values where there is one
/// @param dictionary null where the column has its values itself
record Field(
    String name,
    ArrowType type,
    boolean isNullable,
    @Nullable Dictionary dictionary,
    List<Field> children) {
  /// A dictionary, of which the column has indices.
  record Dictionary(long id, ArrowType.Whole index, boolean isOrdered) {}

  /// Returns its type as PyArrow prints it: `dictionary<values=string, indices=int8>`.
  String typeText() {
    boolean isMap = type instanceof ArrowType.Other(String name, int _) && name.equals("map");
    List<Field> parts = isMap && children.size() == 1 ? children.getFirst().children() : children;
    String inner =
        parts.stream()
            .map(
                child ->
                    type instanceof ArrowType.Struct
                        ? child.name + ": " + child.typeText()
                        : child.typeText())
            .collect(Collectors.joining(", "));
    String text = type.toString();
    if (!children.isEmpty()) {
      int at = text.indexOf('[');
      text =
          at < 0
              ? "%s<%s>".formatted(text, inner)
              : "%s<%s>%s".formatted(text.substring(0, at), inner, text.substring(at));
    }
    return dictionary == null
        ? text
        : "dictionary<values=%s, indices=%s>".formatted(text, dictionary.index);
  }

  @Override
  public String toString() {
    return "%s: %s%s".formatted(name, typeText(), isNullable ? "" : " not null");
  }
}
