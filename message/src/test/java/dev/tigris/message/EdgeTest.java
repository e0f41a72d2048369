package dev.tigris.message;

import dev.tigris.net.testing.Faults;
import dev.tigris.net.testing.FaultySubject;
import dev.tigris.net.testing.NamedSubject;
import dev.tigris.testing.Slow;
import java.time.Duration;
import org.junit.jupiter.api.Nested;

/// The edges of messages on every provider, and on those that lose, repeat and damage.
class EdgeTest {
  private static final String LOCAL = "127.0.0.1:0";

  private static long seed() {
    long seed = Long.getLong("tigris.test.seed", System.nanoTime());
    System.out.println("-Dtigris.test.seed=" + seed);
    return seed;
  }

  @Nested
  class OverShm extends EdgeContract {
    OverShm() {
      super(new NamedSubject("shm", "*", true), false);
    }
  }

  @Nested
  @Slow("the quick tier has it over shm")
  class OverTcp extends EdgeContract {
    OverTcp() {
      super(new NamedSubject("tcp", LOCAL, true), false);
    }
  }

  @Nested
  @Slow("the quick tier has it over shm")
  class OverUring extends EdgeContract {
    OverUring() {
      super(new NamedSubject("uring", LOCAL, true), false);
    }
  }

  @Nested
  @Slow("what is lost is sent again after a while")
  class Wild extends EdgeContract {
    Wild() {
      super(
          new FaultySubject(
              "tcp",
              LOCAL,
              Faults.NONE
                  .withSeed(seed())
                  .withLoss(0.03)
                  .withDuplication(0.03)
                  .withReordering(0.03)
                  .withCorruption(0.03)
                  .withDelay(0.02, Duration.ofMillis(3))),
          true);
    }
  }

  @Nested
  @Slow("connections that are made again")
  class WithCuts extends EdgeContract {
    WithCuts() {
      super(new FaultySubject("tcp", LOCAL, Faults.NONE.withSeed(seed()).withCut(0.01)), false);
    }
  }

  @Nested
  @Slow("the quick tier has some duplicates")
  class EveryPacketTwice extends EdgeContract {
    EveryPacketTwice() {
      super(new FaultySubject("tcp", LOCAL, Faults.NONE.withSeed(seed()).withDuplication(1)), true);
    }
  }
}
