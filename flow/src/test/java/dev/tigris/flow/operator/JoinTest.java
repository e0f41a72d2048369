package dev.tigris.flow.operator;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tigris.flow.Flow;
import dev.tigris.flow.FlowException;
import dev.tigris.flow.text.Csv;
import dev.tigris.flow.text.Hash;
import dev.tigris.flow.text.ReadRows;
import dev.tigris.memory.Bytes;
import dev.tigris.memory.Jbuf;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(value = 60, unit = TimeUnit.SECONDS)
class JoinTest {
  @TempDir Path folder;

  private Path file(String name, String text) throws IOException {
    return Files.writeString(folder.resolve(name), text);
  }

  private List<String> joined(UnaryOperator<Join> options) throws Exception {
    Path left = file("left.csv", "k,v\nb,1\na,2\nc,3\na,4\n");
    Path right = file("right.csv", "id,x,y\na,\"p,q\",0\nb,r,0\na,s,0\nd,t,0\n");
    Path out = folder.resolve("out.csv");
    try (JoinTable table = JoinTable.read(Csv.reading(right), "id", "x")) {
      assertEquals(3, table.keys());
      Flow.named("join")
          .stage("join", () -> options.apply(Join.with(table).on("k")), 2)
          .feed("join", Csv.reading(left).withBlockBytes(4))
          .drain("join", Csv.writing(out))
          .build()
          .start()
          .await();
    }
    return Files.readAllLines(out).stream().sorted().toList();
  }

  @Test
  void givesARowForEachPairWithEqualKeys() throws Exception {
    assertEquals(
        List.of("a,2,\"p,q\"", "a,2,s", "a,4,\"p,q\"", "a,4,s", "b,1,r", "k,v,x"),
        joined(join -> join));
  }

  @Test
  void keepsRowsWithoutAMatchIfAsked() throws Exception {
    assertEquals(
        List.of("1,r", "2,\"p,q\"", "2,s", "3,", "4,\"p,q\"", "4,s", "v,x"),
        joined(join -> join.keeping("v").keepingUnmatched()));
  }

  @Test
  void refusesATableThatDoesNotFitItsMemory() throws Exception {
    var text = new StringBuilder("id,x\n");
    for (int i = 0; i < 20_000; i++) {
      text.append(i).append(",some text\n");
    }
    Path large = file("large.csv", text.toString());
    FlowException e =
        assertThrows(
            FlowException.class, () -> JoinTable.read(Csv.reading(large), 200_000, "id", "x"));
    assertTrue(
        e.getMessage().contains("does not fit the memory of the join table"), e.getMessage());
  }

  /// Many rows of one key first, and then many keys: each alone would take its whole share.
  @Test
  void keysAndRowsTogetherKeepTheBound() throws Exception {
    var text = new StringBuilder("id,x\n");
    for (int i = 0; i < 60_000; i++) {
      text.append(i < 20_000 ? 0 : i).append(",some text of some length\n");
    }
    Path large = file("large.csv", text.toString());
    long most = 2L << 20;
    try (RowTable table = new RowTable(1, most, "bound")) {
      int added = 0;
      for (List<String> row : ReadRows.fields(Csv.reading(large), 1)) {
        if (!tryAdd(table, row)) {
          break;
        }
        added++;
        assertTrue(table.footprintBytes() <= most, () -> table.footprintBytes() + " bytes");
      }
      assertTrue(added > 20_000 && added < 60_000, added + " rows");
    }
  }

  private static boolean tryAdd(RowTable table, List<String> row) {
    byte[] key = row.get(0).getBytes(StandardCharsets.US_ASCII);
    byte[] value = row.get(1).getBytes(StandardCharsets.US_ASCII);
    Jbuf jbuf = Jbuf.allocate(key.length + value.length + 4L, "row");
    Bytes bytes = jbuf.asBytes();
    bytes.copyFrom(0, key, 0, key.length);
    bytes.setInt(key.length, value.length);
    bytes.copyFrom(key.length + 4L, value, 0, value.length);
    long hash = Hash.of(bytes, 0, key.length);
    boolean added = table.tryAdd(bytes, 0, key.length, hash, key.length, value.length + 4);
    jbuf.unreference(Jbuf::free);
    return added;
  }

  @Test
  void anInterruptedReaderEndsTheFlowThatFillsItsTable() throws Exception {
    var text = new StringBuilder("id,x\n");
    for (int i = 0; i < 300_000; i++) {
      text.append(i).append(",some text\n");
    }
    Path large = file("large.csv", text.toString());
    Thread.currentThread().interrupt();
    assertThrows(InterruptedException.class, () -> JoinTable.read(Csv.reading(large), "id", "x"));
    assertEquals(
        List.of(),
        Thread.getAllStackTraces().keySet().stream()
            .map(Thread::getName)
            .filter(name -> name.startsWith("tigris-join table"))
            .toList());
  }

  @Test
  void aMatchNeedsARowFirst() throws Exception {
    Path right = file("right.csv", "id,x\na,1\n");
    try (JoinTable table = JoinTable.read(Csv.reading(right), "id", "x")) {
      assertThrows(NullPointerException.class, () -> table.match().bytes());
    }
  }

  @Test
  void aJoinWithoutMatchesHasAHeader() throws Exception {
    Path left = file("left.csv", "k,v\nz,1\n");
    Path right = file("right.csv", "id,x\na,1\n");
    Path out = folder.resolve("out.csv");
    try (JoinTable table = JoinTable.read(Csv.reading(right), "id", "x")) {
      Flow.named("join")
          .stage("join", () -> Join.with(table).on("k"), 2)
          .feed("join", Csv.reading(left))
          .drain("join", Csv.writing(out))
          .build()
          .start()
          .await();
    }
    assertEquals("k,v,x\n", Files.readString(out));
  }
}
