package dev.tigris.memory.schema;

import java.util.ArrayList;
import java.util.List;

/// The fields that a [Walk] checks in an object of a struct, with those of objects in place. They
/// are in one array for each kind, so that checking an object is three loops without branches.
/// Fields that may hold any value are in none.
final class Checks {
  final Field[] constants;
  final Field[] texts;
  final Field[] references;

  /// A field to check.
  static final class Field {
    /// The offset from the struct's first byte.
    final int at;

    /// The shape that a reference leads to, or the capacity of a text.
    final int argument;

    /// The codes of an enum's constants, sorted.
    final int[] codes;

    /// The name of the field in messages.
    final String where;

    Field(int at, int argument, int[] codes, String where) {
      this.at = at;
      this.argument = argument;
      this.codes = codes;
      this.where = where;
    }
  }

  Checks(Schema schema, Shape.Struct struct) {
    List<Field> ofConstants = new ArrayList<>();
    List<Field> ofTexts = new ArrayList<>();
    List<Field> ofReferences = new ArrayList<>();
    gather(schema, struct, 0, ofConstants, ofTexts, ofReferences);
    constants = ofConstants.toArray(Field[]::new);
    texts = ofTexts.toArray(Field[]::new);
    references = ofReferences.toArray(Field[]::new);
  }

  private static void gather(
      Schema schema,
      Shape.Struct struct,
      int start,
      List<Field> constants,
      List<Field> texts,
      List<Field> references) {
    for (Shape.Member member : struct.members()) {
      String where = struct.name() + "." + member.name();
      int at = start + member.offset();
      switch (member.content()) {
        case Shape.Content.Reference(int shape) ->
            references.add(new Field(at, shape, new int[0], where));
        case Shape.Content.Text(int capacityBytes) ->
            texts.add(new Field(at, capacityBytes, new int[0], where));
        case Shape.Content.Constant(String _, var codes) when codes != null -> {
          int[] sorted = codes.stream().mapToInt(Integer::intValue).sorted().toArray();
          constants.add(new Field(at, 0, sorted, where));
        }
        case Shape.Content.Nested(int inner, int _) ->
            gather(schema, schema.struct(inner), at, constants, texts, references);
        case Shape.Content.Constant _, Shape.Content.Value _, Shape.Content.Array _ -> {}
      }
    }
  }

  boolean isEmpty() {
    return constants.length + texts.length + references.length == 0;
  }
}
