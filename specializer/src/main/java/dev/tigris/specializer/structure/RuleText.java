package dev.tigris.specializer.structure;

import java.util.regex.Pattern;

/// A file of rules, and what is wrong with it.
///
/// @param file its name, for messages
/// @param text what stands in it
record RuleText(String file, String text) {
  /// Longer lines are cut.
  private static final int MAX_SHOWN = 200;

  /// Characters that a terminal could obey or show elsewhere: the file is not trusted.
  private static final Pattern UNSEEN = Pattern.compile("[\\p{Cc}\\p{Cf}&&[^\\t]]");

  /// Says that something is wrong, where, and shows the line:
  ///
  /// ```text
  /// ipv4.rules:3:22: int @18 is not aligned: 18 is no multiple of 4
  ///   int source() = big int @18;
  ///                          ^
  /// ```
  ///
  /// @param at the index of the character
  RuleException wrong(int at, String problem) {
    int start = text.lastIndexOf('\n', at - 1) + 1;
    int end = text.indexOf('\n', at);
    long line = text.substring(0, start).chars().filter(c -> c == '\n').count() + 1;
    int column = text.codePointCount(start, at) + 1;
    String shown = text.substring(start, end < 0 ? text.length() : end).stripTrailing();
    // A tab stays one, so that the caret stands where the line has it.
    String gap =
        text.substring(start, at)
            .codePoints()
            .collect(
                StringBuilder::new,
                (out, c) -> out.append(c == '\t' ? '\t' : ' '),
                StringBuilder::append)
            .toString();
    String what = "%s:%d:%d: %s".formatted(file, line, column, visible(problem));
    return new RuleException(
        shown.length() > MAX_SHOWN ? what : what + "\n  " + visible(shown) + "\n  " + gap + "^");
  }

  private static String visible(String text) {
    return UNSEEN.matcher(text).replaceAll("?");
  }
}
