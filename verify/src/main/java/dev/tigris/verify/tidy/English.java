package dev.tigris.verify.tidy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/// Holds the English of main sources and documents to [EnglishRules].
///
/// As a program it prints each breach, and a count for each module. It runs from its source,
/// without a build:
///
/// ```
///   java verify/src/main/java/dev/tigris/verify/tidy/English.java [MODULE | docs]...
/// ```
public final class English {
  /// The name under which the Markdown files of the root and of `docs` are checked.
  static final String DOCUMENTS = "docs";

  /// The modules that are used in a checkout only, so that their messages may point into it.
  private static final Set<String> UNPUBLISHED =
      Set.of("cli", "examples", "launcher", "verify", "bench", "test-support", DOCUMENTS);

  private English() {}

  /// Prints the breaches of the modules that are named, or of all.
  public static void main(String[] names) throws IOException {
    Checkout checkout = Checkout.ofCurrentFolder();
    List<String> modules = names.length == 0 ? modules(checkout) : List.of(names);
    var counts = new StringBuilder();
    for (String module : modules) {
      List<String> breaches = breaches(checkout, module);
      breaches.forEach(System.out::println);
      counts.append("%6d  %s%n".formatted(breaches.size(), module));
    }
    System.out.printf("%nBreaches of the rule of English:%n%s", counts);
  }

  /// The modules of a checkout, and [#DOCUMENTS].
  static List<String> modules(Checkout checkout) throws IOException {
    var modules = new ArrayList<>(checkout.modules());
    modules.add(DOCUMENTS);
    return modules;
  }

  /// Checks a module, or [#DOCUMENTS]: one entry for each breach of a rule.
  static List<String> breaches(Checkout checkout, String module) throws IOException {
    boolean isPublished = !UNPUBLISHED.contains(module);
    return passages(checkout, module).stream()
        .flatMap(passage -> EnglishRules.breaches(passage, isPublished).stream())
        .map(breach -> breach.replace(checkout.root() + "/", ""))
        .toList();
  }

  private static List<Passage> passages(Checkout checkout, String module) throws IOException {
    if (!module.equals(DOCUMENTS)) {
      Path main = checkout.root().resolve(module).resolve("src/main");
      return JavaPassages.of(
          checkout.sources(module).stream().filter(source -> source.startsWith(main)).toList());
    }
    var passages = new ArrayList<Passage>();
    for (Path folder : List.of(checkout.root(), checkout.root().resolve("docs"))) {
      try (Stream<Path> files = Files.list(folder)) {
        for (Path file : files.filter(path -> path.toString().endsWith(".md")).sorted().toList()) {
          passages.addAll(MarkdownPassages.of(file));
        }
      }
    }
    return passages;
  }
}
