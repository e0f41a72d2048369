package dev.tigris.memory.schema;

import dev.tigris.memory.Primitive;
import dev.tigris.memory.PsoLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;

/// Writes a [Schema] as text, and reads it. The text in a container is not trusted: a schema that
/// is read is as consistent as one that is derived from classes.
///
/// ```
/// TIGRIS SCHEMA 1
/// root 2
/// struct app.Point 8
///   0 int x
///   4 int y
/// struct app.Labelled 24 extends 0
///   8 text 12 label
/// table 1
/// ```
///
/// A shape is named by its place in the text, from 0. Superclasses and classes of objects in place
/// stand before the classes that they are part of. The fields of superclasses are not repeated.
final class SchemaText {
  /// The most fields of a schema, those of superclasses counted again in each subclass. It bounds
  /// the memory that a text can take, and the fields of one name that are compared.
  static final int MAX_MEMBERS = 1 << 17;

  private static final String FIRST_LINE = "TIGRIS SCHEMA 1";
  private static final Pattern SPACE = Pattern.compile(" ");

  private final List<Shape> shapes = new ArrayList<>();
  private int memberCount;

  private SchemaText() {}

  static String of(Schema schema) {
    StringBuilder out = new StringBuilder();
    out.append(FIRST_LINE).append("\nroot ").append(schema.root()).append('\n');
    for (Shape shape : schema.shapes()) {
      switch (shape) {
        case Shape.Elements _ -> out.append("array\n");
        case Shape.References(int element) -> out.append("list ").append(element).append('\n');
        case Shape.Table(int element) -> out.append("table ").append(element).append('\n');
        case Shape.Struct struct -> struct(struct, out);
      }
    }
    return out.toString();
  }

  private static void struct(Shape.Struct struct, StringBuilder out) {
    out.append("struct ").append(name(struct.name())).append(' ').append(struct.sizeBytes());
    if (struct.parent() != Shape.NONE) {
      out.append(" extends ").append(struct.parent());
    }
    out.append('\n');
    for (Shape.Member member :
        struct.members().subList(struct.inherited(), struct.members().size())) {
      out.append("  ").append(member.offset()).append(' ');
      out.append(content(member.content())).append(' ').append(name(member.name())).append('\n');
    }
  }

  private static String content(Shape.Content content) {
    return switch (content) {
      case Shape.Content.Value(Primitive primitive) -> keyword(primitive);
      case Shape.Content.Constant(String type, var _) -> "enum " + name(type);
      case Shape.Content.Reference(int shape) -> "ref " + shape;
      case Shape.Content.Text(int capacityBytes) -> "text " + capacityBytes;
      case Shape.Content.Array(Primitive element, int length) ->
          "array " + keyword(element) + " " + length;
      case Shape.Content.Nested(int shape, int _) -> "in " + shape;
    };
  }

  private static String keyword(Primitive primitive) {
    return primitive.name().toLowerCase(Locale.ROOT);
  }

  /// Refuses names with blanks or line breaks, which the JVM allows and the Java language does not.
  private static String name(String name) {
    if (name.isEmpty() || name.chars().anyMatch(c -> c <= ' ')) {
      throw new IllegalArgumentException(
          "a schema cannot have the name '%s', which is empty or has a blank in it: rename it"
              .formatted(name));
    }
    return name;
  }

  /// Reads a text that [#of] has written.
  ///
  /// @throws IllegalArgumentException if the text is anything else
  static Schema parse(String text) {
    return new SchemaText().schema(List.of(text.split("\n", -1)));
  }

  private Schema schema(List<String> lines) {
    require(
        lines.size() > 3 && lines.getFirst().equals(FIRST_LINE),
        "it does not begin with '" + FIRST_LINE + "'");
    require(lines.getLast().isEmpty(), "its last line has no end");
    String[] rootLine = words(lines.get(1), 2);
    require(rootLine[0].equals("root"), "its second line does not name the root");
    int line = 2;
    while (line < lines.size() - 1) {
      String[] words = SPACE.split(lines.get(line++), -1);
      switch (words[0]) {
        case "array" -> shapes.add(new Shape.Elements());
        case "list" -> shapes.add(new Shape.References(number(words, 1)));
        case "table" -> shapes.add(new Shape.Table(number(words, 1)));
        case "struct" -> {
          List<Shape.Member> members = new ArrayList<>();
          int parent =
              words.length == 5 && words[3].equals("extends") ? number(words, 4) : Shape.NONE;
          require(
              words.length == (parent == Shape.NONE ? 3 : 5),
              "the line of a struct has too many or too few words");
          if (parent != Shape.NONE) {
            count(earlier(parent).members().size());
            members.addAll(earlier(parent).members());
          }
          int inherited = members.size();
          Set<String> names = new HashSet<>();
          for (; lines.get(line).startsWith("  "); line++) {
            count(1);
            Shape.Member member = member(SPACE.split(lines.get(line).substring(2), -1), members);
            require(names.add(member.name()), "it has two fields of the name " + member.name());
            members.add(member);
          }
          shapes.add(struct(words, parent, members, inherited));
        }
        default -> throw new IllegalArgumentException("'" + words[0] + "' is not a shape");
      }
    }
    checkReferences();
    int root = number(rootLine, 1);
    require(root < shapes.size(), "no shape has the number " + root);
    Schema schema = new Schema(shapes, root);
    require(
        schema.toString().equals(String.join("\n", lines)),
        "it is not written as a program of this version writes it");
    return schema;
  }

  private void count(int members) {
    memberCount += members;
    require(memberCount <= MAX_MEMBERS, "it has too many fields");
  }

  private Shape.Struct struct(
      String[] words, int parent, List<Shape.Member> members, int inherited) {
    int sizeBytes = number(words, 2);
    int end = members.isEmpty() ? 0 : members.getLast().end();
    require(
        sizeBytes <= PsoLayout.MAX_BYTES && sizeBytes >= Math.max(end, 8) && (sizeBytes & 7) == 0,
        name(words[1]) + " cannot have " + sizeBytes + " bytes");
    return new Shape.Struct(words[1], sizeBytes, parent, List.copyOf(members), inherited);
  }

  private Shape.Member member(String[] words, List<Shape.Member> before) {
    int count =
        switch (words.length > 1 ? words[1] : "") {
          case "array" -> 5;
          case "enum", "ref", "text", "in" -> 4;
          default -> 3;
        };
    require(words.length == count, "the line of a field has too many or too few words");
    int offset = number(words, 0);
    Shape.Content content =
        switch (words[1]) {
          case "enum" -> new Shape.Content.Constant(name(words[2]), null);
          case "ref" -> new Shape.Content.Reference(number(words, 2));
          case "text" -> new Shape.Content.Text(capacity(words, 2));
          case "array" -> new Shape.Content.Array(primitive(words[2]), capacity(words, 3));
          case "in" ->
              new Shape.Content.Nested(number(words, 2), earlier(number(words, 2)).sizeBytes());
          default -> new Shape.Content.Value(primitive(words[1]));
        };
    int from = before.isEmpty() ? 0 : before.getLast().end();
    require(
        offset >= from && offset <= PsoLayout.MAX_BYTES && offset % content.alignmentBytes() == 0,
        "a field cannot lie at " + offset);
    return new Shape.Member(name(words[count - 1]), offset, content);
  }

  private static Primitive primitive(String keyword) {
    return Arrays.stream(Primitive.values())
        .filter(primitive -> keyword(primitive).equals(keyword))
        .findFirst()
        .orElseThrow(() -> new IllegalArgumentException("'" + keyword + "' is not a type"));
  }

  private Shape.Struct earlier(int index) {
    require(index < shapes.size(), "no earlier shape has the number " + index);
    if (shapes.get(index) instanceof Shape.Struct struct) {
      return struct;
    }
    throw new IllegalArgumentException("the shape " + index + " is not a struct");
  }

  private void checkReferences() {
    for (Shape shape : shapes) {
      switch (shape) {
        case Shape.Elements _ -> {}
        case Shape.References(int element) -> checkElement(element, true);
        case Shape.Table(int element) -> checkElement(element, false);
        case Shape.Struct struct -> {
          for (Shape.Member member : struct.members()) {
            if (member.content() instanceof Shape.Content.Reference(int target)) {
              require(target < shapes.size(), "no shape has the number " + target);
            }
          }
        }
      }
    }
  }

  private void checkElement(int element, boolean mayBeArray) {
    require(element < shapes.size(), "no shape has the number " + element);
    boolean isArray = mayBeArray && shapes.get(element) instanceof Shape.Elements;
    require(
        isArray || shapes.get(element) instanceof Shape.Struct,
        "the shape " + element + " cannot be an element");
  }

  private static String[] words(String line, int count) {
    String[] words = SPACE.split(line, -1);
    require(words.length == count, "a line has too many or too few words");
    return words;
  }

  private static int capacity(String[] words, int at) {
    int capacity = number(words, at);
    require(
        capacity > 0 && capacity <= PsoLayout.MAX_BYTES,
        "a field cannot have the capacity " + capacity);
    return capacity;
  }

  private static int number(String[] words, int at) {
    require(at < words.length && words[at].matches("[0-9]{1,9}"), "a number is missing");
    return Integer.parseInt(words[at]);
  }

  private static void require(boolean condition, String otherwise) {
    if (!condition) {
      throw new IllegalArgumentException(otherwise);
    }
  }
}
