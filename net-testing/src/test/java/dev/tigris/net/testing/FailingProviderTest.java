package dev.tigris.net.testing;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tigris.memory.Jbuf;
import dev.tigris.net.ArrayType;
import dev.tigris.net.Attributes;
import dev.tigris.net.CompletionQueue;
import dev.tigris.net.DataType;
import dev.tigris.net.Fabric;
import dev.tigris.net.InterfaceState;
import dev.tigris.net.Ticket;
import dev.tigris.net.VirtualInterface;
import dev.tigris.net.provider.Carrier;
import dev.tigris.net.provider.ConnectResult;
import dev.tigris.net.provider.Link;
import dev.tigris.net.provider.Port;
import dev.tigris.net.provider.Provider;
import dev.tigris.net.provider.ProviderListener;
import dev.tigris.net.provider.Region;
import dev.tigris.net.provider.Transfer;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// A provider that fails where it must not: what the public half keeps in order all the same.
@Timeout(60)
class FailingProviderTest {
  private int ports;
  private int closedPorts;
  private boolean fails = true;
  private boolean failsToRing;
  private int failuresToDeregister;

  /// Connects to nothing, and fails to close.
  private final class Failing implements Provider, Carrier {
    @Override
    public String name() {
      return "failing";
    }

    @Override
    public Kind kind() {
      return Kind.MEMORY;
    }

    @Override
    public Optional<String> obstacleTo(String host) {
      return Optional.empty();
    }

    @Override
    public Carrier open() {
      return this;
    }

    @Override
    public Port port() {
      ports++;
      return new FailingPort();
    }

    @Override
    public ProviderListener listen(String address) {
      throw new UnsupportedOperationException("it listens nowhere");
    }

    @Override
    public ConnectResult connect(
        String address, long tag, Port port, Attributes attributes, long timeoutNanos) {
      return new ConnectResult.Connected(new FailingLink(attributes));
    }

    @Override
    public void close() {}
  }

  private final class FailingPort extends Port {
    @Override
    public void progress() {}

    @Override
    public void close() {
      closedPorts++;
      if (fails) {
        throw new IllegalStateException("the port cannot be closed");
      }
    }
  }

  private final class FailingLink extends Link {
    FailingLink(Attributes attributes) {
      super(attributes, Attributes.LARGEST_MESSAGE_BYTES);
    }

    @Override
    public String peer() {
      return "nobody";
    }

    @Override
    public void ring() {
      if (failsToRing) {
        throw new IllegalStateException("the link cannot be rung");
      }
    }

    @Override
    public void deregister(Region region) {
      if (failuresToDeregister-- > 0) {
        throw new IllegalStateException("the memory cannot be deregistered");
      }
    }

    @Override
    protected void disconnect(boolean inOrder) {
      if (fails) {
        throw new IllegalStateException("the link cannot be closed");
      }
    }

    @Override
    protected void fail(String what, @Nullable Throwable cause) {
      broken(failure(what, cause));
    }
  }

  private final Fabric fabric = Fabric.open(new Failing());

  private VirtualInterface connect(CompletionQueue queue) {
    return fabric.connect("x", 1, queue, Attributes.DEFAULT, Duration.ofSeconds(1)).get();
  }

  @Test
  void closesTheRestWhereAProviderFailsToClose() {
    CompletionQueue queue = fabric.completionQueue();
    VirtualInterface first = connect(queue);
    VirtualInterface second = connect(queue);
    Ticket posted = first.register(Jbuf.allocate(64, "test").asBytes());
    first.postReceive(posted).orThrow();
    var failure = assertThrows(IllegalStateException.class, queue::close);
    assertEquals("the link cannot be closed", failure.getMessage());
    assertEquals(2, failure.getSuppressed().length);
    assertEquals(InterfaceState.CLOSED, first.state());
    assertEquals(InterfaceState.CLOSED, second.state());
    assertEquals(1, closedPorts);
    fabric.close(); // no queue is left
  }

  /// A provider that failed to let go of memory may write to it still.
  @Test
  void keepsMemoryThatAProviderHasNotLetGoOf() {
    CompletionQueue queue = fabric.completionQueue();
    VirtualInterface link = connect(queue);
    Ticket posted = link.register(Jbuf.allocate(64, "test").asBytes());
    link.postReceive(posted).orThrow();
    assertThrows(IllegalStateException.class, link::close);
    assertTrue(posted.isRegistered());
    fails = false;
    queue.close();
  }

  private static boolean holdsMemory(Ticket ticket) {
    try {
      return ticket.view() != null;
    } catch (IllegalStateException noLongerRegistered) {
      return false;
    }
  }

  @Test
  void closesAnInterfaceThatCannotBeRung() {
    fails = false;
    CompletionQueue queue = fabric.completionQueue();
    VirtualInterface link = connect(queue);
    Ticket sent = link.register(Jbuf.allocate(64, "test").asBytes());
    Ticket idle = link.register(Jbuf.allocate(64, "test").asBytes());
    link.postSend(sent).orThrow();
    failsToRing = true;
    var failure = assertThrows(IllegalStateException.class, queue::close);
    assertEquals("the link cannot be rung", failure.getMessage());
    assertEquals(InterfaceState.CLOSED, link.state());
    assertFalse(holdsMemory(idle), "it is held for ever");
    assertFalse(holdsMemory(sent), "it is held for ever");
    fabric.close();
  }

  @Test
  void forgetsTheOtherMemoryWhereSomeCannotBeDeregistered() {
    fails = false;
    CompletionQueue queue = fabric.completionQueue();
    VirtualInterface link = connect(queue);
    List<Ticket> tickets = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      tickets.add(link.register(Jbuf.allocate(64, "test").asBytes()));
    }
    failuresToDeregister = 2;
    var failure = assertThrows(IllegalStateException.class, link::close);
    assertEquals("the memory cannot be deregistered", failure.getMessage());
    assertEquals(1, failure.getSuppressed().length);
    assertEquals(2, tickets.stream().filter(FailingProviderTest::holdsMemory).count());
    queue.close();
    fabric.close();
  }

  @Test
  void closesThePortThatAQueueDoesNotTake() throws Exception {
    fails = false;
    try (Fabric tcp = Fabric.open("tcp");
        CompletionQueue queue = tcp.completionQueue()) {
      CountDownLatch signal = new CountDownLatch(1);
      queue.signalOnce(signal::countDown);
      assertThrows(IllegalStateException.class, () -> fabric.attach(queue));
      assertEquals(closedPorts, ports);
      queue.wake();
      signal.await();
    }
    fabric.close();
  }

  @Test
  void aWakeBeforeAnotherFabricIsAttachedEndsTheNextWait() {
    fails = false;
    try (Fabric tcp = Fabric.open("tcp");
        CompletionQueue queue = tcp.completionQueue()) {
      queue.wake();
      fabric.attach(queue);
      long start = System.nanoTime();
      assertNull(queue.await(Duration.ofSeconds(50)));
      assertTrue(System.nanoTime() - start < 40_000_000_000L);
    }
    fabric.close();
  }

  @Test
  void refusesArraysWhereTheProviderTakesNone() {
    fails = false;
    try (CompletionQueue queue = fabric.completionQueue()) {
      assertThrows(
          UnsupportedOperationException.class,
          () -> connect(queue).register(ArrayType.BYTES, new byte[8]));
      Link link = new FailingLink(Attributes.DEFAULT);
      Transfer array =
          new Transfer(new Region(MemorySegment.ofArray(new byte[8]), DataType.BYTES)) {
            @Override
            protected void completed() {}
          };
      array.startReceiving();
      assertThrows(IllegalArgumentException.class, () -> link.postReceive(array));
      assertThrows(IllegalArgumentException.class, () -> link.postSend(array));
    }
    try (Arena arena = Arena.ofConfined()) {
      var segment = arena.allocate(8);
      assertThrows(IllegalArgumentException.class, () -> new Region(segment, DataType.BYTES));
    }
    fabric.close();
  }
}
