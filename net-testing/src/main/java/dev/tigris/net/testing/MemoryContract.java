package dev.tigris.net.testing;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tigris.memory.Bytes;
import dev.tigris.memory.FreedException;
import dev.tigris.memory.Jbuf;
import dev.tigris.memory.ReferencedException;
import dev.tigris.memory.State;
import dev.tigris.memory.TypedException;
import dev.tigris.net.Counters;
import dev.tigris.net.Descriptor;
import dev.tigris.net.InterfaceState;
import dev.tigris.net.Posting;
import dev.tigris.net.Status;
import dev.tigris.net.Ticket;
import dev.tigris.net.VirtualInterface;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// The contract for registered memory.
public abstract class MemoryContract extends FabricContract {
  /// Runs on this provider.
  protected MemoryContract(Subject subject) {
    super(subject);
  }

  /// Collects until `latch` opens. A collection is what the test is about, not a way to wait.
  private static void collectUntilOpen(CountDownLatch latch) throws InterruptedException {
    for (int round = 0; round < 100; round++) {
      System.gc();
      if (latch.await(50, TimeUnit.MILLISECONDS)) {
        return;
      }
    }
    throw new AssertionError("the collector never verified the claim");
  }

  @Test
  void countsRegistrationsAndHoldsTheMemoryUntilTheLastIsGone() throws Exception {
    connect();
    Jbuf jbuf = subject.allocate(1000, "test");
    Ticket first = left.call(() -> left.link().register(jbuf.asBytes()));
    Ticket second = left.call(() -> left.link().register(jbuf.asBytes()));
    Counters both = left.call(left.link()::counters);
    assertEquals(1, both.registeredBuffers());
    assertEquals(1000, both.registeredBytes());

    CountDownLatch verified = new CountDownLatch(1);
    jbuf.unreference(ignored -> verified.countDown());
    left.run(() -> left.link().deregister(first));
    assertEquals(1, left.call(left.link()::counters).registeredBuffers());
    System.gc();
    assertEquals(State.TO_BE_UNREFERENCED, jbuf.state());
    assertThrows(ReferencedException.class, jbuf::free);
    left.run(() -> left.link().deregister(second));
    assertEquals(0, left.call(left.link()::counters).registeredBytes());
    collectUntilOpen(verified);
    jbuf.free();
    assertThrows(FreedException.class, jbuf::asBytes);
  }

  /// The memory of a link that was closed is the application's again, whatever was under way: here
  /// it has changed every byte of it before the peer has stopped sending.
  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4, 5, 6, 7, 8})
  void leavesMemoryAloneOnceItIsClosed(int seed) {
    SplittableRandom random = new SplittableRandom(seed);
    int bytes = 1 << random.nextInt(8, 21);
    connect();
    byte[] sent = new byte[bytes];
    Arrays.fill(sent, (byte) 1);
    Ticket message = left.memory(sent);
    Future<?> sending =
        left.start(
            () -> {
              while (left.link().state() == InterfaceState.CONNECTED) {
                if (message.status() != Status.POSTED
                    && left.link().postSend(message) != Posting.POSTED) {
                  break;
                }
                if (left.queue().await(Side.SHORT_NANOS) == null) {
                  Thread.onSpinWait();
                }
              }
              return "ended";
            });
    List<Ticket> posted = new ArrayList<>();
    for (int i = 0; i < 8; i++) {
      posted.add(right.memory(bytes));
    }
    int messages = random.nextInt(40);
    boolean abruptly = random.nextBoolean();
    right.run(
        () -> {
          for (Ticket each : posted) {
            right.link().postReceive(each).orThrow();
          }
          for (int i = 0; i < messages; i++) {
            Descriptor next = right.queue().await(Side.LONG_NANOS);
            assertEquals(Status.DONE, next.status());
            right.link().postReceive(next).orThrow();
          }
          List<Bytes> memory = posted.stream().map(Side::bytes).toList();
          if (abruptly) {
            right.link().abort();
          } else {
            right.link().close();
          }
          memory.forEach(each -> each.segment().fill((byte) 2));
          while (right.queue().poll() != null) {
            // what is flushed, and what the provider does after a close
          }
          get(sending);
          assertNull(right.queue().await(Side.SHORT_NANOS));
          for (Bytes each : memory) {
            assertEquals(-1, each.segment().mismatch(filledWith(2, bytes)), "seed " + seed);
          }
        });
  }

  private static MemorySegment filledWith(int value, int bytes) {
    byte[] content = new byte[bytes];
    Arrays.fill(content, (byte) value);
    return MemorySegment.ofArray(content);
  }

  @Test
  void refusesToFreeOrRetypeMemoryThatIsPosted() {
    connect();
    Jbuf jbuf = subject.allocate(1000, "test");
    Ticket memory = right.receive(right.call(() -> right.link().register(jbuf.asBytes())));
    assertThrows(ReferencedException.class, jbuf::free);
    assertThrows(TypedException.class, jbuf::asInts);
    assertThrows(
        IllegalStateException.class, () -> right.run(() -> right.link().deregister(memory)));
    jbuf.unreference(ignored -> {});
    System.gc();
    assertEquals(State.TO_BE_UNREFERENCED, jbuf.state());
    left.send(left.memory(text("it is there still")));
    expect(right, memory, Status.DONE);
    expectContent(text("it is there still"), memory);
  }

  @Test
  void refusesMemoryThatIsToBeUnreferenced() {
    connect();
    Jbuf jbuf = subject.allocate(1000, "test");
    Bytes bytes = jbuf.asBytes();
    Ticket ticket = left.call(() -> left.link().register(bytes));
    Ticket other = left.memory(10);
    Descriptor both = Descriptor.of(other, ticket);
    jbuf.unreference(ignored -> {});
    assertThrows(ReferencedException.class, () -> left.send(ticket));
    assertThrows(ReferencedException.class, () -> left.receive(both));
    assertThrows(ReferencedException.class, () -> left.call(() -> left.link().register(bytes)));
    assertEquals(Status.IDLE, ticket.status());
    left.run(() -> left.link().deregister(other)); // a refused descriptor holds none of its parts
  }

  @Test
  void registersMemoryWithSeveralInterfaces() {
    connect();
    VirtualInterface first = left.link();
    connect();
    Jbuf jbuf = subject.allocate(10, "test");
    Ticket one = left.call(() -> first.register(jbuf.asBytes()));
    Ticket other = left.call(() -> left.link().register(jbuf.asBytes()));
    assertThrows(IllegalArgumentException.class, () -> left.send(one));
    assertThrows(IllegalArgumentException.class, () -> Descriptor.of(one, other));
    Ticket memory = right.receive(right.memory(10));
    left.send(other);
    expect(right, memory, Status.DONE);
    left.run(() -> first.deregister(one));
    assertEquals(1, left.call(left.link()::counters).registeredBuffers());
    assertEquals(0, left.call(first::counters).registeredBuffers());
  }

  @Test
  void refusesToTouchWhatIsPosted() {
    connect();
    Ticket memory = right.memory(10);
    Ticket part = right.memory(10);
    Descriptor both = Descriptor.of(part);
    right.receive(memory);
    right.receive(both);
    assertThrows(IllegalStateException.class, () -> right.receive(memory));
    assertThrows(IllegalStateException.class, () -> right.send(memory));
    assertThrows(IllegalStateException.class, () -> right.range(memory, 0, 1));
    assertThrows(IllegalStateException.class, () -> right.tag(memory, 1));
    assertThrows(IllegalStateException.class, () -> right.run(() -> right.link().deregister(part)));
  }

  @Test
  void refusesChangesByOtherThreads() {
    connect();
    Ticket ticket = left.memory(100);
    assertThrows(WrongThreadException.class, () -> ticket.range(0, 1));
    assertThrows(WrongThreadException.class, () -> ticket.tag(1));
    assertEquals(100, ticket.length());
    assertEquals(0, ticket.tag());
  }

  @Test
  void refusesRangesOutsideTheMemory() {
    connect();
    Ticket ticket = left.memory(100);
    assertThrows(IndexOutOfBoundsException.class, () -> left.range(ticket, -1, 1));
    assertThrows(IndexOutOfBoundsException.class, () -> left.range(ticket, 0, 101));
    assertThrows(IndexOutOfBoundsException.class, () -> left.range(ticket, 100, 1));
    assertThrows(IndexOutOfBoundsException.class, () -> left.range(ticket, 1, Long.MAX_VALUE));
    assertThrows(IllegalArgumentException.class, () -> Descriptor.of());
    assertEquals(100, ticket.length());
  }

  @Test
  void refusesATicketThatWasGivenBack() {
    connect();
    Ticket ticket = left.memory(100);
    left.run(() -> left.link().deregister(ticket));
    assertFalse(ticket.isRegistered());
    assertThrows(IllegalStateException.class, () -> left.send(ticket));
    assertThrows(IllegalStateException.class, () -> left.run(() -> left.link().deregister(ticket)));
  }

  @Test
  void saysThatTheInterfaceOfATicketWasClosed() {
    connect();
    Ticket ticket = left.receive(left.memory(100));
    left.run(left.link()::close);
    expect(left, ticket, Status.FLUSHED);
    IllegalStateException e =
        assertThrows(IllegalStateException.class, () -> left.range(ticket, 0, 1));
    assertTrue(e.getMessage().contains("its interface was closed"), e.getMessage());
  }

  @Test
  void givesBackMemoryThatIsStillRegisteredWhenItCloses() {
    connect();
    Ticket memory = left.receive(left.memory(1_000));
    Ticket forgotten = left.memory(100);
    assertEquals(List.of(), warningsOfClosing(left));
    expect(left, memory, Status.FLUSHED);
    left.run(() -> left.link().deregister(memory));
    left.run(() -> left.link().deregister(forgotten));
    assertEquals(0, left.call(left.link()::counters).registeredBytes());
  }

  @Test
  void reportsNothingWhenItClosesAfterTheConnectionHasEnded() {
    connect();
    Ticket memory = left.receive(left.memory(1_000));
    Ticket _ = left.memory(100);
    right.run(right.link()::close);
    expectEnded(left);
    expectFlushed(left, memory);
    assertEquals(List.of(), warningsOfClosing(left));
    assertEquals(0, left.call(left.link()::counters).registeredBytes());
  }

  private static List<String> warningsOfClosing(Side side) {
    List<String> warnings = new ArrayList<>();
    Handler handler =
        new Handler() {
          @Override
          public void publish(LogRecord record) {
            warnings.add(new java.util.logging.SimpleFormatter().formatMessage(record));
          }

          @Override
          public void flush() {}

          @Override
          public void close() {}
        };
    Logger log = Logger.getLogger(VirtualInterface.class.getName());
    log.addHandler(handler);
    log.setUseParentHandlers(false);
    try {
      side.run(side.link()::close);
    } finally {
      log.removeHandler(handler);
      log.setUseParentHandlers(true);
    }
    return warnings;
  }

  @Test
  void givesAllMemoryBackWhenItsPeerIsGone() throws Exception {
    connect();
    List<CountDownLatch> claims = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      Jbuf jbuf = subject.allocate(1 << 20, "balance");
      Ticket ticket = left.call(() -> left.link().register(jbuf.asBytes()));
      left.receive(ticket);
      CountDownLatch freed = new CountDownLatch(1);
      jbuf.unreference(
          verified -> {
            verified.free();
            freed.countDown();
          });
      claims.add(freed);
    }
    right.run(right.link()::abort);
    expectBroken(left);
    left.run(left.link()::close);
    for (CountDownLatch claim : claims) {
      collectUntilOpen(claim);
    }
    assertEquals(0, Jbuf.use().bytesByOwner().getOrDefault("balance", 0L));
  }
}
