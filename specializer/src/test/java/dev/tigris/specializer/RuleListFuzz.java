package dev.tigris.specializer;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;

/// Lists of rules.
public final class RuleListFuzz {
  private RuleListFuzz() {}

  /// One input: the text.
  public static void fuzzerTestOneInput(byte[] input) {
    String text = new String(input, StandardCharsets.UTF_8);
    try {
      List<Rule> rules = RuleList.parse("list", text, new RuleModules(List.of()), List.of());
      if (rules.isEmpty()) {
        throw new AssertionError("a list without rules");
      }
    } catch (IOException e) {
      if (!e.getMessage().startsWith("list")) {
        throw new AssertionError("a message says where", e);
      }
    }
  }
}
