package dev.tigris.cli;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.spi.ToolProvider;
import java.util.stream.Stream;

/// A page that users read, with the blocks of code on it.
///
/// @param name the page's file without `.md`
/// @param text all of it
record Document(String name, String text) {
  private static final Path ROOT = Path.of("..");
  private static final Pattern BLOCK =
      Pattern.compile("(?:<!-- java: ((?:(?!-->).)*) -->\n)?```(\\w*)\n(.*?)```", Pattern.DOTALL);
  private static final Pattern FILE =
      Pattern.compile("\\A(?://|/\\*|#|<!--) ([\\w./-]+\\.\\w+)\\b.*\n");

  /// A block of code.
  ///
  /// @param around what the comment before it says that stands around it, in place of `...`
  /// @param language what the fence names, or nothing
  /// @param code the lines
  record Block(Optional<String> around, String language, String code) {
    /// The file that the first line, a comment, names.
    Optional<Path> file() {
      Matcher file = FILE.matcher(code);
      return file.find() ? Optional.of(Path.of(file.group(1))) : Optional.empty();
    }
  }

  /// The page of a path in the checkout, such as `docs/flow.md`.
  static Document of(String path) throws IOException {
    boolean isIndex = path.equals("docs/README.md"); // which is not the README
    String name =
        isIndex ? "index" : String.valueOf(Path.of(path).getFileName()).replace(".md", "");
    return new Document(name, Files.readString(ROOT.resolve(path)));
  }

  /// The README and everything in docs, without the records of decisions.
  static List<Document> all() throws IOException {
    var documents = new ArrayList<Document>();
    documents.add(of("README.md"));
    try (Stream<Path> pages = Files.list(ROOT.resolve("docs"))) {
      for (Path page : pages.filter(path -> path.toString().endsWith(".md")).sorted().toList()) {
        documents.add(of("docs/" + page.getFileName()));
      }
    }
    return documents;
  }

  List<Block> blocks() {
    return BLOCK
        .matcher(text)
        .results()
        .map(
            block -> new Block(Optional.ofNullable(block.group(1)), block.group(2), block.group(3)))
        .toList();
  }

  /// Writes the files that blocks name into a folder, and tells which they are.
  List<Path> writeFiles(Path folder) throws IOException {
    var files = new ArrayList<Path>();
    for (Block block : blocks()) {
      if (block.file().isPresent()) {
        Path file = folder.resolve(block.file().get());
        Files.createDirectories(file.getParent());
        Files.writeString(file, block.code().substring(block.code().indexOf('\n') + 1));
        files.add(file);
      }
    }
    return files;
  }

  /// What javac says; nothing if all is well.
  static String compile(List<String> arguments) {
    var messages = new StringWriter();
    var out = new PrintWriter(messages);
    int code =
        ToolProvider.findFirst("javac")
            .orElseThrow()
            .run(out, out, arguments.toArray(String[]::new));
    return code == 0 ? "" : messages.toString();
  }
}
