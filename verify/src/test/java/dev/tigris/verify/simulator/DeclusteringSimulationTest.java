package dev.tigris.verify.simulator;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tigris.flow.mirror.FairShares;
import dev.tigris.testing.EveryTier;
import dev.tigris.testing.Slow;
import dev.tigris.testing.Tier;
import dev.tigris.verify.simulator.DeclusteringSimulation.Consumer;
import dev.tigris.verify.simulator.DeclusteringSimulation.Disk;
import dev.tigris.verify.simulator.DeclusteringSimulation.Result;
import dev.tigris.verify.simulator.DeclusteringSimulation.Setup;
import dev.tigris.verify.simulator.DeclusteringSimulation.Way;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class DeclusteringSimulationTest {
  private static final double MUST = 0.95;
  private static final long MILLI_NANOS = 1_000_000;
  private static final long SECOND_NANOS = 1_000_000_000L;

  /// The first disks, or disks with a healthy one between two of them.
  private static List<Integer> slow(int count, boolean isScattered) {
    return IntStream.range(0, count).map(i -> isScattered ? 2 * i : i).boxed().toList();
  }

  @Test
  void theIdealIsTheMostEvenFlow() {
    // One of four disks at half speed: each reader gets 7/8 (River). Three adjacent ones of eight:
    // the two readers between them share 1.5 disks, and the other six 5.
    double[] river = FairShares.of(new double[] {0.5, 1, 1, 1}, ring(4));
    assertArrayEquals(new double[] {0.875, 0.875, 0.875, 0.875}, river, 1e-4);
    double[] eight = FairShares.of(new double[] {0.5, 0.5, 0.5, 1, 1, 1, 1, 1}, ring(8));
    assertEquals(0.75, Arrays.stream(eight).min().orElse(0), 1e-4);
    assertEquals(6.5, Arrays.stream(eight).sum(), 1e-3);
  }

  private static List<int[]> ring(int disks) {
    return IntStream.range(0, disks).mapToObj(i -> new int[] {i, (i + 1) % disks}).toList();
  }

  @ParameterizedTest
  @CsvSource({"2, true", "2, false", "10, true", "10, false", "0, true"})
  void keepsWhatTheDisksAllowHoweverManyAreSlow(int slowness, boolean isScattered) {
    for (int count = 0; count <= 4; count++) {
      check(Setup.perturbed(Way.GRADUATED, 8, slow(count, isScattered), slowness, count), count);
    }
  }

  @Test
  @Slow("512 disks take seconds")
  void keepsWhatHundredsOfDisksAllow() {
    check(Setup.perturbed(Way.GRADUATED, 512, slow(128, true), 10, 1), 128);
    check(Setup.perturbed(Way.GRADUATED, 512, slow(128, false), 2, 1), 128);
  }

  private static void check(Setup setup, int slow) {
    Result result = DeclusteringSimulation.run(setup);
    double[] ideal = setup.ideal();
    double least = Arrays.stream(ideal).min().orElse(0);
    assertTrue(
        result.slowest() >= MUST * least,
        () -> "%d slow: %.1f of %.1f".formatted(slow, result.slowest(), least));
    assertTrue(
        result.all() >= MUST * Arrays.stream(ideal).sum(),
        () ->
            "%d slow: %.1f of %.1f in all"
                .formatted(slow, result.all(), Arrays.stream(ideal).sum()));
    assertTrue(result.secondReads() <= result.reads() / 20 + 2, result::toString);
  }

  /// No process knows how far the readers of another are: the borders between them are uneven.
  @ParameterizedTest
  @CsvSource({"2, 0.87", "4, 0.76", "8, 0.76"})
  void processesThatDoNotKnowOfEachOtherKeepMostOfIt(int processes, double part) {
    keeps(processes, false, part);
  }

  @ParameterizedTest
  @ValueSource(ints = {2, 4, 8})
  void processesWhoseDisksKnowOfAllReadersKeepAlmostAllOfIt(int processes) {
    keeps(processes, true, 0.9);
  }

  private static void keeps(int processes, boolean shares, double part) {
    for (int slowness : List.of(2, 10)) {
      for (boolean isScattered : List.of(false, true)) {
        Setup setup = Setup.perturbed(Way.GRADUATED, 8, slow(3, isScattered), slowness, 1);
        Result result = DeclusteringSimulation.run(setup.in(processes, shares));
        double[] ideal = setup.ideal();
        assertTrue(
            result.slowest() >= part * Arrays.stream(ideal).min().orElse(0), result::toString);
        assertTrue(result.all() >= MUST * Arrays.stream(ideal).sum(), result::toString);
      }
    }
  }

  @Test
  void plainerWaysRunAtTheRateOfTheSlowDisk() {
    for (Way way : List.of(Way.HASH, Way.TURNS)) {
      Setup setup = Setup.perturbed(way, 8, slow(2, true), 10, 1);
      Result result = DeclusteringSimulation.run(setup);
      assertTrue(result.slowest() < 0.3 * Arrays.stream(setup.ideal()).min().orElse(0));
    }
  }

  @Test
  void anEarlyEndLeavesItsShareToOthers() {
    List<Disk> disks = IntStream.range(0, 4).mapToObj(i -> Disk.of(MILLI_NANOS)).toList();
    var all = new Consumer(1000, 0, Long.MAX_VALUE, 0);
    var early = new Consumer(1000, 0, 10, 0);
    var late = new Consumer(1000, SECOND_NANOS / 2, Long.MAX_VALUE, 0);
    Result result = run(disks, List.of(early, all, all, all), 1);
    assertEquals(List.of(10L, 1000L, 1000L, 1000L), result.taken());
    assertTrue(result.endNanos() < 820 * MILLI_NANOS, result::toString);
    result = run(disks, List.of(late, all, all, all), 1);
    assertTrue(result.endNanos() < 1100 * MILLI_NANOS, result::toString);
  }

  private static Result run(List<Disk> disks, List<Consumer> consumers, long seed) {
    return DeclusteringSimulation.run(
        new Setup(
            Way.GRADUATED,
            disks,
            consumers,
            1,
            false,
            2,
            2,
            32,
            0.1,
            0,
            1000 * SECOND_NANOS,
            seed));
  }

  @Test
  void readsAroundADiskThatDies() {
    List<Disk> disks =
        new ArrayList<>(IntStream.range(0, 8).mapToObj(i -> Disk.of(MILLI_NANOS)).toList());
    disks.set(3, new Disk(MILLI_NANOS, 200 * MILLI_NANOS, Long.MAX_VALUE, Long.MAX_VALUE));
    disks.set(5, new Disk(MILLI_NANOS, Long.MAX_VALUE, 300 * MILLI_NANOS, Long.MAX_VALUE));
    var all = new Consumer(1000, 0, Long.MAX_VALUE, 0);
    Result result = run(disks, IntStream.range(0, 8).mapToObj(i -> all).toList(), 2);
    assertTrue(result.taken().stream().allMatch(taken -> taken == 1000), result::toString);
    assertTrue(result.lost().stream().allMatch(lost -> lost == 0), result::toString);
    assertTrue(result.endNanos() < 2 * SECOND_NANOS, result::toString);
  }

  /// Each block comes once to each reader: the simulation checks that. What is lost is what no disk
  /// has. All readers end, since at most one of two neighbours does not answer.
  @Test
  @EveryTier("a thousand random schedules in the quick tier, ten thousand in the slow one")
  void randomSchedulesEnd() {
    int schedules = Tier.choose(1_000, 10_000, 100_000);
    for (int seed = 0; seed < schedules; seed++) {
      Setup setup = drawn(seed);
      int number = seed;
      Result result = DeclusteringSimulation.run(setup);
      for (int i = 0; i < setup.consumers().size(); i++) {
        Consumer consumer = setup.consumers().get(i);
        assertEquals(
            Math.min(consumer.blocks(), consumer.leavesAfter()),
            result.taken().get(i),
            () -> "schedule %d: %s gave %s".formatted(number, setup, result));
      }
      assertTrue(
          result.secondReads() <= result.reads() / 20 + setup.processes(),
          () -> "schedule " + number);
      if (setup.damage() == 0
          && setup.disks().stream().allMatch(d -> d.diesAtNanos() == Long.MAX_VALUE)) {
        assertEquals(0, result.lost().stream().mapToLong(lost -> lost).sum());
      }
    }
  }

  private static Setup drawn(long seed) {
    var random = new SplittableRandom(seed);
    int disks = 2 + random.nextInt(8);
    int copies = 2 + (disks > 2 && random.nextInt(4) == 0 ? 1 : 0);
    var all = new ArrayList<Disk>();
    // A disk that never answers has neighbours that do not fail: its blocks have one copy left.
    boolean hasSilent = random.nextBoolean();
    for (int i = 0; i < disks; i++) {
      boolean mayBeSilent = i % 2 == 1 && i < disks - 1;
      all.add(disk(random, hasSilent, mayBeSilent));
    }
    var consumers = new ArrayList<Consumer>();
    for (int i = 0; i < disks; i++) {
      long blocks = random.nextInt(80);
      consumers.add(
          new Consumer(
              blocks,
              random.nextInt(3) == 0 ? random.nextLong(100 * MILLI_NANOS) : 0,
              random.nextInt(4) == 0 ? random.nextInt(80) : Long.MAX_VALUE,
              random.nextInt(4) == 0 ? random.nextLong(3 * MILLI_NANOS) : 0));
    }
    int processes = random.nextInt(3) == 0 ? 1 + random.nextInt(disks) : 1;
    return new Setup(
        Way.GRADUATED,
        all,
        consumers,
        processes,
        random.nextBoolean(),
        copies,
        1 + random.nextInt(4),
        1 + random.nextInt(32),
        random.nextDouble(),
        !hasSilent && random.nextInt(3) == 0 ? random.nextDouble(0.3) : 0,
        10_000 * SECOND_NANOS,
        seed);
  }

  private static Disk disk(SplittableRandom random, boolean hasSilent, boolean mayBeSilent) {
    long nanos = MILLI_NANOS * (random.nextInt(3) == 0 ? 1 + random.nextInt(20) : 1);
    long when = random.nextLong(100 * MILLI_NANOS);
    long never = Long.MAX_VALUE;
    return switch (random.nextInt(4)) {
      case 0 -> new Disk(nanos, never, when, when + random.nextLong(9 * SECOND_NANOS));
      case 1 ->
          hasSilent && mayBeSilent
              ? new Disk(nanos, never, when, never)
              : new Disk(nanos, hasSilent ? never : when, never, never);
      default -> Disk.of(nanos);
    };
  }
}
