package dev.tigris.verify.simulator;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tigris.flow.policy.Policy;
import dev.tigris.testing.Slow;
import dev.tigris.verify.simulator.Simulation.Result;
import dev.tigris.verify.simulator.Simulation.Setup;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class SimulationTest {
  private static final double MUST = 0.95;
  private static final long MILLI_NANOS = 1_000_000;

  private static Stream<Policy> balancingPolicies() {
    return Stream.of(Policy.lottery(), Policy.leastOutstanding());
  }

  static Stream<Arguments> balancingPoliciesAndSizes() {
    return balancingPolicies()
        .flatMap(policy -> Stream.of(8, 64).map(size -> Arguments.of(policy, size)));
  }

  @ParameterizedTest
  @MethodSource("balancingPolicies")
  @Slow("512 receivers take seconds: the quick tier has 64")
  void keepsWhatHundredsOfReceiversCanDo(Policy policy) {
    keepsWhatTheReceiversCanDoHoweverManyAreSlow(policy, 512);
  }

  @ParameterizedTest
  @MethodSource("balancingPoliciesAndSizes")
  void keepsWhatTheReceiversCanDoHoweverManyAreSlow(Policy policy, int receivers) {
    int step = receivers / 8;
    List<Integer> slow = IntStream.iterate(0, k -> k < receivers, k -> k + step).boxed().toList();
    for (int k : slow) {
      Result result = Simulation.run(Setup.perturbed(policy, receivers, k, 1));
      assertTrue(
          result.share() >= MUST,
          () -> "%s: %.3f with %d of %d slow".formatted(policy, result.share(), k, receivers));
    }
  }

  @Test
  void roundRobinRunsAtTheRateOfTheSlowest() {
    Result result = Simulation.run(Setup.perturbed(Policy.roundRobin(), 8, 1, 1));
    assertEquals(8 * 1000 * Simulation.SLOW_SHARE, result.perSecond(), 100);
  }

  @Test
  void leastOutstandingAdaptsBeforeTheWindowsAreFull() {
    // The senders are just as fast as the receivers that are left, and the windows are so large
    // that a slow receiver's never fills: credits alone do not tell who is slow.
    long slow = Math.round(MILLI_NANOS / Simulation.SLOW_SHARE);
    List<Long> receiveNanos = List.of(slow, slow, slow, slow, slow, slow, MILLI_NANOS, MILLI_NANOS);
    long sendNanos = Math.round(8 * MILLI_NANOS / (2 + 6 * Simulation.SLOW_SHARE));
    Setup least =
        new Setup(
            Policy.leastOutstanding(),
            8,
            sendNanos,
            receiveNanos,
            64,
            10_000,
            0.1,
            1_000_000_000L,
            1);
    Setup lottery =
        new Setup(Policy.lottery(), 8, sendNanos, receiveNanos, 64, 10_000, 0.1, 1_000_000_000L, 1);
    assertTrue(Simulation.run(least).share() >= MUST, "least outstanding");
    assertTrue(Simulation.run(lottery).share() < 0.8, "lottery");
  }

  @Test
  void sameSeedGivesTheSameRun() {
    Setup setup = Setup.perturbed(Policy.lottery(), 8, 3, 7);
    assertEquals(Simulation.run(setup).finished(), Simulation.run(setup).finished());
  }

  @Test
  void sendersAreTheCapWhenTheyAreSlower() {
    Setup setup =
        new Setup(
            Policy.lottery(),
            1,
            MILLI_NANOS,
            List.of(100_000L, 100_000L),
            4,
            1000,
            0.0,
            1_000_000_000L,
            1);
    assertEquals(1000, setup.idealPerSecond());
    assertEquals(1000, Simulation.run(setup).perSecond(), 5);
  }

  @Test
  void eventsComeInTheOrderOfTheirTimes() {
    EventQueue queue = new EventQueue();
    long[] times = {5, 3, 9, 3, 1, 7, 3};
    for (int i = 0; i < times.length; i++) {
      queue.add(times[i], i);
    }
    StringBuilder order = new StringBuilder();
    while (!queue.isEmpty()) {
      order.append(queue.poll()).append(' ');
    }
    assertEquals("4 1 3 6 0 5 2 ", order.toString());
  }
}
