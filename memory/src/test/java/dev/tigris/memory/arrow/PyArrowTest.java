package dev.tigris.memory.arrow;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tigris.memory.Capacity;
import dev.tigris.memory.Container;
import dev.tigris.memory.InPlace;
import dev.tigris.memory.Ints;
import dev.tigris.memory.Jbuf;
import dev.tigris.memory.Pso;
import dev.tigris.memory.PsoTable;
import dev.tigris.memory.Utf8;
import dev.tigris.os.Zstd;
import dev.tigris.testing.host.Python;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// PyArrow reads what is written here, and the other way round.
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

  /// Runs a program of the resources.
  private String python(String name, Path... arguments) throws IOException {
    Path program = folder.resolve(name);
    try (var source = PyArrowTest.class.getResourceAsStream("/arrow/" + name)) {
      Files.write(program, Objects.requireNonNull(source).readAllBytes());
    }
    List<String> words = new ArrayList<>(List.of(program.toString()));
    for (Path argument : arguments) {
      words.add(argument.toString());
    }
    return Python.with("pyarrow").with(words.toArray(String[]::new)).run().orThrow();
  }

  /// Returns what PyArrow finds in files.
  private List<String> print(Path... files) throws IOException {
    Path printed = folder.resolve("printed");
    List<Path> arguments = new ArrayList<>(List.of(printed));
    arguments.addAll(List.of(files));
    String _ = python("print.py", arguments.toArray(Path[]::new));
    return Files.readAllLines(printed);
  }

  private static List<String> withoutSchema(List<String> lines) {
    return lines.stream().filter(line -> !line.startsWith("#")).toList();
  }

  @Test
  void readsFilesAndStreams() throws IOException {
    long seed = System.nanoTime();
    PsoTable<Everything> table = Everything.table(300, seed);
    ArrowRows<Everything> rows = ArrowRows.of(Everything.class).inBatchesOf(90);
    Path file = folder.resolve("all.arrow");
    rows.write(file, table);
    Path stream = folder.resolve("all.arrows");
    try (OutputStream out = Files.newOutputStream(stream);
        ArrowWriter<Everything> writer = rows.streamWriter(out)) {
      writer.write(table, 0, 10);
      writer.flush();
      writer.write(table, 10, 300);
      writer.complete();
    }

    List<Path> files = new ArrayList<>(List.of(file, stream));
    for (ArrowCompression each : ArrowCompression.values()) {
      if (each != ArrowCompression.ZSTD || Zstd.isAvailable()) {
        files.add(folder.resolve(each.name()));
        rows.compressedBy(each).write(files.getLast(), table);
        PsoTable<Everything> read = Everything.table(0, 0);
        assertEquals(300, rows.read(files.getLast(), read));
        assertEquals(Rows.of(table), Rows.of(read), each.name());
      }
    }
    List<String> expected = new ArrayList<>();
    files.forEach(_ -> expected.addAll(Rows.of(table)));
    List<String> printed = print(files.toArray(Path[]::new));
    assertEquals(expected, withoutSchema(printed), "seed " + seed);
    assertEquals("# 300 rows", printed.getFirst());
    String schema = String.join("\n", printed.subList(1, 1 + 25));
    assertEquals(SCHEMA.strip(), schema);
  }

  @Test
  void writesInAllItsWays() throws IOException {
    long seed = System.nanoTime();
    PsoTable<Everything> table = Everything.table(120, seed);
    ArrowRows<Everything> rows = ArrowRows.of(Everything.class);
    Path base = folder.resolve("base");
    rows.inBatchesOf(50).write(base, table);
    Path variants = Files.createDirectory(folder.resolve("variants"));
    List<String> expected = Rows.of(table);

    List<String> names = python("variants.py", base, variants).lines().toList();
    assertTrue(names.size() > 30, names.toString());
    for (String name : names) {
      Path file = variants.resolve(name);
      if (name.contains("zstd") && !Zstd.isAvailable()) {
        continue;
      }
      PsoTable<Everything> read = Everything.table(0, 0);
      assertEquals(120, rows.read(file, read), name);
      assertEquals(expected, Rows.of(read), () -> name + ", seed " + seed);

      PsoTable<Everything> again = Everything.table(0, 0);
      try (ArrowReader<Everything> reader = rows.reader(Files.newInputStream(file))) {
        while (reader.read(again, 7) > 0) {}
      }
      assertEquals(expected, Rows.of(again), () -> name + " as a stream, seed " + seed);
    }
  }

  static final class Few extends Pso {
    int number;

    @Capacity(20)
    Utf8 name;

    Everything.Side side;
    @InPlace Spot place;

    @Capacity(2)
    Ints pair;

    boolean flag;

    Few(Container container) {
      super(container);
    }
  }

  static final class Spot extends Pso {
    int x;
    double y;

    Spot(Container container) {
      super(container);
    }
  }

  static final class Numbered extends Pso {
    int number;

    Numbered(Container container) {
      super(container);
    }
  }

  static final class Narrow extends Pso {
    short tiny;
    int count;
    long number;
    long large;
    float real;
    double precise;
    float half;
    double single;
    char letter;

    @ArrowAs(ArrowAs.Meaning.TIMESTAMP_NANOS)
    long nanos;

    @ArrowAs(ArrowAs.Meaning.UNSIGNED)
    short unsigned;

    Narrow(Container container) {
      super(container);
    }
  }

  private static <T extends Pso> PsoTable<T> empty(Class<T> type) {
    return new PsoTable<>(Jbuf.allocate(1 << 16).asContainer(), type, 1);
  }

  private <T extends Pso> List<String> read(String name, ArrowRows<T> rows, Class<T> type)
      throws IOException {
    PsoTable<T> table = empty(type);
    long _ = rows.read(folder.resolve(name), table);
    return Rows.of(table);
  }

  private <T extends Pso> String refused(String name, ArrowRows<T> rows, Class<T> type) {
    PsoTable<T> table = empty(type);
    table.add();
    var refusal =
        assertThrows(ArrowException.class, () -> rows.read(folder.resolve(name), table), name);
    assertEquals(1, table.size(), name);
    return Objects.requireNonNull(refusal.getMessage());
  }

  @Test
  void isReadWithoutLossOrRefusedByName() throws IOException {
    String _ = python("few.py", folder);
    ArrowRows<Few> few = ArrowRows.of(Few.class);
    assertEquals(
        List.of(
            "1;006f006e0065;004200550059;{x=1,y=0x0.0p+0};[1,2];true",
            "0;00740077006f;null;{x=0,y=0x0.0p+0};[0,0];false",
            "3;;00530045004c004c;{x=3,y=0x1.c000000000000p+1};[3,0];false"),
        read("nulls", few.withZeroForNull(), Few.class));
    assertEquals(
        List.of("0;;null;{x=0,y=0x0.0p+0};[0,0];false", "0;;null;{x=0,y=0x0.0p+0};[0,0];false"),
        read("all-null", few.withZeroForNull(), Few.class));
    assertEquals(
        "column 'number', row 1: the value is null, which %s.number cannot be: ArrowRows.withZeroForNull takes zero for it"
            .formatted(Few.class.getName()),
        refused("nulls", few, Few.class));
    assertEquals(
        List.of(
            "-1;255;-32768;0;0x1.0000000000000p+0;0x1.fffffffc00000p+30;0x1.8000000000000p+0;"
                + "0x1.99999a0000000p-4;65;-1000000000;255",
            "2;0;32767;4294967295;-0x1.4000000000000p+2;-0x1.0000000000000p+31;-inf;nan;66;"
                + "1000000000000000;1"),
        read("narrow", ArrowRows.of(Narrow.class), Narrow.class));

    ArrowRows<Numbered> numbered = ArrowRows.of(Numbered.class);
    String field = Numbered.class.getName() + ".number";
    for (String type :
        List.of("int64", "uint32", "float", "string", "date", "decimal", "bool", "list")) {
      String message = refused("number-" + type, numbered, Numbered.class);
      assertTrue(
          message.startsWith("column 'number' has the type ")
              && message.contains(", which " + field + " (int) does not hold without loss"),
          message);
    }
    assertEquals(
        "there are 2 columns 'number' for %s: give them different names".formatted(field),
        refused("twice", numbered, Numbered.class));
    assertEquals(
        "there is no column for %s. The columns are 'a', 'b'. ArrowRows.withZeroForMissing takes zero for what is missing"
            .formatted(field),
        refused("others", numbered, Numbered.class));
    assertEquals(List.of("0"), read("others", numbered.withZeroForMissing(), Numbered.class));
    ArrowRows<Few> some = few.withZeroForMissing();
    assertTrue(
        refused("long-text", some, Few.class)
            .contains(
                "row 1: the value has 100 bytes, and "
                    + Few.class.getName()
                    + ".name has room for 20"));
    assertTrue(
        refused("wrong-constant", some, Few.class)
            .contains(
                "row 1: the value is 'BUYS', and " + Few.class.getName() + ".side has no such"));
    assertTrue(
        refused("short-list", some, Few.class)
            .contains(
                "row 1: the value has 1 elements, and " + Few.class.getName() + ".pair has 2"));
    assertTrue(
        refused("far-time", ArrowRows.of(Narrow.class).withZeroForMissing(), Narrow.class)
            .contains("too far away"));
  }
}
