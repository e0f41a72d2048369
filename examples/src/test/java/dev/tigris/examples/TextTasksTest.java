package dev.tigris.examples;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TextTasksTest {
  @TempDir Path folder;
  private Path orders;
  private Path out;

  @BeforeEach
  void writeOrders() throws Exception {
    orders =
        Files.writeString(
            folder.resolve("orders.csv"),
            "id,customer,country,amount,note\n1,7,NO,5000.01,a\n2,8,DE,1.25,\"b, c\"\n3,7,NO,5000,d\n");
    out = folder.resolve("out");
  }

  private List<String> does(String task, Path in) throws Exception {
    TextTasks.main(new String[] {task, in.toString(), out.toString()});
    return Files.readAllLines(out);
  }

  @Test
  void findsTheMostFrequentLines() throws Exception {
    var lines = new StringBuilder();
    for (int i = 0; i < 12; i++) {
      lines.append(("word " + (char) ('a' + i) + "\n").repeat(Math.max(1, i / 2)));
    }
    Path words = Files.writeString(folder.resolve("words"), lines);
    List<String> top = does("top", words);
    assertEquals(List.of("word,count", "word k,5", "word l,5", "word i,4"), top.subList(0, 4));
    assertEquals(11, top.size());
  }

  @Test
  void countsAndAddsUp() throws Exception {
    assertEquals(
        List.of("DE,1", "NO,2", "country,count"), does("count", orders).stream().sorted().toList());
    assertEquals(
        List.of("7,2,10000.01", "8,1,1.25", "customer,count,sum_amount"),
        does("sum", orders).stream().sorted().toList());
  }

  @Test
  void passesSomeRowsAndConvertsThem() throws Exception {
    assertEquals(List.of("id,cents", "1,500001"), does("filter", orders));
  }

  @Test
  void joinsTwoFiles() throws Exception {
    Path customers =
        Files.writeString(
            folder.resolve("customers.csv"), "id,name,city\n7,A,\"Oslo, N\"\n8,B,C\n");
    TextTasks.main(new String[] {"join", orders.toString(), customers.toString(), out.toString()});
    assertEquals(
        List.of(
            "1,7,5000.01,\"Oslo, N\"",
            "2,8,1.25,C",
            "3,7,5000,\"Oslo, N\"",
            "id,customer,amount,city"),
        Files.readAllLines(out).stream().sorted().toList());
  }
}
