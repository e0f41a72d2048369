package dev.tigris.flow;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tigris.flow.policy.InputPolicy;
import dev.tigris.flow.policy.Policy;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

class FlowGraphTest {
  private static Flow.Builder flow(int replicas) {
    return Flow.named("graph")
        .source("read", () -> out -> false, 2)
        .reservoir(Reservoir.lottery().withWindow(8))
        .stage("work", () -> (in, out) -> {}, replicas)
        .inputs(InputPolicy.byPriority("feed", "read"))
        .feed("work", FileStream.reading(Path.of("in"), 100), FileStream.reading(Path.of("in"), 9))
        .reservoir(Reservoir.routed().withName("out"))
        .stage("end", () -> (in, out) -> {})
        .drain("end", FileStream.writing(Path.of("result")).withWindow(3));
  }

  @Test
  void describesAFlowToOthers() {
    FlowGraph graph = flow(2).build().graph();
    assertEquals("graph", graph.flow());
    assertEquals(
        List.of(
            new FlowGraph.Stage("read", 2, true, "round-robin", false),
            new FlowGraph.Stage("work", 2, false, "ByPriority[names=[feed, read]]", false),
            new FlowGraph.Stage("end", 1, false, "round-robin", false)),
        graph.stages());
    assertEquals(
        List.of(
            new FlowGraph.Edge("read", "work", "work", "LOTTERY", 8, "memory", ""),
            new FlowGraph.Edge("work", "end", "out", "routed", 16, "memory", "")),
        graph.edges());
    assertEquals(
        List.of("file in, read in waters of 100 bytes", "file in, read in waters of 9 bytes"),
        graph.feeds().getFirst().kinds());
    assertEquals(
        List.of(List.of(Path.of("in")), List.of(Path.of("in"))), graph.feeds().getFirst().reads());
    assertEquals(
        List.of(
            new FlowGraph.Drain(
                "end", "drain", "ROUND_ROBIN", 16, List.of("file result, written, window 3"))),
        graph.drains());
  }

  @Test
  void equalDescriptionsHaveEqualFingerprints() {
    String fingerprint = flow(2).build().graph().fingerprint();
    assertEquals(64, fingerprint.length());
    assertEquals(fingerprint, flow(2).build().graph().fingerprint());
    assertNotEquals(fingerprint, flow(1).build().graph().fingerprint());
    assertNotEquals(fingerprint, flow(2).seed(1).build().graph().fingerprint());
    assertNotEquals(fingerprint, flow(2).checksums().build().graph().fingerprint());
  }

  /// The class of a lambda has a number that is another one in each process.
  @Test
  void namesAUsersPolicyAndKindByWhereTheyAre() {
    Policy mine = (view, random) -> Policy.WAIT;
    FlowGraph graph =
        Flow.named("mine")
            .source("a", () -> out -> false)
            .reservoir(Reservoir.of(mine).withKind(LockedStream::new))
            .stage("b", () -> (in, out) -> {})
            .build()
            .graph();
    FlowGraph.Edge edge = graph.edges().getFirst();
    assertEquals("a lambda of " + FlowGraphTest.class.getName(), edge.policy());
    assertTrue(edge.kind().startsWith("a lambda of " + FlowGraphTest.class.getName()), edge.kind());
  }
}
