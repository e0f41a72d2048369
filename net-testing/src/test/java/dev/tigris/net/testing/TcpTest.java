package dev.tigris.net.testing;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.tigris.memory.Jbuf;
import dev.tigris.memory.MemoryBudgetException;
import dev.tigris.net.ArrayInterface;
import dev.tigris.net.Attributes;
import dev.tigris.net.Fabric;
import dev.tigris.net.Listener;
import dev.tigris.net.NetException;
import dev.tigris.net.socket.TcpAddress;
import dev.tigris.testing.Slow;
import java.io.IOException;
import java.net.Inet4Address;
import java.net.Inet6Address;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// The contract suite on TCP.
class TcpTest {
  static final FabricContract.Subject TCP =
      new FabricContract.Subject() {
        @Override
        public Fabric open() {
          return Fabric.open("tcp");
        }

        @Override
        public String anyAddress() {
          return "127.0.0.1:0";
        }
      };

  @Nested
  class Messages extends MessageContract {
    Messages() {
      super(TCP);
    }
  }

  @Nested
  class Completions extends CompletionContract {
    Completions() {
      super(TCP);
    }
  }

  @Nested
  class SharedQueues extends SharedQueueContract {
    SharedQueues() {
      super(TCP);
    }
  }

  @Nested
  class Memory extends MemoryContract {
    Memory() {
      super(TCP);
    }
  }

  @Nested
  class FileMemory extends FileMemoryContract {
    FileMemory() {
      super(TCP);
    }
  }

  @Nested
  class Processes extends ProcessContract {
    Processes() {
      super(TCP);
    }
  }

  @Nested
  class Arrays extends ArrayContract {
    Arrays() {
      super(TCP);
    }

    @Test
    @Timeout(value = LONG_MINUTES, unit = TimeUnit.MINUTES)
    void allocatesNothingPerAsynchronousMessage() {
      expectNothingAllocatedPerAsynchronousMessage();
    }

    /// One ring of slots fits the budget, and the second does not.
    @Test
    @Slow("a refusal waits for ten seconds where memory is given back meanwhile")
    void leavesNothingRegisteredWhenThereIsNoMemoryForItsSlots() {
      int slots = 64;
      long slotBytes = Long.highestOneBit(Jbuf.use().budgetBytes() / slots);
      assumeTrue(slotBytes <= 1 << 30, "the budget is too large to be used up");
      connect(Attributes.DEFAULT.withDepths(slots, slots));
      assertThrows(
          MemoryBudgetException.class,
          () -> left.call(() -> new ArrayInterface(left.link(), (int) slotBytes, slots)));
      assertEquals(0, left.call(() -> left.link().counters()).registeredBuffers());
      while (Jbuf.use().awaitingBytes() > 0) {
        System.gc();
      }
    }
  }

  @Nested
  class Connections extends ConnectionContract {
    Connections() {
      super(TCP);
    }

    /// Java's own choice is a socket for both kinds of addresses.
    @Test
    void listensAtNoAddressOfIpv6UnlessThatIsNamed() throws IOException {
      boolean hasSix = true;
      try (Listener six = fabric.listen("[::1]:0")) {
        assertInstanceOf(Inet6Address.class, TcpAddress.parse(six.address()).getAddress());
      } catch (NetException e) {
        hasSix = false;
      }
      assumeTrue(hasSix, "skipped: this host has no IPv6");
      try (Listener four = fabric.listen("0.0.0.0:0");
          Socket socket = new Socket()) {
        InetSocketAddress address = TcpAddress.parse(four.address());
        assertInstanceOf(Inet4Address.class, address.getAddress());
        InetSocketAddress six = TcpAddress.parse("[::1]:" + address.getPort());
        assertThrows(IOException.class, () -> socket.connect(six));
      }
    }
  }
}
