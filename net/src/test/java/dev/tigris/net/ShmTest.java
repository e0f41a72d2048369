package dev.tigris.net;

import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/// The contract suite on shared memory.
class ShmTest {
  private static final FabricContract.Subject SHM =
      new FabricContract.Subject() {
        @Override
        public Fabric open() {
          return Fabric.open("shm");
        }

        @Override
        public String anyAddress() {
          return "*";
        }
      };

  @Nested
  class Messages extends MessageContract {
    Messages() {
      super(SHM);
    }
  }

  @Nested
  class Completions extends CompletionContract {
    /// What a wait goes through takes the compiler longer than what a message does.
    private static final int WINDOWS_UNTIL_COMPILED = 80;

    Completions() {
      super(SHM);
    }

    @Test
    void allocatesNothingForMessagesThatAThreadSleepsFor() {
      left = side(0);
      right = side(0);
      connect();
      expectNothingAllocated(64, WINDOWS_UNTIL_COMPILED);
    }
  }

  @Nested
  class Memory extends MemoryContract {
    Memory() {
      super(SHM);
    }
  }

  @Nested
  class Processes extends ProcessContract {
    Processes() {
      super(SHM);
    }
  }

  @Nested
  class Connections extends ConnectionContract {
    Connections() {
      super(SHM);
    }
  }
}
