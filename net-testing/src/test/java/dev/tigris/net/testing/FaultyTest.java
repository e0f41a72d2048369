package dev.tigris.net.testing;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tigris.memory.Bytes;
import dev.tigris.memory.Jbuf;
import dev.tigris.memory.PageKind;
import dev.tigris.net.ArrayInterface;
import dev.tigris.net.ArrayType;
import dev.tigris.net.Attributes;
import dev.tigris.net.Delivery;
import dev.tigris.net.Descriptor;
import dev.tigris.net.InterfaceState;
import dev.tigris.net.Status;
import dev.tigris.net.Ticket;
import dev.tigris.net.VirtualInterface;
import dev.tigris.testing.Slow;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;

/// The contract suite behind a wrapper that adds no faults: all of it on TCP, and of the other
/// providers what becomes of their messages and connections.
class FaultyTest {
  private static final FabricContract.Subject FAULTLESS = new FaultySubject("tcp", "127.0.0.1:0");

  @Nested
  class Delays extends FabricContract {
    Delays() {
      super(
          new FaultySubject("tcp", "127.0.0.1:0", Faults.NONE.withDelay(1, Duration.ofMillis(50))));
    }

    /// Of messages that were posted while a signal was pending, too. The first signals may be of
    /// something else.
    @Test
    void areSignalledWhenTheyAreOver() throws Exception {
      connect();
      for (int i = 0; i < 5; i++) {
        Ticket memory = right.receive(right.memory(10));
        Ticket message = left.memory(10);
        CountDownLatch signalled = new CountDownLatch(1);
        left.run(
            () -> {
              left.queue().signalOnce(signalled::countDown);
              left.link().postSend(message).orThrow();
              assertSame(message, left.queue().poll(), "complete, and held back");
              assertNull(left.queue().poll());
            });
        assertTrue(signalled.await(Side.LONG_NANOS, TimeUnit.NANOSECONDS));
        while (right.call(() -> right.queue().poll()) == null) {
          left.run(() -> assertNull(left.queue().poll()));
        }
        assertEquals(Status.DONE, memory.status());
      }
    }
  }

  @Nested
  class Duplicates extends FabricContract {
    Duplicates() {
      super(new FaultySubject("tcp", "127.0.0.1:0", Faults.NONE.withDuplication(1)));
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
  class CutsOverTcp extends CutContract {
    CutsOverTcp() {
      super("tcp", "127.0.0.1:0");
    }
  }

  @Nested
  @EnabledIf("dev.tigris.net.testing.UringTest#isAllowed")
  class CutsOverUring extends CutContract {
    CutsOverUring() {
      super("uring", "127.0.0.1:0");
    }
  }

  @Nested
  class CutsOverShm extends CutContract {
    CutsOverShm() {
      super("shm", "*");
    }

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
  class CutsOfADelayedQueue extends FabricContract {
    /// With it, the message with this number is the first of who connects that is cut.
    private static final long SEED = 12;

    private static final int CUT = 1196;

    CutsOfADelayedQueue() {
      super(
          new FaultySubject(
              "shm",
              "*",
              Faults.NONE.withDelay(0.99, Duration.ofMillis(20)).withCut(0.0005).withSeed(SEED)));
    }

    /// So many are posted at once that what is held back is full before that message has its turn,
    /// which is then while completions are taken.
    @Test
    void breakItWhileCompletionsAreTaken() {
      connect(Attributes.DEFAULT.withDepths(2 * CUT, 64).withDelivery(Delivery.UNRELIABLE));
      Future<Descriptor> drops =
          right.start(
              () -> {
                while (right.link().state() == InterfaceState.CONNECTED) {
                  assertNull(right.queue().await(Side.SHORT_NANOS));
                }
                return null;
              });
      left.run(
          () -> {
            Bytes lent = Jbuf.allocate(4096, "test", PageKind.SHARED).asBytes();
            for (int i = 0; i < 2 * CUT; i++) {
              left.link().postSend(left.link().register(lent)).orThrow();
            }
            left.link().ring();
            assertEquals(InterfaceState.CONNECTED, left.link().state());
          });
      expectBroken(left);
      assertNull(get(drops));
    }
  }

  @Nested
  @EnabledIf("dev.tigris.net.testing.UringTest#isAllowed")
  class EndsOverUring extends FabricContract {
    EndsOverUring() {
      super(new FaultySubject("uring", "127.0.0.1:0"));
    }

    /// Also where they have ended while another one was rung.
    @Test
    void areKnownWhenWhatTheyHaveFlushedIsTaken() {
      for (int i = 0; i <= UringTest.FEW; i++) { // of fewer it is not the kernel that looks
        connect();
      }
      VirtualInterface ending = right.link();
      Side other = left;
      Ticket waiting = right.receive(right.memory(10));
      left = side();
      connect();
      Ticket first = right.memory(8 << 20);
      List<Ticket> heldUp = Stream.generate(() -> right.memory(10)).limit(4).toList();
      other.run(other.link()::close);
      right.run(
          () -> {
            right.link().postSend(first).orThrow();
            right.link().ring();
            for (Ticket next : heldUp) {
              right.link().postSend(next).orThrow();
              right.link().ring(); // looks whether the first one has left
            }
            while (right.queue().poll() != waiting) {
              Thread.onSpinWait();
            }
            assertEquals(Status.FLUSHED, waiting.status());
            assertEquals(InterfaceState.ENDED, ending.state());
          });
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
  @Slow("the quick tier has messages, completions and connections behind the wrapper")
  class Memory extends MemoryContract {
    Memory() {
      super(FAULTLESS);
    }
  }

  @Nested
  @Slow("the quick tier has messages, completions and connections behind the wrapper")
  class FileMemory extends FileMemoryContract {
    FileMemory() {
      super(FAULTLESS);
    }
  }

  @Nested
  @Slow("the quick tier has messages, completions and connections behind the wrapper")
  class Arrays extends ArrayContract {
    Arrays() {
      super(FAULTLESS);
    }
  }

  /// The peer is behind no wrapper.
  @Nested
  @Slow("the quick tier has the kills of a peer of each provider itself")
  class Processes extends ProcessContract {
    Processes() {
      super(FAULTLESS, FEW_KILLS);
    }

    @Override
    protected String peersProvider() {
      return "tcp";
    }
  }

  @Nested
  class Connections extends ConnectionContract {
    Connections() {
      super(FAULTLESS);
    }
  }

  @Nested
  @Slow("the quick tier has these behind the wrapper over tcp")
  class MessagesOverShm extends MessageContract {
    MessagesOverShm() {
      super(new FaultySubject("shm", "*"));
    }
  }

  @Nested
  @Slow("the quick tier has these behind the wrapper over tcp")
  class ConnectionsOverShm extends ConnectionContract {
    ConnectionsOverShm() {
      super(new FaultySubject("shm", "*"));
    }
  }

  @Nested
  @Slow("the quick tier has these behind the wrapper over tcp")
  @EnabledIf("dev.tigris.net.testing.UringTest#isAllowed")
  class MessagesOverUring extends MessageContract {
    MessagesOverUring() {
      super(new FaultySubject("uring", "127.0.0.1:0"));
    }
  }
}
