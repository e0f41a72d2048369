package dev.tigris.verify.tidy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/// Documents link to pages and headings that exist, are short, and show what was measured.
class DocumentationTest {
  private static final Pattern LINK =
      Pattern.compile("\\]\\((?<file>[^)#]*)(?:#(?<heading>[^)]*))?\\)");

  private static final Pattern RESULT =
      Pattern.compile(
          "\"figure\":\"(?<figure>[^\"]+)\",\"value\":(?<value>[^,]+),.*?"
              + "\"peer\":\"(?<peer>[^\"]+)\",\"peerValue\":(?<peerValue>[^,]+),");

  private final Path root = Checkout.ofCurrentFolder().root();

  @Test
  void everyLinkLeadsSomewhere() throws Exception {
    var broken = new ArrayList<String>();
    for (Path document : documents()) {
      Matcher link = LINK.matcher(withoutCode(document));
      while (link.find()) {
        String file = link.group("file");
        Path target = file.isEmpty() ? document : document.resolveSibling(file);
        if (!file.startsWith("https://")
            && (!Files.exists(target) || !hasHeading(target, link.group("heading")))) {
          broken.add("%s links to %s, which is not there".formatted(document, link.group()));
        }
      }
    }
    assertEquals(List.of(), broken);
  }

  private static String withoutCode(Path document) throws IOException {
    return Files.readString(document).replaceAll("(?s)```.*?```", "");
  }

  /// Whether a page has a heading whose anchor, as GitHub makes it, is this one.
  private static boolean hasHeading(Path page, @Nullable String anchor) throws IOException {
    return anchor == null
        || withoutCode(page)
            .lines()
            .filter(line -> line.startsWith("#"))
            .map(line -> line.replaceFirst("^#+ ", "").toLowerCase(Locale.ROOT))
            .map(title -> title.replaceAll("[^\\w\\- ]", "").replace(' ', '-'))
            .anyMatch(anchor::equals);
  }

  @Test
  void theReadmeAndTheDecisionsAreShort() throws Exception {
    String readme = Files.readString(root.resolve("README.md"));
    int words = readme.strip().split("\\s+", -1).length;
    assertTrue(words <= 700, "README.md has %d words: at most 700".formatted(words));
    try (Stream<Path> records = Files.list(root.resolve("docs/decisions"))) {
      for (Path path : records.filter(path -> !path.endsWith("README.md")).toList()) {
        int lines = Files.readAllLines(path).size();
        assertTrue(
            lines <= 45,
            "%s has %d lines, at most 45: put measurements in docs/lab".formatted(path, lines));
      }
    }
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

  /// What was measured of a figure of objects, by its peer; by "Tigris" what it is compared with.
  private Map<String, Double> measured(String figure) throws IOException {
    var values = new HashMap<String, Double>();
    try (Stream<Path> results = Files.list(root.resolve("bench/results"))) {
      for (Path path : results.filter(file -> file.toString().endsWith(".jsonl")).toList()) {
        Matcher line = RESULT.matcher(Files.readString(path));
        while (line.find()) {
          if (line.group("figure").equals(figure)) {
            values.put("Tigris", Double.valueOf(line.group("value")));
            values.put(line.group("peer"), Double.valueOf(line.group("peerValue")));
          }
        }
      }
    }
    return values;
  }

  /// Within a factor of two: so much may change between one measurement and the next without being
  /// another answer.
  @Test
  void theComparisonWithOthersHasTheFiguresThatWereMeasured() throws Exception {
    String page = Files.readString(root.resolve("docs/objects.md"));
    List<String> table =
        page.substring(page.indexOf("in nanoseconds"))
            .lines()
            .filter(line -> line.startsWith("|"))
            .limit(7)
            .toList();
    String[] columns = table.getFirst().split("\\|", -1);
    int compared = 0;
    for (String row : table.subList(2, table.size())) {
      String[] cells = row.split("\\|", -1);
      String[] name = cells[1].strip().split("`", -1);
      Map<String, Double> measured = measured(name[1]);
      for (int i = 2; i < cells.length; i++) {
        if (!cells[i].isBlank()) {
          String peer = i == 2 ? "Tigris" : columns[i].strip() + name[2];
          double ratio = Double.parseDouble(cells[i].strip()) / measured.get(peer);
          assertTrue(ratio > 0.5 && ratio < 2, row + ": " + peer + " took " + measured);
          compared++;
        }
      }
    }
    assertEquals(22, compared);
  }

  private List<Path> documents() throws IOException {
    var documents = new ArrayList<Path>();
    Path docs = root.resolve("docs");
    for (Path folder : List.of(root, docs, docs.resolve("decisions"), docs.resolve("lab"))) {
      try (Stream<Path> files = Files.list(folder)) {
        files.filter(path -> path.toString().endsWith(".md")).forEach(documents::add);
      }
    }
    return documents;
  }
}
