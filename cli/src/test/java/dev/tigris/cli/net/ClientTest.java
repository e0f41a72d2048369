package dev.tigris.cli.net;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tigris.cli.net.Server.Buffers;
import dev.tigris.net.Attributes;
import dev.tigris.net.CompletionQueue;
import dev.tigris.net.ConnectionRequest;
import dev.tigris.net.Fabric;
import dev.tigris.net.Listener;
import dev.tigris.net.NetException;
import dev.tigris.net.Ticket;
import dev.tigris.net.VirtualInterface;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class ClientTest {
  private static final Duration PATIENCE = Duration.ofSeconds(20);
  private static final int BYTES = 64;
  private static final int CONNECTIONS = 200;

  @Test
  void waitsLongerForALargeMessageThanForASmallOne() {
    assertEquals(Duration.ofSeconds(10), Duration.ofNanos(Client.patienceNanos(0)));
    Duration forOneGibibyte = Duration.ofNanos(Client.patienceNanos(1L << 30));
    assertTrue(forOneGibibyte.compareTo(Duration.ofMinutes(15)) > 0, forOneGibibyte.toString());
  }

  /// Where the end of the connection arrives together with a message, the next post meets it.
  @Test
  void saysThatTheConnectionIsGoneWheneverItGoes() throws Exception {
    try (Fabric fabric = Fabric.open("tcp");
        Listener listener = fabric.listen("127.0.0.1:0")) {
      Client client = new Client(fabric, listener.address());
      for (int i = 0; i < CONNECTIONS; i++) {
        FutureTask<Void> peer = new FutureTask<>(() -> answerOnce(fabric, listener), null);
        Thread.ofPlatform().start(peer);
        NetException lost = assertThrows(NetException.class, () -> client.pingPong(BYTES, 100));
        assertTrue(lost.what().startsWith("the connection is "), lost.what());
        peer.get();
      }
    }
  }

  /// Sends the first message back, and ends the connection.
  private static void answerOnce(Fabric fabric, Listener listener) {
    try (CompletionQueue queue = fabric.completionQueue();
        ConnectionRequest request = Objects.requireNonNull(listener.next(PATIENCE));
        VirtualInterface client = request.accept(queue, Attributes.DEFAULT);
        Buffers buffers = new Buffers(client, BYTES, 1)) {
      Ticket message = buffers.ticket(0);
      client.postReceive(message).orThrow();
      assertEquals(message, queue.await(PATIENCE));
      client.postSend(message).orThrow();
      assertEquals(message, queue.await(PATIENCE));
    }
  }
}
