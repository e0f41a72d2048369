package dev.tigris.net;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tigris.memory.Bytes;
import dev.tigris.memory.Jbuf;
import dev.tigris.memory.PageKind;
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
  private static final FabricContract.Subject FAULTLESS = new Wrapped("tcp", "127.0.0.1:0");

  /// A provider behind a wrapper.
  record Wrapped(String provider, String anyAddress, Faults faults)
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
  class Delays extends FabricContract {
    Delays() {
      super(new Wrapped("tcp", "127.0.0.1:0", Faults.NONE.withDelay(1, Duration.ofMillis(50))));
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

  /// What becomes of a connection over a provider when one of its messages is cut.
  abstract static class CutContract extends FabricContract {
    /// With it, the first message of who connects passes, and that of who accepts is cut.
    private static final long SEED = 6;

    CutContract(String provider, String anyAddress) {
      super(new Wrapped(provider, anyAddress, Faults.NONE.withCut(0.5).withSeed(SEED)));
    }

    @Test
    void breakItAfterTheGoodbyeOfThePeerToo() {
      connect();
      Ticket unread = left.send(left.memory(text("unread")));
      expect(left, unread, Status.DONE);
      left.run(left.link()::close);
      left.expectNothing();
      right.expectNothing();
      assertEquals(
          InterfaceState.CONNECTED,
          right.link().state(),
          () -> String.valueOf(right.link().failure()));
      Ticket cut = right.send(right.memory(10));
      expectBroken(right);
      assertEquals(Status.FLUSHED, cut.status());
    }
  }

  @Nested
  class CutsOverTcp extends CutContract {
    CutsOverTcp() {
      super("tcp", "127.0.0.1:0");
    }
  }

  @Nested
  @EnabledIf("dev.tigris.net.UringTest#isAllowed")
  class CutsOverUring extends CutContract {
    CutsOverUring() {
      super("uring", "127.0.0.1:0");
    }
  }

  @Nested
  @EnabledIf("dev.tigris.net.LibfabricTest#isInstalled")
  class CutsOverLibfabric extends CutContract {
    CutsOverLibfabric() {
      super("libfabric", "127.0.0.1:0");
    }
  }

  @Nested
  @EnabledIf("dev.tigris.net.LibfabricRdmTest#isInstalled")
  class CutsOverLibfabricRdm extends CutContract {
    CutsOverLibfabricRdm() {
      super("libfabric-rdm", "127.0.0.1:0");
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
          new Wrapped(
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
  @EnabledIf("dev.tigris.net.UringTest#isAllowed")
  class EndsOverUring extends FabricContract {
    EndsOverUring() {
      super(new Wrapped("uring", "127.0.0.1:0"));
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
  class Memory extends MemoryContract {
    Memory() {
      super(FAULTLESS);
    }
  }

  @Nested
  class FileMemory extends FileMemoryContract {
    FileMemory() {
      super(FAULTLESS);
    }
  }

  @Nested
  class Arrays extends ArrayContract {
    Arrays() {
      super(FAULTLESS);
    }
  }

  /// The peer is behind no wrapper.
  @Nested
  class Processes extends ProcessContract {
    Processes() {
      super(FAULTLESS, FEW_KILLS);
    }

    @Override
    String peersProvider() {
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
