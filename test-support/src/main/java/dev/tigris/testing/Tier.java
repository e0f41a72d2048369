package dev.tigris.testing;

import java.util.Locale;

/// The tiers of the tests. The build runs one at a time, and says which by a system property.
///
/// | tier | command | tests |
/// | --- | --- | --- |
/// | quick | `./tigris test` | every behaviour once, no class longer than 5 s |
/// | slow | `./tigris test --slow` | [Slow]: stress, kills, fuzzing, benches, bounded |
/// | soak | `./tigris test --soak` | [Soak]: the long forms, by hand |
///
/// A test that has [EveryTier] runs in each of them.
public enum Tier {
  /// Every behaviour once.
  QUICK,
  /// What is longer, and bounded.
  SLOW,
  /// The long forms.
  SOAK;

  /// The system property that names the tier.
  static final String PROPERTY = "tigris.tests.tier";

  /// The system property that makes a soak longer or shorter: 10 is ten times as long, 0.1 a tenth.
  static final String SOAK_TIMES = "tigris.tests.soakTimes";

  /// Returns the tier that runs; the quick one where the build does not say, as in an IDE.
  public static Tier current() {
    return valueOf(System.getProperty(PROPERTY, "quick").toUpperCase(Locale.ROOT));
  }

  /// Returns the size that a test has in the current tier: how many kills, tries or messages.
  public static int choose(int quick, int slow, int soak) {
    return switch (current()) {
      case QUICK -> quick;
      case SLOW -> slow;
      case SOAK -> times(soak, Double.parseDouble(System.getProperty(SOAK_TIMES, "1")));
    };
  }

  /// Returns a size that is `times` as large, and 1 at least.
  static int times(int size, double times) {
    return Math.toIntExact(Math.max(1, Math.round(size * times)));
  }

  /// Returns the size of a test that the quick tier does not have.
  public static int choose(int slow, int soak) {
    return choose(slow, slow, soak);
  }
}
