package dev.tigris.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tigris.memory.Bytes;
import dev.tigris.memory.Jbuf;
import dev.tigris.net.Attributes;
import dev.tigris.net.CompletionQueue;
import dev.tigris.net.ConnectionRequest;
import dev.tigris.net.Fabric;
import dev.tigris.net.Listener;
import dev.tigris.net.Posting;
import dev.tigris.net.Ticket;
import dev.tigris.net.VirtualInterface;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

class TicketsTest {
  private static final Duration PATIENCE = Duration.ofSeconds(20);

  @Test
  void keepsFewBuffersRegisteredAndNoneOfThoseThatArePostedIsGivenUp() throws Exception {
    try (Fabric fabric = Fabric.open("tcp");
        Listener listener = fabric.listen("127.0.0.1:0");
        CompletionQueue queue = fabric.completionQueue()) {
      Thread accepts = Thread.ofPlatform().start(() -> accept(fabric, listener));
      VirtualInterface made =
          fabric.connect(listener.address(), 1, queue, Attributes.DEFAULT, PATIENCE).get();
      Tickets tickets = new Tickets(made, 3);
      List<Bytes> buffers = new ArrayList<>();
      for (int i = 0; i < 5; i++) {
        buffers.add(Jbuf.allocate(64, "tickets").asBytes());
      }
      Ticket first = tickets.of(buffers.get(0));
      assertSame(first, tickets.of(buffers.get(0)), "it is registered once");
      assertEquals(Posting.POSTED, made.postReceive(first));
      Ticket second = tickets.of(buffers.get(1));
      for (int i = 2; i < 5; i++) {
        Ticket _ = tickets.of(buffers.get(i));
      }
      assertEquals(3, tickets.count());
      assertTrue(first.isRegistered(), "it is posted");
      assertFalse(second.isRegistered(), "it was the oldest of the others");
      assertNotSame(second, tickets.of(buffers.get(1)));
      made.close();
      accepts.join();
    }
  }

  private static void accept(Fabric fabric, Listener listener) {
    try (CompletionQueue queue = fabric.completionQueue();
        ConnectionRequest request = Objects.requireNonNull(listener.next(PATIENCE))) {
      VirtualInterface _ = request.accept(queue, Attributes.DEFAULT);
    }
  }
}
