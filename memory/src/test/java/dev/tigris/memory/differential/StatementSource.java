package dev.tigris.memory.differential;

import dev.tigris.memory.differential.Sketch.Kind;
import dev.tigris.memory.differential.Sketch.Statement;
import java.util.List;

/// Java source for the statements of one method.
///
/// They compute on a variable `x0`, or in the second lambda of one another `x2`, and on the objects
/// `o0` to `o3` and `this`.
final class StatementSource {
  /// In place of the number of a class: the method is static.
  static final int STATIC = -1;

  private final SketchSource program;
  private final int self;
  private int labels;

  StatementSource(SketchSource program, int self) {
    this.program = program;
    this.self = self;
  }

  String block(List<Statement> statements, int depth) {
    StringBuilder block = new StringBuilder();
    for (Statement statement : statements) {
      block.append("      ").append(render(statement, depth)).append('\n');
    }
    return block.toString();
  }

  private String object(Statement statement) {
    int number = Math.floorMod(statement.object(), Sketch.OBJECTS + (self == STATIC ? 0 : 1));
    return number == Sketch.OBJECTS ? "C" + self + ".this" : "o" + number;
  }

  private int type(Statement statement) {
    int number = Math.floorMod(statement.object(), Sketch.OBJECTS + (self == STATIC ? 0 : 1));
    return number == Sketch.OBJECTS ? self : program.typeOf(number);
  }

  private String render(Statement statement, int depth) {
    return statement.shape().hasBody() ? compound(statement, depth) : simple(statement, depth);
  }

  /// Assigns a value to a place, or changes what it holds.
  static String write(String place, Kind kind, String x, String reference) {
    String value =
        switch (kind) {
          case BOOLEAN -> "(%s & 1) != 0";
          case BYTE, SHORT, CHAR, INT -> "(" + kind.type() + ") %s";
          case LONG, STATIC -> "%s";
          case FLOAT -> "%s %% 1000 / 4f";
          case DOUBLE -> "%s / 8.0";
          case SIDE -> "side(%s)";
          case NOTE -> "\"n\" + %s %% 10";
          case TEXT -> "\"t\" + %s %% 1000";
          case INTS -> "%1$s & 3, (int) %1$s";
          case REFERENCE, NESTED -> reference;
        };
    if (kind == Kind.NESTED || place.startsWith("\"")) {
      return x + " ^= num(" + place + ");";
    }
    String given = value.formatted(x).replace("side(", "Program.side(");
    return place + (kind.isPart() ? ".set(" + given + ");" : " = " + given + ";");
  }

  @SuppressWarnings("InlineFormatString")
  private String simple(Statement s, int depth) {
    String x = "x" + depth;
    String o = object(s);
    int type = type(s);
    SketchSource.Place place = program.place(o, type, s.field(), s.value());
    Kind kind = place.kind();
    String p = place.text();
    boolean isNumber = kind.isNumber();
    String read = "%s = %<s * 31 + num(%s);".formatted(x, p);
    String write = write(p, kind, x, program.reference(place.target(), s.value()));
    return switch (s.shape()) {
      case WRITE -> write;
      case UPDATE ->
          switch (kind) {
            case BOOLEAN -> "%s ^= (%s & 1) == 0;".formatted(p, x);
            case NOTE, SIDE, TEXT, INTS, REFERENCE, NESTED -> write;
            default ->
                "%s %s= %s & 1023;".formatted(p, List.of("+", "*", "-").get(s.value() % 3), x);
          };
      case STEP ->
          !isNumber
              ? read
              : switch (s.value() & 3) {
                case 0 -> "%s += num(%s++);".formatted(x, p);
                case 1 -> "%s += num(--%s);".formatted(x, p);
                case 2 -> p + "--;";
                default -> "%s += num(%2$s += num(%2$s));".formatted(x, p);
              };
      case CONCATENATE ->
          kind == Kind.REFERENCE || kind == Kind.NESTED || kind == Kind.INTS
              ? read
              : "%s += (\"\" + %s + '/' + %1$s).hashCode();".formatted(x, p);
      case FOLLOW ->
          program
              .find(o, type, Kind.REFERENCE)
              .map(reference -> "%s += %s.total();".formatted(x, reference))
              .orElse(read);
      case ELEMENT -> {
        String element = "new C%d[] {%s, null}[(int) (%s >> 9 & 1)]".formatted(type, o, x);
        SketchSource.Place inside = program.place(element, type, s.field(), s.value());
        yield write(inside.text(), kind, x, program.reference(place.target(), s.value()));
      }
      case RECORD -> "%s += new Pair(o0, %s).right().total();".formatted(x, o);
      case METHOD -> self == STATIC ? "%s = %s.work(%1$s);".formatted(x, o) : read;
      case INTERFACE -> "%s += ((Countable) %s).twice();".formatted(x, o);
      case INNER -> "%s = %s.new View().look(%1$s);".formatted(x, o);
      case REFER -> refer(s, x, o, type);
      case DIVIDE -> "%s += 1000 / num(%s);".formatted(x, p);
      case FAIL ->
          "if ((%s & 7) == %d) { throw new IllegalStateException(); }".formatted(x, s.value() & 7);
      case CHOOSE -> {
        String second = program.place(o, type, s.field() + 1, s.value()).text();
        yield "%s += (%1$s & 1) == 0 ? num(%s) : num(%s);".formatted(x, p, second);
      }
      default -> read;
    };
  }

  /// Method references, bound and unbound, and a constructor's.
  private static String refer(Statement s, String x, String o, int type) {
    return switch (s.value() % 3) {
      case 0 -> "%s += ((LongSupplier) %s::total).getAsLong();".formatted(x, o);
      case 1 -> "%s += ((ToLongFunction<C%d>) C%2$d::total).applyAsLong(%s);".formatted(x, type, o);
      default ->
          "%s = ((BiFunction<C0, Countable, Pair>) Pair::new).apply(o0, %s).left().total();"
              .formatted(x, o);
    };
  }

  private String compound(Statement s, int depth) {
    boolean inner = s.shape() == Sketch.Shape.LAMBDA || s.shape() == Sketch.Shape.ANONYMOUS;
    String body = block(s.body(), inner ? depth + 1 : depth);
    String x = "x" + depth;
    String o = object(s);
    SketchSource.Place place = program.place(o, type(s), s.field(), s.value());
    String p = place.text();
    String write = write(p, place.kind(), x, program.reference(place.target(), s.value()));
    return switch (s.shape()) {
      case IF -> "if ((num(%s) + %s & 1) == 0) {\n%s} else { %s }".formatted(p, x, body, write);
      case LOOP ->
          """
          l%1$d: for (int i%1$d = 0; i%1$d < 3; i%1$d++) {
                %2$s += i%1$d;
          %3$s      if ((%2$s & 7) == %4$d) { continue l%1$d; }
                %5$s
                if ((num(%6$s) & 7) == %4$d) { break l%1$d; }
              }"""
              .formatted(++labels, x, body, s.value() & 7, write, p);
      case TRY ->
          "try {\n%s} catch (%s e%d) { %s } finally { %s += 5 + num(%s); }"
              .formatted(
                  body,
                  (s.value() & 1) == 0
                      ? "NullPointerException | IllegalStateException"
                      : "RuntimeException",
                  ++labels,
                  write,
                  x,
                  p);
      case SYNCHRONIZED -> "synchronized (%s) {\n%s %s }".formatted(o, body, write);
      case LAMBDA ->
          "%s = apply(x%d -> {\n%s return x%2$d + num(%s); }, %1$s);"
              .formatted(x, depth + 1, body, p);
      case ANONYMOUS ->
          """
          %s = new LongUnaryOperator() {
                @Override public long applyAsLong(long x%d) {
          %s          return x%2$d ^ num(%s);
                }
              }.applyAsLong(%1$s);"""
              .formatted(x, depth + 1, body, p);
      default -> choice(s, x, body, p, write);
    };
  }

  private String choice(Statement s, String x, String body, String p, String write) {
    return switch (s.shape()) {
      case TABLE_SWITCH ->
          """
          switch ((int) num(%s) & 3) {
                case 0:
          %s      case 1: %s break;
                case 2: %s += 4;
                default: %4$s *= 3;
              }"""
              .formatted(p, body, write, x);
      case LOOKUP_SWITCH ->
          """
          switch ((int) num(%s)) {
                case 0: case 1: case -1: case 12345:
          %s      case 1000: %s break;
                case Integer.MIN_VALUE: case 70000: %s += 4;
                default: %4$s *= 3;
              }"""
              .formatted(p, body, write, x);
      case STRING_SWITCH ->
          """
          switch (String.valueOf(num(%s) & 3)) {
                case "0":
          %s      case "1": %s break;
                default: %s += 4;
              }"""
              .formatted(p, body, write, x);
      case ENUM_SWITCH ->
          """
          switch (%s) {
                case LOW -> {
          %s      }
                case MID -> { %s }
                case null, default -> { %s += 9; }
              }"""
              .formatted(
                  program.find(object(s), type(s), Kind.SIDE).orElse("side(" + x + ")"),
                  body,
                  write,
                  x);
      case PATTERN_SWITCH ->
          """
          switch ((Object) %s) {
                case Integer i%6$d when i%6$d > %d -> { %s += i%6$d; }
                case C0 c%6$d when c%6$d.total() > 0 -> { %3$s ^= c%6$d.total(); }
                case Pair(C0 a%6$d, C0 b%6$d) -> { %3$s += a%6$d.total() - b%6$d.total(); }
                case Pair(C0 a%6$d, var b%6$d) when b%6$d.total() != 0 -> {
          %4$s      }
                case null -> { %3$s += 2; }
                default -> { %5$s }
              }"""
              .formatted(
                  (s.value() & 1) == 0 ? "new Pair(o0, " + object(s) + ")" : p,
                  s.value(),
                  x,
                  body,
                  write,
                  ++labels);
      default -> throw new IllegalArgumentException(s.shape() + " is no choice");
    };
  }
}
