package dev.tigris.flow;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class GraphTest {
  private static final Module PASS = (in, out) -> out.put(in);
  private static final Source NOTHING = out -> false;

  private static Flow.Builder flow() {
    return Flow.named("graph");
  }

  private static void assertRefused(String why, Flow.Builder builder) {
    String message = assertThrows(IllegalArgumentException.class, builder::build).getMessage();
    assertTrue(message.contains(why), message);
    assertTrue(message.contains("graph"), "names the flow: " + message);
  }

  @Test
  void refusesACycleAndPrintsIt() {
    assertRefused(
        "it has a cycle, a -> b -> c -> a:",
        flow()
            .source("start", () -> NOTHING)
            .stage("a", () -> PASS)
            .stage("b", () -> PASS)
            .stage("c", () -> PASS)
            .connect("start", "a", Reservoir.random())
            .connect("a", "b", Reservoir.random())
            .connect("b", "c", Reservoir.random())
            .connect("c", "a", Reservoir.random()));
  }

  @Test
  void refusesAStageThatFeedsItself() {
    assertRefused(
        "it has a cycle, a -> a:",
        flow().stage("a", () -> PASS).connect("a", "a", Reservoir.random()));
  }

  @Test
  void refusesACycleBehindAStageThatOthersLeadTo() {
    assertRefused(
        "it has a cycle, c -> d -> c:",
        flow()
            .source("start", () -> NOTHING)
            .stage("b", () -> PASS)
            .stage("c", () -> PASS)
            .stage("d", () -> PASS)
            .connect("start", "b", Reservoir.random())
            .connect("start", "c", Reservoir.random())
            .connect("b", "c", Reservoir.random())
            .connect("c", "d", Reservoir.random())
            .connect("d", "c", Reservoir.random().withName("back")));
  }

  @Test
  void acceptsALongChain() {
    Flow.Builder chain = flow().source("start", () -> NOTHING);
    for (int i = 0; i < 100_000; i++) {
      chain.reservoir(Reservoir.random()).stage("stage" + i, () -> PASS);
    }
    assertEquals(100_001, chain.build().stages().size());
  }

  @Test
  void acceptsADiamond() {
    Flow built =
        flow()
            .source("top", () -> NOTHING)
            .stage("left", () -> PASS)
            .stage("right", () -> PASS)
            .stage("bottom", () -> PASS)
            .connect("top", "left", Reservoir.random())
            .connect("top", "right", Reservoir.random())
            .connect("left", "bottom", Reservoir.random())
            .connect("right", "bottom", Reservoir.random())
            .build();
    assertEquals("graph", built.name());
  }

  @Test
  void refusesAFlowWithoutStages() {
    assertRefused("it has no stage: add one", flow());
  }

  @Test
  void refusesAStageWithoutInput() {
    assertRefused("stage lonely has no input", flow().stage("lonely", () -> PASS));
  }

  @Test
  void refusesASourceWithInput() {
    assertRefused(
        "stage b is a source",
        flow().source("a", () -> NOTHING).reservoir(Reservoir.random()).source("b", () -> NOTHING));
  }

  @Test
  void refusesAFedSource() {
    assertRefused(
        "stage a is a source",
        flow().source("a", () -> NOTHING).feed("a", FileStream.reading(Path.of("x"), 1)));
  }

  @Test
  void refusesAnUnknownStage() {
    assertRefused(
        "there is no stage b",
        flow().source("a", () -> NOTHING).connect("a", "b", Reservoir.random()));
  }

  @Test
  void refusesTwoReservoirsOfOneName() {
    assertRefused(
        "two reservoirs of stage a are called b",
        flow()
            .source("a", () -> NOTHING)
            .stage("b", () -> PASS)
            .connect("a", "b", Reservoir.random())
            .connect("a", "b", Reservoir.lottery()));
  }

  @Test
  void refusesAReservoirThatLeadsNowhere() {
    assertRefused(
        "no stage follows the reservoir after stage a",
        flow().source("a", () -> NOTHING).reservoir(Reservoir.random()));
  }

  @Test
  void refusesFewerStreamsThanReplicasToFeedOrDrain() {
    assertRefused(
        "its largest feed has only 1 streams: give each replica one",
        flow().stage("a", () -> PASS, 2).feed("a", FileStream.reading(Path.of("x"), 1)));
    assertRefused(
        "only 1 streams to drain to",
        flow().source("a", () -> NOTHING, 2).drain("a", FileStream.writing(Path.of("x"))));
  }

  @Test
  void refusesWhatIsWrongAtOnce() {
    Flow.Builder builder = flow().source("a", () -> NOTHING);
    assertThrows(IllegalArgumentException.class, () -> builder.source("a", () -> NOTHING));
    assertThrows(IllegalArgumentException.class, () -> builder.stage("b", () -> PASS, 0));
    assertThrows(IllegalArgumentException.class, () -> builder.stage(" ", () -> PASS));
    assertThrows(IllegalArgumentException.class, () -> Flow.named(""));
    assertThrows(
        IllegalArgumentException.class, () -> Flow.named("x").reservoir(Reservoir.random()));
    Flow.Builder waiting = builder.reservoir(Reservoir.random());
    assertThrows(IllegalArgumentException.class, () -> waiting.reservoir(Reservoir.random()));
    assertThrows(IllegalArgumentException.class, () -> Reservoir.random().withWindow(0));
  }
}
