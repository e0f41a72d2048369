package dev.tigris.message;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tigris.memory.Bytes;
import dev.tigris.memory.Jbuf;
import dev.tigris.memory.MemoryBudgetException;
import dev.tigris.message.ErrorHandler.Returned;
import dev.tigris.net.Attributes;
import dev.tigris.net.CompletionQueue;
import dev.tigris.net.Connection;
import dev.tigris.net.Fabric;
import dev.tigris.net.VirtualInterface;
import dev.tigris.testing.Slow;
import dev.tigris.testing.process.Child;
import dev.tigris.testing.process.Jvm;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/// A server whose memory is used up refuses the peer that asks for more, and serves the others.
class MemoryLimitTest {
  private static final Duration PATIENCE = Duration.ofSeconds(20);
  private static final Duration BRIEF = Duration.ofSeconds(3);
  private static final long CONNECTION_TAG = 0x5449_4752_4953_414dL;

  /// A connection takes 16 MiB for its receives, and a session 8 MiB and more.
  private static final Options LARGE = Options.DEFAULT.withPayloadBytes(1 << 20);

  /// Room for one client and one connection more.
  private static final String BUDGET = "-Dtigris.memory.budget=48m";

  private static final int TRANSFER_BYTES = 60 << 20;

  /// The server, whose heap has no room for a transfer.
  static final class Server {
    private Server() {}

    public static void main(String[] arguments) {
      try (Bundle bundle = Bundle.open(LARGE, "tcp")) {
        Endpoint at = bundle.endpoint("server", 1);
        at.handler(1, (token, message) -> token.reply(1));
        System.out.println(bundle.listen("tcp", "127.0.0.1:0"));
        while (true) {
          boolean _ = bundle.await(Duration.ofSeconds(1));
        }
      }
    }
  }

  @Test
  @Slow("another process, and memory that is waited for")
  void aPeerThatTakesAllMemoryEndsNoOther() {
    try (Child child = Jvm.of(Server.class).options(BUDGET, "-Xmx40m").command().start();
        Fabric fabric = Fabric.open("tcp")) {
      String address = child.nextLine();
      takeAllByConnecting(fabric, address);
      try (Party first = new Party(LARGE, List.of(fabric));
          Party second = new Party(LARGE, List.of(fabric))) {
        List<Returned> returned = new ArrayList<>();
        int[] replies = new int[1];
        Endpoint from = first.call(() -> first.bundle().endpoint("first", 2));
        first.run(
            () -> {
              from.errorHandler(returned::add);
              from.handler(1, (token, message) -> replies[0]++);
              from.map(0, "tcp", address, "server", 1, PATIENCE);
              Bytes payload = Jbuf.allocate(TRANSFER_BYTES, "test").asBytes();
              from.bulk(0, 1, new long[0], payload, 0, TRANSFER_BYTES, () -> {});
              while (returned.isEmpty()) {
                boolean _ = first.bundle().await(PATIENCE); // false after a wake
              }
              assertEquals(Reason.TOO_LONG, returned.getFirst().reason());
            });
        second.run(
            () -> {
              Endpoint other = second.bundle().endpoint("second", 2);
              // There is no memory for its connection, or for its session.
              assertThrows(
                  MessageException.class, () -> other.map(0, "tcp", address, "server", 1, BRIEF));
            });
        first.run(
            () -> {
              from.request(0, 1);
              while (replies[0] == 0) {
                boolean _ = first.bundle().await(PATIENCE); // false after a wake
              }
            });
      }
      assertTrue(child.isAlive());
    }
  }

  /// A server over a provider that receives into no arrays, whose memory a handler takes and gives
  /// back.
  static final class Hoarder {
    private static final List<Jbuf> HELD = new ArrayList<>();

    private Hoarder() {}

    public static void main(String[] arguments) {
      try (Bundle bundle = Bundle.open(Options.DEFAULT, "uring")) {
        Endpoint at = bundle.endpoint("server", 1);
        at.handler(
            1,
            (token, message) -> {
              takeAll();
              token.reply(1);
            });
        at.handler(
            2,
            (token, message) -> {
              giveBack();
              token.reply(1);
            });
        at.handler(3, (token, message) -> token.reply(2, message.array()[0]));
        System.out.println(bundle.listen("uring", "127.0.0.1:0"));
        while (true) {
          boolean _ = bundle.await(Duration.ofSeconds(1));
        }
      }
    }

    static void giveBack() {
      HELD.forEach(Jbuf::free);
      HELD.clear();
    }

    static void takeAll() {
      try {
        while (true) {
          HELD.add(Jbuf.allocate(1 << 20, "hoard"));
        }
      } catch (MemoryBudgetException _) {
        // that is all
      }
    }
  }

  @Test
  @Slow("another process, and memory that is waited for")
  void aTransferThatFindsNoMemoryComesBackAndTheNextOneArrives() {
    try (Child child = Jvm.of(Hoarder.class).options(BUDGET, "-Xmx40m").command().start();
        Party client = new Party(Options.DEFAULT, "uring")) {
      String address = child.nextLine();
      List<Returned> returned = new ArrayList<>();
      int[] replies = new int[1];
      long[] arrived = new long[1];
      int bytes = 1 << 20;
      Bytes payload = Jbuf.allocate(bytes, "test").asBytes();
      payload.set(0, (byte) 77);
      client.run(
          () -> {
            Endpoint from = client.bundle().endpoint("client", 2);
            from.errorHandler(returned::add);
            from.handler(1, (token, message) -> replies[0]++);
            from.handler(2, (token, message) -> arrived[0] = message.word(0));
            from.map(0, "uring", address, "server", 1, PATIENCE);
            from.request(0, 1);
            assertTrue(from.drain(PATIENCE));
            from.bulk(0, 3, new long[0], payload, 0, bytes, () -> {});
            while (returned.isEmpty()) {
              boolean _ = client.bundle().await(PATIENCE); // false after a wake
            }
            assertEquals(Reason.TOO_LONG, returned.getFirst().reason());
            from.request(0, 2);
            assertTrue(from.drain(PATIENCE));
            from.bulk(0, 3, new long[0], payload, 0, bytes, () -> {});
            assertTrue(from.drain(PATIENCE));
            assertEquals(2, replies[0]);
            assertEquals(77, arrived[0]);
            assertEquals(1, returned.size());
          });
    }
  }

  /// A client that has no memory when its connection is lost, and has some again later.
  static final class Returner {
    private Returner() {}

    public static void main(String[] arguments) {
      try (Bundle bundle = Bundle.open(LARGE, "tcp")) {
        Endpoint from = bundle.endpoint("client", 2);
        int[] replies = new int[1];
        from.handler(1, (token, message) -> replies[0]++);
        from.map(0, "tcp", arguments[0], "server", 1, PATIENCE);
        AtomicBoolean isEnough = new AtomicBoolean();
        Thread hoarder =
            Thread.ofPlatform()
                .start(
                    () -> {
                      while (!isEnough.get()) {
                        Hoarder.takeAll(); // also what the lost connection had
                      }
                    });
        int before = bundle.connects();
        System.out.println("full");
        for (int i = 0; i < 200 && bundle.connects() < before + 4; i++) { // it tries meanwhile
          boolean _ = bundle.await(Duration.ofMillis(20));
        }
        isEnough.set(true);
        join(hoarder);
        Hoarder.giveBack();
        from.request(0, 1);
        while (replies[0] == 0) {
          boolean _ = bundle.await(BRIEF);
        }
        System.out.println("a reply");
      }
    }

    private static void join(Thread thread) {
      try {
        thread.join();
      } catch (InterruptedException e) {
        throw new AssertionError(e);
      }
    }
  }

  @Test
  @Slow("another process, and memory that is waited for")
  void aConnectionIsMadeAgainWhenThereIsMemoryForIt() {
    try (Party server = new Party(LARGE, "tcp");
        Party other = new Party(LARGE, "tcp")) {
      Endpoint at = server.call(() -> server.bundle().endpoint("server", 1));
      String address =
          server.call(
              () -> {
                at.handler(1, (token, message) -> token.reply(1));
                return server.bundle().listen("tcp", "127.0.0.1:0");
              });
      other.run(() -> other.bundle().listen("tcp", "127.0.0.1:0"));
      try (Child child =
          Jvm.of(Returner.class).options(BUDGET, "-Xmx40m").command(address).start()) {
        assertEquals("full", child.nextLine());
        server.run(() -> at.moveTo(other.bundle())); // which ends its connections
        assertEquals("a reply", child.nextLine());
      }
      other.run(at::close);
    }
  }

  /// Connects more often than there is memory for, and greets on none of the connections.
  private static void takeAllByConnecting(Fabric fabric, String address) {
    try (CompletionQueue queue = fabric.completionQueue()) {
      List<VirtualInterface> all = new ArrayList<>();
      Attributes attributes = Attributes.DEFAULT.withMaximumMessageBytes(2 << 20);
      for (int i = 0; i < 4; i++) {
        Connection made = fabric.connect(address, CONNECTION_TAG, queue, attributes, PATIENCE);
        if (made instanceof Connection.Established(VirtualInterface link)) {
          all.add(link);
        }
      }
      all.forEach(VirtualInterface::abort);
    }
  }
}
