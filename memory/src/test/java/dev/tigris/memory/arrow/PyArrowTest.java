package dev.tigris.memory.arrow;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.tigris.memory.Container;
import dev.tigris.memory.Jbuf;
import dev.tigris.memory.PsoTable;
import dev.tigris.testing.host.Python;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// PyArrow reads what is written here.
class PyArrowTest {
  private static final String SCHEMA =
      """
      # flag: bool not null
      # tiny: int8 not null
      # small: int16 not null
      # letter: uint16 not null
      # number: int32 not null
      # large: int64 not null
      # real: float not null
      # precise: double not null
      # text: string not null
      # side: dictionary<values=string, indices=int8, ordered=0>
      # hash: fixed_size_binary[3] not null
      # pair: fixed_size_list<item: int32 not null>[2] not null
      # samples: fixed_size_list<item: double not null>[2] not null
      # letters: fixed_size_list<item: uint16 not null>[1] not null
      # counts: fixed_size_list<item: uint16 not null>[2] not null
      # place: struct<x: int32 not null, label: string not null, side: \
      dictionary<values=string, indices=int8, ordered=0>, depth: \
      struct<metres: double not null, known: bool not null> not null> not null
      # tinyCount: uint8 not null
      # smallCount: uint16 not null
      # count: uint32 not null
      # largeCount: uint64 not null
      # day: date32[day] not null
      # seconds: timestamp[s, tz=UTC] not null
      # millis: timestamp[ms, tz=UTC] not null
      # micros: timestamp[us, tz=UTC] not null
      # nanos: timestamp[ns, tz=UTC] not null
      """;

  @TempDir private Path folder;

  private static PsoTable<Everything> table(int rows, long seed) {
    Container container = Jbuf.allocate(1 << 20).asContainer();
    PsoTable<Everything> table = new PsoTable<>(container, Everything.class, 10);
    Random random = new Random(seed);
    for (int i = 0; i < rows; i++) {
      Everything.add(table, random);
    }
    return table;
  }

  /// What PyArrow finds in files.
  private List<String> print(Path... files) throws IOException {
    Path program = folder.resolve("print.py");
    try (var source = PyArrowTest.class.getResourceAsStream("/arrow/print.py")) {
      Files.write(program, Objects.requireNonNull(source).readAllBytes());
    }
    Path printed = folder.resolve("printed");
    List<String> words = new ArrayList<>(List.of(program.toString(), printed.toString()));
    for (Path file : files) {
      words.add(file.toString());
    }
    Python.with("pyarrow").with(words.toArray(String[]::new)).run().orThrow();
    return Files.readAllLines(printed);
  }

  private static List<String> withoutSchema(List<String> lines) {
    return lines.stream().filter(line -> !line.startsWith("#")).toList();
  }

  @Test
  void readsFilesAndStreams() throws IOException {
    long seed = System.nanoTime();
    PsoTable<Everything> table = table(1_000, seed);
    ArrowRows<Everything> rows = ArrowRows.of(Everything.class).inBatchesOf(300);
    Path file = folder.resolve("all.arrow");
    rows.write(file, table);
    Path stream = folder.resolve("all.arrows");
    try (OutputStream out = Files.newOutputStream(stream);
        ArrowWriter<Everything> writer = rows.streamWriter(out)) {
      writer.write(table, 0, 10);
      writer.flush();
      writer.write(table, 10, 1_000);
      writer.complete();
    }

    List<String> expected = new ArrayList<>(Rows.of(table));
    expected.addAll(Rows.of(table));
    List<String> printed = print(file, stream);
    assertEquals(expected, withoutSchema(printed), "seed " + seed);
    assertEquals("# 1000 rows", printed.getFirst());
    String schema = String.join("\n", printed.subList(1, 1 + 25));
    assertEquals(SCHEMA.strip(), schema);
  }
}
