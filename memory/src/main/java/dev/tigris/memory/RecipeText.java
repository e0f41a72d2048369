package dev.tigris.memory;

import dev.tigris.memory.Instruction.Operator;
import dev.tigris.memory.Instruction.Ordering;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/// Reads the recipes that class files carry, in the notation that recipes print themselves in:
///
/// ```text
///   peek byte @0; convert byte int; constant int 4; ushr int
/// ```
///
/// Only instructions over primitive values can be written: what turns stored bytes into objects is
/// derived from layouts, and never read. Nothing that is read here is trusted; [Recipe#verify] is
/// still to come.
final class RecipeText {
  private static final String SEPARATOR = "; ";

  private final String instruction;
  private final String[] words;

  private RecipeText(String instruction) {
    this.instruction = instruction;
    this.words = instruction.split(" ", -1);
  }

  /// Reads the instructions of a recipe.
  ///
  /// @throws IllegalArgumentException naming the first that is none
  static List<Instruction> parse(String text) {
    // More are refused later; this keeps the refusal short.
    String[] parts = text.split(SEPARATOR, Recipe.MAX_INSTRUCTIONS + 2);
    List<Instruction> body = new ArrayList<>();
    for (String part : parts) {
      if (body.size() > Recipe.MAX_INSTRUCTIONS) {
        break;
      }
      body.add(new RecipeText(part).parse());
    }
    return body;
  }

  private Instruction parse() {
    return switch (words[0]) {
      case "argument" -> {
        requireWords(1);
        yield new Instruction.Argument();
      }
      case "peek" -> new Instruction.Peek(primitive(1), offset(), ordering(Ordering.ACQUIRE));
      case "poke" -> new Instruction.Poke(primitive(1), offset(), ordering(Ordering.RELEASE));
      case "constant" -> {
        requireWords(3);
        yield new Instruction.Constant(primitive(1), value(primitive(1), words[2]));
      }
      case "convert" -> {
        requireWords(3);
        yield new Instruction.Convert(primitive(1), primitive(2));
      }
      case "reinterpret" -> {
        requireWords(3);
        yield new Instruction.Reinterpret(primitive(1), primitive(2));
      }
      case "reverse" -> {
        requireWords(2);
        yield new Instruction.Reverse(primitive(1));
      }
      default -> {
        requireWords(2);
        yield new Instruction.Compute(operator(), primitive(1));
      }
    };
  }

  private void requireWords(int count) {
    if (words.length != count) {
      throw refused();
    }
  }

  private Primitive primitive(int index) {
    if (index < words.length) {
      for (Primitive primitive : Primitive.values()) {
        if (primitive.type().getName().equals(words[index])) {
          return primitive;
        }
      }
    }
    throw refused();
  }

  private Operator operator() {
    for (Operator operator : Operator.values()) {
      if (operator.text().equals(words[0])) {
        return operator;
      }
    }
    throw refused();
  }

  private int offset() {
    if (words.length < 3 || !words[2].startsWith("@")) {
      throw refused();
    }
    try {
      return Integer.parseInt(words[2].substring(1));
    } catch (NumberFormatException e) {
      throw refused();
    }
  }

  private Ordering ordering(Ordering possible) {
    if (words.length == 3) {
      return Ordering.PLAIN;
    }
    if (words.length == 4 && words[3].equals(possible.name().toLowerCase(Locale.ROOT))) {
      return possible;
    }
    throw refused();
  }

  private Object value(Primitive primitive, String text) {
    try {
      return switch (primitive) {
        case BOOLEAN ->
            switch (text) {
              case "true" -> true;
              case "false" -> false;
              default -> throw refused();
            };
        case BYTE -> Byte.parseByte(text);
        case SHORT -> Short.parseShort(text);
        case CHAR -> {
          int unit = Integer.parseInt(text);
          if (unit != (char) unit) {
            throw refused();
          }
          yield (char) unit;
        }
        case INT -> Integer.parseInt(text);
        case LONG -> Long.parseLong(text);
        case FLOAT -> Float.parseFloat(text);
        case DOUBLE -> Double.parseDouble(text);
      };
    } catch (NumberFormatException e) {
      throw refused();
    }
  }

  private IllegalArgumentException refused() {
    String shown = instruction.length() > 60 ? instruction.substring(0, 60) + "..." : instruction;
    return new IllegalArgumentException("'" + shown + "' is no instruction of a recipe");
  }
}
