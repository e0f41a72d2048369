package dev.tigris.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tigris.cluster.ProtocolWorld.Act;
import dev.tigris.cluster.ProtocolWorld.Rule;
import dev.tigris.testing.EveryTier;
import dev.tigris.testing.Slow;
import dev.tigris.testing.Tier;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/// The two halves of the protocol, in any order of steps: each water arrives once and in order, in
/// a receive that it fits into, and both ends agree on how it ends. Each rule of the protocol is
/// left out in turn, and then that must be found.
class ProtocolTest {
  private static final int SLOT_BYTES = ProtocolWorld.SLOT_BYTES;

  /// A broken variant has to be found within so many seeds.
  private static final int SEEDS = 4_000;

  /// From this seed on. Two rules protect from what takes a long row of steps.
  private static long firstSeed(Rule rule) {
    return switch (rule) {
      case GRANTS_AT_ONCE -> 7_000;
      case GRANTS_TELL_WHAT_WAS_FINISHED_BEFORE -> 43_000;
      default -> 0;
    };
  }

  private static final Set<Act> BREAKS = EnumSet.of(Act.FAIL, Act.CUT);
  private static final Set<Act> RARE = EnumSet.of(Act.STOP, Act.END, Act.FAIL, Act.CUT);

  /// Runs with an order of steps that follows from a seed. Each seed has its own window, and its
  /// own kinds of steps that it prefers or leaves out. It makes one again and again for a while, so
  /// that messages pile up on either way.
  private static void run(long seed, @Nullable Rule without) {
    Random random = new Random(seed);
    ProtocolWorld world =
        new ProtocolWorld(1 + random.nextInt(random.nextBoolean() ? 4 : 12), without);
    Map<Act, Integer> weights = new EnumMap<>(Act.class);
    for (Act act : Act.values()) {
      weights.put(act, random.nextInt(4) == 0 ? 0 : 1 << random.nextInt(6));
    }
    for (Act act : RARE) {
      weights.put(act, random.nextInt(6) == 0 ? 1 : 0);
    }
    int steps = random.nextInt(500);
    for (int i = 0; i < steps && !world.isOver(); i++) {
      Act act = choose(world, weights, random);
      if (act == null) {
        break;
      }
      for (int times = burst(world.window, random); times > 0; times--) {
        if (world.possible().contains(act)) {
          world.act(act);
        }
      }
    }
    comeToTheEnd(world, random);
  }

  /// How often a step is made again: once, some times, or as often as it is possible.
  private static int burst(int window, Random random) {
    return switch (random.nextInt(3)) {
      case 0 -> 1;
      case 1 -> 1 + random.nextInt(window);
      default -> 3 * window;
    };
  }

  private static @Nullable Act choose(
      ProtocolWorld world, Map<Act, Integer> weights, Random random) {
    Set<Act> possible = world.possible();
    int all = possible.stream().mapToInt(act -> weight(weights, act)).sum();
    if (all == 0) {
      return null;
    }
    int at = random.nextInt(all);
    for (Act act : possible) {
      at -= weight(weights, act);
      if (at < 0) {
        return act;
      }
    }
    throw new IllegalStateException("no act was chosen");
  }

  private static int weight(Map<Act, Integer> weights, Act act) {
    return weights.getOrDefault(act, 0);
  }

  /// Nothing new begins, and what was begun has to come to its end.
  private static void comeToTheEnd(ProtocolWorld world, Random random) {
    if (world.possible().contains(Act.END)) {
      world.act(Act.END);
    }
    while (!world.isOver()) {
      List<Act> left = new ArrayList<>(goesOn(world));
      assertTrue(!left.isEmpty(), () -> "nothing goes on: " + world);
      world.act(left.get(random.nextInt(left.size())));
    }
  }

  private static Set<Act> goesOn(ProtocolWorld world) {
    Set<Act> acts = world.possible();
    acts.removeAll(RARE);
    return acts;
  }

  @Test
  @EveryTier("more seeds in each")
  void carriesEachWaterOnceInAnyOrderOfSteps() {
    for (long seed = 0; seed < Tier.choose(4_000, 50_000, 10_000_000); seed++) {
      try {
        run(seed, null);
      } catch (RuntimeException | AssertionError e) {
        throw new AssertionError("with seed " + seed + ": " + e.getMessage(), e);
      }
    }
  }

  @ParameterizedTest
  @EnumSource(Rule.class)
  void aRuleThatIsLeftOutIsFound(Rule rule) {
    long first = firstSeed(rule);
    for (long seed = first; seed < first + SEEDS; seed++) {
      try {
        run(seed, rule);
      } catch (RuntimeException | AssertionError found) {
        System.out.printf("without %s: seed %d: %s%n", rule, seed, found.getMessage());
        return;
      }
    }
    throw new AssertionError("without " + rule + " nothing goes wrong in " + SEEDS + " runs");
  }

  /// Goes through all states that can be reached with so many waters.
  private static int explore(int window, int waters) {
    Set<String> known = new HashSet<>();
    ArrayDeque<Act[]> open = new ArrayDeque<>();
    open.add(new Act[0]);
    while (!open.isEmpty()) {
      Act[] way = open.removeLast();
      ProtocolWorld here = replay(window, way);
      Set<Act> possible = here.possible();
      possible.removeAll(BREAKS); // the world looks in each state at what they would mean
      if (here.put() == waters) {
        possible.remove(Act.PUT_SMALL);
        possible.remove(Act.PUT_LARGE);
      }
      if (!here.isOver()) {
        assertTrue(!goesOn(here).isEmpty() || possible.contains(Act.END), () -> "stuck: " + here);
      }
      for (Act act : possible) {
        Act[] next = Arrays.copyOf(way, way.length + 1);
        next[way.length] = act;
        if (known.add(replay(window, next).state())) {
          open.add(next);
        }
      }
    }
    return known.size();
  }

  private static ProtocolWorld replay(int window, Act[] way) {
    ProtocolWorld world = new ProtocolWorld(window, null);
    for (Act act : way) {
      try {
        world.act(act);
      } catch (RuntimeException | AssertionError e) {
        throw new AssertionError("after " + Arrays.toString(way) + ": " + e.getMessage(), e);
      }
    }
    return world;
  }

  @ParameterizedTest
  @CsvSource({"1, 2", "2, 2"})
  void allOrdersOfStepsOfFewWatersEndWell(int window, int waters) {
    System.out.printf("window %d, %d waters: %d states%n", window, waters, explore(window, waters));
  }

  @Slow("goes through all states of three waters")
  @ParameterizedTest
  @CsvSource({"1, 3", "2, 3"})
  void allOrdersOfStepsOfThreeWatersEndWell(int window, int waters) {
    allOrdersOfStepsOfFewWatersEndWell(window, waters);
  }

  @Test
  void noticesALostARepeatedAndAReorderedMessage() {
    ReceiverProtocol receiver = new ReceiverProtocol(4, SLOT_BYTES);
    receiver.receive(Kind.BATCH, 1, 0, 2, 32, 0);
    assertThrows(
        ProtocolException.class, () -> receiver.receive(Kind.BATCH, 3, 2, 1, 16, 0), "lost");
    assertThrows(
        ProtocolException.class, () -> receiver.receive(Kind.BATCH, 1, 0, 2, 32, 0), "repeated");
    SenderProtocol sender = new SenderProtocol(4, SLOT_BYTES);
    assertThrows(ProtocolException.class, () -> sender.receive(Kind.ACK, 1, 0, 0), "lost");
  }

  @Test
  void refusesASenderThatDoesNotKeepToItsWindow() {
    ReceiverProtocol receiver = new ReceiverProtocol(2, SLOT_BYTES);
    receiver.receive(Kind.BATCH, 1, 0, 2, 32, 0);
    assertThrows(ProtocolException.class, () -> receiver.receive(Kind.BATCH, 2, 2, 1, 16, 0));
    assertThrows(ProtocolException.class, () -> receiver.receive(Kind.END, 2, 1, 0, 0, 0));
  }

  @Test
  void refusesAReceiverThatHasFinishedMoreThanWasSent() {
    SenderProtocol sender = new SenderProtocol(2, SLOT_BYTES);
    sender.accept(10);
    assertThrows(ProtocolException.class, () -> sender.receive(Kind.ACK, 0, 1, 1));
    assertThrows(
        ProtocolException.class,
        () -> new SenderProtocol(2, SLOT_BYTES).receive(Kind.FINAL, 0, 0, 0));
  }

  @Test
  void refusesAMessageAfterTheLastOne() {
    SenderProtocol sender = new SenderProtocol(2, SLOT_BYTES);
    sender.end();
    assertEquals(SenderProtocol.Step.END, sender.next());
    sender.tookEnd();
    assertTrue(sender.receive(Kind.FINAL, 0, 0, 0));
    assertThrows(ProtocolException.class, () -> sender.receive(Kind.ACK, 1, 0, 0));
    ReceiverProtocol receiver = new ReceiverProtocol(2, SLOT_BYTES);
    receiver.receive(Kind.END, 1, 0, 0, 0, 0);
    assertThrows(ProtocolException.class, () -> receiver.receive(Kind.FILLER, 2, 0, 0, 0, 0));
  }
}
