package dev.tigris.net.testing;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.tigris.net.Attributes;
import dev.tigris.net.CompletionQueue;
import dev.tigris.net.Connection;
import dev.tigris.net.ConnectionRequest;
import dev.tigris.net.Fabric;
import dev.tigris.net.InterfaceState;
import dev.tigris.net.Listener;
import dev.tigris.net.Status;
import dev.tigris.net.Ticket;
import dev.tigris.net.VirtualInterface;
import dev.tigris.net.socket.TcpAddress;
import dev.tigris.net.uring.UringProvider;
import dev.tigris.testing.Slow;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// The contract suite on io_uring, and what only this provider has.
@EnabledIf(value = "isAllowed", disabledReason = "io_uring is missing here, or forbidden")
class UringTest {
  private static final String SQPOLL = "tigris.net.uring.sqpoll";

  /// How many links of a queue are few.
  static final int FEW = 4;

  static final FabricContract.Subject URING = subject(false, 0);
  static final FabricContract.Subject BESIDE_OTHERS = subject(false, FEW);
  static final FabricContract.Subject POLLED_BY_THE_KERNEL = subject(true, 0);

  private static FabricContract.Subject subject(boolean polled, int connectionsBeside) {
    return new FabricContract.Subject() {
      @Override
      public Fabric open() {
        System.setProperty(SQPOLL, String.valueOf(polled));
        try {
          return Fabric.open("uring");
        } finally {
          System.clearProperty(SQPOLL);
        }
      }

      @Override
      public String anyAddress() {
        return "127.0.0.1:0";
      }

      @Override
      public int connectionsBeside() {
        return connectionsBeside;
      }

      @Override
      public int manyConnections() {
        // Each step waits for a thread of the kernel to get a core.
        return polled ? 50 : FabricContract.Subject.super.manyConnections();
      }
    };
  }

  static boolean isAllowed() {
    return new UringProvider().obstacle().isEmpty();
  }

  @Nested
  class Messages extends MessageContract {
    Messages() {
      super(URING);
    }
  }

  @Nested
  @Slow("a thread of the kernel takes the core that messages need")
  class MessagesPolledByTheKernel extends MessageContract {
    MessagesPolledByTheKernel() {
      super(POLLED_BY_THE_KERNEL);
    }

    /// While the kernel's thread is busy with a message, the next one has to wait for a look at it.
    @Override
    void deliversWhatADoorbellWasRungForWithoutAnotherCall() {}
  }

  @Nested
  @Slow("as the messages of such rings")
  class ConnectionsPolledByTheKernel extends ConnectionContract {
    ConnectionsPolledByTheKernel() {
      super(POLLED_BY_THE_KERNEL);
    }
  }

  @Nested
  @Slow("as the messages of such rings")
  class CompletionsPolledByTheKernel extends CompletionContract {
    CompletionsPolledByTheKernel() {
      super(POLLED_BY_THE_KERNEL);
    }

    /// With threads that sleep: each round trip waits for one of the kernel to be given a core.
    @Override
    @ParameterizedTest
    @ValueSource(ints = {64, 8_192})
    @Timeout(value = LONG_MINUTES, unit = TimeUnit.MINUTES)
    void allocatesNothingPerMessage(int bytes) {
      left = side(0);
      right = side(0);
      connect();
      expectNothingAllocated(bytes);
    }
  }

  @Nested
  @Slow("as the messages of such rings")
  class MemoryPolledByTheKernel extends MemoryContract {
    MemoryPolledByTheKernel() {
      super(POLLED_BY_THE_KERNEL);
    }
  }

  @Nested
  @Slow("as the messages of such rings")
  class FileMemoryPolledByTheKernel extends FileMemoryContract {
    FileMemoryPolledByTheKernel() {
      super(POLLED_BY_THE_KERNEL);
    }
  }

  @Nested
  class Completions extends CompletionContract {
    Completions() {
      super(URING);
    }
  }

  @Nested
  class SharedQueues extends SharedQueueContract {
    SharedQueues() {
      super(URING);
    }
  }

  @Nested
  class Memory extends MemoryContract {
    Memory() {
      super(URING);
    }
  }

  @Nested
  class FileMemory extends FileMemoryContract {
    FileMemory() {
      super(URING);
    }
  }

  @Nested
  class Processes extends ProcessContract {
    Processes() {
      super(URING);
    }
  }

  @Nested
  class Arrays extends ArrayContract {
    Arrays() {
      super(URING);
    }
  }

  @Nested
  class Connections extends UringConnectionContract {
    Connections() {
      super(URING);
    }
  }

  @Nested
  class Buffers extends FabricContract {
    Buffers() {
      super(URING);
    }

    @Test
    void lendsMoreBuffersWhenManyMessagesWait() {
      int count = 100; // more than the buffers that a port begins with
      List<VirtualInterface> to = new ArrayList<>();
      for (int i = 0; i < count; i++) {
        connect(Attributes.DEFAULT.withDepths(8, 8));
        to.add(right.link());
        for (int n = 0; n < 8; n++) {
          left.send(left.tag(left.memory(text("message " + i)), n));
        }
      }
      left.next(8 * count);
      right.expectNothing();
      for (int i = 0; i < count; i++) {
        right.link(to.get(i));
        for (int n = 0; n < 8; n++) {
          Ticket memory = right.receive(right.memory(20));
          expect(right, memory, Status.DONE);
          assertEquals(n, memory.tag());
          expectContent(text("message " + i), memory);
        }
      }
    }

    @Test
    void servesAVirtualThread() throws Exception {
      Thread echo =
          Thread.ofVirtual()
              .start(
                  () -> {
                    try (CompletionQueue queue = fabric.completionQueue()) {
                      VirtualInterface link =
                          listener.next(PATIENCE).accept(queue, Attributes.DEFAULT);
                      Ticket memory =
                          link.register(dev.tigris.memory.Jbuf.allocate(200_000).asBytes());
                      while (link.state() == InterfaceState.CONNECTED) {
                        if (memory.status() != Status.POSTED) {
                          link.postReceive(memory.range(0, 200_000)).orThrow();
                        }
                        if (queue.await(Long.MAX_VALUE) == memory
                            && memory.status() == Status.DONE) {
                          link.postSend(memory.range(0, memory.transferredBytes())).orThrow();
                          while (queue.await(Long.MAX_VALUE) == null) {
                            Thread.onSpinWait();
                          }
                        }
                      }
                    }
                  });
      left.link(get(ask(left, Attributes.DEFAULT)).get());
      SplittableRandom random = new SplittableRandom(1);
      Ticket memory = left.memory(200_000);
      for (int bytes : new int[] {1, 100, 5_000, 60_000, 200_000, 3}) {
        byte[] content = new byte[bytes];
        random.nextBytes(content);
        left.receive(memory);
        expect(left, left.send(left.memory(content)), Status.DONE);
        expect(left, memory, Status.DONE);
        expectContent(content, memory);
      }
      left.run(left.link()::close);
      echo.join();
    }
  }

  /// An address of a link means nothing without its interface.
  @Test
  void listensWhereItSaysAlsoAtAnAddressOfALink() throws Exception {
    Optional<InetAddress> link =
        NetworkInterface.networkInterfaces()
            .flatMap(NetworkInterface::inetAddresses)
            .filter(each -> each instanceof Inet6Address && each.isLinkLocalAddress())
            .findFirst();
    assumeTrue(link.isPresent(), "no interface has such an address");
    String any = TcpAddress.format(new InetSocketAddress(link.get(), 0));
    try (Fabric fabric = Fabric.open("uring");
        Listener listener = fabric.listen(any);
        CompletionQueue queue = fabric.completionQueue()) {
      Connection connection =
          fabric.connect(listener.address(), 1, queue, Attributes.DEFAULT, Duration.ofMillis(30));
      assertEquals(
          Connection.Reason.TIMED_OUT, // it is reached, and nobody accepts
          assertInstanceOf(Connection.Refused.class, connection).reason());
    }
  }

  /// Both speak the same protocol over the same kind of socket.
  @ParameterizedTest
  @CsvSource({"tcp, uring", "uring, tcp"})
  void talksToTcp(String listens, String connects) {
    try (Fabric server = Fabric.open(listens);
        Fabric client = Fabric.open(connects);
        Listener listener = server.listen("127.0.0.1:0")) {
      Side right = new Side(server);
      Side left = new Side(client);
      var asked =
          left.start(
              () ->
                  client.connect(
                      listener.address(),
                      FabricContract.TAG,
                      left.queue(),
                      Attributes.DEFAULT,
                      FabricContract.PATIENCE));
      ConnectionRequest request = listener.next(FabricContract.PATIENCE);
      right.link(right.call(() -> request.accept(right.queue(), Attributes.DEFAULT)));
      left.link(FabricContract.get(asked).get());
      SplittableRandom random = new SplittableRandom(1);
      for (int bytes : new int[] {0, 1, 100, 4_097, 32_768, 32_769, 70_000, 1_000_000, 10}) {
        exchange(left, right, random, bytes);
        exchange(right, left, random, bytes);
      }
      left.run(left.link()::close);
      FabricContract.expectEnded(right);
      FabricContract.get(left.startClosing());
      FabricContract.get(right.startClosing());
    }
  }

  private static void exchange(Side from, Side to, SplittableRandom random, int bytes) {
    byte[] content = new byte[bytes];
    random.nextBytes(content);
    Ticket memory = to.receive(to.memory(Math.max(1, bytes)));
    Ticket message = from.send(from.memory(content));
    FabricContract.expect(to, memory, Status.DONE);
    FabricContract.expect(from, message, Status.DONE);
    FabricContract.expectContent(content, memory);
  }
}
