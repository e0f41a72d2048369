package dev.tigris.examples;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tigris.flow.FileStream;
import dev.tigris.flow.Flow;
import dev.tigris.flow.FlowException;
import dev.tigris.flow.Module;
import dev.tigris.flow.Reservoir;
import dev.tigris.flow.arrow.ArrowEncoder;
import dev.tigris.flow.arrow.ArrowFeed;
import dev.tigris.memory.Jbuf;
import dev.tigris.memory.PsoCursor;
import dev.tigris.memory.PsoTable;
import dev.tigris.memory.arrow.ArrowException;
import dev.tigris.memory.arrow.ArrowRows;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// A flow that reads an Arrow file and writes another.
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class ArrowFlowTest {
  private static final int TRADES = 25_000;
  private static final ArrowRows<Trade> ROWS = ArrowRows.of(Trade.class).withoutReferences();

  @TempDir private Path folder;

  private static PsoTable<Trade> table() {
    return new PsoTable<>(Jbuf.allocate(2 << 20).asContainer(), Trade.class, TRADES);
  }

  private Path input() throws IOException {
    PsoTable<Trade> table = table();
    for (int i = 0; i < TRADES; i++) {
      Trade trade = table.add();
      trade.account = i;
      trade.quantity = i % 7;
      trade.price = 0.5;
    }
    Path file = folder.resolve("in.arrow");
    ROWS.write(file, table);
    return file;
  }

  private static Flow flow(Path in, Path out, Module change) {
    return Flow.named("trades")
        .source("read", () -> new ArrowFeed<>(ROWS, in, 1000))
        .reservoir(Reservoir.leastOutstanding())
        .stage("change", () -> change, 2)
        .reservoir(Reservoir.leastOutstanding())
        .stage("write", () -> new ArrowEncoder<>(ROWS))
        .drain("write", FileStream.writing(out))
        .build();
  }

  private static Module doubled(int refused) {
    return (in, out) -> {
      PsoTable<Trade> table = Objects.requireNonNull(in.container().rootTable(Trade.class));
      for (PsoCursor<Trade> trades = table.cursor(); trades.next(); ) {
        Trade trade = trades.element();
        if (trade.account == refused) {
          throw new IllegalArgumentException("refused");
        }
        trade.quantity *= 2;
      }
      out.put(in);
    };
  }

  @Test
  void writesAllRows() throws Exception {
    Path out = folder.resolve("out.arrow");
    flow(input(), out, doubled(-1)).start().await();
    PsoTable<Trade> read = table();
    assertEquals(TRADES, ROWS.read(out, read));
    boolean[] seen = new boolean[TRADES];
    for (PsoCursor<Trade> trades = read.cursor(); trades.next(); ) {
      Trade trade = trades.element();
      assertEquals(trade.account % 7 * 2, trade.quantity);
      assertTrue(!seen[trade.account]);
      seen[trade.account] = true;
    }
  }

  @Test
  void leavesNoFileWhenTheFlowFails() throws Exception {
    Path in = input();
    Path out = folder.resolve("out.arrow");
    assertThrows(FlowException.class, () -> flow(in, out, doubled(TRADES - 10)).start().await());
    try (var files = Files.list(folder)) {
      assertEquals(List.of(in), files.toList());
    }
  }

  @Test
  void failsOnADamagedFile() throws Exception {
    Path in = input();
    byte[] bytes = Files.readAllBytes(in);
    Files.write(in, java.util.Arrays.copyOf(bytes, bytes.length / 2));
    Path out = folder.resolve("out.arrow");
    var failure =
        assertThrows(FlowException.class, () -> flow(in, out, doubled(-1)).start().await());
    assertEquals(ArrowException.class, Objects.requireNonNull(failure.getCause()).getClass());
    assertTrue(Files.notExists(out));
  }

  @Test
  void refusesStagesOfSeveralReplicas() throws Exception {
    Path in = input();
    Path out = folder.resolve("out.arrow");
    Flow flow =
        Flow.named("trades")
            .source("read", () -> new ArrowFeed<>(ROWS, in, 1000), 2)
            .reservoir(Reservoir.leastOutstanding())
            .stage("write", () -> new ArrowEncoder<>(ROWS))
            .drain("write", FileStream.writing(out))
            .build();
    var failure = assertThrows(FlowException.class, () -> flow.start().await());
    assertTrue(String.valueOf(failure.getMessage()).contains("give it one"), failure::toString);
  }
}
