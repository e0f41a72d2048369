package dev.tigris.specializer.structure;

/// A word of the language.
///
/// @param text as it stands in the file; empty at its end
/// @param at the index of its first character
record Token(Kind kind, String text, int at) {
  enum Kind {
    NAME,
    NUMBER,
    SYMBOL,
    END
  }

  boolean is(String wanted) {
    return text.equals(wanted) && kind != Kind.END;
  }

  /// As messages name it.
  @Override
  public String toString() {
    return kind == Kind.END ? "the end of the file" : "'" + text + "'";
  }
}
