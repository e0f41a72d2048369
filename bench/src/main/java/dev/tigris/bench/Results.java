package dev.tigris.bench;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// The folder of results: for each group a file of JSON lines, of which the first is its [Header].
public final class Results {
  /// The file of a group.
  ///
  /// @param header where and of what it was measured
  /// @param figures the figures
  public record Sheet(Header header, List<Figure> figures) {}

  private static final ObjectMapper JSON = new ObjectMapper();

  private final Path folder;

  /// The results in `folder`, which is made if it is missing.
  public Results(Path folder) throws IOException {
    this.folder = Files.createDirectories(folder);
  }

  /// A figure or header as one line.
  public static String line(Object value) {
    try {
      return JSON.writeValueAsString(value);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("a record of numbers and strings is always JSON", e);
    }
  }

  /// Replaces a group's file: it is always either the old one or complete.
  public void save(Sheet sheet) throws IOException {
    List<String> lines = new ArrayList<>();
    lines.add(line(sheet.header()));
    sheet.figures().forEach(figure -> lines.add(line(figure)));
    String content = String.join("\n", lines) + "\n";
    saveBeside(name(sheet.header().group()), content.getBytes(StandardCharsets.UTF_8));
  }

  /// Replaces a file beside them, such as a plot, in the same way.
  void saveBeside(String name, byte[] content) throws IOException {
    Path file = folder.resolve(name);
    Path aside = folder.resolve("." + name);
    try {
      Files.write(aside, content);
      Files.move(aside, file, StandardCopyOption.REPLACE_EXISTING, StandardCopyOption.ATOMIC_MOVE);
    } finally {
      Files.deleteIfExists(aside);
    }
  }

  /// A group's results, if it has been measured.
  public Optional<Sheet> load(String group) throws IOException {
    Path file = folder.resolve(name(group));
    if (!Files.exists(file)) {
      return Optional.empty();
    }
    List<String> lines = Files.readAllLines(file);
    if (lines.size() < 2) {
      throw damaged(file, "the file has no figures");
    }
    try {
      List<Figure> figures = new ArrayList<>();
      for (String line : lines.subList(1, lines.size())) {
        figures.add(JSON.readValue(line, Figure.class));
      }
      return Optional.of(new Sheet(JSON.readValue(lines.getFirst(), Header.class), figures));
    } catch (JsonProcessingException e) {
      throw damaged(file, e.getOriginalMessage());
    }
  }

  /// The results of all groups that have been measured.
  List<Sheet> loadAll() throws IOException {
    List<Sheet> sheets = new ArrayList<>();
    for (Group group : Groups.all()) {
      load(group.name()).ifPresent(sheets::add);
    }
    return sheets;
  }

  private static IOException damaged(Path file, String why) {
    return new IOException(
        "the results in '%s' cannot be read: %s. Delete that file, and measure its group again"
            .formatted(file, why));
  }

  /// The folder of the files.
  Path folder() {
    return folder;
  }

  private static String name(String group) {
    return group + ".jsonl";
  }
}
