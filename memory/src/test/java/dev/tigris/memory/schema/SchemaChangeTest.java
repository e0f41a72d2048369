package dev.tigris.memory.schema;

import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class SchemaChangeTest {
  private static final String HEAD = "TIGRIS SCHEMA 1\nroot 0\n";

  @Test
  void takesNoTimeForNamesOfOneHash() {
    StringBuilder text = new StringBuilder(HEAD).append("struct Root 26000\n");
    for (int i = 0; i < 26_000; i++) {
      StringBuilder name = new StringBuilder();
      for (int rest = i, digit = 0; digit < 10; digit++, rest /= 3) {
        name.append(List.of("Aa", "BB", "C#").get(rest % 3));
      }
      text.append("  %d byte %s\n".formatted(i, name));
    }
    Schema hostile = Schema.parse(text.toString());
    Schema schema = Schema.parse(HEAD + "struct Root 8\n  0 byte other\n");
    assertTimeoutPreemptively(
        Duration.ofSeconds(5), () -> assertTrue(new SchemaChange(hostile, schema).isPossible()));
  }
}
