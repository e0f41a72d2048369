package dev.tigris.verify.tidy;

import dev.tigris.verify.tidy.Passage.Kind;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/// The English in a Markdown file: its paragraphs and list items. Headings, tables and code are
/// left out.
final class MarkdownPassages {
  private static final Pattern ITEM = Pattern.compile("\\s*(?:[-*]|\\d+\\.)\\s+(.*)");
  private static final Pattern NO_PROSE = Pattern.compile("\\s*(#|\\||>|!\\[|<).*");
  private static final Pattern FENCE = Pattern.compile("\\s*(```|~~~).*");

  private final Path file;
  private final List<Passage> passages = new ArrayList<>();
  private final StringBuilder paragraph = new StringBuilder();
  private int firstLine;

  private MarkdownPassages(Path file) {
    this.file = file;
  }

  /// Everything that stands in a file.
  static List<Passage> of(Path file) throws IOException {
    var reading = new MarkdownPassages(file);
    reading.read(Files.readAllLines(file));
    return reading.passages;
  }

  private void read(List<String> lines) {
    boolean inCode = false;
    for (int index = 0; index < lines.size(); index++) {
      String line = lines.get(index);
      boolean fence = FENCE.matcher(line).matches();
      inCode ^= fence;
      var item = ITEM.matcher(line);
      if (fence || inCode || line.isBlank() || NO_PROSE.matcher(line).matches()) {
        endParagraph();
      } else if (item.matches()) {
        endParagraph();
        append(item.group(1), index + 1);
      } else {
        append(line.strip(), index + 1);
      }
    }
    endParagraph();
  }

  private void append(String text, int line) {
    if (paragraph.isEmpty()) {
      firstLine = line;
    }
    paragraph.append(paragraph.isEmpty() ? "" : " ").append(text);
  }

  private void endParagraph() {
    if (!paragraph.isEmpty()) {
      passages.add(new Passage(file, firstLine, Kind.DOCUMENT, paragraph.toString()));
      paragraph.setLength(0);
    }
  }
}
