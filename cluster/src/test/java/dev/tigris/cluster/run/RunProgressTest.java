package dev.tigris.cluster.run;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tigris.flow.FlowLoad;
import dev.tigris.flow.FlowSnapshot;
import dev.tigris.flow.Results;
import java.io.DataInputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/// The report of a process as bytes.
class RunProgressTest {
  private static final int PROCESSES = 8;
  private static final int REPLICAS = 100;

  /// Returns the load of one of eight processes, in a run with three stages of a hundred replicas.
  private static FlowLoad load() {
    List<String> stages = List.of("read", "work", "write");
    List<FlowSnapshot.Replica> replicas = new ArrayList<>();
    List<FlowLoad.Edge> edges = new ArrayList<>();
    int here = REPLICAS / PROCESSES + 1;
    for (String stage : stages) {
      for (int i = 0; i < here; i++) {
        replicas.add(
            new FlowSnapshot.Replica(
                stage, i, 1L << 40, 900, 1L << 50, 1L << 51, 1L << 49, i % 2 == 0));
      }
    }
    for (int stage = 1; stage < stages.size(); stage++) {
      List<FlowLoad.Receiver> receivers = new ArrayList<>();
      for (int i = 0; i < REPLICAS; i++) {
        receivers.add(
            new FlowLoad.Receiver(
                i, here, 1L << 40, Long.MAX_VALUE, i, 150L << 20, 208L << 20, i * 7L));
      }
      edges.add(
          new FlowLoad.Edge(
              stages.get(stage),
              stages.get(stage - 1),
              stages.get(stage),
              here,
              1L << 50,
              receivers));
    }
    return new FlowLoad(1L << 20, replicas, edges);
  }

  private static byte[] written(FlowLoad load) {
    return Frame.bytes(out -> RunProgress.write(out, load, Results.NONE));
  }

  private static FlowLoad read(byte[] bytes) throws IOException {
    try (DataInputStream in = Frame.reading(bytes)) {
      FlowLoad load = RunProgress.read(in);
      Results _ = RunProgress.readResults(in);
      return load;
    }
  }

  @Test
  void isReadAsItWasWritten() throws IOException {
    assertEquals(load(), read(written(load())));
  }

  /// Its size follows the receivers, not the pairs of senders and receivers.
  @Test
  void aRunOfThreeHundredReplicasHasReportsOfAFewKilobytes() {
    int bytes = written(load()).length;
    assertTrue(bytes < 12_000, () -> bytes + " bytes");
  }

  @Test
  void aDamagedReportIsRefusedWithAnIoException() {
    byte[] bytes = written(load());
    for (int length = 0; length < bytes.length; length++) {
      byte[] cut = Arrays.copyOf(bytes, length);
      assertThrows(IOException.class, () -> read(cut));
    }
    long seed = 20261130;
    Random random = new Random(seed);
    for (int i = 0; i < 5_000; i++) {
      byte[] damaged = bytes.clone();
      for (int flips = 1 + random.nextInt(4); flips > 0; flips--) {
        damaged[random.nextInt(i % 2 == 0 ? damaged.length : 64)] = (byte) random.nextInt();
      }
      try {
        FlowLoad _ = read(damaged); // some damage is another report
      } catch (IOException e) {
        // refused
      }
    }
  }
}
