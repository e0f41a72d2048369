package dev.tigris.verify.tidy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/// What can be checked of the documents: that they are there, and lead where they say.
class DocumentationTest {
  private static final Pattern LINK = Pattern.compile("\\]\\(([^)#]+)[^)]*\\)");

  private final Path root = Checkout.ofCurrentFolder().root();

  @Test
  void everyLinkLeadsSomewhere() throws Exception {
    var broken = new ArrayList<String>();
    for (Path document : documents()) {
      Matcher link = LINK.matcher(Files.readString(document));
      while (link.find()) {
        String target = link.group(1);
        if (!target.startsWith("https://") && !Files.exists(document.resolveSibling(target))) {
          broken.add("%s links to %s, which is not there".formatted(document, target));
        }
      }
    }
    assertEquals(List.of(), broken);
  }

  @Test
  void everyDecisionIsInTheIndexUnderItsTitle() throws Exception {
    Path decisions = root.resolve("docs/decisions");
    String index = Files.readString(decisions.resolve("README.md"));
    try (Stream<Path> records = Files.list(decisions)) {
      for (Path path : records.filter(path -> !path.endsWith("README.md")).toList()) {
        String title = Files.readAllLines(path).getFirst().replaceFirst("^# (\\d+) ", "");
        String number = String.valueOf(path.getFileName()).substring(0, 3);
        String line = "- [%s](%s) %s\n".formatted(number, path.getFileName(), title);
        assertTrue(index.contains(line), "docs/decisions/README.md lacks the line " + line);
      }
    }
  }

  private List<Path> documents() throws IOException {
    var documents = new ArrayList<Path>();
    for (Path folder : List.of(root, root.resolve("docs"), root.resolve("docs/decisions"))) {
      try (Stream<Path> files = Files.list(folder)) {
        files.filter(path -> path.toString().endsWith(".md")).forEach(documents::add);
      }
    }
    return documents;
  }
}
