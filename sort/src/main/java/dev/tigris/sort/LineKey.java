package dev.tigris.sort;

import java.util.Locale;

/// One key of an order over lines: which part of a line it is, and how that part is compared.
/// The text form and its meaning are those of POSIX `sort -k`, with GNU's kinds.
///
/// ```
///   2.3b,4.1n        from character 3 of field 2, leading blanks skipped,
///   ^ ^^ ^ ^^        to character 1 of field 4, as a number
///   | || | |'-- options: of the end, but kinds hold for the whole key
///   | || | '--- end character (left out, or 0: the whole field)
///   | || '----- end field (left out: the end of the line)
///   | |'------- options of the start
///   | '-------- start character
///   '---------- start field
/// ```
///
/// @param startField how many fields precede the key's first one
/// @param startChar how many bytes of that field precede the key
/// @param endField how many fields precede the last one; [#TO_THE_END] for the rest of the line
/// @param endChar how many bytes of the last field belong to the key; 0 for all of them
/// @param startBlanks whether the blanks at the start are skipped before bytes are counted
/// @param endBlanks likewise at the end
/// @param kind how it is compared
/// @param filter which bytes are left out of the comparison
/// @param folded whether lower-case letters compare as upper-case ones
/// @param reversed whether the result is turned round
record LineKey(
    int startField,
    int startChar,
    int endField,
    int endChar,
    boolean startBlanks,
    boolean endBlanks,
    Kind kind,
    Filter filter,
    boolean folded,
    boolean reversed) {

  /// The end of a key that is the rest of the line.
  static final int TO_THE_END = Integer.MAX_VALUE;

  /// How keys are compared.
  enum Kind {
    /// Byte by byte, unsigned.
    TEXT(' '),
    /// As decimal numbers of any length.
    NUMERIC('n'),
    /// As floating-point numbers of 80 bits.
    GENERAL('g'),
    /// As numbers with a unit: 2K before 1G.
    HUMAN('h'),
    /// As months of English: JAN before DEC.
    MONTH('M'),
    /// As names with version numbers in them.
    VERSION('V');

    final char letter;

    Kind(char letter) {
      this.letter = letter;
    }
  }

  /// Which bytes count.
  enum Filter {
    /// All of them.
    NONE,
    /// Blanks, letters and digits.
    DICTIONARY,
    /// Printing characters of ASCII.
    PRINTING
  }

  /// The whole line, compared as the global options say.
  static LineKey wholeLine(Options options) {
    return new LineKey(
        0,
        0,
        TO_THE_END,
        0,
        options.startBlanks,
        options.endBlanks,
        options.kind,
        options.filter,
        options.folded,
        options.reversed);
  }

  /// The whole line, byte by byte.
  static LineKey bytes(boolean reversed) {
    return new LineKey(0, 0, TO_THE_END, 0, false, false, Kind.TEXT, Filter.NONE, false, reversed);
  }

  /// One whole field.
  ///
  /// @param index from 0
  static LineKey field(int index, Options options) {
    return new LineKey(
        index,
        0,
        index,
        0,
        options.startBlanks,
        options.endBlanks,
        options.kind,
        options.filter,
        options.folded,
        options.reversed);
  }

  /// Reads a key such as `2,2n`.
  ///
  /// @param global the options of a key that has none of its own
  /// @throws IllegalArgumentException if it has another form, saying where
  static LineKey parse(String text, Options global) {
    Reader reader = new Reader(text);
    Options own = new Options();
    int startField = reader.position("the field where it starts");
    int startChar = 1;
    if (reader.skip('.')) {
      startChar = reader.position("the character where it starts");
    }
    reader.options(own, true);
    int endField = TO_THE_END;
    int endChar = 0;
    if (reader.skip(',')) {
      endField = reader.position("the field where it ends") - 1;
      if (reader.skip('.')) {
        endChar = reader.number("the character where it ends");
      }
      reader.options(own, false);
    }
    reader.requireEnd();
    Options used = own.isPlain() ? global : own;
    used.requireCompatible(text);
    return new LineKey(
        startField - 1,
        startChar - 1,
        endField,
        endChar,
        used.startBlanks,
        used.endBlanks,
        used.kind,
        used.filter,
        used.folded,
        used.reversed);
  }

  /// Whether its bytes are compared as they are.
  boolean isPlainText() {
    return kind == Kind.TEXT && filter == Filter.NONE && !folded;
  }

  /// Whether it is all bytes of the line, wherever fields are.
  boolean isAllBytes() {
    return isPlainText()
        && startField == 0
        && startChar == 0
        && !startBlanks
        && endField == TO_THE_END;
  }

  /// Ordering options as they are read one after the other: of one key, or of all.
  static final class Options {
    private boolean startBlanks;
    private boolean endBlanks;
    private Kind kind = Kind.TEXT;
    private Filter filter = Filter.NONE;
    private boolean folded;
    boolean reversed;
    private String kinds = "";

    /// Adds an option by its letter.
    ///
    /// @throws IllegalArgumentException if there is none of this letter
    void add(char letter, boolean toStart, boolean toEnd, String text) {
      switch (letter) {
        case 'b' -> {
          startBlanks |= toStart;
          endBlanks |= toEnd;
        }
        case 'd' -> filter = Filter.DICTIONARY;
        case 'i' -> filter = filter == Filter.NONE ? Filter.PRINTING : filter;
        case 'f' -> folded = true;
        case 'r' -> reversed = true;
        case 'n', 'g', 'h', 'M', 'V' -> kind(letter);
        case 'R' ->
            throw new IllegalArgumentException(
                "'%s' asks for a random order (R), which is not supported: use shuf"
                    .formatted(text));
        default ->
            throw new IllegalArgumentException(
                "'%s' has the unknown option '%s': the options are b, d, f, g, h, i, M, n, r, V"
                    .formatted(text, letter));
      }
    }

    private void kind(char letter) {
      for (Kind each : Kind.values()) {
        if (each.letter == letter) {
          kind = each;
        }
      }
      if (kinds.indexOf(letter) < 0) {
        kinds += letter;
      }
    }

    /// Whether no option was given.
    boolean isPlain() {
      return isDefaultOrder() && !reversed;
    }

    /// Whether lines are compared byte by byte, in whichever direction.
    boolean isDefaultOrder() {
      return !startBlanks && !endBlanks && kind == Kind.TEXT && filter == Filter.NONE && !folded;
    }

    /// Refuses kinds that contradict each other.
    ///
    /// @param text the option or key that they come from
    void requireCompatible(String text) {
      String all = kinds;
      if (filter != Filter.NONE && !kinds.isEmpty() && !kinds.equals("V")) {
        all = (filter == Filter.DICTIONARY ? "d" : "i") + kinds;
      }
      if (all.length() > 1) {
        throw new IllegalArgumentException(
            "'%s' has the options '%s', which contradict each other: give one of them"
                .formatted(text, all));
      }
    }
  }

  /// Reads the text of a key.
  private static final class Reader {
    private final String text;
    private int at;

    Reader(String text) {
      this.text = text;
    }

    boolean skip(char wanted) {
      if (at < text.length() && text.charAt(at) == wanted) {
        at++;
        return true;
      }
      return false;
    }

    /// A number that counts from 1.
    int position(String what) {
      int number = number(what);
      if (number == 0) {
        throw new IllegalArgumentException(
            "the key '%s' has 0 for %s: they count from 1".formatted(text, what));
      }
      return number;
    }

    /// A number; one that is too large for any line is the largest.
    int number(String what) {
      int start = at;
      long number = 0;
      while (at < text.length() && text.charAt(at) >= '0' && text.charAt(at) <= '9') {
        number = Math.min(TO_THE_END - 1, 10 * number + text.charAt(at++) - '0');
      }
      if (at == start) {
        throw new IllegalArgumentException(
            "the key '%s' lacks %s: a key has the form FIELD[.CHAR][OPTIONS][,FIELD[.CHAR][OPTIONS]],"
                    .formatted(text, what)
                + " such as 2,2n");
      }
      return (int) number;
    }

    void options(Options options, boolean isStart) {
      while (at < text.length() && Character.isLetter(text.charAt(at))) {
        options.add(text.charAt(at++), isStart, !isStart, text);
      }
    }

    void requireEnd() {
      if (at < text.length()) {
        throw new IllegalArgumentException(
            "the key '%s' has '%s' where it should end: a key is such as 2,2n"
                .formatted(text, text.substring(at).toLowerCase(Locale.ROOT)));
      }
    }
  }
}
