package dev.tigris.examples;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tigris.testing.process.Child;
import dev.tigris.testing.process.Jvm;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// The two programs that a stream joins, and their page.
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class TwoProgramsTest {
  private static final int MOST_LINES = 30;

  @Test
  void addUpWhatTheOtherOneSends() {
    Child sum = Jvm.of(SumNumbers.class).quick().command().start();
    Child send = Jvm.of(SendNumbers.class).quick().command(String.valueOf(sum.nextLine())).start();
    send.outcome().expect(0);
    sum.expectLine(String.valueOf(99_999L * 100_000 / 2)).outcome().expect(0);
  }

  /// The page shows each program from its first class to its end, without blank lines and
  /// annotations.
  @ParameterizedTest
  @ValueSource(strings = {"SumNumbers", "SendNumbers"})
  void areShortAndThoseOfThePage(String name) throws Exception {
    Path source = Path.of("src/main/java/dev/tigris/examples/" + name + ".java");
    String code = Files.readString(source);
    String body = code.substring(code.indexOf("  private static final class"));
    String main = body.substring(body.indexOf("  public static void main"));
    assertTrue(main.lines().count() <= MOST_LINES, name);
    String page = Files.readString(Path.of("../docs/streams.md"));
    String shown = page.substring(page.indexOf("public final class " + name));
    shown = shown.substring(shown.indexOf("  private static final class"), shown.indexOf("\n```"));
    assertEquals(essence(body), essence(shown), "docs/streams.md shows another " + name);
  }

  private static String essence(String code) {
    return code.lines()
        .map(line -> line.replaceFirst("//.*", "").replace("@Override", "").strip())
        .reduce("", String::concat)
        .replace(" ", "");
  }
}
