package dev.tigris.net.testing;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tigris.net.Attributes;
import dev.tigris.net.Connection;
import dev.tigris.net.ConnectionRequest;
import dev.tigris.net.Fabric;
import dev.tigris.net.Listener;
import dev.tigris.net.Status;
import dev.tigris.net.Ticket;
import java.time.Duration;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;

/// The contract for queues that serve another fabric, too, and for queues that change their thread.
public abstract class SharedQueueContract extends FabricContract {
  /// Runs on this provider.
  protected SharedQueueContract(Subject subject) {
    super(subject);
  }

  /// Another thread sends and receives what this one would: all that the provider has must work in
  /// it. A provider whose queues stay with their threads says so.
  @Test
  void anotherThreadMovesMessagesOfAQueueThatWasReleased() {
    connect();
    Ticket out = left.memory(text("there"));
    Ticket in = left.memory(10);
    try {
      left.run(() -> left.queue().release());
    } catch (UnsupportedOperationException itStays) {
      left.run(() -> assertNull(left.queue().poll()));
      return;
    }
    Ticket received = right.receive(right.memory(10));
    Ticket answer = right.memory(text("back"));
    assertTrue(left.queue().claim());
    left.link().postReceive(in).orThrow();
    left.link().postSend(out).orThrow();
    assertSame(out, left.queue().await(PATIENCE));
    assertSame(received, right.next());
    right.send(answer);
    assertSame(in, left.queue().await(PATIENCE));
    assertEquals(4, in.transferredBytes());
    left.queue().release();
    left.run(() -> assertTrue(left.queue().claim()));
    assertSame(answer, right.next());
    left.send(left.memory(text("again")));
    assertEquals(Status.DONE, left.next().status());
  }

  /// The queue of this provider waits for the messages of `tcp`, too.
  @Test
  void oneWaitIsForMessagesOfAnotherFabric() {
    try (Fabric tcp = Fabric.open("tcp");
        Listener other = tcp.listen("127.0.0.1:0")) {
      Side both = new Side(fabric, 0);
      both.run(() -> tcp.attach(both.queue()));
      connect(left, both, Attributes.DEFAULT, Attributes.DEFAULT);
      Ticket ofThis = both.receive(both.memory(10));
      Side third = new Side(tcp);
      try {
        Future<Connection> asked =
            third.start(
                () ->
                    tcp.connect(other.address(), TAG, third.queue(), Attributes.DEFAULT, PATIENCE));
        ConnectionRequest request = other.next(PATIENCE);
        assertNotNull(request);
        both.link(both.call(() -> request.accept(both.queue(), Attributes.DEFAULT)));
        third.link(assertInstanceOf(Connection.Established.class, get(asked)).virtualInterface());
        Ticket ofTcp = both.receive(both.memory(10));
        third.send(third.memory(text("tcp")));
        assertSame(ofTcp, both.next());
        left.send(left.memory(text("this")));
        assertSame(ofThis, both.next());
        both.queue().wake();
        both.run(() -> assertNull(both.queue().await(PATIENCE)));
        both.run(() -> assertNull(both.queue().await(Duration.ofMillis(20))));
        both.run(() -> both.link().close());
      } finally {
        get(third.startClosing());
        get(both.startClosing());
      }
    }
  }
}
