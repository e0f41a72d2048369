package dev.tigris.specializer.structure;

import java.util.ArrayList;
import java.util.List;

/// Cuts a file into words. Blanks separate, and `//` begins a comment, as in Java.
final class Lexer {
  /// Longer ones come first.
  private static final List<String> SYMBOLS =
      List.of(
          ">>>", "<<", ">>", "==", "!=", "+", "-", "*", "/", "&", "|", "^", "~", "!", "@", "=", "{",
          "}", "(", ")", ";", ",", ".");

  private final RuleText source;
  private final String text;
  private final List<Token> tokens = new ArrayList<>();
  private int at;

  private Lexer(RuleText source) {
    this.source = source;
    this.text = source.text();
  }

  /// The words of a file, and the end.
  static List<Token> tokens(RuleText source) throws RuleException {
    return new Lexer(source).cut();
  }

  private List<Token> cut() throws RuleException {
    while (at < text.length()) {
      char first = text.charAt(at);
      if (Character.isWhitespace(first)) {
        at++;
      } else if (text.startsWith("//", at)) {
        int end = text.indexOf('\n', at);
        at = end < 0 ? text.length() : end;
      } else if (Character.isJavaIdentifierStart(first)) {
        add(Token.Kind.NAME, endOfName(at));
      } else if (isDigit(at) || (first == '.' && isDigit(at + 1))) {
        add(Token.Kind.NUMBER, endOfNumber());
      } else {
        add(Token.Kind.SYMBOL, at + symbol().length());
      }
    }
    tokens.add(new Token(Token.Kind.END, "", at));
    return tokens;
  }

  private int endOfName(int start) {
    int end = start;
    while (end < text.length() && isPartOfName(text.charAt(end))) {
      end++;
    }
    return end;
  }

  /// Whatever begins like a number is one word, so that what is wrong with it is said of all of it.
  private int endOfNumber() {
    boolean hexadecimal = text.startsWith("0x", at) || text.startsWith("0X", at);
    int end = at;
    while (end < text.length()) {
      char next = text.charAt(end);
      boolean sign = !hexadecimal && end > at && (next == '+' || next == '-');
      boolean ofExponent = sign && "eE".indexOf(text.charAt(end - 1)) >= 0;
      if (next != '.' && !ofExponent && !isPartOfName(next)) {
        break;
      }
      end++;
    }
    return end;
  }

  private static boolean isPartOfName(char character) {
    return Character.isJavaIdentifierPart(character) && !Character.isIdentifierIgnorable(character);
  }

  private boolean isDigit(int index) {
    return index < text.length() && text.charAt(index) >= '0' && text.charAt(index) <= '9';
  }

  private String symbol() throws RuleException {
    for (String symbol : SYMBOLS) {
      if (text.startsWith(symbol, at)) {
        return symbol;
      }
    }
    String character = Character.toString(text.codePointAt(at));
    throw source.wrong(at, "'" + character + "' means nothing in a rule");
  }

  private void add(Token.Kind kind, int end) {
    tokens.add(new Token(kind, text.substring(at, end), at));
    at = end;
  }
}
