package dev.tigris.specializer.structure;

import java.nio.charset.StandardCharsets;

/// Rules in the restricted language.
public final class StructureFuzz {
  private StructureFuzz() {}

  /// One input: the text of a file.
  public static void fuzzerTestOneInput(byte[] input) {
    String text = new String(input, StandardCharsets.UTF_8);
    try {
      for (Structure structure : StructureParser.parse("rules", text)) {
        for (StructureMethod method : structure.methods()) {
          if (method.recipe().isEmpty()) {
            throw new AssertionError("a method without a recipe");
          }
        }
      }
    } catch (RuleException e) {
      if (!e.getMessage().startsWith("rules:")) {
        throw new AssertionError("a message says where", e);
      }
    }
  }
}
