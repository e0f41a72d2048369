package dev.tigris.specializer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.lang.instrument.Instrumentation;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// What the agent says to whoever gives it wrong options. DeliveryTest of `memory` runs it.
class AgentTest {
  /// Of a JVM that nothing is asked of, since the options are wrong.
  private static final Instrumentation UNUSED =
      (Instrumentation)
          Proxy.newProxyInstance(
              AgentTest.class.getClassLoader(),
              new Class<?>[] {Instrumentation.class},
              (proxy, method, arguments) -> {
                throw new IllegalStateException(method.getName());
              });

  @TempDir private Path folder;

  private static String refusal(Class<? extends Exception> kind, String options) {
    return assertThrows(kind, () -> Agent.premain(options, UNUSED)).getMessage();
  }

  @ParameterizedTest
  @ValueSource(strings = {"trust=", "rules="})
  void saysWhichOptionNamesAFileThatIsNotThere(String option) {
    String wrong = option + folder.resolve("gone");
    assertEquals(
        "tigris agent: " + wrong + ": there is no such file", refusal(IOException.class, wrong));
  }

  @ParameterizedTest
  @ValueSource(strings = {"trust=", "rules="})
  void saysWhichOptionNamesNoFileAtAll(String option) {
    String message = refusal(IOException.class, option);
    assertTrue(message.startsWith("tigris agent: " + option + ": "), message);
  }

  @Test
  void saysWhereARuleIsWrong() throws Exception {
    Path list = Files.writeString(folder.resolve("list"), "pso-field\nno rule\n");
    String message = refusal(IOException.class, "rules=" + list);
    assertTrue(message.startsWith("tigris agent: rules=" + list + ": "), message);
    assertTrue(message.contains("list:2"), message);
  }

  @Test
  void saysWhatItsOptionsAre() {
    assertEquals(
        "tigris agent: 'rule=x' is no option; say trust=FILE, rules=FILE, rule-path=PATH, or"
            + " nothing",
        refusal(IllegalArgumentException.class, "rule=x"));
    assertTrue(
        refusal(IllegalArgumentException.class, "rule-path=x").contains("rules=FILE"),
        "a path alone means nothing");
  }
}
