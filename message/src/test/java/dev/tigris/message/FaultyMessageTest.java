package dev.tigris.message;

import dev.tigris.net.testing.Faults;
import dev.tigris.net.testing.FaultySubject;
import dev.tigris.testing.Slow;
import java.time.Duration;
import org.junit.jupiter.api.Nested;

/// Messages over providers that lose, repeat, reorder, delay, damage and cut: with what is promised
/// for reliable ones.
class FaultyMessageTest {
  private static final Faults WILD =
      Faults.NONE
          .withLoss(0.03)
          .withDuplication(0.03)
          .withReordering(0.03)
          .withCorruption(0.03)
          .withDelay(0.02, Duration.ofMillis(3));

  private static Faults wild() {
    return WILD.withSeed(seed());
  }

  private static long seed() {
    long seed = Long.getLong("tigris.test.seed", System.nanoTime());
    System.out.println("-Dtigris.test.seed=" + seed);
    return seed;
  }

  @Nested
  class OverTcp extends MessageContract {
    OverTcp() {
      super(new FaultySubject("tcp", "127.0.0.1:0", wild()), true);
    }
  }

  @Nested
  @Slow("the quick tier has it over tcp")
  class OverShm extends MessageContract {
    OverShm() {
      super(new FaultySubject("shm", "*", wild()), true);
    }
  }

  @Nested
  @Slow("hundreds of connections that are made again")
  class WithCuts extends MessageContract {
    WithCuts() {
      super(
          new FaultySubject("tcp", "127.0.0.1:0", Faults.NONE.withSeed(seed()).withCut(0.01)),
          false);
    }
  }
}
