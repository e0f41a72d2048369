package dev.tigris.sort;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tigris.os.Zstd;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Sorts of lines through files, with so little memory and heap that lines are spilled and buckets
/// divided.
class LineSortJobTest {
  private static final Heap SMALL_HEAP = new Heap(48 << 20);
  private static final Heap SMALLEST_HEAP = new Heap(4 << 20);

  @TempDir Path folder;

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.ISO_8859_1);
  }

  private Path file(String name, byte[] content) throws IOException {
    return Files.write(folder.resolve(name), content);
  }

  private byte[] sort(LineSortJob job) throws Exception {
    Path output = folder.resolve("sorted");
    job.unforced().run(output);
    try (Stream<Path> files = Files.list(folder)) {
      assertTrue(files.noneMatch(each -> each.getFileName().toString().startsWith(".")));
    }
    return Files.readAllBytes(output);
  }

  private static LineSortJob job(LineOrder order, Path... inputs) {
    LineSortJob job = LineSortJob.of(order).parallel(2);
    for (Path input : inputs) {
      job = job.input(SortInput.file(input));
    }
    return job;
  }

  /// What a stable sort of the JDK makes of the lines.
  private static byte[] expected(LineOrder order, byte[] text) {
    List<byte[]> lines = new ArrayList<>();
    int start = 0;
    for (int i = 0; i < text.length; i++) {
      if (text[i] == '\n') {
        lines.add(Arrays.copyOfRange(text, start, i));
        start = i + 1;
      }
    }
    lines.sort(order::compare);
    var sorted = new ByteArrayOutputStream();
    byte[] before = null;
    for (byte[] line : lines) {
      if (before == null || !order.isUnique() || order.compare(before, line) != 0) {
        sorted.writeBytes(line);
        sorted.write('\n');
      }
      before = line;
    }
    return sorted.toByteArray();
  }

  /// Lines of which many are equal and many begin alike, with a number and a sequence.
  private static byte[] lines(int count, long seed) {
    var random = new Random(seed);
    var text = new StringBuilder();
    for (int i = 0; i < count; i++) {
      int kind = random.nextInt(4);
      String word = kind == 0 ? "same" : "common beginning " + random.nextInt(kind * 100);
      text.append(word).append(',').append(random.nextInt(50) - 25).append(',').append(i % 7);
      text.append('\n');
    }
    return bytes(text.toString());
  }

  @ParameterizedTest
  @ValueSource(longs = {4 << 20, 64 << 20})
  void sortsWhatFitsMemoryAndWhatDoesNot(long memory) throws Exception {
    byte[] text = lines(150_000, memory);
    Path input = file("input", text);
    for (LineOrder order :
        List.of(
            LineOrder.bytes(),
            LineOrder.builder().separator(',').key("2,2n").key("1,1r").build(),
            LineOrder.builder().separator(',').key("1,1").stable().build(),
            LineOrder.builder().separator(',').key("2,2nr").unique().build())) {
      assertArrayEquals(
          expected(order, text), sort(job(order, input).memory(memory).heap(SMALL_HEAP)));
    }
  }

  @Test
  void dividesBucketsThatAreTooLargeForTheHeap() throws Exception {
    byte[] text = lines(30_000, 5);
    Path input = file("input", text);
    for (LineOrder order :
        List.of(
            LineOrder.bytes(),
            LineOrder.builder().separator(',').key("3,3").stable().build(),
            LineOrder.builder().separator(',').key("1,1").unique().build())) {
      assertArrayEquals(
          expected(order, text),
          sort(job(order, input).memory(4 << 20).heap(SMALLEST_HEAP).parallel(1)));
    }
  }

  @Test
  void endsALastLineThatDoesNotEnd() throws Exception {
    Path one = file("one", bytes("b\na"));
    Path other = file("other", bytes("c"));
    Path empty = file("empty", new byte[0]);
    assertArrayEquals(bytes("a\nb\nc\n"), sort(job(LineOrder.bytes(), one, empty, other)));
    assertArrayEquals(new byte[0], sort(job(LineOrder.bytes(), empty)));
    assertArrayEquals(
        bytes("a\0b\0"),
        sort(job(LineOrder.builder().zeroTerminated().build(), file("z", bytes("b\0a")))));
  }

  @Test
  void sortsLinesThatAreLongerThanAWater() throws Exception {
    byte[] text = new byte[3_000_000];
    var random = new Random(1);
    for (int i = 0; i < text.length; i++) {
      text[i] = (byte) ('a' + random.nextInt(26));
    }
    for (int end : new int[] {100, 700_000, 700_001, 2_500_000, 2_999_999}) {
      text[end] = '\n';
    }
    assertArrayEquals(
        expected(LineOrder.bytes(), text), sort(job(LineOrder.bytes(), file("long", text))));
  }

  @Test
  void refusesALineThatIsTooLongForTheHeap() throws Exception {
    Path input = file("long", new byte[1 << 20]);
    SortException refused =
        assertThrows(
            SortException.class,
            () -> sort(job(LineOrder.bytes(), input).heap(SMALLEST_HEAP).parallel(1)));
    assertEquals(SortException.Kind.MEMORY, refused.kind());
    assertTrue(refused.getMessage().contains("has a line of more than"), refused.getMessage());
  }

  /// A small file holds a line that fills any heap.
  @Test
  void refusesABombThatIsOneLine() throws Exception {
    byte[] zeros = new byte[16 << 20];
    var packed = new ByteArrayOutputStream();
    try (var gzip = new GZIPOutputStream(packed)) {
      gzip.write(zeros);
    }
    List<Path> bombs = new ArrayList<>(List.of(file("bomb.gz", packed.toByteArray())));
    if (Zstd.isAvailable()) {
      bombs.add(file("bomb.zst", Zstd.compress(zeros, zeros.length, 1)));
    }
    for (Path bomb : bombs) {
      assertTrue(Files.size(bomb) < zeros.length / 500);
      LineSortJob job = job(LineOrder.bytes(), bomb).heap(SMALLEST_HEAP).parallel(1);
      SortException refused = assertThrows(SortException.class, () -> sort(job));
      assertEquals(SortException.Kind.MEMORY, refused.kind());
      assertTrue(refused.getMessage().contains("has a line of more than"), refused.getMessage());
      try (Stream<Path> left = Files.list(folder)) {
        assertEquals(bombs.size(), left.count());
      }
    }
  }

  @Test
  void readsAndWritesWhatIsCompressed() throws Exception {
    byte[] text = lines(20_000, 3);
    var packed = new ByteArrayOutputStream();
    for (int from = 0; from < text.length; from += text.length / 2 + 1) { // two members
      try (var gzip = new GZIPOutputStream(packed)) {
        gzip.write(text, from, Math.min(text.length / 2 + 1, text.length - from));
      }
    }
    Path input = file("input.gz", packed.toByteArray());
    Path output = folder.resolve("sorted.gz");
    job(LineOrder.bytes(), input).unforced().run(output);
    try (InputStream plain = new GZIPInputStream(Files.newInputStream(output))) {
      assertArrayEquals(expected(LineOrder.bytes(), text), plain.readAllBytes());
    }
    Path cut = file("cut.gz", Arrays.copyOf(packed.toByteArray(), packed.size() / 3));
    SortException refused =
        assertThrows(SortException.class, () -> sort(job(LineOrder.bytes(), cut)));
    assertEquals(SortException.Kind.INPUT, refused.kind());
    assertTrue(refused.getMessage().contains("ends in the middle"), refused.getMessage());
    SortException other =
        assertThrows(
            SortException.class,
            () -> sort(job(LineOrder.bytes(), file("plain.gz", bytes("no gzip")))));
    assertTrue(other.getMessage().contains("not in gzip's format"), other.getMessage());
  }

  /// The end of a header is the end of a file for some who read gzip's format.
  @Test
  void refusesAMemberThatIsCutBehindAWholeOne() throws Exception {
    var packed = new ByteArrayOutputStream();
    int[] ends = new int[2];
    for (int i = 0; i < ends.length; i++) {
      try (var gzip = new GZIPOutputStream(packed)) {
        gzip.write(lines(100, i));
      }
      ends[i] = packed.size();
    }
    byte[] damaged = packed.toByteArray();
    damaged[ends[0]] ^= 1;
    Path broken = file("broken.gz", damaged);
    Path cut = file("cut.gz", Arrays.copyOf(packed.toByteArray(), ends[0] + 5));
    for (Path input : List.of(broken, cut)) {
      LineSortJob job = job(LineOrder.bytes(), input);
      LineCheckJob check = LineCheckJob.of(LineOrder.bytes()).input(SortInput.file(input));
      assertEquals(
          SortException.Kind.INPUT, assertThrows(SortException.class, () -> sort(job)).kind());
      assertThrows(SortException.class, () -> sort(job.merging()));
      assertThrows(SortException.class, check::run);
    }
  }

  /// An output has the form that the given name says.
  @Test
  void compressesWhatALinkSaysAndNotItsTarget() throws Exception {
    Path input = file("input", bytes("b\na\n"));
    Path plain = file("plain", new byte[0]);
    Path packed = file("packed.gz", new byte[0]);
    Path toPlain = Files.createSymbolicLink(folder.resolve("link.gz"), plain);
    Path toPacked = Files.createSymbolicLink(folder.resolve("link"), packed);
    job(LineOrder.bytes(), input).unforced().run(toPlain);
    job(LineOrder.bytes(), input).unforced().run(toPacked);
    try (InputStream unpacked = new GZIPInputStream(Files.newInputStream(plain))) {
      assertArrayEquals(bytes("a\nb\n"), unpacked.readAllBytes());
    }
    assertArrayEquals(bytes("a\nb\n"), Files.readAllBytes(packed));
    assertTrue(Files.isSymbolicLink(toPlain) && Files.isSymbolicLink(toPacked));
    assertArrayEquals(bytes("a\nb\n"), sort(job(LineOrder.bytes(), toPlain)));
  }

  @Test
  void sortsAStreamToAStream() throws Exception {
    byte[] text = lines(1_000, 8);
    var sorted = new ByteArrayOutputStream();
    LineSortJob.of(LineOrder.bytes())
        .input(SortInput.stream("a test", new ByteArrayInputStream(text)))
        .temporary(folder)
        .run(sorted);
    assertArrayEquals(expected(LineOrder.bytes(), text), sorted.toByteArray());
    try (Stream<Path> left = Files.list(folder)) {
      assertEquals(0, left.count());
    }
  }

  @Test
  void tellsThatAStreamFails() throws Exception {
    Path input = file("input", lines(100, 1));
    OutputStream broken =
        new OutputStream() {
          @Override
          public void write(int b) throws IOException {
            throw new IOException("Broken pipe");
          }
        };
    SortException failed =
        assertThrows(
            SortException.class, () -> job(LineOrder.bytes(), input).temporary(folder).run(broken));
    assertTrue(failed.getMessage().contains("Broken pipe"), failed.getMessage());
  }

  @Test
  void sortsRowsOfCsvByTheirColumns() throws Exception {
    byte[] rows =
        bytes(
            """
            name,"amount, net",note\r
            "b""x",10,"two
            lines"\r
            b,9,\r
            "a,b",-1,""\r
            a,9,last""");
    Path input = file("rows.csv", rows);
    String header = "name,\"amount, net\",note\r\n";
    LineOrder byAmount =
        LineOrder.builder().csv().column("amount, net", "n").column("name", "r").build();
    assertEquals(
        header + "\"a,b\",-1,\"\"\r\nb,9,\r\na,9,last\n\"b\"\"x\",10,\"two\nlines\"\r\n",
        new String(sort(job(byAmount, input)), StandardCharsets.ISO_8859_1));
    LineOrder byName = LineOrder.builder().csv().column("1", "").build();
    assertEquals(
        header + "a,9,last\n\"a,b\",-1,\"\"\r\nb,9,\r\n\"b\"\"x\",10,\"two\nlines\"\r\n",
        new String(sort(job(byName, input)), StandardCharsets.ISO_8859_1));
    LineOrder none = LineOrder.builder().csv().column("price", "").build();
    SortException refused = assertThrows(SortException.class, () -> sort(job(none, input)));
    assertEquals(
        "there is no column 'price': the first row has the columns name, amount, net, note",
        refused.getMessage());
    Path tabs = file("tabs.csv", bytes("name\tprice\n"));
    refused = assertThrows(SortException.class, () -> sort(job(none, tabs)));
    assertTrue(
        refused.getMessage().endsWith("If '\\t' separates them, say so: -t '\\t'"),
        refused.getMessage());
    Path other = file("other.csv", bytes("name,amount\n"));
    assertThrows(SortException.class, () -> sort(job(byName, input, other)));
  }

  /// A byte order mark is no part of a name. The first row stays as it is.
  @Test
  void findsTheFirstColumnBehindAByteOrderMark() throws Exception {
    String mark = "\u00EF\u00BB\u00BF";
    Path marked = file("marked.csv", bytes(mark + "\"name\",n\nb,1\n"));
    Path plain = file("plain.csv", bytes("\"name\",n\na,2\n"));
    LineOrder byName = LineOrder.builder().csv().column("name", "").build();
    assertEquals(
        mark + "\"name\",n\na,2\nb,1\n",
        new String(sort(job(byName, marked, plain)), StandardCharsets.ISO_8859_1));
  }

  /// Rows whose quotes span the parts that threads take.
  @Test
  void findsTheEndsOfRowsInEveryPart() throws Exception {
    var random = new Random(11);
    var text = new StringBuilder("key,value\n");
    List<String> rows = new ArrayList<>();
    for (int i = 0; i < 30_000; i++) {
      String value =
          random.nextBoolean() ? "\"x\n" + "\"\",".repeat(random.nextInt(9)) + "\"" : "y";
      rows.add("%06d,%s\n".formatted(random.nextInt(1_000_000), value));
      text.append(rows.getLast());
    }
    rows.sort(null);
    LineOrder order = LineOrder.builder().csv().build();
    assertEquals(
        "key,value\n" + String.join("", rows),
        new String(
            sort(job(order, file("rows", bytes(text.toString()))).memory(4 << 20)),
            StandardCharsets.ISO_8859_1));
  }

  @Test
  void refusesWhatItDoesNotSupportByName() {
    for (String key : List.of("0", "1.0", "x", "1,", "1,2,3", "1q", "1nM", "1R", "1dn")) {
      IllegalArgumentException refused =
          assertThrows(
              IllegalArgumentException.class, () -> LineOrder.builder().key(key).build(), key);
      assertTrue(refused.getMessage().contains("'" + key + "'"), refused.getMessage());
    }
    assertThrows(IllegalArgumentException.class, () -> LineOrder.builder().separator('\u20ac'));
    assertThrows(IllegalArgumentException.class, () -> LineOrder.builder().csv().key("1").build());
    assertThrows(IllegalArgumentException.class, () -> LineOrder.builder().column("a", "").build());
  }

  @Test
  void ordersWhatIsNoNumberBeforeNumbers() {
    LineOrder order = LineOrder.builder().options("g").build();
    List<String> ordered =
        List.of("x", "-nan", "nan", "-inf", "-1e4000", "-1", "0", "1e-4940", "0x1p3", "inf");
    for (int i = 1; i < ordered.size(); i++) {
      assertTrue(order.compare(bytes(ordered.get(i - 1)), bytes(ordered.get(i))) < 0);
    }
  }
}
