package dev.tigris.net;

import dev.tigris.memory.Jbuf;
import dev.tigris.memory.PageKind;
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

  /// Messages from memory that the peer can read.
  private static final FabricContract.Subject SHARED =
      new FabricContract.Subject() {
        @Override
        public Fabric open() {
          return Fabric.open("shm");
        }

        @Override
        public String anyAddress() {
          return "*";
        }

        @Override
        public Jbuf allocate(long bytes, String owner) {
          return Jbuf.allocate(bytes, owner, PageKind.SHARED);
        }

        @Override
        public String memory() {
          return "shared";
        }
      };

  /// A message in shared memory is complete when its receiver has taken it, and these two wait for
  /// it before: [ShmLendingTest] has them in another order.
  @Nested
  class SharedMessages extends MessageContract {
    SharedMessages() {
      super(SHARED);
    }

    @Override
    void dropsAndCountsWhatFindsNoReceiveInUnreliableMode() {}

    @Override
    void refusesAMessageLongerThanThePostedMemory() {}
  }

  @Nested
  class SharedCompletions extends CompletionContract {
    SharedCompletions() {
      super(SHARED);
    }
  }

  @Nested
  class SharedBuffers extends MemoryContract {
    SharedBuffers() {
      super(SHARED);
    }
  }

  @Nested
  class SharingProcesses extends ProcessContract {
    SharingProcesses() {
      super(SHARED);
    }
  }

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
