package dev.tigris.flow.text;

import static org.junit.jupiter.api.Assertions.assertEquals;

import de.siegmar.fastcsv.reader.CsvReader;
import de.siegmar.fastcsv.reader.CsvRecord;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Odd CSV is read as FastCSV reads it, wherever blocks end. Returns end rows only: FastCSV takes
/// those in the text for ends of lines, and FastCSV 4.1.0 loses a row whose last field has one
/// between quotes. [TextFeedTest] has them.
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class FastCsvTest {
  private static final String PLAIN = "ab 0.-;'\t\0\u00e9\u00ff\\";
  private static final int FILES = 50;

  @TempDir Path folder;

  @Test
  void readsOddFilesAsFastCsvDoes() throws Exception {
    long first = new SplittableRandom().nextLong();
    for (long seed = first; seed < first + FILES; seed++) {
      var random = new SplittableRandom(seed);
      char separator = ",;\t|".charAt(random.nextInt(4));
      String text = text(random, separator);
      Path file = folder.resolve("odd.csv");
      Files.write(file, text.getBytes(StandardCharsets.ISO_8859_1));
      TextFeed feed =
          Csv.reading(file)
              .withoutHeader()
              .withSeparator(separator)
              .withBlockBytes(1 + random.nextInt(40));
      assertEquals(
          fastCsv(text, separator),
          ReadRows.fields(feed, 1 + random.nextInt(3)),
          "seed %d of <%s>".formatted(seed, escaped(text)));
    }
  }

  private static String escaped(String text) {
    return text.replace("\n", "\\n").replace("\r", "\\r");
  }

  private static List<List<String>> fastCsv(String text, char separator) throws IOException {
    try (CsvReader<CsvRecord> reader =
        CsvReader.builder()
            .fieldSeparator(separator)
            .skipEmptyLines(false)
            .allowExtraFields(true)
            .allowMissingFields(true)
            .ofCsvRecord(text)) {
      return reader.stream().map(CsvRecord::getFields).toList();
    }
  }

  private static String text(SplittableRandom random, char separator) {
    var text = new StringBuilder();
    int rows = 1 + random.nextInt(12);
    for (int row = 0; row < rows; row++) {
      int fields = random.nextInt(4) == 0 ? 1 : 1 + random.nextInt(6);
      for (int field = 0; field < fields; field++) {
        text.append(field == 0 ? "" : separator).append(field(random, separator));
      }
      boolean isLast = row == rows - 1;
      // A last row of nothing and without an end would be none to both.
      text.append(isLast && random.nextBoolean() ? "" : random.nextBoolean() ? "\n" : "\r\n");
    }
    return text.toString();
  }

  private static String field(SplittableRandom random, char separator) {
    boolean isQuoted = random.nextInt(3) == 0;
    String all = isQuoted ? PLAIN + ",;|\n\n\"\"\"" : PLAIN;
    var field = new StringBuilder();
    for (int left = random.nextInt(3) * random.nextInt(8); left > 0; left--) {
      char next = all.charAt(random.nextInt(all.length()));
      if (next == '"') {
        field.append("\"\"");
      } else if (isQuoted || next != separator) {
        field.append(next);
      }
    }
    return isQuoted ? '"' + field.toString() + '"' : field.toString();
  }
}
