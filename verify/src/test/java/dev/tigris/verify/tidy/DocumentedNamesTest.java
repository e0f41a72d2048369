package dev.tigris.verify.tidy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// Names of types, members and packages that documents mention between backticks exist.
///
/// Pages in docs/lab are left out: a log of measurements names what there was.
class DocumentedNamesTest {
  private static final Pattern SPAN = Pattern.compile("`([^`\n]+)`");
  private static final Pattern NAME =
      Pattern.compile(
          "(?<package>(?:[a-z]\\w*\\.)*)(?<type>[A-Z]\\w+[a-z]\\w*)(?:\\.(?<member>\\w+))?"
              + "(?:\\(.*\\))?");
  private static final Pattern PACKAGE = Pattern.compile("dev\\.tigris(?:\\.[a-z]\\w*)+");
  private static final Pattern TYPE =
      Pattern.compile("\\b(?:class|interface|@interface|record|enum)\\s+([A-Z]\\w*)");
  private static final Pattern PROGRAM = Pattern.compile("```java\n.*?```", Pattern.DOTALL);

  /// HotSpot's options, attributes of class files, other tools, and what the JDK hides.
  private static final Set<String> FOREIGN =
      Set.of(
          "C1InlineStackLimit",
          "CheckClassAdapter",
          "DesiredMethodLimit",
          "FreqInlineSize",
          "ReflectionFactory",
          "ShouldNotReachHere",
          "Signature");

  /// Packages of the JDK whose types documents name without their package.
  private static final List<String> JDK =
      List.of(
          "java.io",
          "java.lang",
          "java.lang.foreign",
          "java.lang.invoke",
          "java.lang.ref",
          "java.lang.reflect",
          "java.math",
          "java.nio",
          "java.nio.channels",
          "java.time",
          "java.util",
          "java.util.concurrent",
          "java.util.zip",
          "javax.net.ssl");

  private final Checkout checkout = Checkout.ofCurrentFolder();
  private final Path root = checkout.root();

  /// The sources of the checkout that declare a type of a simple name.
  private final Map<String, List<Path>> sources = new HashMap<>();

  private final Map<Path, String> texts = new HashMap<>();

  @BeforeEach
  void readSources() throws IOException {
    for (String module : checkout.modules()) {
      try (Stream<Path> files = Files.walk(root.resolve(module).resolve("src"))) {
        for (Path file : files.filter(path -> path.toString().endsWith(".java")).toList()) {
          String text = Files.readString(file);
          texts.put(file, text);
          Matcher type = TYPE.matcher(text);
          while (type.find()) {
            sources.computeIfAbsent(type.group(1), name -> new ArrayList<>()).add(file);
          }
        }
      }
    }
  }

  @Test
  void everyNameExists() throws IOException {
    assertFalse(sources.isEmpty());
    assertTrue(isForeign("MemorySegment") && !isForeign("MemorySegmental"));
    var unknown = new ArrayList<String>();
    for (Path document : documents()) {
      String text = Files.readString(document);
      Set<String> here = new HashSet<>();
      PROGRAM
          .matcher(text)
          .results()
          .forEach(
              program ->
                  TYPE.matcher(program.group()).results().forEach(type -> here.add(type.group(1))));
      Matcher span = SPAN.matcher(text.replaceAll("(?s)```.*?```", ""));
      while (span.find()) {
        if (!isKnown(span.group(1), here)) {
          unknown.add("%s: %s".formatted(root.relativize(document), span.group(1)));
        }
      }
    }
    assertEquals(List.of(), unknown);
  }

  private boolean isKnown(String words, Set<String> here) {
    if (PACKAGE.matcher(words).matches()) {
      return texts.values().stream()
          .anyMatch(
              text ->
                  text.contains("package " + words + ";")
                      || text.contains("module " + words + " {"));
    }
    Matcher name = NAME.matcher(words);
    if (!name.matches() || name.group("package").matches("(app|com|java|jdk|org|sun)\\..*")) {
      return true;
    }
    String type = name.group("type");
    String suffix =
        "/" + name.group("package").replaceFirst("^dev\\.tigris\\.", "").replace('.', '/');
    List<Path> declaring =
        sources.getOrDefault(type, List.of()).stream()
            .filter(file -> (file.getParent() + "/").endsWith(suffix))
            .toList();
    if (declaring.isEmpty()) {
      return suffix.equals("/") && (isForeign(type) || here.contains(type));
    }
    String member = name.group("member");
    return member == null
        || here.contains(type)
        || isForeign(type)
        || declaring.stream().anyMatch(file -> mentions(file, member));
  }

  private boolean mentions(Path file, String member) {
    return Pattern.compile("\\b" + member + "\\b").matcher(texts.getOrDefault(file, "")).find();
  }

  private static boolean isForeign(String type) {
    return FOREIGN.contains(type) || JDK.stream().anyMatch(home -> isClass(home + "." + type));
  }

  private static boolean isClass(String name) {
    try {
      Class.forName(name, false, ClassLoader.getSystemClassLoader());
      return true;
    } catch (ClassNotFoundException e) {
      return false;
    }
  }

  /// README and its neighbours, the guides, and the records of decisions.
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
