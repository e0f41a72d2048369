package dev.tigris.flow.operator;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tigris.flow.Flow;
import dev.tigris.flow.FlowException;
import dev.tigris.flow.Reservoir;
import dev.tigris.flow.text.Csv;
import dev.tigris.flow.text.TextFeed;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(value = 60, unit = TimeUnit.SECONDS)
class GroupByTest {
  @TempDir Path folder;

  private Path file(String text) throws IOException {
    return Files.writeString(folder.resolve("in.csv"), text);
  }

  /// Returns the groups by their first column.
  private Map<String, String> grouped(GroupBy groups, TextFeed feed, int replicas)
      throws Exception {
    Path out = folder.resolve("out.csv");
    Flow.named("group")
        .stage("local", groups::local, replicas)
        .feed("local", feed)
        .reservoir(Reservoir.routed())
        .stage("total", groups::total, replicas)
        .drain("total", Csv.writing(out))
        .build()
        .start()
        .await();
    Map<String, String> found = new TreeMap<>();
    List<String> lines = Files.readAllLines(out);
    for (String line : lines.subList(Math.min(1, lines.size()), lines.size())) {
      int comma = line.indexOf(',');
      assertEquals(null, found.put(line.substring(0, comma), line.substring(comma + 1)), line);
    }
    return found;
  }

  @Test
  void countsAndSumsUp() throws Exception {
    Path in = file("k,v,w\na,1.5,1\nb,-2,-2\na,0.25,.75\n\"x,\"\"y\",7,0\n");
    GroupBy groups =
        GroupBy.on("k").count().sum("v", 2).least("v", 2).greatest("v", 2).sumOfReals("w");
    Map<String, String> expected =
        Map.of(
            "a", "2,1.75,0.25,1.50,1.75",
            "b", "1,-2.00,-2.00,-2.00,-2.0");
    Map<String, String> found = grouped(groups, Csv.reading(in).withBlockBytes(5), 2);
    expected.forEach((key, value) -> assertEquals(value, found.get(key)));
    assertEquals(3, found.size());
    assertTrue(Files.readString(folder.resolve("out.csv")).contains("\"x,\"\"y\",1,7.00"));
  }

  @Test
  void refusesTwoColumnsOfOneName() {
    GroupBy groups = GroupBy.on("k").sum("v", 2);
    assertThrows(IllegalArgumentException.class, () -> groups.sumOfReals("v"));
  }

  @Test
  void groupsBySeveralColumns() throws Exception {
    Path in = file("a,b\nx,yz\nxy,z\nx,yz\n");
    Flow.named("group")
        .stage("whole", () -> GroupBy.on("b", "a").count().whole())
        .feed("whole", Csv.reading(in))
        .drain("whole", Csv.writing(folder.resolve("out.csv")))
        .build()
        .start()
        .await();
    assertEquals(
        List.of("b,a,count", "yz,x,2", "z,xy,1"), Files.readAllLines(folder.resolve("out.csv")));
  }

  @Test
  void groupsMoreThanTheMemoryHolds() throws Exception {
    var random = new SplittableRandom(1);
    var text = new StringBuilder("k,v\n");
    Map<String, Long> sums = new HashMap<>();
    for (int i = 0; i < 60_000; i++) {
      String key = random.nextInt(3) == 0 ? "one" : "key" + random.nextInt(20_000);
      text.append(key).append(',').append(i).append('\n');
      sums.merge(key, (long) i, Long::sum);
    }
    Path in = file(text.toString());
    GroupBy groups = GroupBy.on("k").sum("v", 0).withMemory(150_000).withFolder(folder);
    Map<String, String> found = grouped(groups, Csv.reading(in), 2);
    assertEquals(sums.size(), found.size());
    sums.forEach((key, sum) -> assertEquals(Long.toString(sum), found.get(key), key));
    assertNothingIsLeft();
  }

  /// Most rows have one key, and the others have keys of which each has fewer rows than the one
  /// before: the groups are spilled several times, each time with the frequent keys among them.
  @Test
  void groupsSkewedKeysWithMoreThanTheMemoryHolds() throws Exception {
    var random = new SplittableRandom(2);
    var text = new StringBuilder("k,v\n");
    Map<String, Long> sums = new HashMap<>();
    Map<String, Long> counts = new HashMap<>();
    for (int i = 0; i < 60_000; i++) {
      double rank = Math.pow(30_000, random.nextDouble()); // as Zipf's law has it
      String key = random.nextInt(10) < 6 ? "most" : "key" + (int) rank;
      text.append(key).append(',').append(i).append('\n');
      sums.merge(key, (long) i, Long::sum);
      counts.merge(key, 1L, Long::sum);
    }
    Path in = file(text.toString());
    GroupBy groups = GroupBy.on("k").count().sum("v", 0).withMemory(50_000).withFolder(folder);
    Map<String, String> found = grouped(groups, Csv.reading(in), 2);
    assertEquals(sums.size(), found.size());
    sums.forEach((key, sum) -> assertEquals(counts.get(key) + "," + sum, found.get(key), key));
    assertNothingIsLeft();
  }

  /// One replica of the two gets all groups.
  @Test
  void groupsRowsOfOneKey() throws Exception {
    String key = "k".repeat(3_000); // a group takes more than the memory
    var text = new StringBuilder("k,v\n");
    for (int i = 1; i <= 2_000; i++) {
      text.append(key).append(',').append(i).append('\n');
    }
    Path in = file(text.toString());
    GroupBy groups = GroupBy.on("k").count().sum("v", 0).withMemory(1_000).withFolder(folder);
    for (int replicas : new int[] {1, 2}) {
      Map<String, String> found = grouped(groups, Csv.reading(in), replicas);
      assertEquals(Map.of(key, "2000,2001000"), found);
      assertNothingIsLeft();
    }
  }

  private void assertNothingIsLeft() throws IOException {
    try (var files = Files.list(folder)) {
      assertEquals(2, files.count(), "temporary files are left");
    }
  }

  @Test
  void groupsByKeysThatAreLargerThanItsMemory() throws Exception {
    String key = "x".repeat(300_000);
    Path in = file("k,v\n%s,1\ny,2\n%s,3\nz,4\n%s1,5\n".formatted(key, key, key));
    GroupBy groups = GroupBy.on("k").count().sum("v", 0).withMemory(10_000).withFolder(folder);
    Map<String, String> found = grouped(groups, Csv.reading(in), 1);
    assertEquals("2,4", found.get(key));
    assertEquals("1,5", found.get(key + "1"));
    assertEquals(4, found.size());
  }

  @Test
  void refusesASumThatDoesNotFitAndAValueThatIsNone() throws Exception {
    String most = Long.toString(Long.MAX_VALUE);
    Path large = file("k,v\na,%s\na,%s\n".formatted(most, most));
    GroupBy groups = GroupBy.on("k").sum("v", 0);
    FlowException e =
        assertThrows(FlowException.class, () -> grouped(groups, Csv.reading(large), 1));
    assertTrue(e.getMessage().contains("sum_v needs more than 64 bits"), e.getMessage());
    Path wrong = file("k,v\na,1\na,1x\n");
    e = assertThrows(FlowException.class, () -> grouped(groups, Csv.reading(wrong), 1));
    assertTrue(
        e.getMessage().contains("in.csv: the row that begins at byte 8 has '1x' in column v"),
        e.getMessage());
  }
}
