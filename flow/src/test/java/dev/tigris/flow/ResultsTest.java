package dev.tigris.flow;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tigris.memory.Container;
import dev.tigris.memory.Jbuf;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/// What modules tell of a run, and how it is merged and carried.
class ResultsTest {
  private static Container container() {
    return Jbuf.allocate(128).asBytes().asContainer();
  }

  /// Runs four replicas, each of which tells its number as a sum, the largest and the smallest.
  private static Results run() throws Exception {
    Flow flow = Flow.named("results").source("make", () -> new Telling(), 4).build();
    FlowRun run = flow.start();
    run.await();
    return run.results();
  }

  private static final class Telling implements Source {
    private ModuleContext context;

    @Override
    public void init(ModuleContext given) {
      context = given;
    }

    @Override
    public boolean produce(Stream out) {
      return false;
    }

    @Override
    public void finish(Stream out) {
      ModuleResults results = context.results();
      results.add("sum", context.replica());
      results.max("largest", context.replica());
      results.min("smallest", context.replica());
      results.put("objects", container());
    }
  }

  private static Results one(String name, Results.Kind kind, long value) {
    return new Results(Map.of(name, new Results.Tally(kind, value)), List.of());
  }

  @Test
  void numbersOfAllReplicasAreMerged() throws Exception {
    Results results = run();
    assertEquals(Map.of("sum", 6L, "largest", 3L, "smallest", 0L), results.numbers());
    assertEquals(4, results.objects("objects").size());
    assertEquals(64, results.objects("objects").getFirst().usedBytes());
    assertEquals(List.of(), results.objects("others"));
  }

  @Test
  void anUnknownNumberIsRefusedAndTheKnownOnesAreNamed() throws Exception {
    Results results = run();
    String message =
        assertThrows(IllegalArgumentException.class, () -> results.number("words")).getMessage();
    assertTrue(message.contains("largest"), message);
  }

  @Test
  void resultsOfTwoProcessesAreMerged() throws Exception {
    Results both = Results.merged(List.of(Results.decoded(run().encoded()), run()));
    assertEquals(Map.of("sum", 12L, "largest", 3L, "smallest", 0L), both.numbers());
    assertEquals(8, both.objects("objects").size());
  }

  @Test
  void aSumThatIsALargestNumberElsewhereIsRefused() {
    Results sum = one("n", Results.Kind.SUM, 1);
    Results largest = one("n", Results.Kind.LARGEST, 1);
    assertThrows(IllegalArgumentException.class, () -> Results.merged(List.of(sum, largest)));
    Results most = one("n", Results.Kind.SUM, Long.MAX_VALUE);
    assertThrows(ArithmeticException.class, () -> Results.merged(List.of(sum, most)));
  }

  @Test
  void objectsThatAreTooManyAreRefused() {
    ModuleResults results = new ResultTable().of(new Operation.End("stage", 0));
    Container large = Jbuf.allocate(128).asBytes().asContainer();
    long most = ModuleResults.MOST_BYTES / large.usedBytes();
    for (long i = 0; i < most; i++) {
      results.put("objects", large);
    }
    String message =
        assertThrows(IllegalArgumentException.class, () -> results.put("objects", large))
            .getMessage();
    assertTrue(message.contains("drain"), message);
    assertThrows(IllegalArgumentException.class, () -> results.add(" ", 1));
  }

  @Test
  void bytesThatAreNoResultsAreRefused() throws Exception {
    byte[] encoded = run().encoded();
    for (int length = 0; length < encoded.length; length++) {
      byte[] cut = Arrays.copyOf(encoded, length);
      assertThrows(IllegalArgumentException.class, () -> Results.decoded(cut));
    }
    for (int at = 0; at < encoded.length; at++) {
      byte[] changed = encoded.clone();
      changed[at] ^= (byte) 0xff;
      try {
        Results _ = Results.decoded(changed);
      } catch (IllegalArgumentException e) {
        // refused; what else a changed byte may be is another result
      }
    }
  }
}
