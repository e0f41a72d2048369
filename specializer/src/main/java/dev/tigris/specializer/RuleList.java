package dev.tigris.specializer;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/// The rules to specialize with, in their order, as a file lists them (Welsh, *Safe and Efficient
/// Hardware Specialization of Java Applications*, 2000, section 3).
///
/// ```text
/// # what runs inside of the specializer: name only modules whose authors you trust
/// trust com.example.rules
///
/// pso-field                        # a rule of the specializer's own
/// com.example.rules/complex        # a rule that a module provides
/// restricted ipv4.rules            # a file in the restricted rule language, beside this one
/// ```
///
/// A rule of a module is a program that may write any code, so it is run only when its module is
/// named as trusted, in the file or by the caller. A file in the restricted language is safe
/// whatever its origin.
public final class RuleList {
  private static final Pattern LINE = Pattern.compile("(?:(trust|restricted)\\s+)?(\\S+)");

  /// What to say of a line that ends behind its first word.
  private static final Map<String, String> LACKING =
      Map.of(
          "trust", "name the module that is trusted: trust com.example.rules",
          "restricted", "name the file with the rules: restricted ipv4.rules");

  /// What some editors begin a file with.
  private static final String BYTE_ORDER_MARK = "\uFEFF";

  /// More than is written by hand.
  private static final int MAX_BYTES = 1 << 20;

  private RuleList() {}

  /// Reads a list.
  ///
  /// @param modulePath folders and jars to look for modules in; those that the program runs with
  ///     are found without
  /// @param trusted names of modules, in addition to those that the file names
  /// @throws IOException if it cannot be read, or something in it is wrong; the message says where
  ///     and what to do
  public static List<Rule> read(Path file, Collection<Path> modulePath, Collection<String> trusted)
      throws IOException {
    return parse(file.toString(), text(file), new RuleModules(modulePath), trusted);
  }

  /// The text of a list, or of a file in the restricted language.
  private static String text(Path file) throws IOException {
    // Reading a pipe without a writer would never return, and some devices have no end.
    if (!Files.readAttributes(file, BasicFileAttributes.class).isRegularFile()) {
      throw new IOException(
          "'%s' is a folder, a pipe or a device: rules are read from files".formatted(file));
    }
    try (InputStream in = Files.newInputStream(file)) {
      byte[] bytes = in.readNBytes(MAX_BYTES + 1);
      if (bytes.length > MAX_BYTES) {
        throw new IOException(
            "'%s' is longer than the %d bytes that rules may have".formatted(file, MAX_BYTES));
      }
      String text = StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
      return text.startsWith(BYTE_ORDER_MARK) ? text.substring(1) : text;
    } catch (CharacterCodingException e) {
      throw new IOException("'%s' is no text in UTF-8".formatted(file), e);
    }
  }

  static List<Rule> parse(String file, String text, RuleModules modules, Collection<String> trusted)
      throws IOException {
    List<Rule> rules = new ArrayList<>();
    Set<String> trust = new HashSet<>(trusted);
    Set<String> named = new HashSet<>();
    int number = 0;
    for (String line : text.lines().toList()) {
      number++;
      int comment = line.indexOf('#');
      String content = (comment < 0 ? line : line.substring(0, comment)).stripTrailing();
      if (content.isBlank()) {
        continue;
      }
      int column = content.length() - content.stripLeading().length();
      String at = "%s:%d:%d: ".formatted(file, number, column + 1);
      Matcher match = LINE.matcher(content.strip());
      if (!match.matches()) {
        throw new IOException(
            at
                + "the line is not a rule: write RULE, MODULE/RULE, restricted FILE, or "
                + "trust MODULE");
      }
      String name = match.group(2);
      if (match.group(1) == null && LACKING.containsKey(name)) {
        throw new IOException(at + LACKING.get(name));
      }
      if ("trust".equals(match.group(1))) {
        trust.add(name);
      } else if (!named.add(name)) {
        throw new IOException(at + name + " is listed already: remove one of the two lines");
      } else {
        rules.add(
            match.group(1) == null
                ? find(name, at, modules, trust)
                : restricted(file, name, at, rules));
      }
    }
    if (rules.isEmpty()) {
      throw new IOException(file + " names no rule: begin with pso-field");
    }
    return List.copyOf(rules);
  }

  /// @param before the rules above it
  private static Rule restricted(String list, String name, String at, List<Rule> before)
      throws IOException {
    Path file;
    String text;
    try {
      file = Path.of(list).resolveSibling(name);
      text = text(file);
    } catch (NoSuchFileException e) {
      throw new IOException(at + "there is no '%s'".formatted(e.getFile()), e);
    } catch (IOException | InvalidPathException e) {
      throw new IOException(at + "cannot read " + name + ": " + e.getMessage(), e);
    }
    StructureRule made = StructureRule.parse(name, file.toString(), text);
    for (Rule rule : before) {
      if (rule instanceof StructureRule other) {
        Optional<String> method = made.shared(other);
        if (method.isPresent()) {
          throw new IOException(
              at
                  + "%s has a meaning in %s already: remove one of the two"
                      .formatted(method.get(), other.name()));
        }
      }
    }
    return made;
  }

  private static Rule find(String name, String at, RuleModules modules, Set<String> trust)
      throws IOException {
    int slash = name.indexOf('/');
    List<Rule> candidates;
    if (slash < 0) {
      candidates = Rule.standard();
    } else {
      String module = name.substring(0, slash);
      if (!trust.contains(module)) {
        throw new IOException(
            at
                + "the module "
                + module
                + " is not trusted, and its rules could write any code. To trust it, "
                + "write `trust "
                + module
                + "` above");
      }
      try {
        candidates = modules.rules(module);
      } catch (IOException e) {
        throw new IOException(at + e.getMessage(), e);
      }
    }
    String wanted = name.substring(slash + 1);
    return candidates.stream()
        .filter(rule -> rule.name().equals(wanted))
        .findFirst()
        .orElseThrow(
            () ->
                new IOException(
                    at
                        + "unknown rule '"
                        + wanted
                        + "': name one of "
                        + candidates.stream().map(Rule::name).collect(Collectors.joining(", "))));
  }
}
