package dev.tigris.flow.text;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tigris.flow.Flow;
import dev.tigris.flow.FlowException;
import dev.tigris.flow.HeldEngine;
import dev.tigris.flow.OutputOwner;
import dev.tigris.flow.StreamGroup;
import dev.tigris.os.UnnamedOutput;
import dev.tigris.testing.Slow;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CancellationException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Rows that are written to the files of a folder.
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class PartitionsTest {
  @TempDir Path folder;

  private void write(String text, StreamGroup to) throws Exception {
    write(Csv.reading(Files.writeString(folder.resolve("in"), text)).withBlockBytes(7), to);
  }

  private static void write(StreamGroup from, StreamGroup to) throws Exception {
    Flow.named("write")
        .stage("pass", () -> (in, out) -> out.put(in), 2)
        .feed("pass", from)
        .drain("pass", to)
        .build()
        .start()
        .await();
  }

  /// Returns the sorted rows of each file, by its path in the folder.
  private Map<String, List<String>> files() throws IOException {
    Path out = folder.resolve("out");
    Map<String, List<String>> files = new TreeMap<>();
    try (var all = Files.walk(out)) {
      for (Path file : all.filter(Files::isRegularFile).toList()) {
        List<String> rows = new ArrayList<>(Files.readAllLines(file));
        rows.subList(1, rows.size()).sort(null);
        files.put(out.relativize(file).toString(), rows);
      }
    }
    return files;
  }

  private List<String> left() throws IOException {
    try (var all = Files.list(folder)) {
      return all.map(file -> file.getFileName().toString()).sorted().toList();
    }
  }

  @Test
  void makesAFolderForEachValue() throws Exception {
    write(
        "id,country,note\n1,DE,x\n2,FR,\"a,\"\"b\"\n3,DE,\n4,,y\n5,a/b=c%,z\n",
        Csv.writingPartitions(folder.resolve("out"), "country"));
    assertEquals(
        Map.of(
            "country=DE/part-00000.csv", List.of("id,note", "1,x", "3,"),
            "country=FR/part-00000.csv", List.of("id,note", "2,\"a,\"\"b\""),
            "country=__HIVE_DEFAULT_PARTITION__/part-00000.csv", List.of("id,note", "4,y"),
            "country=a%2Fb%3Dc%25/part-00000.csv", List.of("id,note", "5,z")),
        files());
    assertEquals(List.of("in", "out"), left());
  }

  @Test
  void rowsThatCannotBeWrittenFailTheFlowEvenIfTheModuleGoesOn() throws Exception {
    Path in = Files.writeString(folder.resolve("in"), "a,b\n1,2\n");
    AtomicInteger caught = new AtomicInteger();
    Flow flow =
        Flow.named("write")
            .stage(
                "pass",
                () ->
                    (water, out) -> {
                      try {
                        out.put(water);
                      } catch (TextException e) {
                        caught.incrementAndGet();
                      }
                    })
            .feed("pass", Csv.reading(in))
            .drain("pass", Csv.writingPartitions(folder.resolve("out"), "country"))
            .build();
    FlowException failure = assertThrows(FlowException.class, () -> flow.start().await());
    String message = failure.getMessage() + " " + failure.getCause();
    assertTrue(message.contains("country"), message);
    assertEquals(1, caught.get());
    assertEquals(List.of("in"), left());
  }

  @Test
  void makesFoldersInFoldersForSeveralColumns() throws Exception {
    write(
        "a,b,c\n1,x,7\n1,y,\n2,x,9\n1,x,8\n",
        Csv.writingPartitions(folder.resolve("out"), "b", "a"));
    assertEquals(
        Map.of(
            "b=x/a=1/part-00000.csv", List.of("c", "7", "8"),
            "b=y/a=1/part-00000.csv", List.of("c", "\"\""),
            "b=x/a=2/part-00000.csv", List.of("c", "9")),
        files());
  }

  @Test
  void aHashGivesEachValueOneFile() throws Exception {
    var text = new StringBuilder("k,v\n");
    for (int i = 0; i < 20_000; i++) {
      text.append("key ").append(i % 100).append(",\"").append(i).append("\"\n");
    }
    Path in = Files.writeString(folder.resolve("in"), text.toString());
    write(Csv.reading(in).withBlockBytes(1000), Csv.writingParts(folder.resolve("out"), 7, "k"));
    Map<String, List<String>> files = files();
    assertEquals(7, files.size());
    Map<String, String> fileOfKey = new TreeMap<>();
    List<String> rows = new ArrayList<>();
    files.forEach(
        (name, lines) -> {
          assertEquals("k,v", lines.getFirst());
          for (String line : lines.subList(1, lines.size())) {
            rows.add(line);
            String key = line.substring(0, line.indexOf(','));
            assertEquals(name, fileOfKey.getOrDefault(key, name), key);
            fileOfKey.put(key, name);
          }
        });
    rows.add("k,v");
    assertEquals(text.toString().lines().sorted().toList(), rows.stream().sorted().toList());
    assertTrue(fileOfKey.values().stream().distinct().count() > 4);
  }

  @Test
  void writesEveryPartAlsoWithoutRows() throws Exception {
    write("k,v\n", Csv.writingParts(folder.resolve("out"), 2, "k"));
    assertEquals(
        Map.of("part-00000.csv", List.of("k,v"), "part-00001.csv", List.of("k,v")), files());
  }

  @Test
  void writesRowsThatAreLargerThanABuffer() throws Exception {
    String large = "x".repeat(100_000);
    write(
        "k,v,w\na,%s,\"%s\n\"\nb,%s,1\na,2,3\n".formatted(large, large, large),
        Csv.writingPartitions(folder.resolve("out"), "k"));
    assertEquals(
        "v,w\n%s,1\n".formatted(large), Files.readString(folder.resolve("out/k=b/part-00000.csv")));
    String both = Files.readString(folder.resolve("out/k=a/part-00000.csv"));
    assertEquals(2 * large.length() + "v,w\n".length() + "2,3\n".length() + 5, both.length());
  }

  private String refusal(String text, StreamGroup to) {
    FlowException e = assertThrows(FlowException.class, () -> write(text, to));
    return e.getMessage() + " " + e.getCause();
  }

  @Test
  void leavesNothingWhenTheFlowFails() throws Exception {
    String message =
        refusal("a,b\n1,2\n3,4\n5\n", Csv.writingPartitions(folder.resolve("out"), "a"));
    assertTrue(message.contains("has 1 fields"), message);
    assertEquals(List.of("in"), left());
  }

  @Test
  void refusesAFolderWithFiles() throws Exception {
    Path out = Files.createDirectory(folder.resolve("out"));
    write("a,b\n1,2\n", Csv.writingPartitions(out, "a"));
    String message = refusal("a,b\n1,2\n", Csv.writingPartitions(out, "a"));
    assertTrue(message.contains("is not empty"), message);
  }

  @Test
  void saysThatThereIsNoFolderForIt() throws Exception {
    String message =
        refusal("a,b\n1,2\n", Csv.writingPartitions(folder.resolve("missing/out"), "a"));
    assertTrue(message.contains("there is no folder " + folder.resolve("missing")), message);
    assertEquals(List.of("in"), left());
  }

  /// They are refused before the first row, also by another name of the folder.
  @Test
  void refusesTwoDrainsToOneFolderOrFile() throws Exception {
    Path in = Files.writeString(folder.resolve("in"), "a,b\n1,2\n");
    Path linked = Files.createSymbolicLink(folder.resolve("linked"), folder);
    Path out = folder.resolve("out");
    refusesBoth(
        in, Csv.writingPartitions(out, "a"), Csv.writingParts(linked.resolve("out"), 2, "a"));
    refusesBoth(in, Csv.writing(out), Csv.writing(linked.resolve("out")));
    assertEquals(List.of("in", "linked"), left());
  }

  private static void refusesBoth(Path in, StreamGroup first, StreamGroup second) {
    Flow flow =
        Flow.named("same")
            .stage("first", () -> (water, to) -> to.put(water), 2)
            .feed("first", Csv.reading(in))
            .drain("first", first)
            .stage("second", () -> (water, to) -> to.put(water), 2)
            .feed("second", Csv.reading(in))
            .drain("second", second)
            .build();
    FlowException e = assertThrows(FlowException.class, () -> flow.start().await());
    assertEquals(FlowException.Phase.OPEN, e.phase());
    assertTrue(e.toString().contains("give one of them another name"), e.toString());
  }

  @Slow("it makes 4,096 files")
  @Test
  void refusesTooManyFiles() throws Exception {
    var text = new StringBuilder("a,b\n");
    for (int i = 0; i < 5000; i++) {
      text.append(i).append(",1\n");
    }
    Path in = Files.writeString(folder.resolve("many"), text.toString());
    FlowException e =
        assertThrows(
            FlowException.class,
            () -> write(Csv.reading(in), Csv.writingPartitions(folder.resolve("more"), "a")));
    assertTrue(e.toString().contains("more than 4096 files"), e.toString());
    assertEquals(List.of("many"), left());
  }

  @Test
  void refusesRowsWithoutAnotherColumn() {
    String message = refusal("a\n1\n", Csv.writingPartitions(folder.resolve("out"), "a"));
    assertTrue(message.contains("no columns but those in the names"), message);
    assertThrows(
        IllegalArgumentException.class, () -> Csv.writingPartitions(folder.resolve("out")));
    assertThrows(
        IllegalArgumentException.class, () -> Csv.writingParts(folder.resolve("out"), 0, "a"));
  }

  @Test
  void namesOfValuesDiffer() {
    Collection<String> names = new ArrayList<>();
    for (int b = 0; b < 256; b++) {
      names.add(PartitionName.of(new byte[] {(byte) b}));
    }
    names.add(PartitionName.of("%41".getBytes(java.nio.charset.StandardCharsets.UTF_8)));
    assertEquals(names.size(), names.stream().distinct().count());
    assertEquals("%FF", PartitionName.of(new byte[] {(byte) 0xff}));
  }

  /// Notes what it hears of.
  private static final class Owner implements OutputOwner {
    private final List<UnnamedOutput> outputs = new ArrayList<>();

    @Override
    public String mark() {
      return "run.1.0";
    }

    @Override
    public synchronized void making(Path temporary, Path target) {
      outputs.add(new UnnamedOutput(temporary, target));
    }
  }

  private HeldEngine held(StreamGroup to, Owner owner) throws Exception {
    Path in = Files.writeString(folder.resolve("in"), "id,country\n1,DE\n2,FR\n3,DE\n");
    HeldEngine run =
        Flow.named("write")
            .stage("pass", () -> (water, out) -> out.put(water), 2)
            .feed("pass", Csv.reading(in).withBlockBytes(7))
            .drain("pass", to)
            .build()
            .start(owner);
    run.awaitModules();
    run.prepare();
    assertEquals(1, owner.outputs.size());
    assertTrue(owner.outputs.getFirst().isUnnamed());
    return run;
  }

  @Test
  void appearsWhenTheOwnerSaysSo() throws Exception {
    HeldEngine run = held(Csv.writingPartitions(folder.resolve("out"), "country"), new Owner());
    run.publish();
    assertEquals(List.of("in", "out"), left());
    assertEquals(2, files().size());
    Owner owner = new Owner();
    HeldEngine cancelled = held(Csv.writingParts(folder.resolve("more"), 3, "country"), owner);
    cancelled.cancel();
    assertThrows(CancellationException.class, cancelled::await);
    assertEquals(List.of("in", "out"), left());
  }

  @Test
  void aFileOfAllReplicasAppearsWhenTheOwnerSaysSo() throws Exception {
    HeldEngine run = held(Csv.writing(folder.resolve("out.csv")), new Owner());
    run.publish();
    assertEquals(List.of("in", "out.csv"), left());
    assertEquals(4, Files.readAllLines(folder.resolve("out.csv")).size());
  }

  @Test
  void aFailedRenameKeepsAllFiles() throws Exception {
    Owner owner = new Owner();
    HeldEngine run = held(Csv.writingPartitions(folder.resolve("out"), "country"), owner);
    Files.writeString(folder.resolve("out"), "in the way");
    FlowException failure = assertThrows(FlowException.class, run::publish);
    UnnamedOutput kept = owner.outputs.getFirst();
    assertTrue(failure.getMessage().contains("are in " + kept.temporary()), failure.getMessage());
    Files.delete(folder.resolve("out"));
    kept.publish(true);
    assertEquals(2, files().size());
    assertEquals(List.of("in", "out"), left());
  }
}
