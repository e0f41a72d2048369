package dev.tigris.memory.arrow;

import dev.tigris.memory.Bytes;
import dev.tigris.memory.Capacity;
import dev.tigris.memory.Container;
import dev.tigris.memory.ContainerFullException;
import dev.tigris.memory.Doubles;
import dev.tigris.memory.InPlace;
import dev.tigris.memory.Ints;
import dev.tigris.memory.Jbuf;
import dev.tigris.memory.Pso;
import dev.tigris.memory.PsoTable;
import dev.tigris.memory.Utf8;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/// Bytes that claim to be an Arrow file or stream. They are read from a file, by its footer, and
/// from a stream, as objects and as text. What was read is written and read again.
public final class ArrowFuzz {
  /// A column of nulls has as many as it says.
  private static final long MOST_ROWS = 5000;

  private static final int CAPACITY = 1 << 16;
  private static final Jbuf JBUF = Jbuf.allocate(CAPACITY);
  private static final ArrowRows<Row> ROWS =
      ArrowRows.of(Row.class).withZeroForNull().withZeroForMissing();
  private static final ArrowRows<Row> STRICT = ArrowRows.of(Row.class);
  private static final Path FILE = file();

  private ArrowFuzz() {}

  enum Side {
    BUY,
    SELL
  }

  static final class Spot extends Pso {
    int x;

    @Capacity(20)
    Utf8 label;

    Spot(Container container) {
      super(container);
    }
  }

  static final class Row extends Pso {
    boolean flag;
    int number;
    double precise;

    @Capacity(20)
    Utf8 name;

    Side side;
    @InPlace Spot spot;

    @Capacity(2)
    Ints pair;

    @Capacity(1)
    Doubles one;

    @Capacity(3)
    Bytes hash;

    @ArrowAs(ArrowAs.Meaning.TIMESTAMP_MICROS)
    long time;

    Row(Container container) {
      super(container);
    }
  }

  private static Path file() {
    try {
      Path memory = Path.of("/dev/shm");
      Path file =
          Files.isWritable(memory)
              ? Files.createTempFile(memory, "tigris-fuzz-", ".arrow")
              : Files.createTempFile("tigris-fuzz-", ".arrow");
      file.toFile().deleteOnExit();
      return file;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /// One input.
  public static void fuzzerTestOneInput(byte[] input) {
    try {
      Files.write(FILE, input);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    asText(input);
    PsoTable<Row> table = new PsoTable<>(container(), Row.class, 1);
    table.add();
    try (ArrowReader<Row> reader = ROWS.reader(FILE)) {
      String _ = reader.schema().toString();
      long read = reader.read(table);
      requireSize(table, 1 + read);
      again(table);
    } catch (ContainerFullException | IOException e) {
      requireSize(table, 1);
    }
    PsoTable<Row> other = new PsoTable<>(container(), Row.class, 1);
    try (ArrowReader<Row> reader = STRICT.reader(new ByteArrayInputStream(input))) {
      while (reader.read(other, 3) > 0) {}
      requireSize(other, reader.rows());
    } catch (ContainerFullException | IOException e) {
      // It was found out.
    }
  }

  /// Reads all of it as text, from the file and as a stream, and looks at it.
  private static void asText(byte[] input) {
    for (boolean isStream : new boolean[] {false, true}) {
      try (ArrowTextReader reader =
          isStream
              ? ArrowTextReader.of(new ByteArrayInputStream(input))
              : ArrowTextReader.open(FILE)) {
        String _ = reader.schema().toString();
        while (reader.rows() < MOST_ROWS && reader.next()) {
          for (int i = 0; i < reader.columns().size(); i++) {
            String _ = reader.text(i);
          }
        }
        if (reader.rows() < MOST_ROWS) {
          ArrowSummary found = ArrowSummary.of(FILE);
          if (!isStream && found.rows() != reader.rows()) {
            throw new AssertionError(reader.rows() + " rows, not " + found);
          }
        }
      } catch (IOException e) {
        // It was found out.
      }
    }
  }

  private static Container container() {
    Container container = JBUF.asContainer();
    container.clear();
    return container;
  }

  private static void requireSize(PsoTable<Row> table, long rows) {
    if (table.size() != rows) {
      throw new AssertionError(table + " should have " + rows + " rows");
    }
  }

  private static void again(PsoTable<Row> table) throws IOException {
    List<String> before = Rows.of(table);
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (ArrowWriter<Row> writer = STRICT.streamWriter(bytes)) {
      writer.write(table);
      writer.complete();
    }
    PsoTable<Row> copy = new PsoTable<>(Jbuf.allocate(2 * CAPACITY).asContainer(), Row.class, 1);
    try (var reader = STRICT.reader(new ByteArrayInputStream(bytes.toByteArray()))) {
      long _ = reader.read(copy);
    }
    if (!before.equals(Rows.of(copy))) {
      throw new AssertionError("other rows: " + before + " and " + Rows.of(copy));
    }
  }
}
