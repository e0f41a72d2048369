package dev.tigris.verify.simulator;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tigris.flow.FlowSnapshot;
import dev.tigris.memory.Jbuf;
import dev.tigris.testing.Slow;
import dev.tigris.testing.Soak;
import dev.tigris.testing.Tier;
import dev.tigris.testing.Wait;
import dev.tigris.verify.simulator.ProcessesSimulation.Event;
import dev.tigris.verify.simulator.ProcessesSimulation.Order;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;

class ProcessesSimulationTest {
  /// What all runs of a test have seen, so that a test that tests nothing is noticed.
  private static final class Sums {
    private final Map<FlowSnapshot.State, Integer> states = new EnumMap<>(FlowSnapshot.State.class);
    private int runs;
    private int killed;
    private long collected;
    private long ended;
    private int resized;
    private long copies;

    void add(Object what, Supplier<ProcessesSimulation.Result> run) {
      ProcessesSimulation.Result result;
      try {
        result = run.get();
      } catch (Throwable e) {
        throw new AssertionError(what + ": " + e.getMessage(), e);
      }
      runs++;
      result.states().forEach((state, count) -> states.merge(state, count, Integer::sum));
      killed += result.killed();
      collected += result.collected();
      ended += result.ended();
      resized += result.resized();
      copies += result.copies();
    }

    void requireAll() {
      System.out.println(this);
      assertEquals(3, states.size(), this::toString);
      assertTrue(killed > 0 && collected > 0 && ended > 0, this::toString);
    }

    @Override
    public String toString() {
      return "%d runs: %s, %d killed, %d collected, %d too late, %d resized, %d copies"
          .formatted(runs, states, killed, collected, ended, resized, copies);
    }
  }

  private static final Event[] AT_SENDER = {
    Event.NOTHING,
    Event.END_OUTPUT,
    Event.STOP,
    Event.DROP,
    Event.FAIL,
    Event.CANCEL,
    Event.KILL,
    Event.CUT
  };

  private static final Event[] AT_RECEIVER = {
    Event.NOTHING, Event.STOP, Event.DROP, Event.END_EARLY, Event.FAIL, Event.CANCEL, Event.KILL
  };

  /// Runs all orders of the operations of a sender and a receiver.
  ///
  /// @param pauses in how many places both go on for a while, at the most
  /// @param one of how many orders only one is run
  private static void runOrders(int pauses, int one) {
    Sums sums = new Sums();
    int number = 0;
    for (int turns = 0; turns < 1 << Order.LENGTH; turns++) {
      for (int at = 0; at < 1 << Order.LENGTH && Order.isOrder(turns); at++) {
        boolean isMeant = Integer.bitCount(at) <= pauses || Integer.bitCount(at) == Order.LENGTH;
        for (Event atSender : AT_SENDER) {
          for (Event atReceiver : AT_RECEIVER) {
            if (isMeant && number++ % one == 0) {
              Order order = new Order(turns, at, atSender, atReceiver);
              sums.add(order, () -> ProcessesSimulation.run(order));
            }
          }
        }
      }
    }
    sums.requireAll();
  }

  private static void runSeeds(long from, long seeds) {
    Sums sums = new Sums();
    for (long seed = from; seed < from + seeds; seed++) {
      long its = seed;
      sums.add("seed " + seed, () -> ProcessesSimulation.run(its));
    }
    sums.requireAll();
  }

  private static void growSeeds(long from, long seeds) {
    Sums sums = new Sums();
    for (long seed = from; seed < from + seeds; seed++) {
      long its = seed;
      sums.add("growing, seed " + seed, () -> ProcessesSimulation.grow(its));
    }
    sums.requireAll();
    assertTrue(sums.resized > 0 && sums.copies > 0, sums::toString);
  }

  @Test
  void aSenderAndAReceiverInEachOrderOfTheirOperations() {
    runOrders(1, 61);
  }

  @Test
  void severalProcessesByChance() {
    runSeeds(0, 150);
  }

  @Test
  void stagesAreResizedAndTappedByChance() {
    growSeeds(0, 40);
  }

  @Test
  void aSeedGivesTheSameRun() {
    assertEquals(ProcessesSimulation.run(7), ProcessesSimulation.run(7));
    assertEquals(ProcessesSimulation.grow(7), ProcessesSimulation.grow(7));
  }

  @Test
  @Slow("thousands of runs")
  @Soak("each order with three pauses, and a million seeds")
  void manyMoreOfThem() {
    runOrders(Tier.choose(1, 3), Tier.choose(16, 1));
    runSeeds(1_000, Tier.choose(500, 1_000_000));
    growSeeds(0, Tier.choose(60, 1_000_000));
  }

  @AfterAll
  static void allMemoryIsFree() {
    Wait.until(
        () -> "memory is held: " + Jbuf.use(),
        Duration.ofSeconds(20),
        () -> {
          System.gc();
          return Jbuf.use().bytesByOwner().keySet().stream().noneMatch(use -> use.contains("->"));
        });
  }
}
