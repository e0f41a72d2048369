package dev.tigris.flow.text;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tigris.flow.Flow;
import dev.tigris.flow.Module;
import dev.tigris.flow.Stream;
import dev.tigris.flow.StreamGroup;
import dev.tigris.flow.Water;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
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
}
