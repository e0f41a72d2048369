// Over 400 lines: what every provider promises about connections has one place.
package dev.tigris.net.testing;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tigris.net.Attributes;
import dev.tigris.net.CompletionQueue;
import dev.tigris.net.Connection;
import dev.tigris.net.Connection.Reason;
import dev.tigris.net.ConnectionRequest;
import dev.tigris.net.Descriptor;
import dev.tigris.net.InterfaceState;
import dev.tigris.net.Listener;
import dev.tigris.net.NetException;
import dev.tigris.net.Posting;
import dev.tigris.net.Status;
import dev.tigris.net.Ticket;
import dev.tigris.net.VirtualInterface;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.function.Executable;

/// How every provider connects, and how connections end.
public abstract class ConnectionContract extends FabricContract {
  /// So many that what each of them leaves shows.
  private static final int MANY = Math.min(300, Integer.getInteger("tigris.test.connections", 300));

  /// What memory may take otherwise meanwhile; buffers of each connection would come to more.
  private static final long MOST_GROWN_BYTES = 150 << 20;

  /// Runs on this provider.
  protected ConnectionContract(Subject subject) {
    super(subject);
  }

  protected static Connection.Refused refused(Future<Connection> asked, Reason reason) {
    Connection.Refused refusal = assertInstanceOf(Connection.Refused.class, get(asked));
    assertEquals(reason, refusal.reason());
    NetException thrown = assertThrows(NetException.class, refusal::get);
    assertEquals(refusal.address(), thrown.peer());
    assertTrue(thrown.getMessage().contains(refusal.detail()));
    assertTrue(thrown.getMessage().contains("; check "), "does not tell the next step: " + thrown);
    assertFalse(
        refusal.detail().contains(refusal.address()), "the address is there twice: " + thrown);
    return refusal;
  }

  @Test
  void tellsTheListenerTheTag() {
    Future<Connection> asked =
        left.start(
            () ->
                fabric.connect(
                    listener.address(),
                    Long.MIN_VALUE,
                    left.queue(),
                    Attributes.DEFAULT,
                    PATIENCE));
    ConnectionRequest request = listener.next(PATIENCE);
    assertEquals(Long.MIN_VALUE, request.tag());
    assertTrue(!request.peer().isEmpty());
    request.reject();
    refused(asked, Reason.REJECTED);
    assertThrows(IllegalStateException.class, request::reject);
    assertThrows(
        IllegalStateException.class,
        () -> right.call(() -> request.accept(right.queue(), Attributes.DEFAULT)));
  }

  @Test
  void connectsAgainAfterARefusal() {
    Future<Connection> asked = ask(left, Attributes.DEFAULT);
    listener.next(PATIENCE).reject();
    refused(asked, Reason.REJECTED);
    connect();
    expect(right, exchange(), Status.DONE);
  }

  private Ticket exchange() {
    Ticket memory = right.receive(right.memory(10));
    expect(left, left.send(left.memory(text("hello"))), Status.DONE);
    return memory;
  }

  /// Has no case where the addresses of a provider have no hosts.
  @TestFactory
  Stream<DynamicTest> namesAHostWithoutAnAddress() {
    String address = "nowhere.invalid:7000";
    return Stream.of(
            namesTheHost("to listen at", () -> fabric.listen(address)),
            namesTheHost("to connect to", () -> left.call(() -> connectTo(address))))
        .filter(_ -> subject.hasHosts());
  }

  private static DynamicTest namesTheHost(String purpose, Executable attempt) {
    return DynamicTest.dynamicTest(
        purpose,
        () -> {
          String said = assertThrows(NetException.class, attempt).getMessage();
          assertTrue(said.contains("nowhere.invalid"), said);
          assertTrue(said.contains("no address"), said);
        });
  }

  private Connection connectTo(String address) {
    return fabric.connect(address, TAG, left.queue(), Attributes.DEFAULT, PATIENCE);
  }

  @Test
  void findsOutThatNobodyListens() {
    Listener gone = fabric.listen(subject.anyAddress());
    String address = gone.address();
    gone.close();
    Future<Connection> asked =
        left.start(() -> fabric.connect(address, TAG, left.queue(), Attributes.DEFAULT, PATIENCE));
    Connection.Refused refusal = refused(asked, Reason.NOBODY_LISTENS);
    assertEquals(address, refusal.address());
  }

  /// Asks for a connection, as long as that.
  private Connection ask(Duration patience) {
    return fabric.connect(listener.address(), TAG, left.queue(), Attributes.DEFAULT, patience);
  }

  @Test
  void givesUpWhenItsThreadIsInterrupted() {
    NetException refusal =
        left.call(
            () -> {
              Thread.currentThread().interrupt();
              NetException thrown =
                  assertThrows(NetException.class, () -> ask(Duration.ofHours(1)));
              assertTrue(Thread.interrupted());
              return thrown;
            });
    assertTrue(refusal.getMessage().contains("the thread was interrupted"), refusal.getMessage());
    for (ConnectionRequest late = listener.next(Duration.ofMillis(100));
        late != null;
        late = listener.next(Duration.ofMillis(100))) {
      late.reject();
    }
    connect();
    expect(right, exchange(), Status.DONE);
  }

  @Test
  void givesUpWhenNobodyAnswers() {
    Future<Connection> asked = left.start(() -> ask(Duration.ofMillis(30)));
    refused(asked, Reason.TIMED_OUT);
    // Who accepts it all the same gets an interface that is broken, or breaks soon.
    ConnectionRequest late = listener.next(Duration.ofMillis(100));
    if (late != null) {
      right.link(right.call(() -> late.accept(right.queue(), Attributes.DEFAULT)));
      expectBroken(right);
    }
  }

  @Test
  void answersARequestAfterTheListenerHasClosed() {
    Listener closing = fabric.listen(subject.anyAddress());
    Future<Connection> asked =
        left.start(
            () ->
                fabric.connect(closing.address(), TAG, left.queue(), Attributes.DEFAULT, PATIENCE));
    ConnectionRequest request = listenUntilAsked(closing);
    closing.close();
    request.reject();
    refused(asked, Reason.REJECTED);
  }

  @Test
  void refusesToListenAfterItWasClosed() {
    Listener closing = fabric.listen(subject.anyAddress());
    closing.close();
    closing.close();
    assertThrows(IllegalStateException.class, () -> closing.next(PATIENCE));
    closing.wake();
  }

  /// What comes to the next listener, which may have the same place, is not for the one that was
  /// closed.
  @Test
  void isClosedByOneThreadWhileAnotherOneListens() {
    Listener closing = fabric.listen(subject.anyAddress());
    Future<ConnectionRequest> listening = left.start(() -> listenOnceItCan(closing));
    boolean isAlone = true;
    while (isAlone) {
      try {
        assertNull(closing.next(Duration.ZERO));
      } catch (IllegalStateException another) {
        isAlone = false;
      }
    }
    closing.close();
    assertNull(get(listening));
    assertThrows(IllegalStateException.class, () -> closing.next(PATIENCE));
    connect();
  }

  private static ConnectionRequest listenOnceItCan(Listener listener) {
    while (true) {
      try {
        return listener.next(Duration.ofDays(1));
      } catch (IllegalStateException e) {
        if (!e.getMessage().contains("another thread")) {
          throw e;
        } // which only looks
      }
    }
  }

  @Test
  void refusesWhoWaitsForAnAnswerWhenTheListenerCloses() {
    Listener closing = fabric.listen(subject.anyAddress());
    Future<Connection> first =
        left.start(
            () ->
                fabric.connect(closing.address(), TAG, left.queue(), Attributes.DEFAULT, PATIENCE));
    Future<Connection> second =
        right.start(
            () ->
                fabric.connect(
                    closing.address(), TAG, right.queue(), Attributes.DEFAULT, PATIENCE));
    listenUntilAsked(closing).reject(); // the other one waits still, or comes too late
    closing.close();
    Set<Reason> reasons = EnumSet.noneOf(Reason.class);
    for (Future<Connection> asked : List.of(first, second)) {
      reasons.add(assertInstanceOf(Connection.Refused.class, get(asked)).reason());
    }
    assertEquals(EnumSet.of(Reason.REJECTED, Reason.NOBODY_LISTENS), reasons);
  }

  private static ConnectionRequest listenUntilAsked(Listener listener) {
    ConnectionRequest request = listener.next(PATIENCE);
    assertTrue(request != null, "nobody asked");
    return request;
  }

  @Test
  void findsARequestThatIsThereWithoutAWait() {
    Future<Connection> asked = ask(left, Attributes.DEFAULT);
    ConnectionRequest request = listener.next(Duration.ZERO);
    while (request == null) { // it is on its way
      Thread.onSpinWait();
      request = listener.next(Duration.ZERO);
    }
    request.reject();
    refused(asked, Reason.REJECTED);
  }

  @Test
  @SuppressWarnings("NullAway") // that is what it is about
  void keepsARequestThatIsAcceptedWithoutAttributes() {
    Future<Connection> asked = ask(left, Attributes.DEFAULT);
    ConnectionRequest request = listenUntilAsked(listener);
    assertThrows(
        NullPointerException.class, () -> right.call(() -> request.accept(right.queue(), null)));
    request.close();
    refused(asked, Reason.REJECTED);
  }

  @Test
  void keepsARequestThatAClosedQueueCannotAccept() {
    Future<Connection> asked = ask(left, Attributes.DEFAULT);
    ConnectionRequest request = listenUntilAsked(listener);
    right.run(right.queue()::close);
    assertThrows(
        IllegalStateException.class,
        () -> right.call(() -> request.accept(right.queue(), Attributes.DEFAULT)));
    request.reject();
    refused(asked, Reason.REJECTED);
  }

  @Test
  void rejectsWhatIsClosedWithoutAnAnswer() {
    Future<Connection> asked = ask(left, Attributes.DEFAULT);
    ConnectionRequest request = listenUntilAsked(listener);
    request.close();
    refused(asked, Reason.REJECTED);
    request.close();
    assertThrows(IllegalStateException.class, request::reject);

    Future<Connection> next = ask(left, Attributes.DEFAULT);
    try (ConnectionRequest accepted = listenUntilAsked(listener)) {
      right.link(right.call(() -> accepted.accept(right.queue(), Attributes.DEFAULT)));
    }
    left.link(assertInstanceOf(Connection.Established.class, get(next)).virtualInterface());
    expect(right, exchange(), Status.DONE);
  }

  @Test
  @EnabledOnOs(OS.LINUX)
  void leavesNothingOpenWhenItCannotListen() throws IOException {
    int before = OpenFiles.now().count();
    for (int i = 0; i < 50; i++) {
      assertThrows(NetException.class, () -> fabric.listen(listener.address()));
    }
    assertTrue(
        OpenFiles.now().count() < before + 25,
        before + " files were open, now " + OpenFiles.now().count());
  }

  /// Nobody looks at the queue, as where a loop tries again until somebody listens.
  @Test
  @Tag("every") // each tier has its own number of connections
  @EnabledOnOs(OS.LINUX)
  void leavesNothingOfAttemptsInVain() throws Exception {
    Listener gone = fabric.listen(subject.anyAddress());
    String address = gone.address();
    gone.close();
    attemptInVain(address);
    OpenFiles files = OpenFiles.now();
    ProcessMemory memory = ProcessMemory.now();
    for (int i = 0; i < MANY; i++) {
      attemptInVain(address);
    }
    memory.assertGrownByLessThan(MOST_GROWN_BYTES);
    files.assertNoMore();
  }

  private void attemptInVain(String address) {
    assertInstanceOf(
        Connection.Refused.class,
        left.call(() -> fabric.connect(address, TAG, left.queue(), Attributes.DEFAULT, PATIENCE)));
  }

  @Test
  @Tag("every") // each tier has its own number of connections
  @EnabledOnOs(OS.LINUX)
  void leavesNothingOfConnectionsThatWereAborted() throws Exception {
    connectAndAbort();
    OpenFiles files = OpenFiles.now();
    ProcessMemory memory = ProcessMemory.now();
    for (int i = 0; i < MANY; i++) {
      connectAndAbort();
    }
    memory.assertGrownByLessThan(MOST_GROWN_BYTES);
    for (int i = 0; i < MANY && !files.opened().isEmpty(); i++) {
      assertNull(left.call(() -> left.queue().await(Side.SHORT_NANOS)));
      assertNull(right.call(() -> right.queue().await(Side.SHORT_NANOS)));
    }
    files.assertNoMore();
  }

  private void connectAndAbort() {
    connectAlone();
    left.run(left.link()::abort);
    right.run(right.link()::close);
    assertNull(left.call(left.queue()::poll));
    assertNull(right.call(right.queue()::poll));
  }

  @Test
  void listensNoLongerThanItWasTold() {
    assertNull(listener.next(Duration.ofMillis(1)));
    listener.wake();
    assertNull(listener.next(PATIENCE));
  }

  @Test
  void endsTheNextWaitIfARequestHasEndedTheOneBefore() {
    Future<Connection> asked = ask(left, Attributes.DEFAULT);
    ConnectionRequest request = null;
    while (request == null) { // it is on its way
      listener.wake();
      request = listener.next(PATIENCE);
    }
    long start = System.nanoTime();
    assertNull(listener.next(PATIENCE));
    assertTrue(
        System.nanoTime() - start < PATIENCE.toNanos() / 2,
        "the listener waited although it was ended");
    request.reject();
    refused(asked, Reason.REJECTED);
  }

  @Test
  void leavesTheProcessorToOthersWhileItListens() {
    connect();
    ThreadMXBean threads = ManagementFactory.getThreadMXBean();
    long before = threads.getCurrentThreadCpuTime();
    assertNull(listener.next(Duration.ofMillis(300)));
    long busyNanos = threads.getCurrentThreadCpuTime() - before;
    assertTrue(busyNanos < 100_000_000, busyNanos + " ns");
  }

  @Test
  void refusesAnAddressThatIsInUse() {
    NetException refusal =
        assertThrows(NetException.class, () -> fabric.listen(listener.address()));
    assertTrue(refusal.getMessage().contains(listener.address()), refusal.getMessage());
    assertTrue(refusal.getMessage().contains("for any"), "does not tell the next step: " + refusal);
  }

  @Test
  @Tag("every") // each tier has its own number of connections
  void connectsManyTimesAndKeepsThemApart() {
    List<VirtualInterface> all = new ArrayList<>();
    for (int i = 0; i < subject.manyConnections(); i++) {
      connect(Attributes.DEFAULT.withDepths(1, 1));
      all.add(left.link());
      all.add(right.link());
    }
    expect(right, exchange(), Status.DONE);
    right.run(right.link()::close);
    expectEnded(left);
    assertEquals(InterfaceState.CONNECTED, all.getFirst().state());
    left.run(left.link()::close);
  }

  @Test
  void tellsAnOrderlyCloseAfterAllThatWasSentBefore() {
    connect();
    List<Ticket> memory = new ArrayList<>();
    for (int i = 0; i < 10; i++) {
      expect(left, left.send(left.tag(left.memory(new byte[i * 3_000]), i)), Status.DONE);
    }
    left.run(left.link()::close);
    assertEquals(InterfaceState.CLOSED, left.link().state());
    for (int i = 0; i < 12; i++) {
      memory.add(right.receive(right.memory(30_000)));
    }
    for (int i = 0; i < 10; i++) {
      expect(right, memory.get(i), Status.DONE);
      assertEquals(i, memory.get(i).tag());
    }
    expect(right, memory.get(10), Status.FLUSHED);
    expect(right, memory.get(11), Status.FLUSHED);
    expectEnded(right);
  }

  /// That they are gone may be known before all that they have sent was looked at.
  @Test
  void takesAllThatManyHaveSentBeforeTheyClosed() {
    int count = 40;
    int messages = 16;
    List<VirtualInterface> links = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      connect();
      links.add(right.link());
      Ticket message = left.memory(10);
      for (int j = 0; j < messages; j++) {
        expect(left, left.send(left.tag(message, j)), Status.DONE);
        right.receive(right.memory(10));
      }
      left.run(() -> left.link().deregister(message));
    }
    get(left.start(Executors.callable(left.queue()::close))); // which nobody answers
    for (int i = 0; i < 4; i++) {
      CountDownLatch signalled = new CountDownLatch(1);
      right.run(() -> right.queue().signalOnce(signalled::countDown));
      awaitLatch(signalled);
    }
    int[] received = new int[count];
    for (Descriptor next : right.next(count * messages)) {
      int from = links.indexOf(next.virtualInterface());
      assertEquals(Status.DONE, next.status(), "message " + received[from] + " from " + from);
      assertEquals(received[from]++, next.tag());
    }
  }

  @Test
  void keepsMessagesThatWaitWhenThePeerHasClosed() {
    connect();
    for (int i = 0; i < 8; i++) {
      expect(left, left.send(left.tag(left.memory(new byte[100]), i)), Status.DONE);
      right.expectNothing();
    }
    left.run(left.link()::close);
    right.expectNothing();
    assertEquals(InterfaceState.CONNECTED, right.link().state());
    for (int i = 0; i < 8; i++) {
      Ticket memory = right.receive(right.memory(100));
      expect(right, memory, Status.DONE);
      assertEquals(i, memory.tag());
    }
    expectEnded(right);
  }

  @Test
  void countsWhatItHoldsUntilTheEnd() {
    connect();
    expect(right, exchange(), Status.DONE);
    left.run(left.link()::close);
    right.run(
        () -> {
          while (right.link().state() == InterfaceState.CONNECTED) {
            right.link().checkInvariants();
            assertNull(right.queue().poll());
          }
        });
    expectEnded(right);
  }

  /// Whoever answers before it has room for what comes next must not wait for ever.
  @Test
  void breaksWhenAnAnswerFindsNobodyWhileMessagesWait() {
    Side asking = side();
    connect(asking, right, Attributes.DEFAULT, Attributes.DEFAULT);
    expect(asking, asking.send(asking.memory(text("request"))), Status.DONE);
    right.expectNothing();
    get(asking.start(Executors.callable(asking.queue()::close)));
    Ticket answer = right.memory(text("answer"));
    right.run(
        () -> {
          long start = System.nanoTime();
          while (right.link().state() == InterfaceState.CONNECTED) {
            assertTrue(System.nanoTime() - start < Side.LONG_NANOS, answer + " does not end");
            if (answer.status() != Status.POSTED
                && right.link().postSend(answer) == Posting.POSTED) {
              right.link().ring();
            }
            Descriptor done = right.queue().await(1_000_000);
            assertTrue(done == null || done == answer);
          }
        });
    expectBroken(right);
  }

  @Test
  void letsBothCloseAtOnce() {
    connect();
    Future<String> first =
        left.start(
            () -> {
              left.link().close();
              return "closed";
            });
    right.run(right.link()::close);
    get(first);
    assertEquals(InterfaceState.CLOSED, left.link().state());
    assertEquals(InterfaceState.CLOSED, right.link().state());
    connect();
    expect(right, exchange(), Status.DONE);
  }

  @Test
  void breaksWhenThePeerAborts() {
    connect();
    Ticket memory = right.receive(right.memory(10));
    left.run(left.link()::abort);
    expectBroken(right);
    expectFlushed(right, memory);
    assertEquals(Posting.NOT_CONNECTED, right.call(() -> right.link().postReceive(memory)));
  }

  /// No completion tells of the end then.
  @Test
  void endsAWaitForEndsWhenAConnectionEndsOnWhichNothingIsPosted() {
    for (long spinNanos : new long[] {0, Long.MAX_VALUE}) {
      for (boolean inOrder : new boolean[] {true, false}) {
        right = side(spinNanos);
        connect();
        CountDownLatch begun = new CountDownLatch(1);
        Future<Descriptor> waiting =
            right.start(
                () -> {
                  begun.countDown();
                  return right.queue().awaitOrEnd(Long.MAX_VALUE);
                });
        awaitLatch(begun);
        left.run(inOrder ? left.link()::close : left.link()::abort);
        Future<Descriptor> moving = left.start(() -> left.queue().await(Side.SHORT_NANOS));
        assertNull(get(waiting));
        assertNull(get(moving));
        assertEquals(
            inOrder ? InterfaceState.ENDED : InterfaceState.BROKEN,
            right.call(right.link()::state));
      }
    }
  }

  /// Two connections have one queue: the end of one ends no wait for a completion of the other.
  @Test
  void waitsForACompletionWhileAnotherConnectionEnds() {
    for (long spinNanos : new long[] {0, Long.MAX_VALUE}) {
      right = side(spinNanos);
      connect();
      VirtualInterface ending = right.link();
      VirtualInterface itsPeer = left.link();
      connect();
      Ticket expected = right.receive(right.memory(10));
      Future<Descriptor> waiting = right.start(() -> right.queue().await(Long.MAX_VALUE));
      left.run(itsPeer::close);
      long start = System.nanoTime();
      while (ending.state() == InterfaceState.CONNECTED // which the waiting thread notices
          && System.nanoTime() - start < Side.LONG_NANOS) {
        left.run(() -> assertNull(left.queue().await(1_000_000)));
      }
      assertEquals(InterfaceState.ENDED, ending.state());
      left.send(left.memory(text("late")));
      assertEquals(Status.DONE, left.next().status());
      assertSame(expected, get(waiting));
      assertEquals(Status.DONE, expected.status());
      assertNull(
          right.call(() -> right.queue().awaitOrEnd(Long.MAX_VALUE)),
          "an end that was noticed before ends the next wait for ends");
      assertNull(right.call(() -> right.queue().awaitOrEnd(1)), "and only that");
    }
  }

  @Test
  void breaksWhenThePeerClosesWithMessagesUnderWay() {
    connect();
    Ticket message = left.memory(64 << 20);
    left.send(message);
    left.expectNothing();
    left.run(left.link()::close);
    expect(left, message, Status.FLUSHED);
    Ticket memory = right.memory(64 << 20);
    right.receive(memory);
    expectBroken(right);
    assertEquals(Status.FLUSHED, memory.status());
  }

  @Test
  void flushesSendsWhenThePeerIsGone() {
    connect();
    List<Ticket> messages = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      messages.add(left.send(left.memory(32 << 20)));
    }
    right.run(right.link()::abort);
    expectBroken(left);
    expectFlushed(left, messages.get(3), messages.get(4));
  }

  @Test
  void closesWhileAMessageArrives() {
    connect();
    Ticket memory = right.receive(right.memory(64 << 20));
    Ticket message = left.send(left.memory(64 << 20));
    // A device may bring all of it meanwhile.
    Descriptor arrived = right.call(() -> right.queue().await(Side.SHORT_NANOS));
    right.run(right.link()::close);
    if (arrived == null) {
      expect(right, memory, Status.FLUSHED);
    } else {
      assertSame(memory, arrived);
      assertEquals(Status.DONE, memory.status());
    }
    left.untilEnded();
    assertTrue(message.status() == Status.FLUSHED || message.status() == Status.DONE);
    right.run(() -> right.link().deregister(memory));
    left.run(() -> left.link().deregister(message));
  }

  @Test
  void closesWithMessagesThatItNeverReceived() {
    connect();
    for (int i = 0; i < 10; i++) {
      expect(left, left.send(left.memory(new byte[i * 100])), Status.DONE);
    }
    right.expectNothing();
    right.run(right.link()::close);
    expectEnded(left);
  }

  @Test
  void closesInEveryState() {
    connect();
    left.run(left.link()::close);
    left.run(left.link()::close);
    left.run(left.link()::abort);
    expectEnded(right);
    right.run(right.link()::close);
    right.run(right.link()::close);

    connect();
    left.run(left.link()::abort);
    expectBroken(right);
    right.run(right.link()::abort);
    right.run(right.link()::close);
    assertEquals(InterfaceState.CLOSED, right.link().state());
    assertThrows(
        IllegalStateException.class,
        () ->
            right.call(() -> right.link().register(dev.tigris.memory.Jbuf.allocate(1).asBytes())));

    connect();
    expect(right, exchange(), Status.DONE);
  }

  @Test
  void closesWhatIsLeftWithTheQueue() {
    connect();
    Ticket memory = left.receive(left.memory(10));
    Side closing = side();
    connect(closing, right, Attributes.DEFAULT, Attributes.DEFAULT);
    closing.receive(closing.memory(10));
    Future<?> closed = closing.start(Executors.callable(closing.queue()::close));
    expectEnded(right);
    get(closed);
    assertEquals(Status.POSTED, memory.status());
  }

  @Test
  void keepsOthersOffItsThread() {
    connect();
    Ticket ticket = left.memory(10);
    assertThrows(WrongThreadException.class, () -> left.queue().poll());
    assertThrows(WrongThreadException.class, () -> left.link().postSend(ticket));
    assertThrows(WrongThreadException.class, () -> left.link().close());
    assertThrows(WrongThreadException.class, () -> left.link().ring());
    assertEquals(InterfaceState.CONNECTED, left.link().state());
  }

  @Test
  void refusesToCloseAFabricThatIsInUse() {
    assertThrows(IllegalStateException.class, fabric::close);
    connect();
    expect(right, exchange(), Status.DONE);
  }

  @Test
  void aQueueReturnsWhatItsEndHasCompletedAndRefusesToWaitForMore() {
    connect();
    Ticket memory = left.receive(left.memory(10));
    left.run(
        () -> {
          CompletionQueue queue = left.queue();
          queue.close();
          assertEquals(memory, queue.await(Long.MAX_VALUE));
          assertEquals(Status.FLUSHED, memory.status());
          assertNull(queue.poll());
          for (long timeout : new long[] {0, Long.MAX_VALUE}) {
            assertThrows(IllegalStateException.class, () -> queue.await(timeout));
          }
          assertThrows(IllegalStateException.class, () -> queue.signalOnce(() -> {}));
          queue.wake();
          assertNull(queue.poll());
        });
  }
}
