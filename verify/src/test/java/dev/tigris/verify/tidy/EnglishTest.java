package dev.tigris.verify.tidy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// The rule of English finds the sentences it forbids, and lets plain ones pass.
class EnglishTest {
  private static final String LONG = "word ".repeat(EnglishRules.MESSAGE_WORDS + 1);

  @TempDir private Path sources;

  private List<String> breaches(String source) throws IOException {
    Path file = Files.writeString(sources.resolve("Example.java"), source);
    return JavaPassages.of(List.of(file)).stream()
        .flatMap(passage -> EnglishRules.breaches(passage, true).stream())
        .toList();
  }

  private void assertBreaks(String rule, String source) throws IOException {
    List<String> breaches = breaches(source);
    assertEquals(1, breaches.size(), breaches + " in " + source);
    assertTrue(breaches.getFirst().contains(rule), breaches.toString());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          begins with 'Who'         | Who has nothing posted is not told of the end.
          begins with 'Nobody'      | Nobody can reach it.
          begins with 'The same'    | The same with a callback.
          begins with 'For so long' | For so long it takes the room of both.
          begins with 'As'          | As [#close], without a wait.
          begins with 'It'          | It ends the wait.
          says 'somebody'           | Whether somebody is to stop waiting.
          says 'and no'             | Ends the wait, and no message is lost.
          joins 3 thoughts          | Ends the wait; wakes the peer; then closes it.
          """)
  void findsAPoorFirstSentence(String rule, String sentence) throws IOException {
    String method = "public class Example { /// %s%n public void end() {} }".formatted(sentence);
    assertBreaks(rule, method);
    assertEquals(List.of(), breaches(method.replace("public void", "private void")));
    assertEquals(List.of(), breaches(method.replace("public class", "class")));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          Ends the wait.
          A request to end a wait.
          Whether a wait was ended.
          As a rule, ends the wait.
          The waits that were ended: see [who][Object] and `nobody`.
          Ends the wait; wakes the peer.
          Joins the waits: ended; woken; failed.
          Uses no thread and no lock.
          """)
  void letsAPlainFirstSentencePass(String sentence) throws IOException {
    assertEquals(
        List.of(),
        breaches("public class Example { /// %s%n public void end() {} }".formatted(sentence)));
  }

  @Test
  void readsMessagesAcrossJoinedLiteralsAndFormats() throws IOException {
    String half = LONG.substring(0, LONG.length() / 2);
    assertBreaks(
        "a sentence of",
        """
        class Example {
          void fail(int n) {
            throw new IllegalStateException(
                ("%s" + n + "%s").formatted(n));
          }
        }
        """
            .formatted(half, half));
    assertBreaks(
        "says 'nobody'", "class Example { Object o = new Exception(\"here nobody listens\"); }");
    assertBreaks(
        "begins with 'who'",
        "class Example { void log(Logger l) { l.log(Level.INFO, \"who asks waits\"); } }");
    assertEquals(
        List.of(), breaches("class Example { String s = \"nobody\", t = \"who asks waits\"; }"));
  }

  @Test
  void takesTheLinesOfADescriptionForOneText() throws IOException {
    String command = "@Command(description = {\"Writes files,\", \"whose names end in .txt.\"%s})";
    String type = " class Example {}";
    assertEquals(List.of(), breaches(command.formatted("") + type));
    assertBreaks(
        "begins with 'Whose'", command.formatted(", \"Whose turn it is goes on.\"") + type);
  }

  @Test
  void findsAPathIntoTheCheckoutInJavadocAndLiterals() throws IOException {
    assertBreaks("points into a checkout", "/// See docs/formats.md.\nclass Example {}");
    assertBreaks("points into a checkout", "class Example { String s = \"see decision 040\"; }");
    assertEquals(List.of(), breaches("class Example { int i; // docs/decisions/040\n }"));
  }

  @Test
  void looksAtParagraphsAndItemsOfDocumentsOnly() throws IOException {
    Path file =
        Files.writeString(
            sources.resolve("page.md"),
            """
            # What it is
            | What | cell |
            ```
            What is code
            ```
            A paragraph that ends
            here. Nobody reads it.
            - Who asks waits
            """);
    List<Passage> passages = MarkdownPassages.of(file);
    assertEquals(2, passages.size(), passages.toString());
    assertEquals(List.of(6L, 8L), passages.stream().map(Passage::line).toList());
    assertEquals(2, passages.stream().mapToInt(p -> EnglishRules.breaches(p, true).size()).sum());
  }
}
