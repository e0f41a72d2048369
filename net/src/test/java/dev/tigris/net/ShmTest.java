package dev.tigris.net;

import dev.tigris.memory.PageKind;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// The contract suite on shared memory.
class ShmTest {
  private static final FabricContract.Subject SHM = new Shm(PageKind.ORDINARY, 0);

  /// Messages from memory that the peer can read.
  static final FabricContract.Subject SHARED = new Shm(PageKind.SHARED, 0);

  /// Beside as many as have large rings.
  private static final FabricContract.Subject BESIDE_OTHERS = new Shm(PageKind.ORDINARY, 4);

  private record Shm(PageKind pages, int connectionsBeside) implements FabricContract.Subject {
    @Override
    public Fabric open() {
      return Fabric.open("shm");
    }

    @Override
    public String anyAddress() {
      return "*";
    }
  }

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
  class MessagesBesideOthers extends MessageContract {
    MessagesBesideOthers() {
      super(BESIDE_OTHERS);
    }
  }

  @Nested
  class Completions extends CompletionContract {
    Completions() {
      super(SHM);
    }

    @Test
    @Timeout(value = LONG_MINUTES, unit = TimeUnit.MINUTES)
    void allocatesNothingForMessagesThatAThreadSleepsFor() {
      left = side(0);
      right = side(0);
      connect();
      expectNothingAllocated(64);
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
  class Arrays extends ArrayContract {
    Arrays() {
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
