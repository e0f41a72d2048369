package dev.tigris.memory.arrow;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.tigris.memory.Capacity;
import dev.tigris.memory.Container;
import dev.tigris.memory.Jbuf;
import dev.tigris.memory.Pso;
import dev.tigris.memory.PsoTable;
import dev.tigris.memory.Utf8;
import dev.tigris.os.Zstd;
import dev.tigris.testing.host.Python;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Pandas, Polars and DuckDB read what is written here, and what Polars writes is read.
class OtherProgramsTest {
  private static final int ROWS = 500;

  @TempDir private Path folder;

  static final class Row extends Pso {
    int number;
    double precise;

    @Capacity(40)
    Utf8 text;

    Everything.Side side;
    boolean flag;

    @ArrowAs(ArrowAs.Meaning.TIMESTAMP_MICROS)
    long time;

    Row(Container container) {
      super(container);
    }
  }

  private static PsoTable<Row> empty() {
    return new PsoTable<>(Jbuf.allocate(1 << 18).asContainer(), Row.class, 1);
  }

  @Test
  void readWhatIsWrittenHere() throws IOException {
    Random random = new Random(7);
    PsoTable<Row> table = empty();
    long sum = 0;
    long characters = 0;
    int sides = 0;
    for (int i = 0; i < ROWS; i++) {
      Row row = table.add();
      row.number = random.nextInt();
      row.precise = random.nextGaussian();
      row.text.set("€".repeat(random.nextInt(10)) + "x".repeat(random.nextInt(10)));
      row.side = i % 3 == 0 ? null : i % 3 == 1 ? Everything.Side.BUY : Everything.Side.HOLD_ON;
      row.flag = random.nextBoolean();
      row.time = random.nextLong() >> 12;
      sum += row.number;
      characters += row.text.toString().length();
      sides += row.side == null ? 0 : 1;
    }
    Path file = folder.resolve("rows.arrow");
    ArrowRows<Row> rows = ArrowRows.of(Row.class);
    rows.inBatchesOf(100).write(file, table);

    Path program = folder.resolve("others.py");
    try (var source = OtherProgramsTest.class.getResourceAsStream("/arrow/others.py")) {
      Files.write(program, Objects.requireNonNull(source).readAllBytes());
    }
    List<Path> written =
        List.of(folder.resolve("plain"), folder.resolve("zstd"), folder.resolve("stream"));
    String expected = "%d %d %d".formatted(sum, characters, sides);
    assertEquals(
        List.of(expected, expected, expected),
        Python.with("pyarrow, pandas, polars, duckdb")
            .with(program.toString(), file.toString())
            .with(written.stream().map(Path::toString).toArray(String[]::new))
            .run()
            .expect(0)
            .lines());
    for (Path each : written) {
      if (!each.endsWith("zstd") || Zstd.isAvailable()) {
        PsoTable<Row> read = empty();
        assertEquals(ROWS, rows.read(each, read));
        assertEquals(Rows.of(table), Rows.of(read), each.toString());
      }
    }
  }
}
