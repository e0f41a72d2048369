package dev.tigris.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

class JbufTest {
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

  private static void unreferenceAndWait(Jbuf jbuf) throws InterruptedException {
    CountDownLatch verified = new CountDownLatch(1);
    jbuf.unreference(ignored -> verified.countDown());
    jbuf.checkInvariants();
    collectUntilOpen(verified);
    jbuf.checkInvariants();
  }

  @Test
  void beginsUnreferencedAndZero() {
    Jbuf jbuf = Jbuf.allocate(100);
    assertEquals(State.UNREFERENCED, jbuf.state());
    assertEquals(100, jbuf.capacityBytes());
    jbuf.checkInvariants();
    Bytes bytes = jbuf.asBytes();
    for (int i = 0; i < 100; i++) {
      assertEquals(0, bytes.get(i));
    }
    jbuf.checkInvariants();
  }

  @Test
  void refusesViewsOfMemoryThatWasGivenUp() {
    Jbuf jbuf = Jbuf.allocate(100);
    Bytes bytes = jbuf.asBytes();
    Bytes part = bytes.slice(10, 10);
    part.requireReferenced();
    jbuf.unreference(ignored -> {});
    assertThrows(ReferencedException.class, bytes::requireReferenced);
    assertThrows(ReferencedException.class, part::requireReferenced);
  }

  @Test
  void isZeroAgainAfterItsMemoryWasUsedBySomebodyElse() {
    for (long size : new long[] {1, 64, 5_000, 1 << 20, (1 << 20) + 1, 5 << 20}) {
      for (int round = 0; round < 3; round++) {
        Jbuf jbuf = Jbuf.allocate(size);
        freeAfterWriting(jbuf, size);
      }
    }
  }

  private static void freeAfterWriting(Jbuf jbuf, long size) {
    AtomicReference<String> problem = new AtomicReference<>();
    CountDownLatch done = new CountDownLatch(1);
    writeEverywhere(jbuf, size, problem);
    jbuf.unreference(
        j -> {
          j.free();
          done.countDown();
        });
    try {
      collectUntilOpen(done);
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
    assertEquals(null, problem.get());
  }

  private static void writeEverywhere(Jbuf jbuf, long size, AtomicReference<String> problem) {
    Bytes bytes = jbuf.asBytes();
    for (long i = 0; i < size; i++) {
      if (bytes.get(i) != 0) {
        problem.set("byte " + i + " of " + size);
      }
    }
    bytes.fill((byte) -1);
  }

  @Test
  void givesTheSameViewOfTheSameType() {
    Jbuf jbuf = Jbuf.allocate(64);
    assertSame(jbuf.asInts(), jbuf.asInts());
    assertEquals(State.REFERENCED, jbuf.state());
  }

  @Test
  void refusesASecondType() {
    Jbuf jbuf = Jbuf.allocate(64);
    jbuf.asInts();
    TypedException e = assertThrows(TypedException.class, jbuf::asBytes);
    assertTrue(e.getMessage().contains("Ints"), e.getMessage());
    assertTrue(e.getMessage().contains("use Bytes for both"), e.getMessage());
    jbuf.checkInvariants();
  }

  @Test
  void refusesToFreeWhileReferenced() {
    Jbuf jbuf = Jbuf.allocate(64);
    jbuf.asInts();
    assertThrows(ReferencedException.class, jbuf::free);
    assertEquals(State.REFERENCED, jbuf.state());
  }

  @Test
  void refusesEverythingAfterFree() {
    Jbuf jbuf = Jbuf.allocate(64);
    jbuf.free();
    assertEquals(State.FREED, jbuf.state());
    assertThrows(FreedException.class, jbuf::free);
    assertThrows(FreedException.class, jbuf::asInts);
    assertThrows(FreedException.class, () -> jbuf.unreference(ignored -> {}));
    jbuf.checkInvariants();
  }

  /// At once, not where they would be used: in [Jbuf#use], and on the verifier's thread.
  @Test
  @SuppressWarnings("NullAway")
  void refusesNullsWhereTheyAreGiven() {
    assertThrows(NullPointerException.class, () -> Jbuf.allocate(64, null));
    assertThrows(NullPointerException.class, () -> Jbuf.allocate(64, "owner", null));
    Jbuf jbuf = Jbuf.allocate(64);
    jbuf.asBytes();
    assertThrows(NullPointerException.class, () -> jbuf.unreference(null));
    assertEquals(State.REFERENCED, jbuf.state());
    assertTrue(Jbuf.use().usedBytes() > 0);
  }

  @Test
  void refusesToUnreferenceWhatIsNotReferenced() {
    Jbuf jbuf = Jbuf.allocate(64);
    assertThrows(IllegalStateException.class, () -> jbuf.unreference(ignored -> {}));
  }

  @Test
  void callsBackOnlyWhenTheLastViewIsGone() throws InterruptedException {
    Jbuf jbuf = Jbuf.allocate(64);
    List<Object> holders = new ArrayList<>();
    holders.add(jbuf.asInts());
    CountDownLatch verified = new CountDownLatch(1);
    jbuf.unreference(ignored -> verified.countDown());
    assertEquals(State.TO_BE_UNREFERENCED, jbuf.state());
    assertThrows(ReferencedException.class, jbuf::asInts);
    ReferencedException early = assertThrows(ReferencedException.class, jbuf::free);
    assertTrue(early.getMessage().contains("free it in the callback"), early.getMessage());
    for (int round = 0; round < 5; round++) {
      System.gc();
      assertFalse(verified.await(10, TimeUnit.MILLISECONDS));
    }
    assertEquals(1, holders.size());
    holders.clear();
    collectUntilOpen(verified);
    assertEquals(State.UNREFERENCED, jbuf.state());
    assertEquals(16, jbuf.asFloats().length());
  }

  @Test
  void aSegmentAByteBufferAndASliceKeepTheMemory() throws InterruptedException {
    Jbuf jbuf = Jbuf.allocate(64);
    List<Object> holders = new ArrayList<>();
    holders.add(jbuf.asBytes().segment().asSlice(8));
    holders.add(jbuf.asBytes().byteBuffer().slice());
    holders.add(jbuf.asBytes().slice(8, 8));
    CountDownLatch verified = new CountDownLatch(1);
    jbuf.unreference(ignored -> verified.countDown());
    while (!holders.isEmpty()) {
      System.gc();
      assertFalse(verified.await(20, TimeUnit.MILLISECONDS));
      holders.removeLast();
    }
    collectUntilOpen(verified);
  }

  @Test
  void canBeTypedAnewAfterVerification() throws InterruptedException {
    Jbuf jbuf = Jbuf.allocate(64);
    jbuf.asInts().set(0, 7);
    unreferenceAndWait(jbuf);
    assertEquals(7, jbuf.asLongs().get(0));
  }

  @Test
  void callsBackWhileSomebodyHoldsTheHandlesOwnLock() throws InterruptedException {
    Jbuf jbuf = Jbuf.allocate(64);
    synchronized (jbuf) {
      jbuf.asInts();
      unreferenceAndWait(jbuf);
    }
    assertEquals(State.UNREFERENCED, jbuf.state());
  }

  @Test
  void callsBackOnOneNamedThread() throws InterruptedException {
    Jbuf jbuf = Jbuf.allocate(64);
    jbuf.asInts();
    AtomicReference<String> name = new AtomicReference<>();
    CountDownLatch verified = new CountDownLatch(1);
    jbuf.unreference(
        j -> {
          name.set(Thread.currentThread().getName());
          j.free();
          verified.countDown();
        });
    collectUntilOpen(verified);
    assertEquals("tigris-jbuf-verifier", name.get());
    assertEquals(State.FREED, jbuf.state());
  }

  @Test
  void aCallbackThatThrowsDoesNotStopTheNext() throws InterruptedException {
    Thread.UncaughtExceptionHandler before = Thread.getDefaultUncaughtExceptionHandler();
    AtomicReference<Throwable> thrown = new AtomicReference<>();
    Thread.setDefaultUncaughtExceptionHandler((thread, e) -> thrown.set(e));
    try {
      Jbuf first = Jbuf.allocate(64);
      first.asInts();
      CountDownLatch called = new CountDownLatch(1);
      first.unreference(
          j -> {
            called.countDown();
            throw new IllegalStateException("thrown by a callback");
          });
      collectUntilOpen(called);
      Jbuf second = Jbuf.allocate(64);
      second.asInts();
      unreferenceAndWait(second);
      assertEquals("thrown by a callback", thrown.get().getMessage());
    } finally {
      Thread.setDefaultUncaughtExceptionHandler(before);
    }
  }

  @Test
  void aHandlerThatThrowsDoesNotStopTheNextCallbackEither() throws InterruptedException {
    Thread verifier =
        Thread.getAllStackTraces().keySet().stream()
            .filter(thread -> thread.getName().equals("tigris-jbuf-verifier"))
            .findFirst()
            .orElseThrow();
    Thread.UncaughtExceptionHandler before = verifier.getUncaughtExceptionHandler();
    CountDownLatch handled = new CountDownLatch(1);
    verifier.setUncaughtExceptionHandler(
        (thread, thrown) -> {
          handled.countDown();
          throw new IllegalArgumentException("from the handler");
        });
    try {
      Jbuf first = Jbuf.allocate(64);
      first.asInts();
      first.unreference(
          jbuf -> {
            throw new IllegalStateException("from the callback");
          });
      collectUntilOpen(handled);
    } finally {
      verifier.setUncaughtExceptionHandler(before);
    }
    Jbuf second = Jbuf.allocate(64);
    second.asInts();
    unreferenceAndWait(second);
  }

  @Test
  void reclaimsWhatNobodyCanReach() throws InterruptedException {
    long before = Jbuf.use().reclaimedCount();
    forget();
    for (int round = 0; round < 100 && Jbuf.use().reclaimedCount() == before; round++) {
      System.gc();
      Thread.onSpinWait();
      new CountDownLatch(1).await(20, TimeUnit.MILLISECONDS);
    }
    assertTrue(Jbuf.use().reclaimedCount() > before);
  }

  private static void forget() {
    Jbuf.allocate(100, "forgotten").asBytes().set(0, (byte) 1);
  }

  @Test
  void tellsWhoHoldsWhatAndRefusesBeyondTheBudget() {
    Jbuf held = Jbuf.allocate(3 << 20, "a big holder");
    MemoryUse use = Jbuf.use();
    assertEquals(4L << 20, use.bytesByOwner().get("a big holder"));
    MemoryBudgetException e =
        assertThrows(
            MemoryBudgetException.class, () -> Jbuf.allocate(use.budgetBytes() + 1, "greedy"));
    assertTrue(e.getMessage().contains("a big holder"), e.getMessage());
    assertTrue(e.getMessage().contains("greedy"), e.getMessage());
    assertTrue(e.getMessage().contains(Budget.PROPERTY), e.getMessage());
    held.free();
    assertFalse(Jbuf.use().bytesByOwner().containsKey("a big holder"));
  }

  @Test
  void refusesSizesThatCannotBeRounded() {
    long largest = Long.MAX_VALUE;
    for (long bytes : new long[] {largest, largest - 1, largest - (2 << 20), largest / 2}) {
      assertThrows(MemoryBudgetException.class, () -> Jbuf.allocate(bytes));
    }
    Budget.PROCESS.checkInvariants();
  }

  @Test
  void refusesEmptyBuffers() {
    assertThrows(IllegalArgumentException.class, () -> Jbuf.allocate(0));
    assertThrows(IllegalArgumentException.class, () -> Jbuf.allocate(-1));
  }

  @Test
  void knowsItsOwnViews() {
    Jbuf one = Jbuf.allocate(64);
    Jbuf other = Jbuf.allocate(64);
    assertTrue(one.owns(one.asBytes().slice(8, 8)));
    assertFalse(other.owns(one.asBytes()));
  }

  @Test
  void aSegmentSeesTheSameBytes() {
    Jbuf jbuf = Jbuf.allocate(64);
    MemorySegment segment = jbuf.asInts().segment();
    jbuf.asInts().set(3, 42);
    assertEquals(42, segment.get(ValueLayout.JAVA_INT_UNALIGNED, 12));
    assertThrows(IndexOutOfBoundsException.class, () -> segment.get(ValueLayout.JAVA_BYTE, 64));
  }

  @Test
  void isUsedByManyThreadsAtOnce() throws InterruptedException {
    Jbuf jbuf = Jbuf.allocate(8 * 1024);
    List<Thread> threads = new ArrayList<>();
    for (int t = 0; t < 8; t++) {
      int mine = t;
      threads.add(
          Thread.ofPlatform()
              .start(
                  () -> {
                    Bytes bytes = jbuf.asBytes();
                    for (int i = mine * 1024; i < (mine + 1) * 1024; i++) {
                      bytes.set(i, (byte) mine);
                    }
                  }));
    }
    for (Thread thread : threads) {
      thread.join();
    }
    for (int i = 0; i < 8 * 1024; i++) {
      assertEquals(i / 1024, jbuf.asBytes().get(i));
    }
    assertThrows(ReferencedException.class, jbuf::free);
    unreferenceAndWait(jbuf);
    jbuf.free();
  }
}
