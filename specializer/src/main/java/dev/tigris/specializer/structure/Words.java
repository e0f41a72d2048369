package dev.tigris.specializer.structure;

import java.lang.classfile.TypeKind;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/// The words of a file, read one after the other.
final class Words {
  private static final Map<String, TypeKind> TYPES =
      Map.of(
          "boolean", TypeKind.BOOLEAN,
          "byte", TypeKind.BYTE,
          "short", TypeKind.SHORT,
          "char", TypeKind.CHAR,
          "int", TypeKind.INT,
          "long", TypeKind.LONG,
          "float", TypeKind.FLOAT,
          "double", TypeKind.DOUBLE);

  private static final Set<String> RESERVED = Set.of("void", "true", "false");

  private final RuleText source;
  private final List<Token> tokens;
  private int index;

  Words(RuleText source) throws RuleException {
    this.source = source;
    this.tokens = Lexer.tokens(source);
  }

  Token peek() {
    return tokens.get(index);
  }

  /// The word after the next.
  Token peekSecond() {
    return tokens.get(Math.min(index + 1, tokens.size() - 1));
  }

  Token next() {
    Token token = peek();
    index = Math.min(index + 1, tokens.size() - 1);
    return token;
  }

  boolean isAtEnd() {
    return peek().kind() == Token.Kind.END;
  }

  Token expect(String wanted) throws RuleException {
    if (!peek().is(wanted)) {
      throw wrong(peek().at(), "'" + wanted + "' is expected here, not " + peek());
    }
    return next();
  }

  /// @param what the name is of, for the message
  Token expectName(String what) throws RuleException {
    if (peek().kind() != Token.Kind.NAME || isReserved(peek())) {
      throw wrong(peek().at(), "the name of " + what + " is expected here, not " + peek());
    }
    return next();
  }

  /// A whole number from 0 up, for sizes and offsets.
  ///
  /// @param what it is, for the message
  int expectCount(String what) throws RuleException {
    Token token = peek();
    if (token.kind() == Token.Kind.NUMBER) {
      Optional<Integer> value = Literal.of(this, token, false).literal();
      if (value.isPresent() && value.get() >= 0) {
        next();
        return value.get();
      }
    }
    throw wrong(token.at(), what + " is expected here, a whole number, not " + token);
  }

  RuleException wrong(int at, String problem) {
    return source.wrong(at, problem);
  }

  /// The primitive type that a word names.
  static Optional<TypeKind> type(Token token) {
    return Optional.ofNullable(TYPES.get(token.text()));
  }

  /// Whether a word is none that a class, a method or a parameter can be called.
  static boolean isReserved(Token token) {
    return TYPES.containsKey(token.text()) || RESERVED.contains(token.text());
  }
}
