package dev.tigris.flow.operator;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tigris.flow.Flow;
import dev.tigris.flow.FlowException;
import dev.tigris.flow.Reservoir;
import dev.tigris.flow.policy.InputPolicy;
import dev.tigris.flow.text.Csv;
import dev.tigris.testing.Slow;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.IntUnaryOperator;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(value = 60, unit = TimeUnit.SECONDS)
class PartitionedJoinTest {
  @TempDir Path folder;

  private final List<String> left = new ArrayList<>();
  private final List<String> right = new ArrayList<>();

  private void joinsAsExpected(UnaryOperator<PartitionedJoin> options, boolean isOuter)
      throws Exception {
    List<String> found = joined(options);
    List<String> expected = expected(isOuter);
    assertEquals(expected.size(), found.size());
    assertEquals(expected, found);
    try (var files = Files.list(folder)) {
      assertEquals(3, files.count(), "temporary files are left");
    }
  }

  private List<String> joined(UnaryOperator<PartitionedJoin> options) throws Exception {
    Path rows = Files.writeString(folder.resolve("left.csv"), text("k,v", left));
    Path table = Files.writeString(folder.resolve("right.csv"), text("id,x", right));
    Path out = folder.resolve("out.csv");
    PartitionedJoin join =
        options.apply(PartitionedJoin.of("rows", "k").with("table", "id", "x").withFolder(folder));
    Flow.named("join")
        .stage("rows", () -> new RouteBy("k"), 2)
        .feed("rows", Csv.reading(rows))
        .stage("table", () -> new RouteBy("id"), 2)
        .feed("table", Csv.reading(table))
        .stage("join", join::module, 2)
        .inputs(InputPolicy.byPriority("table", "rows"))
        .connect("rows", "join", Reservoir.routed())
        .connect("table", "join", Reservoir.routed())
        .drain("join", Csv.writing(out))
        .build()
        .start()
        .await();
    return Files.readAllLines(out).stream().sorted().toList();
  }

  private static String text(String header, List<String> rows) {
    return header + "\n" + String.join("\n", rows) + "\n";
  }

  private List<String> expected(boolean isOuter) {
    Map<String, List<String>> byKey = new HashMap<>();
    for (String row : right) {
      int comma = row.indexOf(',');
      byKey
          .computeIfAbsent(row.substring(0, comma), _ -> new ArrayList<>())
          .add(row.substring(comma));
    }
    List<String> rows = new ArrayList<>(List.of("k,v,x"));
    for (String row : left) {
      List<String> matches = byKey.get(row.substring(0, row.indexOf(',')));
      if (matches != null) {
        matches.forEach(match -> rows.add(row + match));
      } else if (isOuter) {
        rows.add(row + ",");
      }
    }
    return rows.stream().sorted().toList();
  }

  private void fill(int rows, int table, IntUnaryOperator key) {
    var random = new SplittableRandom(9);
    for (int i = 0; i < table; i++) {
      right.add("k%d,table row %d".formatted(key.applyAsInt(random.nextInt(table)), i));
    }
    for (int i = 0; i < rows; i++) {
      left.add("k%d,row %d".formatted(key.applyAsInt(random.nextInt(2 * table)), i));
    }
  }

  @Test
  void joinsInMemory() throws Exception {
    fill(1000, 500, key -> key);
    joinsAsExpected(join -> join, false);
    joinsAsExpected(PartitionedJoin::keepingUnmatched, true);
  }

  @Test
  void joinsWithATableThatDoesNotFit() throws Exception {
    fill(8_000, 8_000, key -> key);
    joinsAsExpected(join -> join.withMemory(200_000), false);
    joinsAsExpected(join -> join.withMemory(200_000).keepingUnmatched(), true);
  }

  @Slow("it divides each of 32 parts, into a thousand files")
  @Test
  void dividesPartsThatDoNotFitEither() throws Exception {
    fill(3000, 20_000, key -> key);
    joinsAsExpected(join -> join.withMemory(80_000), false);
  }

  /// One key has more rows in the table than the memory holds.
  @Test
  void joinsSkewedKeysPieceByPiece() throws Exception {
    fill(30, 6000, key -> key % 3 == 0 ? 0 : key);
    left.add("nowhere,x");
    joinsAsExpected(join -> join.withMemory(160_000), false);
    joinsAsExpected(join -> join.withMemory(160_000).keepingUnmatched(), true);
  }

  @Test
  void joinsOneKeyOnly() throws Exception {
    fill(20, 100, key -> 7);
    joinsAsExpected(join -> join.withMemory(10_000), false);
  }

  @Test
  void joinsWithAnEmptyTableAndWithoutRows() throws Exception {
    left.add("a,1");
    assertEquals(List.of("a,1,", "k,v,x"), joined(PartitionedJoin::keepingUnmatched));
    left.clear();
    right.add("a,2");
    assertEquals(List.of("k,v,x"), joined(PartitionedJoin::keepingUnmatched));
    assertEquals(List.of("v,x"), joined(join -> join.keeping("v")));
  }

  @Test
  void refusesInputsOfOtherNames() throws Exception {
    FlowException e =
        assertThrows(
            FlowException.class,
            () ->
                Flow.named("join")
                    .stage("join", PartitionedJoin.of("a", "k").with("b", "id")::module)
                    .feed("join", "a", Csv.reading(file()))
                    .build()
                    .start()
                    .await());
    assertTrue(
        e.getMessage().contains("joins what comes from b, but its inputs are [a]"), e.getMessage());
  }

  private Path file() throws IOException {
    return Files.writeString(folder.resolve("in"), "k\n1\n");
  }
}
