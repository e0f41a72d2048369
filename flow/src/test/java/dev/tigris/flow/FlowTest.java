package dev.tigris.flow;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

@Timeout(value = 60, unit = TimeUnit.SECONDS)
class FlowTest {
  static List<Reservoir> balanced() {
    return List.of(
        Reservoir.roundRobin(),
        Reservoir.random(),
        Reservoir.lottery(),
        Reservoir.leastOutstanding());
  }

  static List<Long> numbers(long first, long end) {
    return LongStream.range(first, end).boxed().toList();
  }

  @ParameterizedTest
  @MethodSource("balanced")
  void carriesEveryWaterOnce(Reservoir reservoir) throws Exception {
    Numbers.Collected collected = new Numbers.Collected();
    Flow.named("once")
        .source("count", Numbers.counting(0, 10_000), 3)
        .reservoir(reservoir)
        .stage("pass", () -> (in, out) -> out.put(in), 2)
        .reservoir(reservoir.withWindow(2))
        .stage("collect", collected.module(), 4)
        .build()
        .start()
        .await();
    assertEquals(numbers(0, 10_000), collected.sorted());
  }
}
