package dev.tigris.flow.text;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tigris.flow.Flow;
import dev.tigris.flow.FlowException;
import dev.tigris.testing.Slow;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(value = 60, unit = TimeUnit.SECONDS)
class TextFeedTest {
  @TempDir Path folder;

  private Path file(String name, String text) throws IOException {
    return Files.write(folder.resolve(name), text.getBytes(StandardCharsets.ISO_8859_1));
  }

  private static List<List<String>> rows(String... fields) {
    List<List<String>> rows = new ArrayList<>();
    for (String row : fields) {
      rows.add(List.of(row.split("\\|", -1)));
    }
    return rows;
  }

  @Test
  void readsLinesWholeWhereverBlocksEnd() throws Exception {
    Path file = file("lines", "one\n\ntwo\r\n\0three\n\u00ff\u00fe\nlast");
    List<List<String>> expected = rows("one", "", "two\r", "\0three", "\u00ff\u00fe", "last");
    for (int bytes = 1; bytes < 40; bytes++) {
      TextFeed feed = Lines.reading(file).withBlockBytes(bytes);
      assertEquals(expected, ReadRows.fields(feed, 3), "blocks of " + bytes);
    }
  }

  @Test
  void readsRowsWholeWhereverBlocksEnd() throws Exception {
    Path file =
        file(
            "odd.csv",
            "\u00ef\u00bb\u00bfa,\"b\nb\",c\r\n1,\"x\ny\",3\n\n\"\",\"\"\"\",\"\"\"a\"\"\n\"\r\n4,5,\"6,\n\"\r\n,,");
    List<List<String>> expected =
        List.of(
            List.of("1", "x\ny", "3"),
            List.of("", "\"", "\"a\"\n"),
            List.of("4", "5", "6,\n"),
            List.of("", "", ""));
    for (int bytes = 1; bytes < 60; bytes++) {
      TextFeed feed = Csv.reading(file).withBlockBytes(bytes);
      assertEquals(expected, ReadRows.fields(feed, 2), "blocks of " + bytes);
    }
  }

  @Test
  void anyBlocksGiveTheRowsThatWereWritten() throws Exception {
    for (long seed = 0; seed < 60; seed++) {
      var random = new SplittableRandom(seed);
      List<List<String>> expected = new ArrayList<>();
      var text = new StringBuilder("a,b\n");
      int count = random.nextInt(30);
      for (int i = 0; i < count; i++) {
        List<String> row = List.of(value(random), value(random));
        expected.add(row);
        text.append(written(row.get(0), random)).append(',').append(written(row.get(1), random));
        text.append(
            i == count - 1 && random.nextBoolean() ? "" : random.nextBoolean() ? "\n" : "\r\n");
      }
      Path file = file("random.csv", text.toString());
      int bytes = 1 + random.nextInt(20);
      TextFeed feed = Csv.reading(file).withBlockBytes(bytes);
      assertEquals(expected, ReadRows.fields(feed, 1 + random.nextInt(3)), "seed " + seed);
    }
  }

  private static String value(SplittableRandom random) {
    var value = new StringBuilder();
    int length = random.nextInt(4) * random.nextInt(6);
    String characters = "ab,\"\n\r \0\u00ff;";
    for (int i = 0; i < length; i++) {
      value.append(characters.charAt(random.nextInt(characters.length())));
    }
    return value.toString();
  }

  private static String written(String value, SplittableRandom random) {
    boolean quoted = value.matches("(?s).*[,\"\n\r].*") || random.nextInt(4) == 0;
    return quoted ? '"' + value.replace("\"", "\"\"") + '"' : value;
  }

  @Test
  void readsARowThatIsLargerThanManyBlocks() throws Exception {
    String huge = "x,\"\n".repeat(50_000).replace("\"", "\"\"");
    Path file = file("huge.csv", "a,b\n1,\"" + huge + "\"\n2,y\n");
    List<ReadRows.Row> rows = ReadRows.of(Csv.reading(file).withBlockBytes(1000), 3);
    assertEquals(2, rows.size());
    assertEquals(huge.replace("\"\"", "\""), rows.get(0).fields().get(1));
    assertEquals(List.of("2", "y"), rows.get(1).fields());
  }

  @Test
  void readsManyFilesOfWhichSomeAreEmpty() throws Exception {
    List<Path> files =
        List.of(
            file("a", "n\n1\n"),
            file("b", ""),
            file("c", "n\r\n"),
            file("d", "n"),
            file("e", "n\n2"));
    assertEquals(rows("1", "2"), ReadRows.fields(Csv.reading(files), 2));
  }

  private String copied(Path... files) throws Exception {
    Path copy = folder.resolve("copy.csv");
    Flow.named("copy")
        .stage("pass", () -> (in, out) -> out.put(in), 2)
        .feed("pass", Csv.reading(files))
        .drain("pass", Csv.writing(copy))
        .build()
        .start()
        .await();
    return Files.readString(copy);
  }

  @Test
  void aFileWithoutRowsKeepsItsHeader() throws Exception {
    assertEquals("a,\"b\nc\"\n", copied(file("a", "a,\"b\nc\"\r\n"), file("b", "a,\"b\nc\"")));
    var packed = new ByteArrayOutputStream();
    try (var gzip = new GZIPOutputStream(packed)) {
      gzip.write("a,b\n".getBytes(StandardCharsets.US_ASCII));
    }
    assertEquals("a,b\n", copied(Files.write(folder.resolve("c.gz"), packed.toByteArray())));
    assertEquals("", copied(file("d", "")));
  }

  @Test
  void theHeaderOfLinesKeepsItsReturnAsLinesDo() throws Exception {
    Path file = file("lines", "a\tb\r\n1\t2\r\n");
    String[][] found = new String[1][];
    Flow.named("names")
        .stage(
            "names",
            () ->
                (in, out) -> {
                  Rows rows = new Rows();
                  rows.open(in);
                  found[0] = rows.columns();
                })
        .feed("names", Lines.separatedBy('\t', file).withHeader())
        .build()
        .start()
        .await();
    assertEquals(List.of("a", "b\r"), List.of(found[0]));
  }

  @Test
  void canBeRunTwiceAtOnce() throws Exception {
    var text = new StringBuilder();
    for (int i = 0; i < 10_000; i++) {
      text.append(i).append('\n');
    }
    Flow flow =
        Flow.named("copy")
            .stage("pass", () -> (in, out) -> out.put(in), 2)
            .feed("pass", Lines.reading(file("lines", text.toString())).withBlockBytes(100))
            .drain("pass", Lines.writing(folder.resolve("copy")))
            .build();
    var first = flow.start();
    flow.start().await();
    first.await();
    assertEquals(
        text.toString().lines().sorted().toList(),
        Files.readAllLines(folder.resolve("copy")).stream().sorted().toList());
  }

  @Test
  void readsCompressedFilesOfSeveralMembersAndRefusesCutOnes() throws Exception {
    var all = new ByteArrayOutputStream();
    List<List<String>> expected = new ArrayList<>();
    for (int member = 0; member < 3; member++) {
      try (var gzip = new GZIPOutputStream(all)) {
        for (int i = 0; i < 50; i++) {
          String row = member == 0 && i == 0 ? "a,b\n" : member + ",\"" + i + "\n\"\n";
          gzip.write(row.getBytes(StandardCharsets.UTF_8));
          if (member > 0 || i > 0) {
            expected.add(List.of(Integer.toString(member), i + "\n"));
          }
        }
      }
    }
    byte[] whole = all.toByteArray();
    Path file = Files.write(folder.resolve("rows.csv.gz"), whole);
    for (int bytes : new int[] {1, 10, 100_000}) {
      assertEquals(expected, ReadRows.fields(Csv.reading(file).withBlockBytes(bytes), 2));
    }
    for (int length = 0; length < whole.length - 1; length += 7) {
      Files.write(file, Arrays.copyOf(whole, length));
      if (isInsideAMember(whole, length)) {
        assertTrue(refusal(Csv.reading(file)).contains("rows.csv.gz"), "cut at " + length);
      }
    }
  }

  private static boolean isInsideAMember(byte[] whole, int length) {
    return whole[length] != 0x1f || whole[length + 1] != (byte) 0x8b || length == 0;
  }

  // -- What is refused.

  @Slow("it decompresses 256 MiB, for which 300 kB are enough")
  @Test
  void refusesARowOfACompressedFileThatHasNoEnd() throws Exception {
    Path file = folder.resolve("bomb.csv.gz");
    byte[] piece = new byte[1 << 20];
    Arrays.fill(piece, (byte) 'x');
    try (var gzip = new GZIPOutputStream(Files.newOutputStream(file))) {
      gzip.write("a,b\n1,2\n".getBytes(StandardCharsets.UTF_8));
      for (int i = 0; i < 260; i++) {
        gzip.write(piece);
      }
    }
    String reason = refusal(Csv.reading(file));
    assertTrue(reason.contains("the row that begins at byte 8 has more than"), reason);
  }

  private String refusal(TextFeed feed) {
    FlowException e = assertThrows(FlowException.class, () -> ReadRows.of(feed, 2));
    var all = new StringBuilder();
    for (Throwable cause = e; cause != null; cause = cause.getCause()) {
      all.append(cause.getMessage()).append('\n');
    }
    return all.toString();
  }

  private void assertRefused(String expected, String text) throws IOException {
    for (int bytes : new int[] {1, 7, 1000}) {
      String message = refusal(Csv.reading(file("wrong.csv", text)).withBlockBytes(bytes));
      assertTrue(message.contains(expected), message);
      assertTrue(message.contains("wrong.csv"), message);
    }
  }

  @Test
  void refusesWhatIsNoCsvAndSaysWhere() throws Exception {
    assertRefused("byte 4 has a quote inside field 2", "a,b\n1,x\"y\"\n");
    assertRefused("byte 8 has text behind the closing quote of field 1", "a,b\n1,2\n\"x\"y,2\n");
    assertRefused("byte 4 has 3 fields, but the file has 2 columns", "a,b\n1,2,3\n");
    assertRefused("byte 4 has 1 fields, but the file has 2 columns", "a,b\n1\n2,3\n");
    assertRefused("byte 8 has a quote without an end", "a,b\n1,2\n3,\"4\n5,6\n");
    assertRefused("quote without an end", "a,\"b\n1,2\n");
  }

  @Test
  void saysOfACompressedFileWhereARowBegins() throws Exception {
    String rows = "1,2\n".repeat(1000);
    var packed = new ByteArrayOutputStream();
    try (var gzip = new GZIPOutputStream(packed)) {
      gzip.write(("a,b\n" + rows + "3,\"4\n").getBytes(StandardCharsets.US_ASCII));
    }
    Path file = Files.write(folder.resolve("open.gz"), packed.toByteArray());
    String message = refusal(Csv.reading(file).withBlockBytes(100));
    assertTrue(message.contains("byte 4004 has a quote without an end"), message);
  }

  @Test
  void refusesFilesWithOtherColumns() throws Exception {
    String message = refusal(Csv.reading(file("a", "x,y\n1,2\n"), file("b", "y,x\n1,2\n")));
    assertTrue(message.contains("another first row"), message);
  }

  /// All of the file would be its names, and it would have no rows.
  @Test
  void refusesRowsThatEndWithReturnsAlone() throws Exception {
    for (String text : List.of("x,y\r1,2\r", "x\r\"1\"\r", "\"x\"\r1")) {
      String message = refusal(Csv.reading(file("mac.csv", text)));
      assertTrue(message.contains("tr '\\r'"), message);
    }
    assertEquals(List.of("x\ry", "z"), Csv.reading(file("odd.csv", "\"x\ry\",z\r\n")).columns());
  }

  @Test
  void refusesAMissingFileAFolderAndAPipe() throws Exception {
    assertTrue(refusal(Csv.reading(folder.resolve("no"))).contains("no such file"));
    assertTrue(refusal(Csv.reading(folder)).contains("not a regular file"));
  }
}
