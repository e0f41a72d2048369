package dev.tigris.net.libfabric;

import dev.tigris.net.Fabric;
import dev.tigris.net.testing.ManyMessages;
import dev.tigris.testing.Slow;
import dev.tigris.testing.Soak;
import dev.tigris.testing.Tier;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Keeps the order and the count of many messages over both providers of libfabric.
@EnabledIf(
    value = "dev.tigris.net.libfabric.LibfabricTest#isInstalled",
    disabledReason = "libfabric is missing: apt install libfabric1")
class ManyMessagesTest {
  private static final int SEEDS = 3;

  @ParameterizedTest
  @ValueSource(strings = {"libfabric", "libfabric-rdm"})
  @Slow("seconds for each provider")
  @Soak("10,000,000 messages a seed: minutes for each provider")
  void keepsOrderAndCounts(String provider) throws Exception {
    for (long seed = 1; seed <= Tier.choose(1, SEEDS); seed++) {
      try (Fabric fabric = Fabric.open(provider)) {
        ManyMessages.exchange(fabric, "127.0.0.1:0", seed, Tier.choose(100_000, 10_000_000));
      }
    }
  }
}
