package dev.tigris.examples;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.tigris.cluster.run.Cluster;
import dev.tigris.cluster.testing.ClusterTest;
import dev.tigris.flow.Results;
import dev.tigris.testing.Slow;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SpentByCountryTest {
  private static final int ORDERS = 60_000;

  @TempDir private Path folder;
  private Path orders;
  private Path spent;

  /// Notes have line feeds between quotes, so that a row goes over the end of a block.
  @BeforeEach
  void writeOrders() throws Exception {
    var text = new StringBuilder("id,country,amount,note\n");
    for (int order = 0; order < ORDERS; order++) {
      String country = List.of("DE", "NO", "AT").get(order % 3);
      text.append("%d,%s,%d.25,\"a note\nof two lines\"\n".formatted(order, country, order % 10));
    }
    orders = Files.writeString(folder.resolve("orders.csv"), text);
    spent = folder.resolve("spent.csv");
  }

  private void requireSums() throws Exception {
    long[] cents = new long[3];
    for (int order = 0; order < ORDERS; order++) {
      cents[order % 3] += order % 10 * 100 + 25;
    }
    List<String> rows = Files.readAllLines(spent);
    assertEquals("country,count,sum_amount", rows.getFirst());
    assertEquals(
        List.of(
            "AT,20000,%d.%02d".formatted(cents[2] / 100, cents[2] % 100),
            "DE,20000,%d.%02d".formatted(cents[0] / 100, cents[0] % 100),
            "NO,20000,%d.%02d".formatted(cents[1] / 100, cents[1] % 100)),
        rows.stream().skip(1).sorted().toList());
    Files.delete(spent);
  }

  @Test
  void addsUpOnThreads() throws Exception {
    Results _ =
        Cluster.threads().start(SpentByCountry.class, orders.toString(), spent.toString()).await();
    requireSums();
  }

  @Test
  @Slow("starts and kills processes")
  void addsUpOnProcessesAndWhenOneDies() throws Exception {
    try (ClusterTest cluster = ClusterTest.open()) {
      String[] words = {orders.toString(), spent.toString()};
      Results _ = cluster.processes(3).start(SpentByCountry.class, words).await();
      requireSums();
      Results _ = cluster.survivesLoss(SpentByCountry.class, words);
      requireSums();
    }
  }
}
