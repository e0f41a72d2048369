package dev.tigris.verify.model;

import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;

/// Places in a model where something can go wrong, each with a name and a probability. It counts
/// how
/// often each of them was passed and how often it struck, so that a test can tell whether its
/// search
/// has been everywhere.
public final class FaultSites {
  private final SplittableRandom random;
  private final Map<String, Double> probabilities = new TreeMap<>();
  private final Map<String, Long> struck = new TreeMap<>();
  private boolean calm;

  /// Makes a set whose faults follow from a seed.
  public FaultSites(long seed) {
    this.random = new SplittableRandom(seed);
  }

  /// Sets how probable the fault of a place is: 0 at first.
  public FaultSites set(String site, double probability) {
    if (!(probability >= 0 && probability <= 1)) {
      throw new IllegalArgumentException(
          "%s: %s is no probability, which is 0 to 1".formatted(site, probability));
    }
    probabilities.put(site, probability);
    return this;
  }

  /// Passes a place; returns whether its fault happens.
  public boolean strikes(String site) {
    double roll = random.nextDouble(); // also where nothing can happen: other places do not shift
    if (calm || roll >= probabilities.getOrDefault(site, 0.0)) {
      return false;
    }
    struck.merge(site, 1L, Long::sum);
    return true;
  }

  /// Ends all faults: what is promised must come true from then on.
  public void calm() {
    calm = true;
  }

  /// Whether faults have ended.
  public boolean isCalm() {
    return calm;
  }

  /// Returns how often each place struck.
  public Map<String, Long> struck() {
    return Map.copyOf(struck);
  }

  /// Returns the random numbers of the faults, for how long or how far one goes.
  public SplittableRandom random() {
    return random;
  }
}
