package dev.tigris.message.call;

import dev.tigris.net.testing.Faults;
import dev.tigris.net.testing.FaultySubject;
import dev.tigris.testing.Slow;
import java.time.Duration;
import org.junit.jupiter.api.Nested;

/// Calls over a provider that loses, repeats, reorders, delays and damages packets, and over one
/// that cuts connections: with what is promised for reliable ones.
class FaultyCallTest {
  private static long seed() {
    long seed = Long.getLong("tigris.test.seed", System.nanoTime());
    System.out.println("-Dtigris.test.seed=" + seed);
    return seed;
  }

  @Nested
  class Wild extends CallContract {
    Wild() {
      super(
          new FaultySubject(
              "tcp",
              "127.0.0.1:0",
              Faults.NONE
                  .withSeed(seed())
                  .withLoss(0.02)
                  .withDuplication(0.02)
                  .withReordering(0.02)
                  .withCorruption(0.02)
                  .withDelay(0.02, Duration.ofMillis(2))),
          true);
    }
  }

  @Nested
  @Slow("the quick tier has it over tcp")
  class WildOverShm extends CallContract {
    WildOverShm() {
      super(
          new FaultySubject(
              "shm",
              "*",
              Faults.NONE
                  .withSeed(seed())
                  .withLoss(0.02)
                  .withDuplication(0.02)
                  .withReordering(0.02)
                  .withDelay(0.02, Duration.ofMillis(2))),
          true);
    }
  }

  @Nested
  @Slow("hundreds of connections that are made again")
  class WithCuts extends CallContract {
    WithCuts() {
      super(
          new FaultySubject("tcp", "127.0.0.1:0", Faults.NONE.withSeed(seed()).withCut(0.003)),
          false);
    }
  }
}
