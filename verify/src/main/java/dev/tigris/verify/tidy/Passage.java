package dev.tigris.verify.tidy;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/// A piece of English in a source or a document.
///
/// @param file where it stands
/// @param line the line where it begins, from 1
/// @param kind its place, which decides which rules apply
/// @param text its words; a value that is put in at run time is [#VALUE]
record Passage(Path file, long line, Kind kind, String text) {
  /// Stands for a value that is known at run time only.
  static final String VALUE = "VALUE";

  /// A place where English stands.
  enum Kind {
    /// The first sentence of the Javadoc of a public type or method.
    FIRST_SENTENCE("the Javadoc's first sentence"),
    /// All of a Javadoc comment.
    JAVADOC("the Javadoc"),
    /// A message of an exception, a log or the command line.
    MESSAGE("the message"),
    /// A string literal of any other use.
    LITERAL("the string"),
    /// A paragraph or a list item of a Markdown file.
    DOCUMENT("the paragraph");

    final String title;

    Kind(String title) {
      this.title = title;
    }
  }

  private static final Pattern SENTENCE_END =
      Pattern.compile("(?<!\\b(?:e\\.g|i\\.e|vs|cf|etc|al|p|sec|no))[.!?][)\"*_]*\\s+|%n|\\n");

  /// Its sentences, without the white space around them.
  List<String> sentences() {
    var sentences = new ArrayList<String>();
    for (String sentence : SENTENCE_END.split(text, -1)) {
      if (!sentence.isBlank()) {
        sentences.add(sentence.strip());
      }
    }
    return sentences;
  }
}
