package dev.tigris.memory.differential;

import dev.tigris.memory.differential.Sketch.Kind;
import dev.tigris.memory.differential.Sketch.Member;
import dev.tigris.memory.differential.Sketch.Statement;
import dev.tigris.memory.differential.Sketch.Structure;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/// Java source for a [Sketch]: a class `Program` with everything in it, and a subclass in another
/// package.
///
/// ```
///   Program.run(container)     runs it, and says what it computed
///   Program.dump(container)    says what the container holds
/// ```
final class SketchSource {
  private static final List<String> ACCESS = List.of("", "private ", "protected ", "public ");

  @SuppressWarnings("InlineFormatString") // it is long
  private static final String PROGRAM =
      """
      package %1$s;
      import dev.tigris.memory.*;
      import java.util.function.*;

      public class Program {
        public enum Side { LOW, MID, HIGH }
        interface Countable { long total(); default long twice() { return 2 * total(); } }
        record Pair(C0 left, Countable right) {}

        static final Pso[] all = new Pso[%2$d];

      %3$s
        static long steps(long x0) {
      %4$s    return x0;
        }

        public static String run(Container container) {
          StringBuilder trace = new StringBuilder();
          long x0 = 12345;
      %5$s
          for (int round = 0; round < 3; round++) {
            try {
              x0 = steps(x0);
            } catch (RuntimeException e) {
              x0 = x0 * 31 + e.getClass().getName().hashCode();
            }
            trace.append(x0).append(' ');
          }
          trace.append(new %1$s.other.Sub(container).sum(x0));
          container.root(all[0]);
          return trace.toString();
        }

        public static String dump(Container container) { return dump(container.root(C0.class), 2); }

      %6$s
        static long apply(LongUnaryOperator function, long x) { return function.applyAsLong(x); }
        public static Side side(long x) { return (x & 3) == 3 ? null : Side.values()[(int) (x & 3)]; }
        public static long num(boolean value) { return value ? 1 : 0; }
        public static long num(long value) { return value; }
        public static long num(float value) { return Float.floatToIntBits(value); }
        public static long num(double value) { return Double.doubleToLongBits(value); }
        public static long num(Side value) { return value == null ? -1 : value.ordinal(); }
        public static long num(String value) { return value == null ? -1 : value.hashCode(); }
        public static long num(Utf8 value) { return num(value.toString()); }
        public static long num(Ints value) {
          long sum = 0;
          for (long index = 0; index < 4; index++) { sum = sum * 31 + value.get(index); }
          return sum;
        }
        public static long num(Pso value) {
          for (int index = 0; index < all.length; index++) { if (java.util.Objects.equals(all[index], value)) return index; }
          return value == null ? -1 : -2;
        }
      }
      """;

  private final String home;
  private final List<Structure> types;
  private final List<Statement> statements;

  private SketchSource(String home, Sketch sketch) {
    this.home = home;
    this.types = sketch.types();
    this.statements = sketch.statements();
  }

  /// The sources, by the names of their classes.
  ///
  /// @param home the package to put them in
  static Map<String, String> of(String home, Sketch sketch) {
    SketchSource source = new SketchSource(home, sketch);
    return Map.of(home + ".Program", source.program(), home + ".other.Sub", source.subclass());
  }

  // ---- classes and fields

  /// A field of a class or of one of its superclasses.
  private record Slot(int declaring, int index, Member member) {
    String name() {
      return "f" + index;
    }
  }

  /// The class a type extends; negative for Pso.
  private int parent(int type) {
    return Math.floorMod(types.get(type).parent(), type + 1) - 1;
  }

  private boolean isSubtype(int type, int ancestor) {
    return type == ancestor || (type > ancestor && isSubtype(parent(type), ancestor));
  }

  /// A field as it really is: only an earlier class can lie in place.
  private Member member(int type, int index) {
    Member member = types.get(type).members().get(index);
    boolean fits = member.kind() != Kind.NESTED || type > 0;
    int bound = member.kind() == Kind.NESTED ? Math.max(type, 1) : types.size();
    int target = Math.floorMod(member.target(), bound);
    return new Member(fits ? member.kind() : Kind.INT, member.ordered(), member.access(), target);
  }

  private List<Slot> ownSlots(int type) {
    List<Slot> slots = new ArrayList<>();
    for (int index = 0; index < types.get(type).members().size(); index++) {
      slots.add(new Slot(type, index, member(type, index)));
    }
    return slots;
  }

  private List<Slot> slots(int type) {
    List<Slot> slots = new ArrayList<>();
    for (int at = type; at >= 0; at = parent(at)) {
      slots.addAll(ownSlots(at));
    }
    return slots;
  }

  /// A field of the object that an expression gives; hidden and private ones need a cast.
  private String select(String object, int type, Slot slot, boolean cast) {
    boolean needed = Math.floorMod(slot.member.access(), ACCESS.size()) == 1;
    for (int at = type; at != slot.declaring; at = parent(at)) {
      needed |= types.get(at).members().size() > slot.index;
    }
    boolean direct = type == slot.declaring || !(needed || cast);
    return (direct ? object : "((C" + slot.declaring + ") " + object + ")") + "." + slot.name();
  }

  private String declaration(Slot slot) {
    Kind kind = slot.member.kind();
    String type =
        switch (kind) {
          case REFERENCE -> "C" + slot.member.target();
          case NESTED -> "@InPlace C" + slot.member.target();
          case TEXT -> "@Capacity(8) Utf8";
          case INTS -> "@Capacity(4) Ints";
          case NOTE -> "@HeapOnly String";
          case STATIC -> "static long";
          default -> kind.type();
        };
    String ordered = slot.member.ordered() && !kind.isPart() ? "volatile " : "";
    String access = ACCESS.get(Math.floorMod(slot.member.access(), ACCESS.size()));
    return "    " + access + ordered + type + " " + slot.name() + ";\n";
  }

  private String type(int number) {
    int parent = parent(number);
    StringBuilder fields = new StringBuilder();
    StringBuilder writes = new StringBuilder();
    StringBuilder reads = new StringBuilder();
    for (Slot slot : ownSlots(number)) {
      fields.append(declaration(slot));
      if (slot.member.kind() != Kind.REFERENCE && slot.member.kind() != Kind.NESTED) {
        writes.append("      x0 += 3; ");
        writes.append(StatementSource.write(slot.name(), slot.member.kind(), "x0", "null"));
        writes.append('\n');
      }
      reads.append("      x0 = x0 * 31 + num(").append(slot.name()).append(");\n");
    }
    return """
      public static class C%1$d extends %2$s implements Countable {
    %3$s
        public C%1$d(Container container) { super(container); }

        public C%1$d(Container container, long x0) {
          super(container%4$s);
    %5$s    }

        @Override public long total() {
          long x0 = %6$s;
    %7$s      return x0;
        }

        public %8$slong work(long x0) {
    %9$s      return x0;
        }

        class View {
          long look(long x0) {
    %5$s%7$s        return x0;
          }
        }
      }

    """
        .formatted(
            number,
            parent < 0 ? "Pso" : "C" + parent,
            fields,
            parent < 0 ? "" : ", x0",
            writes,
            parent < 0 ? "1" : "super.total()",
            reads,
            number % 2 == 0 ? "synchronized " : "",
            code(types.get(number).work(), number));
  }

  // ---- the program

  private String program() {
    StringBuilder classes = new StringBuilder();
    StringBuilder dumps = new StringBuilder();
    StringBuilder make = new StringBuilder();
    for (int type = 0; type < types.size(); type++) {
      classes.append(type(type));
      dumps.append(dump(type));
      for (Slot slot : ownSlots(type)) {
        if (slot.member.kind() == Kind.STATIC) {
          make.append("    C%d.%s = 0;\n".formatted(type, slot.name()));
        }
      }
    }
    for (int object = 0; object < Sketch.OBJECTS; object++) {
      make.append(
          "    all[%1$d] = new C%2$d(container, %1$d);\n".formatted(object, typeOf(object)));
    }
    return PROGRAM.formatted(
        home, Sketch.OBJECTS, classes, code(statements, StatementSource.STATIC), make, dumps);
  }

  private String dump(int type) {
    StringBuilder fields = new StringBuilder();
    for (Slot slot : slots(type)) {
      Kind kind = slot.member.kind();
      if (kind.isStored()) {
        String value = select("o", type, slot, false);
        String shown =
            switch (kind) {
              case NESTED -> "dump(" + value + ", depth)";
              case REFERENCE -> "(depth == 0 ? \"\" : dump(" + value + ", depth - 1))";
              default -> "num(" + value + ")";
            };
        fields.append(" + ' ' + ").append(shown);
      }
    }
    return "  static String dump(C%1$d o, int depth) { return o == null ? \"null\" : \"C%1$d(\"%2$s + ')'; }\n"
        .formatted(type, fields);
  }

  /// A subclass elsewhere, which sees what is public or protected.
  private String subclass() {
    int parent = types.size() - 1;
    StringBuilder code = new StringBuilder();
    Set<String> seen = new HashSet<>();
    for (Slot slot : slots(parent)) {
      Kind kind = slot.member.kind();
      boolean nearest = seen.add(slot.name());
      if (nearest && Math.floorMod(slot.member.access(), ACCESS.size()) >= 2) {
        if (kind != Kind.NESTED) {
          code.append("    ").append(StatementSource.write(slot.name(), kind, "x", "null"));
          code.append('\n');
        }
        code.append("    x = x * 31 + num(super.%s);\n".formatted(slot.name()));
      }
    }
    return """
    package %1$s.other;
    import static %1$s.Program.*;
    import %1$s.Program;
    import dev.tigris.memory.*;

    public class Sub extends Program.C%2$d {
      public Sub(Container container) { super(container); }

      public long sum(long x) {
    %3$s    return x;
      }
    }
    """
        .formatted(home, parent, code);
  }

  private String code(List<Statement> statements, int self) {
    StringBuilder objects = new StringBuilder();
    for (int object = 0; object < Sketch.OBJECTS; object++) {
      objects.append(
          "    final C%2$d o%1$d = (C%2$d) all[%1$d];\n".formatted(object, typeOf(object)));
    }
    return objects + new StatementSource(this, self).block(statements, 0);
  }

  // ---- what statements ask

  int typeOf(int object) {
    return object % types.size();
  }

  /// A place that holds a value.
  record Place(String text, Kind kind, int target) {}

  /// One of the fields that can be reached from an object, through those that lie in it.
  Place place(String object, int type, int field, int value) {
    List<Slot> slots = slots(type);
    if (slots.isEmpty()) {
      return new Place("\"none\"", Kind.NOTE, 0);
    }
    Slot slot = slots.get(Math.floorMod(field, slots.size()));
    Kind kind = slot.member.kind();
    int target = slot.member.target();
    String text = select(object, type, slot, (value & 1) != 0);
    boolean deeper = kind == Kind.NESTED && !slots(target).isEmpty();
    return deeper ? place(text, target, value, value / 2) : new Place(text, kind, target);
  }

  /// The first field of an object that is of some kind.
  Optional<String> find(String object, int type, Kind kind) {
    return slots(type).stream()
        .filter(slot -> slot.member.kind() == kind)
        .findFirst()
        .map(slot -> select(object, type, slot, false));
  }

  /// An object that a reference to a class may mean; null by turns.
  String reference(int target, int value) {
    List<String> fitting = new ArrayList<>(List.of("null"));
    for (int object = 0; object < Sketch.OBJECTS; object++) {
      if (isSubtype(typeOf(object), target)) {
        fitting.add("o" + object);
      }
    }
    return fitting.get(Math.floorMod(value, fitting.size()));
  }
}
