package dev.tigris.verify.tidy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/// The rules that concern the text of sources and build files.
public final class SourceRules {
  static final int FILE_LINES = 400;

  /// How a longer file begins to say why, within its first lines.
  static final String WHY_LONG = "Over 400 lines";

  private static final int TOP_LINES = 40;
  // Put together here, so that this file does not break the rule itself.
  private static final Pattern LEFT_OPEN = Pattern.compile("\\b(TO" + "DO|FIX" + "ME|X" + "XX)\\b");
  private static final String SAFETY = "// SAFETY:";

  /// The annotation that the compiler asks for where a restricted call is made.
  private static final Pattern RESTRICTED = Pattern.compile("\\s*@Suppress.*\"restricted\".*");

  private static final Pattern NOTE = Pattern.compile("\\s*(//|@).*");
  private static final Pattern SKIPPED = Pattern.compile("^\\s*@(Disabled|Ignore)\\b");

  private SourceRules() {}

  /// Checks a Java source: one line for each breach of a rule.
  public static List<String> breaches(Path source) throws IOException {
    List<String> lines = Files.readAllLines(source);
    var breaches = new ArrayList<String>();
    if (lines.size() > FILE_LINES
        && lines.stream().limit(TOP_LINES).noneMatch(line -> line.contains(WHY_LONG))) {
      breaches.add(
          "%s has %d lines: split it, or say why at its top in a comment with the words '%s'"
              .formatted(source, lines.size(), WHY_LONG));
    }
    for (int index = 0; index < lines.size(); index++) {
      String line = lines.get(index);
      if (LEFT_OPEN.matcher(line).find()) {
        breaches.add(
            "%s:%d leaves something open: do it, or open an issue".formatted(source, index + 1));
      }
      if (RESTRICTED.matcher(line).matches() && !isArguedFor(lines, index)) {
        breaches.add(
            "%s:%d makes restricted calls: write %s with bounds, lifetime and thread above it, or above a class around it"
                .formatted(source, index + 1, SAFETY));
      }
      if (SKIPPED.matcher(line).find()) {
        breaches.add("%s:%d skips a test: mend it, or remove it".formatted(source, index + 1));
      }
    }
    return breaches;
  }

  /// Whether a comment says why something is safe: above the member whose annotation stands at a
  /// line, or above a class around it. How far lines are indented tells what is around what; the
  /// formatter sees to that.
  private static boolean isArguedFor(List<String> lines, int annotation) {
    int inside = indent(lines.get(annotation)) + 1;
    int at = annotation;
    while (at >= 0) {
      if (lines.get(at).isBlank() || indent(lines.get(at)) >= inside) {
        at--;
        continue;
      }
      inside = indent(lines.get(at));
      at -= NOTE.matcher(lines.get(at)).matches() ? 0 : 1;
      for (; at >= 0 && NOTE.matcher(lines.get(at)).matches(); at--) {
        if (lines.get(at).contains(SAFETY)) {
          return true;
        }
      }
    }
    return false;
  }

  private static int indent(String line) {
    return line.length() - line.stripLeading().length();
  }

  /// The build files that open the JDK's internals, one line each. The compiler checks need that,
  /// in `.mvn/jvm.config`; nothing that is shipped, tested or measured does.
  public static List<String> openingBuildFiles(Checkout checkout) throws IOException {
    var files = new ArrayList<Path>();
    files.add(checkout.root().resolve("pom.xml"));
    files.add(checkout.root().resolve("tigris"));
    files.add(checkout.root().resolve(".ci/run"));
    try (Stream<Path> options = Files.list(checkout.root().resolve("launcher/src/main/jvm"))) {
      options.forEach(files::add);
    }
    for (String module : checkout.modules()) {
      files.add(checkout.root().resolve(module).resolve("pom.xml"));
    }
    var breaches = new ArrayList<String>();
    for (Path file : files) {
      try (Stream<String> lines = Files.lines(file)) {
        if (lines.anyMatch(line -> line.contains("--add-" + "opens"))) {
          breaches.add(file + " opens a package of the JDK: find a supported way");
        }
      }
    }
    return breaches;
  }
}
