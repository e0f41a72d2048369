package dev.tigris.memory.arrow;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.tigris.memory.PsoTable;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;

/// Rows of all kinds of fields come back as they were written.
class ArrowProperties {
  private static byte[] write(
      PsoTable<Everything> table, ArrowRows<Everything> rows, boolean asFile, Random random)
      throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (var writer = asFile ? rows.fileWriter(bytes) : rows.streamWriter(bytes)) {
      for (long at = 0; at < table.size(); ) {
        long to = Math.min(table.size(), at + random.nextInt(200));
        writer.write(table, at, to);
        at = to;
        if (random.nextInt(4) == 0) {
          writer.flush();
        }
      }
      writer.complete();
    }
    return bytes.toByteArray();
  }

  @Property(tries = 25)
  void comesBackAsItWas(
      @ForAll long seed,
      @ForAll @IntRange(max = 300) int count,
      @ForAll @IntRange(min = 1, max = 200) int batch,
      @ForAll boolean asFile,
      @ForAll boolean enumsAreText)
      throws IOException {
    Random random = new Random(seed);
    PsoTable<Everything> table = Everything.table(count, seed);
    ArrowRows<Everything> rows = ArrowRows.of(Everything.class).inBatchesOf(batch);
    byte[] written = write(table, enumsAreText ? rows.withEnumsAsText() : rows, asFile, random);

    PsoTable<Everything> read = Everything.table(0, 0);
    try (var reader = rows.reader(new ByteArrayInputStream(written))) {
      int most = random.nextInt(300) + 1;
      while (reader.read(read, most) > 0) {}
      assertEquals(count, reader.rows());
    }
    assertEquals(Rows.of(table), Rows.of(read));

    Path file = Files.createTempFile("tigris-", ".arrow");
    try {
      Files.write(file, written);
      PsoTable<Everything> again = Everything.table(1, seed + 1);
      assertEquals(count, rows.read(file, again));
      assertEquals(Rows.of(table), Rows.of(again).subList(1, count + 1));
    } finally {
      Files.delete(file);
    }
  }

  @Property(tries = 40)
  void refusesWhatWasCutOff(@ForAll long seed, @ForAll boolean asFile) throws IOException {
    Random random = new Random(seed);
    ArrowRows<Everything> rows = ArrowRows.of(Everything.class).inBatchesOf(20);
    byte[] written = write(Everything.table(50, seed), rows, asFile, random);
    byte[] cut = Arrays.copyOf(written, random.nextInt(written.length));
    Path file = Files.createTempFile("tigris-", ".arrow");
    try {
      Files.write(file, cut);
      PsoTable<Everything> read = Everything.table(0, 0);
      if (asFile) {
        assertThrows(ArrowException.class, () -> rows.read(file, read));
      } else {
        try {
          long _ = rows.read(file, read);
        } catch (ArrowException e) {
          assertEquals(0, read.size());
        }
      }
    } finally {
      Files.delete(file);
    }
  }
}
