package dev.tigris.specializer.structure;

import dev.tigris.specializer.structure.ExpressionParser.Parameter;
import java.lang.classfile.TypeKind;
import java.lang.constant.ClassDesc;
import java.lang.constant.MethodTypeDesc;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/// Reads a file in the restricted rule language, and proves that each recipe in it is valid. A
/// valid recipe is typed and a straight line of bounded length, and each peek and poke is aligned
/// and inside of the structure's declared size. A rule that cannot be proved is refused, with its
/// place in the file.
///
/// ```text
/// // The header of a packet (RFC 791), in network byte order.
/// structure com.example.Ipv4 of 20 bytes {
///   int version() = byte @0 >> 4 & 0xf;
///   int length() = big char @2;
///   void length(int value) { big char @2 = (char) value; }
/// }
/// ```
///
/// ```text
/// file      = structure { structure }
/// structure = "structure" class "of" size "bytes" "{" { method } "}"
/// method    = type name "(" [ type name ] ")" "=" expression ";"
///           | "void" name "(" [ type name ] ")" "{" store { store } "}"
/// store     = place "=" expression ";"
/// ```
///
/// [ExpressionParser] has expressions, and [PlaceParser] places.
public final class StructureParser {
  /// The most instructions that a recipe may have: what `memory` accepts, where its recipes are
  /// proved again.
  public static final int MAX_INSTRUCTIONS = 16;

  /// The largest structure, which is the largest object too.
  public static final int MAX_BYTES = 1 << 20;

  private final Words words;
  private final Set<String> structures = new HashSet<>();

  private StructureParser(RuleText source) throws RuleException {
    this.words = new Words(source);
  }

  /// Reads the structures of a file.
  ///
  /// @param file its name, for messages
  /// @throws RuleException at the first thing that is wrong
  public static List<Structure> parse(String file, String text) throws RuleException {
    return new StructureParser(new RuleText(file, text)).file();
  }

  private List<Structure> file() throws RuleException {
    List<Structure> found = new ArrayList<>();
    while (!words.isAtEnd()) {
      found.add(structure());
    }
    if (found.isEmpty()) {
      throw words.wrong(words.peek().at(), "the file has no structure: begin with 'structure'");
    }
    return found;
  }

  private Structure structure() throws RuleException {
    words.expect("structure");
    Token first = words.peek();
    String name = className();
    if (!structures.add(name)) {
      throw words.wrong(first.at(), "the structure " + name + " is declared above already");
    }
    words.expect("of");
    Token sizeWord = words.peek();
    int sizeBytes = words.expectCount("a size");
    if (sizeBytes < 1 || sizeBytes > MAX_BYTES) {
      throw words.wrong(sizeWord.at(), "a structure has from 1 to " + MAX_BYTES + " bytes");
    }
    words.expect("bytes");
    words.expect("{");
    List<StructureMethod> methods = new ArrayList<>();
    Set<String> signatures = new HashSet<>();
    while (!words.peek().is("}")) {
      Token start = words.peek();
      StructureMethod method = method(new PlaceParser(words, sizeBytes));
      if (!signatures.add(method.name() + method.type().descriptorString())) {
        throw words.wrong(
            start.at(),
            "the method %s%s is declared above already"
                .formatted(method.name(), method.type().displayDescriptor()));
      }
      methods.add(method);
    }
    words.expect("}");
    return new Structure(ClassDesc.of(name), sizeBytes, methods);
  }

  private String className() throws RuleException {
    StringBuilder name = new StringBuilder(words.expectName("a class").text());
    while (words.peek().is(".")) {
      words.next();
      name.append('.').append(words.expectName("a class").text());
    }
    return name.toString();
  }

  private StructureMethod method(PlaceParser places) throws RuleException {
    Token resultWord = words.next();
    boolean pokes = resultWord.is("void");
    Optional<TypeKind> result = pokes ? Optional.of(TypeKind.VOID) : Words.type(resultWord);
    if (result.isEmpty()) {
      throw words.wrong(
          resultWord.at(),
          "a method's return type is expected here, a primitive type or void, not " + resultWord);
    }
    Token name = words.expectName("a method");
    words.expect("(");
    Optional<Parameter> parameter =
        words.peek().is(")") ? Optional.empty() : Optional.of(parameter());
    words.expect(")");
    ExpressionParser expressions = new ExpressionParser(words, places, parameter);
    List<String> steps = pokes ? pokes(places, expressions) : value(expressions, result.get());
    if (steps.size() > MAX_INSTRUCTIONS) {
      throw words.wrong(
          name.at(),
          "%s takes %d instructions, more than the %d of a recipe: make two methods of it"
              .formatted(name.text(), steps.size(), MAX_INSTRUCTIONS));
    }
    MethodTypeDesc type =
        MethodTypeDesc.of(
            result.get().upperBound(),
            parameter.map(taken -> List.of(taken.type().upperBound())).orElse(List.of()));
    return new StructureMethod(name.text(), type, String.join("; ", steps));
  }

  private Parameter parameter() throws RuleException {
    Token typeWord = words.next();
    Optional<TypeKind> type = Words.type(typeWord);
    if (type.isEmpty()) {
      throw words.wrong(typeWord.at(), "a parameter has a primitive type, not " + typeWord);
    }
    Token name = words.expectName("a parameter");
    if (PlaceParser.begins(name)) {
      throw words.wrong(name.at(), name + " begins a place: choose another name for the parameter");
    }
    if (words.peek().is(",")) {
      throw words.wrong(words.peek().at(), "a method takes one parameter at most");
    }
    return new Parameter(type.get(), name.text());
  }

  private List<String> value(ExpressionParser expressions, TypeKind result) throws RuleException {
    words.expect("=");
    Code code = expressions.parse(result);
    words.expect(";");
    return code.steps();
  }

  private List<String> pokes(PlaceParser places, ExpressionParser expressions)
      throws RuleException {
    words.expect("{");
    List<String> steps = new ArrayList<>();
    do {
      if (!PlaceParser.begins(words.peek())) {
        throw words.wrong(
            words.peek().at(), "a place is expected here, such as 'int @0', not " + words.peek());
      }
      Place place = places.parse();
      words.expect("=");
      steps.addAll(place.write(words, expressions.parse(place.type())).steps());
      words.expect(";");
    } while (!words.peek().is("}"));
    words.expect("}");
    return steps;
  }
}
