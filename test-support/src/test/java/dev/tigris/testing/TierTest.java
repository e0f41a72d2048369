package dev.tigris.testing;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import net.jqwik.api.Example;
import org.junit.jupiter.api.Test;
import org.junit.platform.engine.TestTag;
import org.junit.platform.launcher.TestPlan;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

class TierTest {
  static class OfJupiter {
    @Test
    void quickOne() {}

    @Test
    @Slow("an example")
    void slowOne() {}

    @Test
    @Slow("an example")
    @Soak("an example")
    void ofTwoTiers() {}

    @Test
    @EveryTier("an example")
    void ofEveryTier() {}
  }

  static class OfJqwik {
    @Example
    void quickOne() {}

    @Example
    @Slow("an example")
    void slowOne() {}

    @Example
    @Soak("an example")
    void soakOne() {}
  }

  @Slow("an example")
  static class SlowOfJqwik {
    @Example
    void one() {}
  }

  @Slow("an example")
  static class SlowOfJupiter {
    @Test
    void one() {}
  }

  private static Map<String, String> tags(Class<?> tests) {
    TestPlan plan =
        LauncherFactory.create()
            .discover(
                LauncherDiscoveryRequestBuilder.request().selectors(selectClass(tests)).build());
    Map<String, String> tags = new TreeMap<>();
    plan.getRoots().stream()
        .flatMap(root -> plan.getDescendants(root).stream())
        .filter(each -> each.isTest())
        .forEach(
            each -> {
              var names = new TreeSet<String>();
              each.getTags().stream().map(TestTag::getName).forEach(names::add);
              tags.put(each.getDisplayName().replace("()", ""), String.join(",", names));
            });
    return tags;
  }

  @Test
  void bothEnginesSeeTheTiers() {
    assertEquals(
        Map.of(
            "quickOne", "", "slowOne", "slow", "ofTwoTiers", "slow,soak", "ofEveryTier", "every"),
        tags(OfJupiter.class));
    assertEquals(Map.of("quickOne", "", "slowOne", "slow", "soakOne", "soak"), tags(OfJqwik.class));
    assertEquals(Map.of("one", "slow"), tags(SlowOfJqwik.class));
    assertEquals(Map.of("one", "slow"), tags(SlowOfJupiter.class));
  }

  @Test
  void aTestHasASizeInEachTier() {
    int expected =
        switch (Tier.current()) {
          case QUICK -> 2;
          case SLOW -> 20;
          case SOAK ->
              Tier.times(200, Double.parseDouble(System.getProperty(Tier.SOAK_TIMES, "1")));
        };
    assertEquals(expected, Tier.choose(2, 20, 200));
  }

  @Test
  void aSoakCanBeLongerAndShorter() {
    assertEquals(2_000, Tier.times(200, 10));
    assertEquals(20, Tier.times(200, 0.1));
    assertEquals(1, Tier.times(200, 0.000_1));
    assertThrows(ArithmeticException.class, () -> Tier.times(200, 1e9));
  }
}
