package dev.tigris.flow.text;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tigris.flow.Flow;
import dev.tigris.flow.Module;
import dev.tigris.flow.Stream;
import dev.tigris.flow.StreamGroup;
import dev.tigris.flow.Water;
import dev.tigris.flow.operator.MapRows;
import dev.tigris.memory.Jbuf;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Rows of one format that are written in another one.
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class RowWriterTest {
  private record Copy(Rows rows, RowWriter writer) implements Module {
    @Override
    public void process(Water in, Stream out) {
      rows.open(in);
      writer.to(out);
      while (rows.next()) {
        writer.row(rows);
      }
    }

    @Override
    public void finish(Stream out) {
      writer.to(out).flush();
    }
  }

  @TempDir Path folder;

  private String copied(StreamGroup from, RowWriter writer, StreamGroup to, Path file)
      throws Exception {
    Flow.named("copy")
        .stage("copy", () -> new Copy(new Rows(), writer))
        .feed("copy", from)
        .drain("copy", to)
        .build()
        .start()
        .await();
    return Files.readString(file);
  }

  @Test
  void writesRowsOfAnotherSeparatorWithItsOwn() throws Exception {
    Path in = Files.writeString(folder.resolve("in"), "a;b\n1,5;2\n\"x;y\";z\n");
    Path out = folder.resolve("out");
    StreamGroup from = Csv.reading(in).withSeparator(';');
    assertEquals(
        "a,b\n\"1,5\",2\nx;y,z\n", copied(from, RowWriter.csv("a", "b"), Csv.writing(out), out));
  }

  @Test
  void refusesAFieldThatWouldBeTwo() throws Exception {
    Path lines = Files.writeString(folder.resolve("lines"), "a\tb\n");
    Rows[] seen = new Rows[1];
    Flow.named("look")
        .stage(
            "look",
            () ->
                (in, out) -> {
                  Rows rows = new Rows();
                  rows.open(in);
                  assertTrue(rows.next());
                  RowWriter writer = RowWriter.like(rows).to(out);
                  assertThrows(TextException.class, () -> writer.text("x\ty"));
                  seen[0] = rows;
                })
        .feed("look", Lines.separatedBy('\t', lines))
        .drain("look", Lines.writing(folder.resolve("none")))
        .build()
        .start()
        .await();
    assertTrue(seen[0] != null);
  }

  @Test
  void quotesAValueWhereverItsSpecialByteStands() throws Exception {
    var in = new StringBuilder("v,w\n");
    var out = new StringBuilder("v,w\n");
    for (int length = 1; length < 20; length++) {
      for (int at = 0; at < length; at++) {
        for (String special : List.of(",", "\"\"", "\n", "\r", "x", ";")) {
          String value = "a".repeat(at) + special + "b".repeat(length - 1 - at);
          boolean isPlain = special.equals("x") || special.equals(";");
          in.append('"').append(value).append("\",").append(length).append('\n');
          String quote = isPlain ? "" : "\"";
          out.append(quote).append(value).append(quote).append(',').append(length).append('\n');
        }
      }
    }
    Path from = Files.writeString(folder.resolve("in"), in.toString());
    Path to = folder.resolve("out");
    Flow.named("copy")
        .stage(
            "copy",
            () ->
                new MapRows(
                    List.of("v", "w"),
                    List.of("v", "w"),
                    (rows, fields, row) -> row.text(rows, 0).text(rows, 1).end()))
        .feed("copy", Csv.reading(from))
        .drain("copy", Csv.writing(to))
        .build()
        .start()
        .await();
    assertEquals(out.toString(), Files.readString(to));
  }

  @Test
  void refusesAScaleThatANumberCannotHaveAndARowWithoutAnEnd() {
    RowWriter writer = RowWriter.csv("a");
    assertThrows(IllegalArgumentException.class, () -> writer.decimal(1, 19));
    assertThrows(IllegalArgumentException.class, () -> writer.decimal(1, -1));
    List<Throwable> thrown = new ArrayList<>();
    writeRow(
        out -> {
          writer.to(out).text("x");
          thrown.add(assertThrows(IllegalStateException.class, writer::flush));
          writer.end();
          writer.flush();
        });
    assertEquals(1, thrown.size());
  }

  private void writeRow(Consumer<Stream> body) {
    Flow flow =
        Flow.named("write")
            .source(
                "write",
                () ->
                    out -> {
                      body.accept(out);
                      return false;
                    })
            .drain("write", Csv.writing(folder.resolve("written")))
            .build();
    assertDoesNotThrow(() -> flow.start().await());
  }

  @Test
  void readsTheNamesOfEachFormatAsItsOwn() throws Exception {
    Path comma = Files.writeString(folder.resolve("comma"), "a;b,c\n1;2,3\n");
    Path semicolon = Files.writeString(folder.resolve("semicolon"), "a;b,c\n4;5,6\n");
    Set<List<String>> found = new HashSet<>();
    Rows rows = new Rows();
    Flow.named("names")
        .stage(
            "names",
            () ->
                (in, out) -> {
                  rows.open(in);
                  found.add(List.of(rows.columns()));
                })
        .feed("names", "comma", Csv.reading(comma))
        .feed("names", "semicolon", Csv.reading(semicolon).withSeparator(';'))
        .build()
        .start()
        .await();
    assertEquals(Set.of(List.of("a;b", "c"), List.of("a", "b,c")), found);
  }

  /// The values with doubled quotes lie in memory of the cursor's own.
  @Test
  void aClosedCursorHasGivenItsMemoryBack() throws Exception {
    Path in =
        Files.writeString(folder.resolve("in"), "a\n\"x\"\"y\"\n\"" + "\"\"".repeat(5000) + "\"\n");
    while (Jbuf.use().bytesByOwner().containsKey("rows")) {
      System.gc(); // cursors of other tests
    }
    long reclaimed = Jbuf.use().reclaimedCount();
    long count = Jbuf.use().count();
    Flow.named("close")
        .stage("read", Closing::new)
        .feed("read", Csv.reading(in))
        .build()
        .start()
        .await();
    while (Jbuf.use().count() > count) {
      System.gc();
    }
    assertEquals(reclaimed, Jbuf.use().reclaimedCount());
  }

  private static final class Closing implements Module {
    private final Rows rows = new Rows();

    @Override
    public void process(Water in, Stream out) {
      rows.open(in);
      assertTrue(rows.next());
      assertEquals("x\"y", rows.text(0));
      assertTrue(rows.next());
      assertEquals(5000, rows.length(0));
    }

    @Override
    public void destroy() {
      rows.close();
      assertThrows(IllegalStateException.class, rows::row);
      assertFalse(rows.next());
    }
  }
}
