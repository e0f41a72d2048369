package dev.tigris.sort;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Rows of CSV that are odd or many, and limits of lines.
class LineRowsTest {
  @TempDir Path folder;

  private Path file(String name, String text) throws IOException {
    return Files.writeString(folder.resolve(name), text);
  }

  private String sort(LineOrder order, Path input) throws Exception {
    Path output = folder.resolve("sorted");
    LineSortJob.of(order).input(SortInput.file(input)).parallel(2).unforced().run(output);
    return Files.readString(output);
  }

  private record Row(String key, String text) {}

  /// Several buckets, whose splitters all begin alike, and rows whose keys have doubled quotes.
  @Test
  void sortsManyRowsWithDoubledQuotesByAColumn() throws Exception {
    var random = new Random(2);
    List<Row> rows = new ArrayList<>();
    for (int i = 0; i < 120_000; i++) {
      String key = "item " + random.nextInt(100_000);
      boolean isQuoted = random.nextInt(10) == 0;
      String cell = isQuoted ? "\"%s \"\"inch\"\"\"".formatted(key) : key;
      String text = "%06d,%s,a note that makes the row longer\n".formatted(i, cell);
      rows.add(new Row(isQuoted ? key + " \"inch\"" : key, text));
    }
    var text = new StringBuilder("number,name,note\n");
    rows.forEach(row -> text.append(row.text()));
    Path input = file("rows.csv", text.toString());
    rows.sort(Comparator.comparing(Row::key)); // stable
    var expected = new StringBuilder("number,name,note\n");
    rows.forEach(row -> expected.append(row.text()));
    assertTrue(text.length() > 4 << 20);
    LineOrder byName = LineOrder.builder().csv().column("name", "").stable().build();
    assertTrue(expected.toString().equals(sort(byName, input)), "another order");
  }

  /// All of the file would be its header, and nothing would be sorted.
  @Test
  void refusesAFirstRowWhoseQuoteHasNoEnd() throws Exception {
    LineOrder byId = LineOrder.builder().csv().column("id", "").build();
    for (String text : List.of("id,\"name\n3,x\n1,y\n", "id,\"name", "\"")) {
      Path input = file("open.csv", text);
      SortException refusal = assertThrows(SortException.class, () -> sort(byId, input), text);
      assertEquals(SortException.Kind.INPUT, refusal.kind());
      assertTrue(String.valueOf(refusal.getMessage()).contains("inside of quotes"), text);
    }
  }

  /// An empty first row is a header as any other, with one column, which has no name.
  @Test
  void keepsAFirstRowThatIsEmpty() throws Exception {
    Path input = file("rows.csv", "\nb\na\n");
    Path output = folder.resolve("sorted");
    LineOrder byFirst = LineOrder.builder().csv().column("1", "").build();
    assertEquals("\na\nb\n", sort(byFirst, input));
    Path sorted = file("sorted.csv", "\na\nb\n");
    LineSortJob merge = LineSortJob.of(byFirst).input(SortInput.file(sorted)).merging();
    merge.run(output);
    assertEquals("\na\nb\n", Files.readString(output));
    SortInput other = SortInput.file(file("other.csv", "x\nc\n"));
    LineSortJob both = LineSortJob.of(byFirst).input(SortInput.file(sorted)).input(other);
    assertThrows(SortException.class, () -> both.run(output));
    assertThrows(SortException.class, () -> both.merging().run(output));
    LineCheckJob check = LineCheckJob.of(byFirst).input(SortInput.file(sorted)).input(other);
    assertThrows(SortException.class, check::run);
  }

  /// All of the file would be its header, and nothing would be sorted.
  @Test
  void refusesRowsThatEndWithReturnsAlone() throws Exception {
    LineOrder byId = LineOrder.builder().csv().column("id", "").build();
    for (String text : List.of("id,name\r2,b\r1,a\r", "id\r2\r1", "id,\"name\"\r2,b\r")) {
      Path input = file("mac.csv", text);
      SortException refusal = assertThrows(SortException.class, () -> sort(byId, input), text);
      assertEquals(SortException.Kind.INPUT, refusal.kind());
      assertTrue(String.valueOf(refusal.getMessage()).contains("tr '\\r'"), refusal.getMessage());
    }
    assertEquals("id,\"a\rb\"\r\n1,\r\n", sort(byId, file("odd.csv", "id,\"a\rb\"\r\n1,\r\n")));
  }

  @Test
  void sortsFilesWhoseRowsEndDifferently() throws Exception {
    Path output = folder.resolve("sorted");
    LineOrder byId = LineOrder.builder().csv().column("id", "n").build();
    LineSortJob.of(byId)
        .input(SortInput.file(file("windows.csv", "id,n\r\n3,a\r\n1,b\r\n")))
        .input(SortInput.file(file("unix.csv", "id,n\n2,c\n")))
        .run(output);
    assertEquals("id,n\r\n1,b\r\n2,c\n3,a\r\n", Files.readString(output));
  }

  @Test
  void skipsBlanksOfColumnsAndTheByteOrderMark() throws Exception {
    Path input = file("rows.csv", "\uFEFF\"name\",n\n  b,1\na,2\n\" c\",3\n");
    LineOrder byName = LineOrder.builder().csv().column("name", "b").build();
    assertEquals("\uFEFF\"name\",n\na,2\n  b,1\n\" c\",3\n", sort(byName, input));
  }

  @Test
  void refusesKindsThatContradictEachOtherForColumns() {
    LineOrder.Builder order = LineOrder.builder().csv().options("nM").column("a", "");
    assertThrows(IllegalArgumentException.class, order::build);
  }

  @Test
  void refusesAFirstRowThatDoesNotEnd() throws Exception {
    Path input = file("rows.csv", "a,\"b\n" + "1,2\n".repeat(600_000));
    LineOrder order = LineOrder.builder().csv().column("a", "").build();
    SortException refused = assertThrows(SortException.class, () -> sort(order, input));
    assertEquals(SortException.Kind.INPUT, refused.kind());
    assertTrue(refused.getMessage().contains("a quote in it has no end"), refused.getMessage());
  }

  @Test
  void refusesAFileThatEndsInsideOfQuotes() throws Exception {
    Path input = file("rows.csv", "a,b\n1,\"x\n2,y\n3,z\n");
    LineOrder order = LineOrder.builder().csv().column("a", "").build();
    SortException refused = assertThrows(SortException.class, () -> sort(order, input));
    assertEquals(SortException.Kind.INPUT, refused.kind());
    assertTrue(refused.getMessage().contains("ends inside of quotes"), refused.getMessage());
    LineCheckJob check = LineCheckJob.of(order).input(SortInput.file(input));
    assertThrows(SortException.class, check::run);
  }

  @Test
  void writesAWholeFileWhereNothingIsToBeWritten() throws Exception {
    Path input = file("empty", "");
    Path output = folder.resolve("sorted.gz");
    LineSortJob.of(LineOrder.bytes()).input(SortInput.file(input)).run(output);
    try (InputStream plain = new GZIPInputStream(Files.newInputStream(output))) {
      assertEquals(0, plain.readAllBytes().length);
    }
  }

  /// Waters that were made for long lines do not stay with their partitioners.
  @Test
  void keepsToItsMemoryWhereSomeLinesAreLong() throws Exception {
    var random = new Random(3);
    var text = new StringBuilder();
    for (int i = 0; i < 300_000; i++) {
      text.append(random.nextInt(1_000_000_000)).append(" short\n");
    }
    String longLine = "x".repeat(400_000);
    for (int i = 0; i < 60; i++) {
      text.append(random.nextInt(1_000_000_000)).append(longLine).append('\n');
    }
    byte[] bytes = text.toString().getBytes(StandardCharsets.ISO_8859_1);
    Path input = Files.write(folder.resolve("lines"), bytes);
    LineSortJob.Result result =
        LineSortJob.of(LineOrder.bytes())
            .input(SortInput.file(input))
            .parallel(2)
            .memory(16 << 20)
            .unforced()
            .run(folder.resolve("sorted"));
    assertEquals(300_060, result.keptLines());
    // Four streams may have five waters of a long line each on their way. Each of four modules
    // holds one more, and there are some buffers.
    long most = (16 << 20) + (4 * 5 + 4) * 400_000 + (5 << 18);
    assertTrue(result.peakMemoryBytes() < most, "used " + result.peakMemoryBytes());
  }

  /// The parts that a bucket notes would be millions.
  @Test
  void boundsWhatItNotesOfStableOrders() {
    long input = 3L << 30;
    Heap heap = new Heap(256 << 20);
    LinePlan plan = LinePlan.make(input, 2L << 30, 2, true, heap, 1);
    long parts = input / plan.chunkBytes() * plan.buckets();
    assertTrue(48 * parts <= heap.bytes() / 8, parts + " parts");
    LinePlan plain = LinePlan.make(input, 40L << 30, 2, false, heap, 1);
    assertTrue(plain.keepBytes() / plain.waterBytes() * 2 <= heap.waters());
  }
}
