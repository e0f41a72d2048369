package dev.tigris.specializer.structure;

import java.lang.classfile.TypeKind;
import java.util.Optional;

/// Reads places of one structure.
///
/// ```text
/// place = [ "acquire" | "release" ] [ "big" ] type "@" offset
/// ```
final class PlaceParser {
  private final Words words;
  private final int sizeBytes;

  PlaceParser(Words words, int sizeBytes) {
    this.words = words;
    this.sizeBytes = sizeBytes;
  }

  static boolean begins(Token token) {
    return isOrder(token) || token.is("big") || Words.type(token).isPresent();
  }

  private static boolean isOrder(Token token) {
    return token.is("acquire") || token.is("release");
  }

  Place parse() throws RuleException {
    Token first = words.peek();
    String order = isOrder(first) ? words.next().text() : "";
    boolean big = words.peek().is("big");
    Token bigWord = big ? words.next() : first;
    Token typeWord = words.next();
    Optional<TypeKind> type = Words.type(typeWord);
    if (type.isEmpty()) {
      throw words.wrong(typeWord.at(), "the type of the value is expected here, not " + typeWord);
    }
    int size = sizeBytes(type.get());
    if (big && size == 1) {
      throw words.wrong(bigWord.at(), "a single byte is neither big-endian nor little-endian");
    }
    words.expect("@");
    Token offsetWord = words.peek();
    int offset = words.expectCount("an offset");
    if (offset > sizeBytes - size) {
      throw words.wrong(
          offsetWord.at(),
          "%s @%d reaches out of the structure's %d bytes"
              .formatted(typeWord.text(), offset, sizeBytes));
    }
    if (offset % size != 0) {
      throw words.wrong(
          offsetWord.at(),
          "%s @%d is not aligned: %d is no multiple of %d"
              .formatted(typeWord.text(), offset, offset, size));
    }
    return new Place(type.get(), offset, order, big, first.at());
  }

  private static int sizeBytes(TypeKind type) {
    return switch (type) {
      case SHORT, CHAR -> 2;
      case INT, FLOAT -> 4;
      case LONG, DOUBLE -> 8;
      default -> 1;
    };
  }
}
