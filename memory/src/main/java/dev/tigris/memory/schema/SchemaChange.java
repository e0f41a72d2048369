package dev.tigris.memory.schema;

import dev.tigris.memory.Primitive;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/// The difference between two schemas, as moves that turn objects of the one [Schema] into objects
/// of the other.
///
/// Classes correspond if references lead to them from corresponding fields, and must have the same
/// name. Fields correspond by name, those of the same class first. A field may move, disappear, or
/// be new, with the value zero. A primitive type may become another if Java widens it without loss,
/// and a text or an array may get a larger capacity. No other change is possible.
final class SchemaChange {
  final Schema from;
  final Schema to;

  /// By shape of `from`, the shape of `to` that it becomes; -1 if no field that stays leads to it.
  private final int[] partner;

  /// By shape of `from`, the moves of the fields of its objects.
  private final List<List<Move>> moves;

  private final List<String> differences = new ArrayList<>();
  private final List<String> obstacles = new ArrayList<>();
  private final List<String> losses = new ArrayList<>();
  private final Queue<Integer> waiting = new ArrayDeque<>();

  /// A move of some bytes of an object, from the offset `from` in the old one.
  sealed interface Move {
    int from();

    int to();

    /// The bytes are copied as they are.
    record Copy(int from, int to, int bytes) implements Move {}

    /// A primitive value gets a wider type.
    record Widen(int from, int to, Primitive fromType, Primitive toType) implements Move {}

    /// A reference gets the new offset of its target.
    record Refer(int from, int to, int shape) implements Move {}

    /// An object in place has moves of its own.
    record Within(int from, int to, int shape) implements Move {}
  }

  SchemaChange(Schema from, Schema to) {
    this.from = from;
    this.to = to;
    int count = from.shapes().size();
    this.partner = new int[count];
    Arrays.fill(partner, Shape.NONE);
    this.moves = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      moves.add(List.of());
    }
    pair(from.root(), to.root(), "the root");
    while (!waiting.isEmpty()) {
      int shape = waiting.remove();
      compare(shape, partner[shape]);
    }
    checkHierarchy();
  }

  /// Returns the shape that objects of an old shape get.
  int partner(int shape) {
    return partner[shape];
  }

  List<Move> moves(int shape) {
    return moves.get(shape);
  }

  /// Returns the old schema with only the fields that stay, for a [Walk]. All fields count as
  /// inherited, which keeps them out of the text, where they would be repeated for each subclass.
  Schema kept() {
    List<Shape> shapes = new ArrayList<>(from.shapes());
    for (int i = 0; i < shapes.size(); i++) {
      if (shapes.get(i) instanceof Shape.Struct struct) {
        Set<Integer> stay = new HashSet<>();
        moves.get(i).forEach(move -> stay.add(move.from()));
        List<Shape.Member> members =
            struct.members().stream().filter(member -> stay.contains(member.offset())).toList();
        shapes.set(
            i,
            new Shape.Struct(
                struct.name(), struct.sizeBytes(), Shape.NONE, members, members.size()));
      }
    }
    return new Schema(shapes, from.root());
  }

  boolean isPossible() {
    return obstacles.isEmpty();
  }

  /// Says what differs and, if a conversion is impossible, why.
  String explain() {
    String changes = differences.isEmpty() ? "" : ": " + String.join(", ", differences);
    // A container with another root may be another program's.
    String advice =
        partner[from.root()] == Shape.NONE
            ? ""
            : ". Restore the old declarations, or give the new ones other names: those begin empty";
    return isPossible()
        ? "the container was written with another schema" + changes
        : "the container was written with another schema and cannot be converted: "
            + String.join("; ", obstacles)
            + advice;
  }

  /// Returns what is deleted: the fields that are gone, and the classes that `to` does not have.
  List<String> losses() {
    if (losses.isEmpty()) {
      return List.of();
    }
    Set<String> stay =
        IntStream.range(0, to.shapes().size()).mapToObj(to::name).collect(Collectors.toSet());
    List<String> all = new ArrayList<>(losses);
    IntStream.range(0, partner.length)
        .filter(shape -> partner[shape] == Shape.NONE && from.shape(shape) instanceof Shape.Struct)
        .mapToObj(from::name)
        .filter(name -> !stay.contains(name))
        .forEach(name -> all.add("objects of " + name));
    return List.copyOf(all);
  }

  /// Says what [#explain] says, and how to convert if that is possible.
  String advise() {
    return isPossible()
        ? explain()
            + "; Jbuf.map(file, mapping, bytes, schema) converts a file, Schema.convert a container"
        : explain();
  }

  private void pair(int old, int fresh, String where) {
    // The name of a list or table says what its elements are, too.
    if (!from.name(old).equals(to.name(fresh))) {
      obstacles.add("%s was %s and is %s".formatted(where, from.name(old), to.name(fresh)));
    } else if (partner[old] == Shape.NONE) {
      partner[old] = fresh;
      waiting.add(old);
    } else if (partner[old] != fresh) {
      obstacles.add(where + " leads to two kinds of " + to.name(fresh));
    }
  }

  private void compare(int old, int fresh) {
    switch (from.shape(old)) {
      case Shape.Elements _ -> {}
      case Shape.References(int element) ->
          pair(element, ((Shape.References) to.shape(fresh)).element(), "an element of a list");
      case Shape.Table(int element) ->
          pair(element, ((Shape.Table) to.shape(fresh)).element(), "an element of a table");
      case Shape.Struct struct -> moves.set(old, compareMembers(struct, to.struct(fresh)));
    }
  }

  private List<Move> compareMembers(Shape.Struct old, Shape.Struct fresh) {
    Map<Declared, Field> gone = new LinkedHashMap<>();
    fields(from, old).forEach(field -> gone.put(field.declared(), field));
    Map<Field, Field> earlier = earlier(gone, fields(to, fresh));
    List<Move> moved = new ArrayList<>();
    for (Field field : fields(to, fresh)) {
      String where = fresh.name() + "." + field.key();
      Field was = earlier.get(field);
      if (was == null) {
        differences.add(where + " is new");
        continue;
      }
      Shape.Member member = field.member();
      Shape.Member before = was.member();
      if (before.offset() != member.offset()) {
        differences.add(where + " moved");
      }
      Move move = move(before, member, where);
      if (move == null) {
        obstacles.add(
            "%s was %s and is %s".formatted(where, describe(before, from), describe(member, to)));
      } else {
        moved.add(move);
      }
    }
    for (Field field : gone.values()) {
      String where = old.name() + "." + field.key();
      differences.add(where + " is gone");
      losses.add("%s (%s)".formatted(where, describe(field.member(), from)));
    }
    return moved;
  }

  /// Comparable, so that a map stays fast if an untrusted schema has names of equal hashes.
  private record Declared(String type, String name) implements Comparable<Declared> {
    @Override
    public int compareTo(Declared other) {
      int names = name.compareTo(other.name);
      return names != 0 ? names : type.compareTo(other.type);
    }
  }

  /// A stored field. Its key is its name, with `super.` before it if a subclass hides it.
  private record Field(String key, Declared declared, Shape.Member member) {}

  /// Finds for each new field the old one, which it removes from `left`. That is the field of the
  /// same name in the class of the same name, if there is one. Otherwise it is a free field of the
  /// same name in another class, since programmers move fields to superclasses and back.
  /// Superclasses choose first, because their objects do not have the fields of a subclass: a field
  /// then corresponds to the same one in the objects of both.
  private static Map<Field, Field> earlier(Map<Declared, Field> left, List<Field> fresh) {
    Map<Field, Field> earlier = new HashMap<>();
    for (Field field : fresh) {
      Field same = left.remove(field.declared());
      if (same != null) {
        earlier.put(field, same);
      }
    }
    Map<String, Queue<Field>> byName = new HashMap<>();
    for (Field field : List.copyOf(left.values()).reversed()) {
      byName.computeIfAbsent(field.declared().name(), _ -> new ArrayDeque<>()).add(field);
    }
    for (Field field : fresh.reversed()) {
      Queue<Field> same = byName.get(field.declared().name());
      if (!earlier.containsKey(field) && same != null && !same.isEmpty()) {
        Field moved = same.remove();
        left.remove(moved.declared());
        earlier.put(field, moved);
      }
    }
    return earlier;
  }

  /// Lists the fields from the last to the first, so that a class comes before its superclass.
  private static List<Field> fields(Schema schema, Shape.Struct struct) {
    List<Field> fields = new ArrayList<>();
    Set<String> keys = new HashSet<>();
    Shape.Struct declaring = struct;
    for (int i = struct.members().size() - 1; i >= 0; i--) {
      while (i < declaring.inherited()) {
        declaring = schema.struct(declaring.parent());
      }
      Shape.Member member = struct.members().get(i);
      String key = member.name();
      while (!keys.add(key)) {
        key = "super." + key;
      }
      fields.add(new Field(key, new Declared(declaring.name(), member.name()), member));
    }
    return fields;
  }

  private static String describe(Shape.Member member, Schema schema) {
    return switch (member.content()) {
      case Shape.Content.Value(Primitive primitive) -> primitive.type().getName();
      case Shape.Content.Constant(String type, var _) -> "enum " + type;
      case Shape.Content.Reference(int shape) -> "a reference to " + schema.name(shape);
      case Shape.Content.Text(int capacityBytes) -> "text of " + capacityBytes + " bytes";
      case Shape.Content.Array(Primitive element, int length) ->
          "%d %ss in place".formatted(length, element.type().getName());
      case Shape.Content.Nested(int shape, int _) -> schema.name(shape) + " in place";
    };
  }

  /// Returns the move that turns one field into the other, or null if there is none.
  private @Nullable Move move(Shape.Member old, Shape.Member fresh, String where) {
    int at = old.offset();
    int goesTo = fresh.offset();
    Move copy = new Move.Copy(at, goesTo, old.content().sizeBytes());
    return switch (old.content()) {
      case Shape.Content.Value(Primitive before)
          when fresh.content() instanceof Shape.Content.Value(Primitive after) -> {
        if (before != after) {
          differences.add("%s was %s and is %s".formatted(where, before.type(), after.type()));
        }
        yield before == after
            ? copy
            : widened(before).contains(after) ? new Move.Widen(at, goesTo, before, after) : null;
      }
      case Shape.Content.Constant(String before, var _)
          when fresh.content() instanceof Shape.Content.Constant(String after, var _) ->
          before.equals(after) ? copy : null;
      case Shape.Content.Text(int before)
          when fresh.content() instanceof Shape.Content.Text(int after) ->
          before <= after ? copy : null;
      case Shape.Content.Array(Primitive before, int length)
          when fresh.content() instanceof Shape.Content.Array(Primitive after, int fits) ->
          before == after && length <= fits ? copy : null;
      case Shape.Content.Reference(int before)
          when fresh.content() instanceof Shape.Content.Reference(int after) -> {
        pair(before, after, where);
        yield new Move.Refer(at, goesTo, before);
      }
      case Shape.Content.Nested(int before, int _)
          when fresh.content() instanceof Shape.Content.Nested(int after, int _) -> {
        pair(before, after, where);
        yield new Move.Within(at, goesTo, before);
      }
      case Shape.Content.Value _,
          Shape.Content.Constant _,
          Shape.Content.Text _,
          Shape.Content.Array _,
          Shape.Content.Reference _,
          Shape.Content.Nested _ ->
          null;
    };
  }

  /// Returns the types to which Java widens a type without loss.
  private static Set<Primitive> widened(Primitive type) {
    return switch (type) {
      case BYTE ->
          EnumSet.of(
              Primitive.SHORT, Primitive.INT, Primitive.LONG, Primitive.FLOAT, Primitive.DOUBLE);
      case SHORT, CHAR ->
          EnumSet.of(Primitive.INT, Primitive.LONG, Primitive.FLOAT, Primitive.DOUBLE);
      case INT -> EnumSet.of(Primitive.LONG, Primitive.DOUBLE);
      case FLOAT -> EnumSet.of(Primitive.DOUBLE);
      case BOOLEAN, LONG, DOUBLE -> EnumSet.noneOf(Primitive.class);
    };
  }

  /// Checks that subclasses stay subclasses. An object that is reached as of its class and as of
  /// its superclass gets the shape of its class.
  private void checkHierarchy() {
    int[] paired =
        IntStream.range(0, partner.length).filter(i -> partner[i] != Shape.NONE).toArray();
    for (int shape : paired) {
      for (int other : paired) {
        boolean wasAncestor = shape != other && from.isAncestor(other, shape);
        if (wasAncestor && !to.isAncestor(partner[other], partner[shape])) {
          obstacles.add(
              "%s does not extend %s any more".formatted(from.name(shape), from.name(other)));
        }
      }
    }
  }
}
