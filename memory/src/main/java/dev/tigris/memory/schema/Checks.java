package dev.tigris.memory.schema;

import java.util.ArrayList;
import java.util.List;

/// What a [Walk] has to check in an object of a struct, that of objects in place included: flat and
/// by kind, so that checking an object is three loops without a choice in them. Fields that may
/// hold anything are in none.
final class Checks {
  final Field[] constants;
  final Field[] texts;
  final Field[] references;

  /// What there is to check in a field.
  static final class Field {
    /// From the struct's first byte.
    final int at;

    /// The shape of what is referred to, or the capacity of a text.
    final int argument;

    /// Of an enum's constants, sorted.
    final int[] codes;

    /// Names the field in an exception's message.
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
