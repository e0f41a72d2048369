package dev.tigris.flow.operator;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tigris.flow.Flow;
import dev.tigris.flow.FlowException;
import dev.tigris.flow.Module;
import dev.tigris.flow.Reservoir;
import dev.tigris.flow.StreamGroup;
import dev.tigris.flow.text.Csv;
import dev.tigris.flow.text.Lines;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// The modules that take rows and give rows.
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class OperatorsTest {
  @TempDir Path folder;

  private Path file(String text) throws IOException {
    return Files.writeString(folder.resolve("in"), text);
  }

  private List<String> run(StreamGroup feed, StreamGroup drain, Supplier<Module> module)
      throws Exception {
    Flow.named("operator")
        .stage("it", module, 2)
        .feed("it", feed)
        .drain("it", drain)
        .build()
        .start()
        .await();
    return Files.readAllLines(folder.resolve("out"));
  }

  private List<String> rows(String text, Supplier<Module> module) throws Exception {
    StreamGroup feed = Csv.reading(file(text)).withBlockBytes(6);
    List<String> lines = run(feed, Csv.writing(folder.resolve("out")), module);
    return lines.stream().sorted().toList();
  }

  @Test
  void aFilterPassesRowsAsTheyStand() throws Exception {
    String text = "a,b\n\"1\",x\n2,\"y\"\n3,z\n";
    assertEquals(
        List.of("\"1\",x", "3,z", "a,b"),
        rows(text, () -> Filter.on("a", (rows, a) -> rows.number(a) != 2)));
    assertEquals(
        List.of("2,\"y\"", "a,b"), rows(text, () -> Filter.by(rows -> rows.text(1).equals("y"))));
    assertEquals(List.of("a,b"), rows(text, () -> Filter.by(rows -> false)));
  }

  @Test
  void aFilterPassesLines() throws Exception {
    byte[] error = "ERROR".getBytes(StandardCharsets.US_ASCII);
    StreamGroup feed = Lines.reading(file("one\nERROR two\nthree ERROR\n")).withBlockBytes(4);
    List<String> found =
        run(
            feed,
            Lines.writing(folder.resolve("out")),
            () -> Filter.by(rows -> rows.indexOf(0, error) >= 0));
    assertEquals(List.of("ERROR two", "three ERROR"), found.stream().sorted().toList());
  }

  @Test
  void aMapMakesAnyNumberOfRows() throws Exception {
    assertEquals(
        List.of("n,word", "x,1", "y,2", "y,2"),
        rows(
                "a,b\n1,x\n0,none\n2,y\n",
                () ->
                    new MapRows(
                        List.of("b", "a"),
                        List.of("n", "word"),
                        (rows, fields, to) -> {
                          for (long i = rows.number(fields[1]); i > 0; i--) {
                            to.text(rows, fields[0]).text(rows, fields[1]).end();
                          }
                        }))
            .stream()
            .sorted()
            .toList());
  }

  private List<String> top(String text, Supplier<Module> top) throws Exception {
    Flow.named("top")
        .stage("each", top, 2)
        .feed("each", Csv.reading(file(text)).withBlockBytes(50))
        .reservoir(Reservoir.leastOutstanding())
        .stage("all", top)
        .drain("all", Csv.writing(folder.resolve("out")))
        .build()
        .start()
        .await();
    return Files.readAllLines(folder.resolve("out"));
  }

  @Test
  void topIsTheBeginningOfTheSortedRows() throws Exception {
    var random = new SplittableRandom(5);
    var text = new StringBuilder("k,v\n");
    record Row(String text, double value) {}
    List<Row> all = new ArrayList<>();
    for (int i = 0; i < 1000; i++) {
      double value = random.nextInt(-200, 200) / 4.0;
      Row row = new Row("k" + random.nextInt(100) + "," + value, value);
      all.add(row);
      text.append(row.text()).append('\n');
    }
    Comparator<Row> bytes = Comparator.comparing(Row::text);
    for (boolean greatest : new boolean[] {true, false}) {
      Comparator<Row> values = Comparator.comparingDouble(Row::value);
      all.sort((greatest ? values.reversed() : values).thenComparing(bytes));
      List<String> expected = new ArrayList<>(List.of("k,v"));
      all.stream().limit(37).map(Row::text).forEach(expected::add);
      String in = text.toString();
      assertEquals(
          expected, top(in, () -> greatest ? Top.greatest(37, "v", 2) : Top.least(37, "v", 2)));
      assertEquals(
          expected, top(in, () -> greatest ? Top.greatestReals(37, "v") : Top.leastReals(37, "v")));
    }
  }

  @Test
  void topOfFewerRowsIsAllOfThem() throws Exception {
    assertEquals(
        List.of("v,w", "2,\"x,y\"", "1,\"\"\"\""),
        top("v,w\n1,\"\"\"\"\n2,\"x,y\"\n", () -> Top.greatest(9, "v", 0)));
    assertEquals(List.of("v,w"), top("v,w\n", () -> Top.greatest(9, "v", 0)));
    assertThrows(IllegalArgumentException.class, () -> Top.least(0, "v", 0));
    assertThrows(IllegalArgumentException.class, () -> Top.least(1, "v", 19));
  }

  /// Words of lines, counted, the most frequent first.
  @Test
  void countsWords() throws Exception {
    Path in = file("to be or not to be\n\nthat is\n");
    GroupBy words = GroupBy.on("word").count();
    Flow.named("words")
        .stage(
            "split",
            () ->
                new MapRows(
                    List.of(),
                    List.of("word"),
                    (rows, fields, to) -> {
                      for (String word : rows.text(0).split(" ", -1)) {
                        if (!word.isEmpty()) {
                          to.text(word).end();
                        }
                      }
                    }),
            2)
        .feed("split", Lines.reading(in))
        .reservoir(Reservoir.leastOutstanding())
        .stage("local", words::local, 2)
        .reservoir(Reservoir.routed())
        .stage("total", words::total, 2)
        .reservoir(Reservoir.leastOutstanding())
        .stage("top", () -> Top.greatest(3, "count", 0))
        .drain("top", Csv.writing(folder.resolve("out")))
        .build()
        .start()
        .await();
    assertEquals(
        List.of("word,count", "be,2", "to,2", "is,1"), Files.readAllLines(folder.resolve("out")));
  }

  @Test
  void routesRowsOfOtherFormatsRight() throws Exception {
    Path comma = Files.writeString(folder.resolve("comma"), "k,v\na,\"1;2\"\nb,3\n");
    Path semicolon = Files.writeString(folder.resolve("semicolon"), "k;v\na;4\nb;5,6\n");
    Flow.named("route")
        .stage("route", () -> new RouteBy("k"))
        .feed("route", "comma", Csv.reading(comma))
        .feed("route", "semicolon", Csv.reading(semicolon).withSeparator(';'))
        .reservoir(Reservoir.routed())
        .stage(
            "commas",
            () ->
                new MapRows(
                    List.of("k", "v"),
                    List.of("k", "v"),
                    (rows, f, to) -> to.text(rows, f[0]).text(rows, f[1]).end()),
            2)
        .drain("commas", Csv.writing(folder.resolve("out")))
        .build()
        .start()
        .await();
    assertEquals(
        List.of("a,1;2", "a,4", "b,\"5,6\"", "b,3", "k,v"),
        Files.readAllLines(folder.resolve("out")).stream().sorted().toList());
  }

  @Test
  void aColumnThatIsNotThereIsNamed() throws Exception {
    FlowException e =
        assertThrows(FlowException.class, () -> rows("a,b\n1,2\n", () -> Top.greatest(1, "c", 0)));
    assertTrue(e.getMessage().contains("no column c, only [a, b]"), e.getMessage());
  }
}
