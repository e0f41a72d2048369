package dev.tigris.net;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.ValueLayout;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;

/// The contract suite behind a wrapper that adds no faults: all of it on TCP, and of the other
/// providers what becomes of their messages and connections.
class FaultyTest {
  private static final FabricContract.Subject FAULTLESS = new Wrapped("tcp", "127.0.0.1:0");

  private record Wrapped(String provider, String anyAddress, Faults faults)
      implements FabricContract.Subject {
    Wrapped(String provider, String anyAddress) {
      this(provider, anyAddress, Faults.NONE);
    }

    @Override
    public Fabric open() {
      return Fabric.openFaulty(provider, faults);
    }
  }

  @Nested
  class Duplicates extends FabricContract {
    Duplicates() {
      super(new Wrapped("tcp", "127.0.0.1:0", Faults.NONE.withDuplication(1)));
    }

    @Test
    void areArraysOfTheSameType() {
      connect();
      ArrayInterface from = left.call(() -> new ArrayInterface(left.link(), 64, 4));
      ArrayInterface to = right.call(() -> new ArrayInterface(right.link(), 64, 4));
      int[] sent = {7};
      assertTrue(left.call(() -> from.send(ArrayType.INTS, sent, 0, 1, 5, Side.LONG_NANOS)));
      for (int i = 0; i < 2; i++) {
        assertArrayEquals(
            sent, right.call(() -> to.receive(ArrayType.INTS, Side.LONG_NANOS)).array());
      }
    }
  }

  @Nested
  class Cuts extends FabricContract {
    Cuts() {
      super(new Wrapped("shm", "*", Faults.NONE.withCut(0.5).withSeed(SEED)));
    }

    /// With it, the first message of who connects passes, and that of who accepts is cut.
    private static final long SEED = 6;

    @Test
    void leaveWhatIsReadInPlace() {
      connect();
      Ticket memory = right.memory(10);
      right.run(() -> memory.inPlace(true));
      right.receive(memory);
      expect(left, left.send(left.memory(text("hello"))), Status.DONE);
      expect(right, memory, Status.DONE);
      Ticket cut = right.send(right.memory(10));
      expectBroken(right);
      assertEquals(Status.FLUSHED, cut.status());
      expectBroken(left);
      assertTrue(memory.isInPlace());
      assertEquals('h', memory.memory().get(ValueLayout.JAVA_BYTE, memory.memoryOffset()));
      assertTrue(right.call(memory::giveBack));
    }
  }

  @Nested
  class Messages extends MessageContract {
    Messages() {
      super(FAULTLESS);
    }
  }

  @Nested
  class Completions extends CompletionContract {
    Completions() {
      super(FAULTLESS);
    }
  }

  @Nested
  class Memory extends MemoryContract {
    Memory() {
      super(FAULTLESS);
    }
  }

  @Nested
  class Arrays extends ArrayContract {
    Arrays() {
      super(FAULTLESS);
    }
  }

  @Nested
  class Connections extends ConnectionContract {
    Connections() {
      super(FAULTLESS);
    }
  }

  @Nested
  class MessagesOverShm extends MessageContract {
    MessagesOverShm() {
      super(new Wrapped("shm", "*"));
    }
  }

  @Nested
  class ConnectionsOverShm extends ConnectionContract {
    ConnectionsOverShm() {
      super(new Wrapped("shm", "*"));
    }
  }

  @Nested
  @EnabledIf("dev.tigris.net.UringTest#isAllowed")
  class MessagesOverUring extends MessageContract {
    MessagesOverUring() {
      super(new Wrapped("uring", "127.0.0.1:0"));
    }
  }

  @Nested
  @EnabledIf("dev.tigris.net.LibfabricTest#isInstalled")
  class MessagesOverLibfabric extends MessageContract {
    MessagesOverLibfabric() {
      super(new Wrapped("libfabric", "127.0.0.1:0"));
    }
  }

  @Nested
  @EnabledIf("dev.tigris.net.LibfabricRdmTest#isInstalled")
  class MessagesOverLibfabricRdm extends MessageContract {
    MessagesOverLibfabricRdm() {
      super(new Wrapped("libfabric-rdm", "127.0.0.1:0"));
    }
  }
}
