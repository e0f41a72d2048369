package dev.tigris.verify.tidy;

import dev.tigris.verify.tidy.Passage.Kind;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/// The part of the rule of English that a program can check: how a sentence begins, how long it is,
/// and some words.
///
/// The whole rule: begin with the thing that acts (the caller, the sender, a process) or with a
/// verb ("Returns", "Wakes"); use the field's standard term; say one thought a sentence; write
/// "not" and never "and no"; let no sentence depend on its neighbour.
final class EnglishRules {
  /// The words of a sentence in a message, a log or `--help`.
  static final int MESSAGE_WORDS = 30;

  /// The words of the first sentence of a Javadoc comment.
  static final int FIRST_SENTENCE_WORDS = 35;

  /// Between semicolons, fewer words are an item of a list, not a thought.
  private static final int THOUGHT_WORDS = 3;

  /// A string literal of fewer words is a name or a fragment, not a message.
  private static final int LITERAL_WORDS = 5;

  /// A string literal of more words without a punctuation mark is a list of words.
  private static final int LIST_WORDS = 40;

  private static final String MARKS = "[\"'(*_`]*";
  private static final String WORD_END = "\\b(?!['`\"])(?: |,|\\z)";
  private static final Pattern POOR_OPENING =
      Pattern.compile(
          MARKS
              + "((?i)who|whoever|whom|whomever|whose|what|whatever|nobody|no one|somebody|someone"
              + "|anybody|anyone|everybody|everyone|the same|for so long|for as long|so long"
              + "|so much|so many)"
              + WORD_END);

  /// An opening that refers to another sentence, or to a method above.
  private static final Pattern DEPENDENT_OPENING =
      Pattern.compile(MARKS + "(As(?= [^a])|It|Its|They|Their|Those|He|His|Such)" + WORD_END);
  private static final Pattern NAMELESS =
      Pattern.compile("(?i)\\b(nobody|somebody|anybody|everybody|someone|whoever)\\b");
  private static final Pattern AND_NO =
      Pattern.compile("\\A(?!.*\\bno\\b.*\\band no\\b).*\\b(and no|but no)\\b(?! (one|longer))");
  private static final Pattern CHECKOUT =
      Pattern.compile("\\b(docs/|bench/results|README|decisions?/?\\s?\\d{3})|\\.md\\b");
  private static final Pattern CODE_LITERAL = Pattern.compile("\\(\\?|;\\s*\\n|[{}]\\s*\\n");
  private static final Pattern CODE = Pattern.compile("`[^`]*`|\\[[^\\]]*\\](\\([^)]*\\))?");

  private EnglishRules() {}

  /// Checks a passage: one line for each breach of a rule.
  ///
  /// @param isPublished whether the passage ships in a jar, so that it cannot point into a checkout
  static List<String> breaches(Passage passage, boolean isPublished) {
    var breaches = new ArrayList<String>();
    boolean prose = isProse(passage);
    if (isPublished && passage.kind() != Kind.DOCUMENT) {
      Matcher path = CHECKOUT.matcher(passage.text());
      if (path.find() && passage.kind() != Kind.FIRST_SENTENCE) {
        breaches.add(
            report(passage, "points into a checkout (%s)", path.group())
                + "say it here, or cite the paper by name, year and section");
      }
    }
    if (!prose) {
      return breaches;
    }
    for (String sentence : passage.sentences()) {
      addBreaches(passage, sentence, breaches);
    }
    return breaches;
  }

  private static void addBreaches(Passage passage, String sentence, List<String> breaches) {
    String plain = CODE.matcher(sentence).replaceAll("[code]");
    Matcher opening = POOR_OPENING.matcher(plain);
    Matcher dependent = DEPENDENT_OPENING.matcher(plain);
    Matcher nameless = NAMELESS.matcher(plain);
    if (passage.kind() == Kind.FIRST_SENTENCE && dependent.lookingAt()) {
      opening = dependent;
    }
    if (opening.lookingAt() && !sentence.endsWith("?")) {
      breaches.add(
          report(passage, "begins with '%s'", opening.group(1))
              + "begin with the thing that acts, or with a verb: "
              + shortened(sentence));
    } else if (nameless.find()) {
      breaches.add(
          report(passage, "says '%s'", nameless.group())
              + "name the thing that acts (the caller, a process, a peer): "
              + shortened(sentence));
    }
    Matcher negation = AND_NO.matcher(plain);
    if (negation.find()) {
      breaches.add(
          report(passage, "says '%s'", negation.group(1)) + "write 'not': " + shortened(sentence));
    }
    long thoughts =
        Stream.of(plain.split(";", -1)).filter(part -> words(part) >= THOUGHT_WORDS).count();
    boolean isItem = passage.kind() == Kind.DOCUMENT && passage.text().endsWith(";");
    if (thoughts > 2 && !isItem) {
      breaches.add(
          report(passage, "joins %d thoughts by semicolons", thoughts)
              + "make a sentence of each: "
              + shortened(sentence));
    }
    int words = words(sentence);
    if (words > maximum(passage.kind())) {
      breaches.add(
          report(passage, "has a sentence of %d words", words)
              + "split it, at most %d words a sentence: ".formatted(maximum(passage.kind()))
              + shortened(sentence));
    }
  }

  private static int maximum(Kind kind) {
    return switch (kind) {
      case MESSAGE, LITERAL -> MESSAGE_WORDS;
      case FIRST_SENTENCE -> FIRST_SENTENCE_WORDS;
      case JAVADOC, DOCUMENT -> Integer.MAX_VALUE;
    };
  }

  /// Whether a passage is made of sentences; a Javadoc comment is looked at for its first one.
  private static boolean isProse(Passage passage) {
    String text = passage.text();
    int words = words(text);
    return switch (passage.kind()) {
      case FIRST_SENTENCE, DOCUMENT -> !text.startsWith("@");
      case JAVADOC -> false;
      case MESSAGE -> true;
      case LITERAL ->
          words >= LITERAL_WORDS
              && !CODE_LITERAL.matcher(text).find()
              && (words <= LIST_WORDS || text.matches("(?s).*[.,:;].*"));
    };
  }

  private static int words(String text) {
    return text.isBlank() ? 0 : text.strip().split("\\s+", -1).length;
  }

  private static String report(Passage passage, String what, Object value) {
    return "%s:%d %s %s%n    "
        .formatted(passage.file(), passage.line(), passage.kind().title, what.formatted(value));
  }

  private static String shortened(String sentence) {
    String flat = sentence.replaceAll("\\s+", " ");
    return flat.length() <= 100 ? flat : flat.substring(0, 97) + "...";
  }
}
