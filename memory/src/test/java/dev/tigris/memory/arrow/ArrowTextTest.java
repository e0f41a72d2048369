package dev.tigris.memory.arrow;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tigris.os.Zstd;
import dev.tigris.testing.host.Python;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Rows of files that PyArrow has written, as text.
class ArrowTextTest {
  private static final String HEADER =
      "tiny,large,least,half,single,double,flag,text,long,bytes,hash,day,day64,time,moment,zoned,"
          + "span,money,wide,side,codes,list,pair,words,deep,place.x,place.at.y,none\n";
  private static final String ROWS =
      """
      -128,18446744073709551615,-9223372036854775808,1.5,0.1,0.1,true,plain,xxxxxxxxxxxxxxxxxxxx,\
      00ff,616263,2026-11-28,1969-12-31,13:07:00,2026-11-28T13:07:05.250,\
      2026-11-28T13:07:05.250000Z,-1,-0.05,10000000000000000000000000000000000000000,BUY,20,\
      "[1,null,3]","[1.5,2.0]","[""a \\""b"",""c\\u000a""]","[[1],[]]",1,one,
      ,0,9223372036854775807,,,NaN,false,"",,"",,0001-01-01,,,,,,,,,10,[],,[null],,,,
      127,,7,-0.0,Infinity,1.0E300,,"a ""quote"", a comma
      and a line",é,,010203,,9999-12-31,23:59:59.999999,1970-01-01T00:00:00,0001-01-01T00:00:00Z,\
      5,12345678901234567890.12,-7,SELL,,,"[null,4.0]",[],"[[2,3],null]",,,
      """;

  @TempDir private Path folder;

  private void write() throws IOException {
    Path program = folder.resolve("text.py");
    try (var source = ArrowTextTest.class.getResourceAsStream("/arrow/text.py")) {
      Files.write(program, Objects.requireNonNull(source).readAllBytes());
    }
    String _ = Python.with("pyarrow").with(program.toString(), folder.toString()).run().orThrow();
  }

  private String csv(String name, String... columns) throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    try (var reader = ArrowTextReader.open(folder.resolve(name), columns)) {
      reader.writeCsv(out, ',');
    }
    return out.toString(StandardCharsets.UTF_8);
  }

  @Test
  void hasATextForEachType() throws IOException {
    write();
    for (String name : List.of("file", "file-batches", "file-lz4", "file-zstd", "stream")) {
      if (name.equals("file-zstd") && !Zstd.isAvailable()) {
        continue;
      }
      assertEquals(HEADER + ROWS, csv(name), name);
    }
    assertEquals(HEADER, csv("empty"));
    assertEquals("side,none\nBUY,\n,\nSELL,\n", csv("file", "side", "none"));
    assertEquals("number\n1\n", csv("map", "number"));
    assertEquals(
        "column 'map' has the type map<string, int32>, which has no text: name the columns to read, without it",
        assertThrows(ArrowException.class, () -> csv("map")).getMessage());
    assertEquals(
        "there are 0 columns 'x', and one is needed. The columns are [map, number]",
        assertThrows(ArrowException.class, () -> csv("map", "x")).getMessage());
    assertEquals(
        "column 'far', row 0 of its batch: day 53375995583650 since 1970 lies behind the year 999,999,999, the last that is written",
        assertThrows(ArrowException.class, () -> csv("far")).getMessage());
    looksAtThem();
    readsBuffersOfViewsAgain();
  }

  /// A column of views gives up buffers that the last rows did not need.
  private void readsBuffersOfViewsAgain() throws IOException {
    for (String name : List.of("views", "views-lz4")) {
      try (var in = ArrowTextReader.open(folder.resolve(name))) {
        for (int row = 0; row < 3 * 1024; row++) {
          assertTrue(in.next());
          assertEquals("text %015d".formatted(row), in.text(0), name);
        }
        assertFalse(in.next());
      }
    }
  }

  private void looksAtThem() throws IOException {
    ArrowSummary batches = ArrowSummary.of(folder.resolve("file-batches"));
    assertEquals(3, batches.rows());
    assertEquals(3, batches.batches());
    assertTrue(batches.isFile());
    assertEquals(Set.of(), batches.codecs());
    assertEquals(Set.of("LZ4"), ArrowSummary.of(folder.resolve("file-lz4")).codecs());
    assertEquals(Set.of("ZSTD"), ArrowSummary.of(folder.resolve("file-zstd")).codecs());
    ArrowSummary stream;
    try (InputStream in = Files.newInputStream(folder.resolve("stream"))) {
      stream = ArrowSummary.of(in);
    }
    assertFalse(stream.isFile());
    assertEquals(3, stream.rows());
    assertEquals(2, stream.batches());
    assertEquals(
        new ArrowSchema.Column("money", "decimal128(38, 2)", true),
        stream.schema().columns().get(17));
    assertEquals(0, ArrowSummary.of(folder.resolve("empty")).rows());
  }

  @Test
  void goesFromRowToRow() throws IOException {
    Path file = folder.resolve("rows.arrow");
    var columns =
        List.of(
            new ArrowColumn("name", ArrowColumnType.TEXT),
            new ArrowColumn("number", ArrowColumnType.WHOLE));
    try (var out = ArrowColumnWriter.toFile(file, columns)) {
      for (int i = 0; i < 3000; i++) {
        if (i % 7 == 0) {
          out.nothing();
        } else {
          out.text("é" + i);
        }
        out.number(i);
        out.end();
      }
      assertFalse(Files.exists(file));
      out.complete();
      assertThrows(IllegalStateException.class, out::nothing);
    }
    try (var in = ArrowTextReader.open(file)) {
      assertEquals(List.of("name", "number"), in.columns());
      assertThrows(IllegalStateException.class, () -> in.isNull(0));
      for (int i = 0; i < 3000; i++) {
        assertTrue(in.next());
        assertEquals(i % 7 == 0, in.isNull(0));
        assertEquals(i % 7 == 0 ? "" : "é" + i, in.text(0));
        assertEquals(Integer.toString(i), in.text(1));
      }
      assertFalse(in.next());
      assertFalse(in.next());
      assertEquals(3000, in.rows());
    }
  }

  @Test
  void isSmallerWhenItIsCompressed() throws IOException {
    Path plain = numbers("plain", null);
    for (ArrowCompression each : ArrowCompression.values()) {
      if (each != ArrowCompression.ZSTD || Zstd.isAvailable()) {
        Path packed = numbers(each.name(), each);
        assertEquals(Set.of(each.name()), ArrowSummary.of(packed).codecs());
        assertTrue(Files.size(packed) < Files.size(plain) / 2, each.name());
        assertEquals(csv("plain"), csv(each.name()));
      }
    }
  }

  private Path numbers(String name, @Nullable ArrowCompression compression) throws IOException {
    Path file = folder.resolve(name);
    var columns = List.of(new ArrowColumn("number", ArrowColumnType.WHOLE));
    try (var out = ArrowColumnWriter.toFile(file, columns)) {
      if (compression != null) {
        out.compressBy(compression);
      }
      for (int i = 0; i < 100_000; i++) {
        out.number(i % 3000);
        out.end();
      }
      out.complete();
    }
    return file;
  }

  @Test
  void refusesWhatAColumnCannotHold() throws IOException {
    Path file = folder.resolve("rows.arrow");
    var columns =
        List.of(
            new ArrowColumn("name", ArrowColumnType.TEXT),
            new ArrowColumn("day", ArrowColumnType.DATE));
    try (var out = ArrowColumnWriter.toFile(file, columns)) {
      assertThrows(IllegalStateException.class, () -> out.number(1));
      assertThrows(IllegalStateException.class, out::end);
      assertThrows(ArrowException.class, () -> out.text(new byte[] {-1}, 0, 1));
      out.text("x");
      assertThrows(ArithmeticException.class, () -> out.number(1L << 40));
      assertThrows(IllegalStateException.class, out::complete);
    }
    assertFalse(Files.exists(file));
    assertThrows(IllegalArgumentException.class, () -> ArrowColumnWriter.toFile(file, List.of()));
  }
}
