package dev.tigris.net.socket;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tigris.memory.Jbuf;
import dev.tigris.net.Attributes;
import dev.tigris.net.CompletionQueue;
import dev.tigris.net.Connection;
import dev.tigris.net.Connection.Reason;
import dev.tigris.net.ConnectionRequest;
import dev.tigris.net.Fabric;
import dev.tigris.net.Listener;
import dev.tigris.net.NetException;
import dev.tigris.net.Ticket;
import dev.tigris.net.VirtualInterface;
import dev.tigris.net.provider.ConnectResult;
import dev.tigris.net.uring.IoUringHere;
import dev.tigris.testing.process.Jvm;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class AddressesInTurnTest {
  private static final List<InetSocketAddress> THREE =
      List.of(
          TcpAddress.parse("127.0.0.1:7"),
          TcpAddress.parse("[::1]:7"),
          TcpAddress.parse("127.0.0.2:7"));

  private final List<Long> shares = new ArrayList<>();
  private final List<Long> limits = new ArrayList<>();

  private ConnectResult connect(ConnectResult... answers) {
    return AddressesInTurn.connect(
        "host:7",
        THREE,
        3_000_000_000L,
        (remote, reachNanos, nanos) -> {
          shares.add(reachNanos);
          limits.add(nanos);
          return answers[shares.size() - 1];
        });
  }

  private static ConnectResult.NotConnected refusal(ConnectResult result) {
    return assertInstanceOf(ConnectResult.NotConnected.class, result);
  }

  @Test
  void namesEachAddressWhereNoneAnswers() {
    ConnectResult nobody = ConnectResult.nobodyListens("refused");
    ConnectResult.NotConnected refusal = refusal(connect(nobody, ConnectResult.timedOut(), nobody));
    assertEquals(Reason.TIMED_OUT, refusal.reason(), "a listener may be at the second address");
    assertEquals(
        "127.0.0.1:7: no listener can be reached there: refused;"
            + " [0:0:0:0:0:0:0:1]:7: it did not answer in time;"
            + " 127.0.0.2:7: no listener can be reached there: refused",
        refusal.detail());
  }

  @Test
  void givesEachAddressAShareOfTheTime() {
    ConnectResult late = ConnectResult.timedOut();
    assertEquals(Reason.TIMED_OUT, refusal(connect(late, late, late)).reason());
    assertTrue(shares.getFirst() <= 1_000_000_000L, shares::toString);
    assertTrue(shares.getLast() > 2_000_000_000L, shares::toString);
  }

  @Test
  void leavesAnAddressThatWasReachedAllTheTimeToAnswer() {
    ConnectResult late = ConnectResult.timedOut();
    assertEquals(Reason.TIMED_OUT, refusal(connect(late, late, late)).reason());
    assertTrue(limits.stream().allMatch(each -> each > 2_000_000_000L), limits::toString);
  }

  @Test
  void saysThatNobodyListensWhereAllAddressesRefuse() {
    ConnectResult nobody = ConnectResult.nobodyListens("refused");
    assertEquals(Reason.NOBODY_LISTENS, refusal(connect(nobody, nobody, nobody)).reason());
  }

  @Test
  void stopsAtAnAnswer() {
    ConnectResult nobody = ConnectResult.nobodyListens("refused");
    ConnectResult.NotConnected rejected = refusal(connect(nobody, ConnectResult.rejected(5)));
    assertEquals(Reason.REJECTED, rejected.reason());
    assertTrue(rejected.detail().contains("127.0.0.1:7: "), rejected.detail());
    assertEquals(2, shares.size());
  }

  @Test
  void goesOnBehindAnAddressThatThisHostCannotUse() {
    NetException failure =
        assertThrows(
            NetException.class,
            () ->
                AddressesInTurn.connect(
                    "host:7",
                    THREE,
                    1,
                    (remote, reachNanos, nanos) -> {
                      throw new NetException("connect to", "host:7", "no such family", null);
                    }));
    assertEquals(3, failure.getMessage().split("no such family", -1).length - 1);
  }

  /// A name with two addresses: a listener is at the second one. Both sides close as programs do.
  static final class TwoAddresses {
    private static final int MANY = 160;
    private static final long PATIENCE_NANOS = 20_000_000_000L;

    public static void main(String[] arguments) throws Exception {
      for (String provider : arguments) {
        try (Fabric fabric = Fabric.open(provider);
            Listener listener = fabric.listen("127.0.0.1:0");
            CompletionQueue queue = fabric.completionQueue()) {
          String port = listener.address().replaceFirst(".*:", "");
          var client = CompletableFuture.supplyAsync(() -> connect(provider, "two:" + port));
          ConnectionRequest request = listener.next(Duration.ofSeconds(20));
          try (VirtualInterface peer = request.accept(queue, Attributes.DEFAULT)) {
            Ticket _ = peer.register(Jbuf.allocate(64).asBytes());
            System.out.println(client.get());
          }
          System.out.println(connect(provider, "two:1"));
          System.out.println(connectToABusyListener(provider, listener, "many:" + port));
        }
      }
    }

    /// The listener is at the first of so many addresses, and comes to the request when the share
    /// of time of that address is over.
    private static String connectToABusyListener(String provider, Listener listener, String address)
        throws Exception {
      var client = CompletableFuture.supplyAsync(() -> connect(provider, address));
      try {
        return client.get(2 * PATIENCE_NANOS / MANY, TimeUnit.NANOSECONDS);
      } catch (TimeoutException waits) {
        listener.next(Duration.ofSeconds(20)).reject();
        return client.get();
      }
    }

    private static String connect(String provider, String address) {
      try (Fabric fabric = Fabric.open(provider);
          CompletionQueue queue = fabric.completionQueue()) {
        return switch (fabric.connect(
            address, 1, queue, Attributes.DEFAULT, Duration.ofNanos(PATIENCE_NANOS))) {
          case Connection.Refused(Reason _, String _, String detail) -> detail;
          case Connection.Established(VirtualInterface made) -> {
            try (made) {
              Ticket _ = made.register(Jbuf.allocate(64).asBytes());
              yield "connected";
            }
          }
        };
      }
    }
  }

  @Test
  void connectsToTheSecondAddressOfANameAndClosesWithoutAWarning(@TempDir Path folder)
      throws Exception {
    Path hosts = folder.resolve("hosts");
    StringBuilder lines = new StringBuilder("127.0.0.9 two\n127.0.0.1 two\n127.0.0.1 many\n");
    for (int i = 1; i < TwoAddresses.MANY; i++) {
      lines.append("127.0.9.").append(i).append(" many\n");
    }
    Files.writeString(hosts, lines);
    List<String> providers = new ArrayList<>(List.of("tcp"));
    if (IoUringHere.isAllowed()) {
      providers.add("uring");
    }
    List<String> said =
        Jvm.of(TwoAddresses.class)
            .quick()
            .options("-Djdk.net.hosts.file=" + hosts)
            .command(providers.toArray(String[]::new))
            .run()
            .expect(0)
            .lines();
    assertEquals(3 * providers.size(), said.size(), said::toString);
    for (int i = 0; i < said.size(); i += 3) {
      assertEquals("connected", said.get(i));
      assertTrue(said.get(i + 1).startsWith("127.0.0.9:1: "), said::toString);
      assertTrue(said.get(i + 1).contains("; 127.0.0.1:1: "), said::toString);
      assertTrue(said.get(i + 2).endsWith("it rejected tag 1"), said::toString);
    }
  }
}
