package dev.tigris.net.testing;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tigris.memory.Jbuf;
import dev.tigris.memory.PageKind;
import dev.tigris.net.Attributes;
import dev.tigris.net.CompletionQueue;
import dev.tigris.net.Connection;
import dev.tigris.net.ConnectionRequest;
import dev.tigris.net.Descriptor;
import dev.tigris.net.Fabric;
import dev.tigris.net.InterfaceState;
import dev.tigris.net.Listener;
import dev.tigris.net.NetException;
import dev.tigris.net.Status;
import dev.tigris.net.Ticket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;

/// The common part of the contracts: two sides that are connected through the provider under test.
/// [MessageContract], [ArrayContract], [CompletionContract], [MemoryContract],
/// [FileMemoryContract], [ConnectionContract] and [ProcessContract] are the contracts that every
/// provider has to pass.
@Timeout(value = 120, unit = TimeUnit.SECONDS)
public abstract class FabricContract {
  /// The tag of every request to connect.
  protected static final long TAG = 42;
  /// How long a test waits for what must come.
  protected static final Duration PATIENCE = Duration.ofSeconds(60);

  /// For thousands of round trips, each of which waits for a core on a busy machine.
  protected static final int LONG_MINUTES = 10;

  /// The provider under test.
  protected final Subject subject;
  /// The provider, opened for this test.
  protected Fabric fabric;
  /// Listens at an address of its own.
  protected Listener listener;
  /// The side that connects.
  protected Side left;
  /// The side that accepts.
  protected Side right;
  private final List<Side> sides = new ArrayList<>();

  /// A provider under test.
  public interface Subject {
    /// Opens it.
    Fabric open();

    /// An unused address to listen at.
    String anyAddress();

    /// The kind of pages that messages are sent from.
    default PageKind pages() {
      return PageKind.ORDINARY;
    }

    /// A buffer of that kind.
    default Jbuf allocate(long bytes, String owner) {
      return Jbuf.allocate(bytes, owner, pages());
    }

    /// Whether an address begins with the name or the address of a host.
    default boolean hasHosts() {
      return true;
    }

    /// How many idle connections two sides have beside each one.
    default int connectionsBeside() {
      return 0;
    }

    /// How many connections are many: 1,000, unless `-Dtigris.test.connections` says otherwise.
    default int manyConnections() {
      return Integer.getInteger("tigris.test.connections", 1_000);
    }
  }

  /// Runs on this provider.
  protected FabricContract(Subject subject) {
    this.subject = subject;
  }

  @BeforeEach
  void openTheFabric() {
    fabric = subject.open();
    listener = fabric.listen(subject.anyAddress());
    left = side();
    right = side();
  }

  @AfterEach
  void closeTheFabric() {
    for (Future<?> closing : sides.stream().map(Side::startClosing).toList()) {
      get(closing);
    }
    listener.close();
    fabric.close();
  }

  /// Makes another side, which is closed after the test.
  protected Side side() {
    return side(CompletionQueue.DEFAULT_SPIN_NANOS);
  }

  /// Makes a side whose queue polls for this long before it parks its thread.
  protected Side side(long spinNanos) {
    Side side = new Side(fabric, spinNanos, subject.pages());
    sides.add(side);
    return side;
  }

  /// Connects the two sides.
  protected void connect() {
    connect(Attributes.DEFAULT);
  }

  /// Connects the two sides with these attributes.
  protected void connect(Attributes attributes) {
    connect(left, right, attributes, attributes);
  }

  /// Connects two sides that never park: to be woken may allocate, in the JDK's selector for one,
  /// and how often a thread parks depends on what else the machine does.
  protected void connectSpinning() {
    left = side(Long.MAX_VALUE);
    right = side(Long.MAX_VALUE);
    connect();
  }

  /// Lets the first side connect and the second one accept.
  protected void connect(Side from, Side to, Attributes its, Attributes others) {
    for (int i = 0; i <= subject.connectionsBeside(); i++) {
      connectOnce(from, to, its, others);
    }
  }

  /// Connects the two sides without further connections.
  protected void connectAlone() {
    connectOnce(left, right, Attributes.DEFAULT, Attributes.DEFAULT);
  }

  private void connectOnce(Side from, Side to, Attributes its, Attributes others) {
    Future<Connection> asked = ask(from, its);
    ConnectionRequest request = listener.next(PATIENCE);
    assertNotNull(request, "no request came");
    to.link(to.call(() -> request.accept(to.queue(), others)));
    from.link(assertInstanceOf(Connection.Established.class, get(asked)).virtualInterface());
  }

  /// Lets a side ask for a connection.
  protected Future<Connection> ask(Side from, Attributes attributes) {
    return from.start(
        () -> fabric.connect(listener.address(), TAG, from.queue(), attributes, PATIENCE));
  }

  /// Returns the result of a step, or fails if it does not come.
  protected static <T> T get(Future<T> future) {
    return get(future, PATIENCE);
  }

  /// Returns the result of a step in a test that may take [#LONG_MINUTES].
  protected static <T> T getInTheEnd(Future<T> future) {
    return get(future, Duration.ofMinutes(LONG_MINUTES));
  }

  private static <T> T get(Future<T> future, Duration patience) {
    try {
      return future.get(patience.toSeconds(), TimeUnit.SECONDS);
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }

  /// Waits for a latch, or fails.
  protected static void awaitLatch(CountDownLatch latch) {
    try {
      assertTrue(latch.await(20, TimeUnit.SECONDS));
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  /// Checks that a descriptor is the next to complete on a side, and how.
  protected static <D extends Descriptor> D expect(Side side, D expected, Status status) {
    Descriptor next = side.next();
    assertSame(expected, next);
    assertEquals(status, next.status());
    return expected;
  }

  /// Checks what a receive has brought.
  protected static void expectContent(byte[] expected, Ticket received) {
    assertArrayEquals(expected, Side.content(received));
  }

  /// Returns the bytes of a text.
  protected static byte[] text(String text) {
    return text.getBytes(java.nio.charset.StandardCharsets.UTF_8);
  }

  /// Checks that all of these came back because the connection ended.
  protected static void expectFlushed(Side side, Descriptor... posted) {
    for (Descriptor each : posted) {
      assertEquals(Status.FLUSHED, each.status());
    }
    assertEquals(0, side.link().outstanding());
    assertFalse(side.link().state() == InterfaceState.CONNECTED);
  }

  /// Takes completions until the interface of a side has ended, and checks that it is broken.
  protected static void expectBroken(Side side) {
    side.untilEnded();
    assertEquals(InterfaceState.BROKEN, side.link().state());
    NetException failure = side.link().failure();
    assertNotNull(failure);
    assertTrue(failure.getMessage().contains(side.link().peer()), failure.getMessage());
  }

  /// Takes completions until the interface of a side has ended, and checks that it did so in order.
  protected static void expectEnded(Side side) {
    side.untilEnded();
    assertEquals(InterfaceState.ENDED, side.link().state());
    assertNull(side.link().failure());
    assertThrows(IllegalStateException.class, () -> side.send(side.memory(text("too late"))));
  }
}
