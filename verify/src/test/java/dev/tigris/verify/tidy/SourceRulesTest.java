package dev.tigris.verify.tidy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The rules about the text of sources find what they are there for, and nothing else.
class SourceRulesTest {
  private static final String UNSAFE =
      """
      /// All of it.
      public final class Reaching {
        /// The first byte.
        // SAFETY: bounds: none; lifetime: for ever; thread: any.
        @Reaching
        static final Object FIRST = first();

        // SAFETY: nothing is called here.
        private static final class Native {
          /// The second one.
          @Reaching
          static Object second() {
            return first();
          }
        }

        @Reaching
        static Object third() {
          return first();
        }
      }
      """
          .replace("@Reaching", "@SuppressWarnings(\"restricted\")");

  @TempDir private Path sources;

  private List<String> breaches(String source) throws IOException {
    return SourceRules.breaches(Files.writeString(sources.resolve("Reaching.java"), source));
  }

  @Test
  void findsTheRestrictedCallWithoutAnArgument() throws IOException {
    List<String> breaches = breaches(UNSAFE);
    assertEquals(1, breaches.size(), breaches.toString());
    assertTrue(breaches.getFirst().contains("Reaching.java:17"), breaches.toString());
    String argued = UNSAFE.replace("public final", "// SAFETY: all of it.\npublic final");
    assertEquals(List.of(), breaches(argued));
    assertEquals(3, breaches(UNSAFE.replace("// SAFETY:", "//")).size());
  }
}
