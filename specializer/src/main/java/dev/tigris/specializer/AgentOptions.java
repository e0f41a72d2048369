package dev.tigris.specializer;

import dev.tigris.specializer.patch.TrustedKeys;
import java.io.File;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// What an [Agent] is told behind its jar.
///
/// @param keys whose signatures patches must have
/// @param rules for classes without a patch: the standard ones, if no option names others
record AgentOptions(TrustedKeys keys, List<Rule> rules) {
  private static final String TRUST = "trust=";
  private static final String RULES = "rules=";
  private static final String RULE_PATH = "rule-path=";

  /// In place of a file of rules: patches are applied, and classes without one stay as they are.
  private static final String NO_RULES = "none";

  /// Reads the options, and the files that they name.
  ///
  /// @param options as [Agent#premain] takes them
  /// @throws IOException if a file cannot be read, or something in it is wrong
  /// @throws IllegalArgumentException if something in the options is wrong
  static AgentOptions parse(@Nullable String options) throws IOException {
    Map<String, String> given = parsed(options);
    String trust = given.get(TRUST);
    String list = given.get(RULES);
    String rulePath = given.get(RULE_PATH);
    if (rulePath != null && list == null) {
      throw new IllegalArgumentException(
          "rule-path= has no use without rules=FILE: add rules=FILE");
    }
    TrustedKeys keys =
        trust == null ? TrustedKeys.ANY : read(TRUST, trust, () -> TrustedKeys.of(paths(trust)));
    List<Path> path = rulePath == null ? List.of() : paths(rulePath);
    List<Rule> rules =
        switch (list) {
          case null -> Rule.standard();
          case NO_RULES -> List.of();
          default -> read(RULES, list, () -> RuleList.read(Path.of(list), path, List.of()));
        };
    return new AgentOptions(keys, rules);
  }

  /// What the options say, by their names.
  private static Map<String, String> parsed(@Nullable String options) {
    Map<String, String> given = new HashMap<>();
    for (String option : options == null ? new String[0] : options.split(",", -1)) {
      if (option.isEmpty()) {
        continue;
      }
      String name =
          Stream.of(TRUST, RULES, RULE_PATH)
              .filter(option::startsWith)
              .findFirst()
              .orElseThrow(
                  () ->
                      new IllegalArgumentException(
                          "unknown option '%s': use trust=FILE, rules=FILE or rule-path=PATH"
                              .formatted(option)));
      String value = option.substring(name.length());
      if (value.isEmpty()) {
        throw new IllegalArgumentException(name + " has no value: name a file");
      }
      if (given.put(name, value) != null) {
        throw new IllegalArgumentException(
            "%s is given twice: give it once%s"
                .formatted(name, name.equals(RULES) ? "" : ", with a colon between files"));
      }
    }
    return given;
  }

  private interface Reader<T> {
    T read() throws IOException;
  }

  private static <T> T read(String option, String place, Reader<T> reader) throws IOException {
    try {
      return reader.read();
    } catch (NoSuchFileException e) {
      throw new IOException("%s%s: there is no '%s'".formatted(option, place, e.getFile()), e);
    } catch (IOException e) {
      throw new IOException("%s%s: %s".formatted(option, place, e.getMessage()), e);
    }
  }

  private static List<Path> paths(String places) {
    return Arrays.stream(places.split(File.pathSeparator)).map(Path::of).toList();
  }
}
