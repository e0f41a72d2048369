package dev.tigris.message;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tigris.memory.Bytes;
import dev.tigris.memory.Jbuf;
import dev.tigris.message.ErrorHandler.Returned;
import dev.tigris.testing.Slow;
import dev.tigris.testing.process.Child;
import dev.tigris.testing.process.Jvm;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/// A peer dies, stops, or starts anew: each message that it has not acknowledged comes back once,
/// and all memory of transfers is the program's again.
class LostPeerTest {
  private static final Duration PATIENCE = Duration.ofSeconds(20);
  private static final Options BRIEF =
      Options.DEFAULT.withCredits(8).withPayloadBytes(4096).withPatience(Duration.ofSeconds(1));
  private static final int NOTE = 1;

  private final List<Returned> returned = new ArrayList<>();
  private final List<String> lost = new ArrayList<>();
  private int freed;
  private Party client;
  private Endpoint from;

  /// A server that is to be killed: it takes every message, and says nothing.
  static final class Server {
    private Server() {}

    public static void main(String[] arguments) {
      try (Bundle bundle = Bundle.open(BRIEF, arguments[0])) {
        Endpoint at = bundle.endpoint("server", 1);
        at.handler(NOTE, (token, message) -> {});
        System.out.println(bundle.listen(arguments[0], arguments[1]));
        while (true) {
          boolean _ = bundle.await(Duration.ofSeconds(1));
        }
      }
    }
  }

  private static Child server(String provider, String address) {
    return Jvm.of(Server.class).quick().command(provider, address).start();
  }

  private static String anyAddress(String provider) {
    return provider.equals("shm") ? "*" : "127.0.0.1:0";
  }

  private void map(String provider, String address) {
    from.map(0, provider, address, "server", 1, PATIENCE);
  }

  private void open(String provider, Options options) {
    client = new Party(options, provider);
    client.run(
        () -> {
          from = client.bundle().endpoint("client", 2);
          from.errorHandler(
              new ErrorHandler() {
                @Override
                public void undelivered(Returned message) {
                  returned.add(message);
                }

                @Override
                public void lost(int entry, String why) {
                  lost.add(entry + ": " + why);
                }
              });
        });
  }

  @AfterEach
  void close() {
    if (client != null) {
      client.close();
    }
  }

  /// Sends until the peer is lost; returns how many requests that were.
  private int sendUntilLost() {
    Bytes payload = Jbuf.allocate(50_000, "test").asBytes();
    from.bulk(0, NOTE, new long[] {0}, payload, 0, 50_000, () -> freed++);
    int sent = 1;
    while (from.isMapped(0)) {
      from.request(0, NOTE, sent++);
    }
    int _ = client.bundle().poll(); // it tells what is to be told
    return sent;
  }

  private void checkReturned(int acknowledged, int sent) {
    assertEquals(List.of("0: it was not heard of for too long"), lost);
    assertEquals(1, freed);
    List<Long> words = returned.stream().map(each -> each.words().getFirst()).sorted().toList();
    assertEquals(LongStream.range(acknowledged, sent).boxed().toList(), words);
    for (Returned each : returned) {
      assertEquals(0, each.entry());
      assertFalse(each.isReply());
      assertTrue(each.reason() == Reason.MAY_HAVE_RUN || each.reason() == Reason.NOT_DELIVERED);
    }
  }

  @Test
  void messagesToAStoppedPeerComeBackOnce() {
    checkStoppedPeer("shm");
  }

  @Test
  @Slow("another process, and a peer that is waited for")
  void messagesToAStoppedPeerComeBackOnceOverTcp() {
    checkStoppedPeer("tcp");
  }

  private void checkStoppedPeer(String provider) {
    try (Child server = server(provider, anyAddress(provider))) {
      open(provider, BRIEF);
      String address = server.nextLine();
      client.run(() -> map(provider, address));
      server.pause();
      client.run(
          () -> {
            int sent = sendUntilLost();
            checkReturned(0, sent);
            assertThrows(IllegalArgumentException.class, () -> from.request(0, NOTE));
          });
      server.resume();
      client.run(
          () -> {
            map(provider, address);
            from.request(0, NOTE);
            assertTrue(from.drain(PATIENCE));
          });
    }
  }

  @Test
  void messagesToADeadPeerComeBackOnce() {
    checkDeadPeer("tcp");
  }

  @Test
  @Slow("another process, and a peer that is waited for")
  void messagesToADeadPeerComeBackOnceOverShm() {
    checkDeadPeer("shm");
  }

  /// It waits behind one that fits no packet, so it is offered, too.
  @Test
  @Slow("another process, and a peer that is waited for")
  void anEmptyTransferThatHasNeverLeftComesBackAsNotDelivered() {
    try (Child server = server("tcp", anyAddress("tcp"))) {
      open("tcp", BRIEF);
      String address = server.nextLine();
      client.run(() -> map("tcp", address));
      server.kill();
      client.run(
          () -> {
            while (from.channel(0).connection() != null) {
              boolean _ = client.bundle().await(Duration.ofMillis(10));
            }
            Bytes payload = Jbuf.allocate(50_000, "test").asBytes();
            from.bulk(0, NOTE, new long[] {0}, payload, 0, 50_000, () -> freed++);
            from.bulk(0, NOTE, new long[] {1}, payload, 0, 0, () -> freed++);
            while (returned.size() < 2) {
              boolean _ = client.bundle().await(PATIENCE);
            }
            assertEquals(
                List.of(0L, 1L), returned.stream().map(each -> each.words().getFirst()).toList());
            for (Returned each : returned) {
              assertEquals(Reason.NOT_DELIVERED, each.reason());
            }
            assertEquals(2, freed);
          });
    }
  }

  private void checkDeadPeer(String provider) {
    try (Child server = server(provider, anyAddress(provider))) {
      open(provider, BRIEF);
      String address = server.nextLine();
      client.run(
          () -> {
            map(provider, address);
            from.request(0, NOTE, -1);
            assertTrue(from.drain(PATIENCE));
          });
      server.kill();
      client.run(
          () -> {
            int sent = sendUntilLost();
            checkReturned(0, sent);
          });
    }
  }

  @Test
  @Slow("two processes, one after the other")
  void aProcessThatStartsAnewRefusesTheSession() {
    String provider = "tcp";
    String address;
    try (Child first = server(provider, anyAddress(provider))) {
      open(provider, BRIEF.withPatience(PATIENCE));
      address = first.nextLine();
      client.run(
          () -> {
            map(provider, address);
            from.request(0, NOTE, -1);
            assertTrue(from.drain(PATIENCE));
          });
      first.kill();
    }
    try (Child second = server(provider, address)) {
      assertEquals(address, second.nextLine());
      client.run(
          () -> {
            long start = System.nanoTime();
            while (lost.isEmpty() && System.nanoTime() - start < PATIENCE.toNanos()) {
              boolean _ = client.bundle().await(Duration.ofMillis(50));
            }
            assertEquals(List.of("0: the session is not known here, or not any more"), lost);
            assertEquals(List.of(), returned);
            map(provider, address);
            from.request(0, NOTE);
            assertTrue(from.drain(PATIENCE));
          });
    }
  }
}
