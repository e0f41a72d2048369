package dev.tigris.examples;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CsvJoinTest {
  @TempDir Path folder;

  @Test
  void sumsUpByCountry() throws Exception {
    Path orders =
        Files.writeString(
            folder.resolve("orders.csv"),
            "order,customer,amount\n1,7,10.50\n2,8,1.25\n3,7,0.50\n4,9,3\n5,10,99\n");
    Path customers =
        Files.writeString(
            folder.resolve("customers.csv"),
            "id,name,country\n7,\"Smith, Ann\",NO\n8,\"\"\"Bo\"\"\",DE\n9,C,NO\n");
    Path spent = folder.resolve("spent.csv");
    CsvJoin.run(orders, customers, spent, 2);
    assertEquals(
        List.of("DE,1,1.25", "NO,3,14.00", "country,count,sum_amount"),
        Files.readAllLines(spent).stream().sorted().toList());
  }
}
