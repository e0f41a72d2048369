package dev.tigris.examples;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.tigris.cluster.run.Cluster;
import dev.tigris.flow.Results;
import dev.tigris.testing.Slow;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ManyTradesTest {
  private static final int TRADES = 100_000;

  private static void requireSums(Results results) {
    long cents = 0;
    for (int trade = 0; trade < TRADES; trade++) {
      cents += trade % 7 * 50L;
    }
    assertEquals(Map.of("trades", (long) TRADES, "value in cents", cents), results.numbers());
  }

  @Test
  void addsUpEveryTradeOnThreads() throws Exception {
    requireSums(Cluster.threads().start(ManyTrades.class, String.valueOf(TRADES)).await());
  }

  @Slow("starts three JVMs")
  @Test
  void addsUpEveryTradeOnThreeProcesses(@TempDir Path runs) throws Exception {
    requireSums(
        Cluster.processes(3)
            .withRuns(runs)
            .start(ManyTrades.class, String.valueOf(TRADES))
            .await());
  }
}
