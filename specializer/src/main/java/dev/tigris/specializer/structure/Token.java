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

  private static final int MAX_SHOWN = 60;

  boolean is(String wanted) {
    return text.equals(wanted) && kind != Kind.END;
  }

  /// As messages name it.
  @Override
  public String toString() {
    String shown = text.length() > MAX_SHOWN ? text.substring(0, MAX_SHOWN) + "..." : text;
    return kind == Kind.END ? "the end of the file" : "'" + shown + "'";
  }
}
