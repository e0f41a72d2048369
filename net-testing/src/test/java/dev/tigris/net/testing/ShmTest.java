package dev.tigris.net.testing;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tigris.memory.PageKind;
import dev.tigris.net.ArrayInterface;
import dev.tigris.net.ArrayInterface.Message;
import dev.tigris.net.ArrayInterface.Posted;
import dev.tigris.net.ArrayType;
import dev.tigris.net.Fabric;
import dev.tigris.testing.Slow;
import java.util.concurrent.Future;
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
  @Slow("the quick tier has messages out of shared memory")
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
  @Slow("the quick tier has messages out of shared memory")
  class SharedBuffersAndFiles extends FileMemoryContract {
    SharedBuffersAndFiles() {
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
  @Slow("the quick tier has messages in large rings")
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
  class SharedQueues extends SharedQueueContract {
    SharedQueues() {
      super(SHM);
    }
  }

  @Nested
  class Memory extends MemoryContract {
    Memory() {
      super(SHM);
    }
  }

  @Nested
  class FileMemory extends FileMemoryContract {
    FileMemory() {
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

    /// What is posted can be seen before the doorbell, which wakes a peer that sleeps.
    @Test
    @Override
    void ringsForPostedArraysWhenItIsToldTo() {
      right = side(0); // it sleeps at once
      connect();
      ArrayInterface from = left.call(() -> new ArrayInterface(left.link(), 64, 4));
      ArrayInterface to = right.call(() -> new ArrayInterface(right.link(), 64, 4));
      Future<Message<int[]>> asleep = startReceiving(to);
      Posted first = left.call(() -> from.postSend(ArrayType.INTS, new int[] {1}, 0, 1, 1));
      left.run(from::ring);
      assertEquals(1, get(asleep).tag());
      assertTrue(left.call(() -> from.await(first, Side.LONG_NANOS)));
      Future<Message<int[]>> asleepAgain = startReceiving(to);
      assertNotNull(left.call(() -> from.postSend(ArrayType.INTS, new int[] {2}, 0, 1, 2)));
      assertTrue(left.call(() -> from.await(first, Side.LONG_NANOS)), "it was complete");
      assertEquals(2, get(asleepAgain).tag());
    }

    private Future<Message<int[]>> startReceiving(ArrayInterface to) {
      return right.start(() -> to.receive(ArrayType.INTS, Long.MAX_VALUE));
    }
  }

  @Nested
  class Connections extends ConnectionContract {
    Connections() {
      super(SHM);
    }
  }
}
