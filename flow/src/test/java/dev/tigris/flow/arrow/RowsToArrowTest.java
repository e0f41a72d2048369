package dev.tigris.flow.arrow;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tigris.flow.FileStream;
import dev.tigris.flow.Flow;
import dev.tigris.flow.FlowException;
import dev.tigris.flow.text.Csv;
import dev.tigris.flow.text.TextException;
import dev.tigris.flow.text.TextFeed;
import dev.tigris.memory.arrow.ArrowColumn;
import dev.tigris.memory.arrow.ArrowColumnType;
import dev.tigris.memory.arrow.ArrowTextReader;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// CSV as an Arrow file.
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class RowsToArrowTest {
  @TempDir Path folder;

  private TextFeed feed(String text) throws IOException {
    return Csv.reading(
        Files.write(folder.resolve("in.csv"), text.getBytes(StandardCharsets.ISO_8859_1)));
  }

  private String convert(TextFeed feed, RowTypes types) throws Exception {
    Path out = folder.resolve("out.arrow");
    Flow.named("convert")
        .stage("convert", () -> new RowsToArrow(types))
        .feed("convert", feed)
        .drain("convert", FileStream.writing(out))
        .build()
        .start()
        .await();
    ByteArrayOutputStream csv = new ByteArrayOutputStream();
    try (var reader = ArrowTextReader.open(out)) {
      reader.writeCsv(csv, ',');
    }
    return csv.toString(StandardCharsets.UTF_8);
  }

  /// Values of a column, and the type that holds them all.
  @ParameterizedTest
  @CsvSource(
      delimiter = '=',
      value = {
        "1 -2 0                                          = WHOLE",
        "9223372036854775807 -9223372036854775808        = WHOLE",
        "9223372036854775808                             = TEXT",
        "1 01                                            = TEXT",
        "+1                                              = TEXT",
        "-                                               = TEXT",
        "1 -0                                            = REAL",
        "1 2.5 -1e3 .5 1. nan -inf Infinity              = REAL",
        "1.5 9007199254740993                            = TEXT",
        "1e999                                           = TEXT",
        "1e-999                                          = REAL",
        "1.5x                                            = TEXT",
        "1e                                              = TEXT",
        "0x10                                            = TEXT",
        "1d                                              = TEXT",
        "true FALSE True                                 = FLAG",
        "true 1                                          = TEXT",
        "2026-11-28 0001-01-01                           = DATE",
        "2026-02-29                                      = TEXT",
        "2026-11-28 2026-11-28T10:00                     = TEXT",
        "2026-11-28T10:00 2026-11-28T10:00:59.123456     = MICROS",
        "2026-11-28T10:00:00.123456789                   = NANOS",
        "2026-11-28T10:00:00.1234567891                  = TEXT",
        "2026-11-28T10:00:00.123456789 0001-01-01T00:00  = TEXT",
        "2026-11-28T10:00Z 2026-11-28T10:00:00-01:30     = UTC_MICROS",
        "2026-11-28T10:00:00.000000001Z                  = UTC_NANOS",
        "2026-11-28T10:00Z 2026-11-28T10:00              = TEXT",
        "2026-11-28T24:00                                = TEXT",
        "2026-11-28T10:60                                = TEXT",
        "2026-11-28T10:00+1                              = TEXT",
      })
  void findsTheTypeThatHoldsAllValues(String values, ArrowColumnType type) throws Exception {
    TextFeed feed = feed("column,other\n" + values.replace(" ", ",\n,\n") + ",\n");
    RowTypes types = RowTypes.of(feed, 2);
    assertEquals(
        List.of(new ArrowColumn("column", type), new ArrowColumn("other", ArrowColumnType.TEXT)),
        types.columns());
    String _ = convert(feed, types);
  }

  @Test
  void keepsEachValue() throws Exception {
    String text =
        """
        id,name,price,day,at
        1,"a ""b"", c
        d",2.5,2026-11-28,2026-11-28T10:00:00.250000Z
        ,"",,,
        -3,,NaN,1969-12-31,1969-12-31T23:59:59Z
        """;
    TextFeed feed = feed(text);
    RowTypes types = RowTypes.of(feed.withBlockBytes(16), 3);
    assertEquals(text, convert(feed.withBlockBytes(16), types));
    assertEquals(text, convert(feed, types.with("id", ArrowColumnType.TEXT)));
  }

  @Test
  void writesColumnsWithoutRows() throws Exception {
    TextFeed feed = feed("a,\"b,c\"");
    assertEquals(List.of("a", "b,c"), feed.columns());
    assertEquals("a,\"b,c\"\n", convert(feed, RowTypes.of(feed, 1)));
    TextFeed empty = feed("");
    assertEquals(List.of(), empty.columns());
    assertThrows(TextException.class, () -> RowTypes.of(empty, 1));
  }

  @Test
  void namesTheValueThatIsNotOfTheType() throws Exception {
    TextFeed feed = feed("n,t\n1,2026-11-28T10:00:00.1234567\n");
    RowTypes types = RowTypes.of(feed, 1);
    assertRefused("is not true or false", feed, types.with("n", ArrowColumnType.FLAG));
    assertRefused("not a date such as", feed, types.with("t", ArrowColumnType.DATE));
    assertRefused("but a finer one", feed, types.with("t", ArrowColumnType.MICROS));
    assertRefused("such as 2026-11-28T13:07:00Z", feed, types.with("t", ArrowColumnType.UTC_NANOS));
    TextFeed latin = feed("n\n\u00e9\n");
    assertRefused("not UTF-8", latin, RowTypes.of(latin, 1));
    assertThrows(
        IllegalArgumentException.class, () -> types.with("no column", ArrowColumnType.TEXT));
  }

  private void assertRefused(String why, TextFeed feed, RowTypes types) {
    var failure = assertThrows(FlowException.class, () -> convert(feed, types));
    Throwable cause = Objects.requireNonNull(failure.getCause());
    assertEquals(TextException.class, cause.getClass());
    assertTrue(String.valueOf(cause.getMessage()).contains(why), cause::toString);
    assertTrue(Files.notExists(folder.resolve("out.arrow")));
  }
}
