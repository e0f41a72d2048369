package dev.tigris.flow.policy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

class PolicyTest {
  private static final int DRAWS = 20_000;

  /// A moment of a sender's view.
  record Moment(List<Integer> credits, List<Integer> outstanding, List<Long> service, int last)
      implements SenderView {
    @Override
    public int streams() {
      return credits.size();
    }

    @Override
    public int credits(int stream) {
      return isOpen(stream) ? credits.get(stream) : 0;
    }

    @Override
    public int outstanding(int stream) {
      return outstanding.get(stream);
    }

    @Override
    public long serviceNanos(int stream) {
      return service.get(stream);
    }

    @Override
    public boolean isOpen(int stream) {
      return credits.get(stream) >= 0;
    }

    boolean hasCredit() {
      return credits.stream().anyMatch(credit -> credit > 0);
    }
  }

  /// Streams with 0 to 8 credits; -1 stands for a closed one.
  @Provide
  Arbitrary<Moment> moments() {
    return Arbitraries.integers()
        .between(1, 12)
        .flatMap(
            streams ->
                Combinators.combine(
                        Arbitraries.integers().between(-1, 8).list().ofSize(streams),
                        Arbitraries.integers().between(0, 8).list().ofSize(streams),
                        Arbitraries.longs().between(0, 1_000_000).list().ofSize(streams),
                        Arbitraries.integers().between(-1, streams - 1))
                    .as(Moment::new));
  }

  @Provide
  Arbitrary<Policy> policies() {
    return Arbitraries.of(
        Policy.roundRobin(), Policy.random(), Policy.lottery(), Policy.leastOutstanding());
  }

  @Property
  void chooseOnlyStreamsWithCredit(
      @ForAll("policies") Policy policy, @ForAll("moments") Moment moment, @ForAll long seed) {
    int choice = policy.choose(moment, new SplittableRandom(seed));
    assertTrue(choice < moment.streams());
    assertTrue(choice < 0 || moment.credits(choice) > 0, () -> "chose " + choice);
  }

  @Property
  void waitOnlyWithoutCreditExceptInTurn(
      @ForAll("policies") Policy policy, @ForAll("moments") Moment moment, @ForAll long seed) {
    if (!policy.equals(Policy.roundRobin()) && moment.hasCredit()) {
      assertTrue(policy.choose(moment, new SplittableRandom(seed)) >= 0);
    }
  }

  @Property
  void samePlaceAndSeedGiveTheSameChoice(
      @ForAll("policies") Policy policy, @ForAll("moments") Moment moment, @ForAll long seed) {
    assertEquals(
        policy.choose(moment, new SplittableRandom(seed)),
        policy.choose(moment, new SplittableRandom(seed)));
  }

  @Property
  void roundRobinTakesTheNextOpenStream(@ForAll("moments") Moment moment) {
    int expected = Policy.END;
    for (int i = 1; i <= moment.streams() && expected == Policy.END; i++) {
      int stream = (moment.last() + i) % moment.streams();
      if (moment.isOpen(stream)) {
        expected = moment.credits(stream) > 0 ? stream : Policy.WAIT;
      }
    }
    assertEquals(expected, Policy.roundRobin().choose(moment, new SplittableRandom(0)));
  }

  @Property
  void leastOutstandingTakesTheShortestExpectedWait(
      @ForAll("moments") Moment moment, @ForAll long seed) {
    int choice = Policy.leastOutstanding().choose(moment, new SplittableRandom(seed));
    for (int other = 0; choice >= 0 && other < moment.streams(); other++) {
      if (moment.credits(other) > 0 && moment.service().stream().allMatch(nanos -> nanos > 0)) {
        assertTrue(expectedWait(moment, choice) <= expectedWait(moment, other));
      }
    }
  }

  private static double expectedWait(Moment moment, int stream) {
    return (moment.outstanding(stream) + 1.0) * moment.serviceNanos(stream);
  }

  @Property(tries = 30)
  void lotteryDrawsInProportionToCredits(@ForAll("moments") Moment moment, @ForAll long seed) {
    long tickets = moment.credits().stream().filter(credit -> credit > 0).mapToInt(c -> c).sum();
    if (tickets > 0) {
      int[] drawn = draw(Policy.lottery(), moment, seed);
      for (int i = 0; i < drawn.length; i++) {
        assertNear((double) Math.max(0, moment.credits().get(i)) / tickets, drawn[i]);
      }
    }
  }

  @Property(tries = 30)
  void randomDrawsAllStreamsWithCreditAlike(@ForAll("moments") Moment moment, @ForAll long seed) {
    long acceptable = moment.credits().stream().filter(credit -> credit > 0).count();
    if (acceptable > 0) {
      int[] drawn = draw(Policy.random(), moment, seed);
      for (int i = 0; i < drawn.length; i++) {
        assertNear(moment.credits().get(i) > 0 ? 1.0 / acceptable : 0.0, drawn[i]);
      }
    }
  }

  private static int[] draw(Policy policy, Moment moment, long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    int[] drawn = new int[moment.streams()];
    for (int i = 0; i < DRAWS; i++) {
      drawn[policy.choose(moment, random)]++;
    }
    return drawn;
  }

  /// Within six standard deviations.
  private static void assertNear(double probability, int drawn) {
    double deviation = Math.sqrt(DRAWS * probability * (1 - probability));
    assertEquals(DRAWS * probability, drawn, 6 * deviation + 1e-6);
  }

  @Example
  void leastOutstandingBreaksTiesByChance() {
    Moment alike = new Moment(List.of(4, 4, 4), List.of(0, 0, 0), List.of(0L, 0L, 0L), -1);
    int[] drawn = draw(Policy.leastOutstanding(), alike, 1);
    assertTrue(Arrays.stream(drawn).allMatch(count -> count > DRAWS / 4), Arrays.toString(drawn));
  }

  @Example
  void leastOutstandingTriesAStreamOfWhichNothingIsKnown() {
    Moment moment = new Moment(List.of(3, 4), List.of(1, 0), List.of(1000L, 0L), 0);
    assertEquals(1, Policy.leastOutstanding().choose(moment, new SplittableRandom(1)));
  }
}
