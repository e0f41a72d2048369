package dev.tigris.specializer.structure;

import static java.lang.classfile.TypeKind.BOOLEAN;
import static java.lang.classfile.TypeKind.DOUBLE;
import static java.lang.classfile.TypeKind.FLOAT;
import static java.lang.classfile.TypeKind.INT;
import static java.lang.classfile.TypeKind.LONG;

import java.lang.classfile.TypeKind;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// Reads expressions: Java's, with Java's types and precedence, over literals, a parameter and
/// places in the structure. What has been read is code that is typed, straight and inside of the
/// structure; there is no way to write any other.
///
/// ```text
/// expression = operand { operator operand }        operators bind as in Java:
///                                                  |   ^   &   == !=   << >> >>>   + -   * /
/// operand    = ( "-" | "~" | "!" ) operand | "(" type ")" operand
///            | "(" expression ")" | literal | parameter | place
/// ```
final class ExpressionParser {
  /// Keeps the parser from recursing without end; no recipe is as deep.
  private static final int MAX_DEPTH = 64;

  /// The operators by how strongly they bind, the weakest first.
  private static final List<Map<String, String>> OPERATORS =
      List.of(
          Map.of("|", "or"),
          Map.of("^", "xor"),
          Map.of("&", "and"),
          Map.of("==", "eq", "!=", "ne"),
          Map.of("<<", "shl", ">>", "shr", ">>>", "ushr"),
          Map.of("+", "add", "-", "subtract"),
          Map.of("*", "multiply", "/", "divide"));

  private final Words words;
  private final PlaceParser places;
  private final Optional<Parameter> parameter;
  private int depth;

  /// What a method takes.
  record Parameter(TypeKind type, String name) {}

  ExpressionParser(Words words, PlaceParser places, Optional<Parameter> parameter) {
    this.words = words;
    this.places = places;
    this.parameter = parameter;
  }

  /// Reads an expression whose value is to become one of a type, as in an assignment.
  Code parse(TypeKind wanted) throws RuleException {
    Code code = parse();
    if (code.type() == wanted) {
      return code;
    }
    Optional<Integer> literal = code.literal().filter(value -> fits(value, wanted));
    if (literal.isPresent()) {
      return Code.of(wanted, code.at(), "constant " + Code.name(wanted) + " " + literal.get());
    }
    if (!widens(code.type(), wanted)) {
      String cast =
          code.type() == BOOLEAN || wanted == BOOLEAN
              ? ""
              : ", unless you cast it: (" + Code.name(wanted) + ") (...)";
      throw words.wrong(
          code.at(),
          "a value of type %s is not converted to type %s%s"
              .formatted(Code.name(code.type()), Code.name(wanted), cast));
    }
    return code.cast(wanted);
  }

  /// Java's widening of primitive types (JLS 5.1.2).
  private static boolean widens(TypeKind from, TypeKind to) {
    List<TypeKind> order = List.of(TypeKind.BYTE, TypeKind.SHORT, INT, LONG, FLOAT, DOUBLE);
    if (from == TypeKind.CHAR) {
      return order.indexOf(to) >= order.indexOf(INT);
    }
    return order.contains(from) && order.indexOf(to) > order.indexOf(from);
  }

  private static boolean fits(int value, TypeKind type) {
    return switch (type) {
      case BYTE -> value == (byte) value;
      case SHORT -> value == (short) value;
      case CHAR -> value == (char) value;
      default -> false;
    };
  }

  private Code parse() throws RuleException {
    return binary(0);
  }

  private Code binary(int level) throws RuleException {
    if (level == OPERATORS.size()) {
      return operand();
    }
    Code left = binary(level + 1);
    String instruction = OPERATORS.get(level).get(words.peek().text());
    while (instruction != null) {
      Token operator = words.next();
      left = combine(operator, instruction, left, binary(level + 1));
      if (left.steps().size() > StructureParser.MAX_INSTRUCTIONS) {
        throw words.wrong(
            left.at(),
            "the expression takes more than the %d instructions of a recipe: make two methods of it"
                .formatted(StructureParser.MAX_INSTRUCTIONS));
      }
      instruction = OPERATORS.get(level).get(words.peek().text());
    }
    return left;
  }

  private Code combine(Token operator, String instruction, Code left, Code right)
      throws RuleException {
    boolean shift = instruction.equals("shl") || instruction.endsWith("shr");
    boolean comparison = instruction.equals("eq") || instruction.equals("ne");
    if (left.type() == BOOLEAN || right.type() == BOOLEAN) {
      boolean logical = instruction.endsWith("or") || instruction.equals("and");
      if (!logical || left.type() != right.type()) {
        throw mismatch(operator, left, right);
      }
      return Code.both(left, right, BOOLEAN, instruction + " boolean");
    }
    if (shift) {
      if (isFloating(left.promoted()) || isFloating(right.promoted())) {
        throw mismatch(operator, left, right);
      }
      TypeKind type = left.promoted();
      return Code.both(left.cast(type), right.cast(INT), type, instruction + " " + Code.name(type));
    }
    TypeKind type = wider(left.promoted(), right.promoted());
    if (instruction.equals("divide") && !isFloating(type)) {
      throw words.wrong(
          operator.at(),
          "a rule cannot divide whole numbers, since zero would stop it half way: "
              + "shift them, or cast one to double");
    }
    boolean forWhole = comparison || instruction.endsWith("or") || instruction.equals("and");
    if (forWhole && isFloating(type)) {
      throw mismatch(operator, left, right);
    }
    return Code.both(
        left.cast(type),
        right.cast(type),
        comparison ? BOOLEAN : type,
        instruction + " " + Code.name(type));
  }

  private RuleException mismatch(Token operator, Code left, Code right) {
    return words.wrong(
        operator.at(),
        "the operation %s %s %s does not exist"
            .formatted(Code.name(left.type()), operator.text(), Code.name(right.type())));
  }

  private static boolean isFloating(TypeKind type) {
    return type == FLOAT || type == DOUBLE;
  }

  private static TypeKind wider(TypeKind one, TypeKind other) {
    List<TypeKind> order = List.of(INT, LONG, FLOAT, DOUBLE);
    return order.indexOf(one) > order.indexOf(other) ? one : other;
  }

  private Code operand() throws RuleException {
    if (++depth > MAX_DEPTH) {
      throw words.wrong(words.peek().at(), "the expression is nested too deeply");
    }
    Code code = unary();
    depth--;
    return code;
  }

  private Code unary() throws RuleException {
    Token token = words.peek();
    return switch (token.text()) {
      case "-" -> negative(words.next());
      case "~" -> {
        Token operator = words.next();
        Code code = operand();
        TypeKind type = code.promoted();
        if (type != INT && type != LONG) {
          throw words.wrong(operator.at(), "'~' cannot be applied to a " + Code.name(type));
        }
        yield inverted(code.cast(type), "constant " + Code.name(type) + " -1", type);
      }
      case "!" -> {
        Token operator = words.next();
        Code code = operand();
        if (code.type() != BOOLEAN) {
          throw words.wrong(operator.at(), "! is of a boolean, not of a " + Code.name(code.type()));
        }
        yield inverted(code, "constant boolean true", BOOLEAN);
      }
      case "(" -> parenthesis();
      default -> primary(token);
    };
  }

  private static Code inverted(Code code, String ones, TypeKind type) {
    return Code.both(code, Code.of(type, code.at(), ones), type, "xor " + Code.name(type));
  }

  private Code negative(Token minus) throws RuleException {
    if (words.peek().kind() == Token.Kind.NUMBER) {
      return Literal.of(words, words.next(), true);
    }
    Code code = operand();
    TypeKind type = code.promoted();
    if (type == BOOLEAN) {
      throw words.wrong(minus.at(), "'-' cannot be applied to a boolean");
    }
    // -0.0 - x is -x for every x, and 0.0 - x is not.
    String zero = isFloating(type) ? "-0.0" : "0";
    Code from = Code.of(type, minus.at(), "constant " + Code.name(type) + " " + zero);
    return Code.both(from, code.cast(type), type, "subtract " + Code.name(type));
  }

  private Code parenthesis() throws RuleException {
    Token open = words.next();
    Optional<TypeKind> type = Words.type(words.peek());
    if (type.isPresent() && words.peekSecond().is(")")) {
      words.next();
      words.next();
      Code code = operand();
      if ((code.type() == BOOLEAN) != (type.get() == BOOLEAN)) {
        throw words.wrong(
            open.at(),
            "a %s cannot be cast to %s".formatted(Code.name(code.type()), Code.name(type.get())));
      }
      Code cast = code.cast(type.get());
      return new Code(cast.type(), open.at(), Optional.empty(), cast.steps());
    }
    Code code = parse();
    words.expect(")");
    return new Code(code.type(), open.at(), code.literal(), code.steps());
  }

  private Code primary(Token token) throws RuleException {
    if (token.kind() == Token.Kind.NUMBER) {
      return Literal.of(words, words.next(), false);
    }
    if (token.is("true") || token.is("false")) {
      return Code.of(BOOLEAN, words.next().at(), "constant boolean " + token.text());
    }
    if (PlaceParser.begins(token)) {
      return places.parse().read(words);
    }
    if (token.kind() == Token.Kind.NAME && !Words.isReserved(token)) {
      if (parameter.isEmpty() || !parameter.get().name().equals(token.text())) {
        throw words.wrong(
            token.at(),
            parameter
                .map(
                    known ->
                        "unknown name " + token + ": the method has the parameter " + known.name())
                .orElse("unknown name " + token + ": the method has no parameter"));
      }
      return Code.of(parameter.get().type(), words.next().at(), "argument");
    }
    throw words.wrong(token.at(), "a value is expected here, not " + token);
  }
}
