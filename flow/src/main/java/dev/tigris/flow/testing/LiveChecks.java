package dev.tigris.flow.testing;

import static dev.tigris.flow.testing.StreamContract.WATER_BYTES;
import static dev.tigris.flow.testing.StreamContract.WINDOW;
import static dev.tigris.flow.testing.StreamContract.check;
import static dev.tigris.flow.testing.StreamContract.expect;
import static dev.tigris.flow.testing.StreamContract.put;
import static dev.tigris.flow.testing.StreamContract.require;
import static dev.tigris.flow.testing.StreamContract.requireRefusal;

import dev.tigris.flow.Stream;
import dev.tigris.flow.StreamException;
import dev.tigris.flow.Water;
import dev.tigris.memory.Container;
import dev.tigris.memory.Primitive;
import dev.tigris.memory.PsoArray;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/// The checks of [StreamContract] for streams both of whose ends are in use at once: credits,
/// waiting, waking, and the end from the receiver's side.
final class LiveChecks {
  private static final int MANY = 10_000;

  private LiveChecks() {}

  record Live(String name, StreamContract.OnEnds body) {}

  static List<Live> all() {
    return List.of(
        new Live("countsCreditsStepByStep", LiveChecks::countsCredits),
        new Live("returnsCreditsInAnyOrder", LiveChecks::returnsCreditsInAnyOrder),
        new Live("returnsTheCreditOfAKeptWater", LiveChecks::returnsTheCreditOfAKeptWater),
        new Live("usesWatersAgain", LiveChecks::usesWatersAgain),
        new Live("carriesWatersOfAllSizes", LiveChecks::carriesWatersOfAllSizes),
        new Live("carriesContainers", LiveChecks::carriesContainers),
        new Live("putWaitsForCredit", LiveChecks::putWaitsForCredit),
        new Live("getWaitsForAWater", LiveChecks::getWaitsForAWater),
        new Live("getWaitsForTheEnd", LiveChecks::getWaitsForTheEnd),
        new Live("carriesManyWatersBetweenThreads", LiveChecks::carriesManyBetweenThreads),
        new Live("discardsWhatIsPutAfterTheReceiverHasEnded", LiveChecks::discardsAfterStop),
        new Live("freesASenderThatWaitsWhenTheReceiverEnds", LiveChecks::freesAWaitingSender),
        new Live("endsAWaitThatIsInterrupted", LiveChecks::endsAnInterruptedWait));
  }

  private static void countsCredits(StreamContract.Ends ends) throws Exception {
    Stream sender = ends.sender();
    for (int round = 0; round < 3 * WINDOW; round++) {
      for (int i = 1; i <= WINDOW; i++) {
        put(sender, i);
        requireOutstanding(sender, i);
      }
      for (int i = 1; i <= WINDOW; i++) {
        Water water = check(ends.receiver().get(), i);
        requireOutstanding(sender, WINDOW - i + 1);
        water.release();
        requireOutstanding(sender, WINDOW - i);
      }
    }
  }

  private static void requireOutstanding(Stream sender, int expected) {
    int outstanding = sender.outstanding();
    require(
        outstanding == expected,
        "%d waters are outstanding, not %d".formatted(expected, outstanding));
    require(sender.credits() == WINDOW - expected, "credits = window - outstanding");
  }

  private static void returnsCreditsInAnyOrder(StreamContract.Ends ends) throws Exception {
    Stream sender = ends.sender();
    for (int round = 0; round < 3; round++) {
      for (int i = 0; i < 3; i++) {
        put(sender, i);
      }
      Water first = check(ends.receiver().get(), 0);
      Water second = check(ends.receiver().get(), 1);
      Water third = check(ends.receiver().get(), 2);
      second.release();
      requireOutstanding(sender, 2);
      put(sender, 3);
      third.release();
      check(first, 0).release();
      requireOutstanding(sender, 1);
      expect(ends.receiver(), 3);
      requireOutstanding(sender, 0);
      requireRefusal(first::release, "a second release");
    }
  }

  private static void returnsTheCreditOfAKeptWater(StreamContract.Ends ends) throws Exception {
    Stream sender = ends.sender();
    put(sender, 1);
    put(sender, 2);
    Water kept = check(ends.receiver().get(), 1);
    kept.keep();
    requireOutstanding(sender, 1);
    expect(ends.receiver(), 2);
    for (int i = 0; i < 3 * WINDOW; i++) {
      put(sender, i);
      expect(ends.receiver(), i);
    }
    check(kept, 1).release();
    requireOutstanding(sender, 0);
  }

  private static void usesWatersAgain(StreamContract.Ends ends) throws Exception {
    Set<Water> waters = Collections.newSetFromMap(new IdentityHashMap<>());
    for (int round = 0; round < 100; round++) {
      int burst = 1 + round % WINDOW;
      for (int i = 0; i < burst; i++) {
        Water water = ends.sender().spring().createWater(WATER_BYTES);
        waters.add(water);
        ends.sender().put(water);
      }
      for (int i = 0; i < burst; i++) {
        Water water = ends.receiver().get();
        require(water != null, "a water");
        if (water != null) {
          water.release();
        }
      }
    }
    require(
        waters.size() <= WINDOW + 1,
        "%d waters for a window of %d".formatted(waters.size(), WINDOW));
  }

  private static void carriesWatersOfAllSizes(StreamContract.Ends ends) throws Exception {
    for (int bytes : new int[] {0, 1, 63, 64, 65, 1000, 100_000, 2, 100_000, 0}) {
      Water water = ends.sender().spring().createWater(bytes);
      require(water.size() == bytes, "a new water has the size that was asked for");
      require(water.capacity() >= bytes, "and room for it");
      if (bytes > 0) {
        water.bytes().set(bytes - 1, (byte) bytes);
      }
      ends.sender().put(water);
      Water taken = ends.receiver().get();
      if (taken == null) {
        throw new AssertionError("a water of " + bytes + " bytes got lost");
      }
      require(taken.size() == bytes, "%d bytes, not %d".formatted(bytes, taken.size()));
      require(
          bytes == 0 || taken.bytes().get(bytes - 1) == (byte) bytes, "the last byte is the same");
      taken.release();
    }
  }

  private static void carriesContainers(StreamContract.Ends ends) throws Exception {
    for (int round = 0; round < 2 * WINDOW; round++) {
      Water water = ends.sender().spring().createWater(1000);
      Container container = water.container();
      container.root(new PsoArray(container, Primitive.LONG, 1 + round));
      long used = container.usedBytes();
      water.setSize((int) used);
      ends.sender().put(water);
      Water taken = ends.receiver().get();
      require(taken != null, "a water");
      if (taken != null) {
        long found = taken.container().usedBytes();
        require(found == used, "%d bytes of objects were put, not %d".formatted(used, found));
        PsoArray array = taken.container().root(PsoArray.class);
        require(array != null && array.length() == 1 + round, "the array that was put");
        taken.release();
      }
    }
  }

  private static void putWaitsForCredit(StreamContract.Ends ends) throws Exception {
    Stream sender = ends.sender();
    for (int i = 0; i < WINDOW; i++) {
      put(sender, i);
    }
    Peer peer = Peer.start(() -> put(sender, WINDOW));
    peer.awaitWaiting();
    require(sender.counters().waters() == WINDOW, "a put without credit must wait");
    expect(ends.receiver(), 0);
    peer.join();
    for (int i = 1; i <= WINDOW; i++) {
      expect(ends.receiver(), i);
    }
    require(sender.counters().creditWaits() == 1, "one put has waited for credit");
  }

  private static void getWaitsForAWater(StreamContract.Ends ends) throws Exception {
    Stream receiver = ends.receiver();
    Peer peer = Peer.start(() -> expect(receiver, 5));
    peer.awaitWaiting();
    put(ends.sender(), 5);
    peer.join();
  }

  private static void getWaitsForTheEnd(StreamContract.Ends ends) throws Exception {
    Stream receiver = ends.receiver();
    Peer peer = Peer.start(() -> require(receiver.get() == null, "the end of an empty stream"));
    peer.awaitWaiting();
    ends.sender().end();
    peer.join();
  }

  private static void carriesManyBetweenThreads(StreamContract.Ends ends) throws Exception {
    Stream receiver = ends.receiver();
    Peer peer =
        Peer.start(
            () -> {
              for (int i = 0; i < MANY; i++) {
                expect(receiver, i);
              }
              require(receiver.get() == null, "the end");
            });
    for (int i = 0; i < MANY; i++) {
      put(ends.sender(), i);
    }
    ends.sender().end();
    peer.join();
  }

  private static void discardsAfterStop(StreamContract.Ends ends) throws Exception {
    Stream sender = ends.sender();
    put(sender, 1);
    put(sender, 2);
    expect(ends.receiver(), 1);
    ends.receiver().stop();
    require(sender.isStopped(), "the sender sees that the receiver has ended");
    require(sender.credits() == 0, "there is no credit after the receiver has ended");
    for (int i = 0; i < 2 * WINDOW; i++) {
      put(sender, i);
    }
    sender.end();
    long discarded = sender.counters().discarded();
    require(
        discarded == 1 + 2 * WINDOW,
        "%d waters were not taken, but %d are counted".formatted(1 + 2 * WINDOW, discarded));
    require(ends.receiver().poll() == null, "an ended receiver gets nothing");
  }

  private static void freesAWaitingSender(StreamContract.Ends ends) throws Exception {
    Stream sender = ends.sender();
    for (int i = 0; i < WINDOW; i++) {
      put(sender, i);
    }
    Peer peer = Peer.start(() -> put(sender, WINDOW));
    peer.awaitWaiting();
    ends.receiver().stop();
    peer.join();
    require(sender.counters().discarded() == WINDOW + 1, "all waters are discarded");
  }

  private static void endsAnInterruptedWait(StreamContract.Ends ends) throws Exception {
    Stream receiver = ends.receiver();
    Peer peer =
        Peer.start(
            () -> {
              try {
                receiver.get();
                throw new AssertionError("an interrupted get must throw");
              } catch (StreamException expected) {
                require(expected.getCause() instanceof InterruptedException, "and say that it was");
              }
            });
    peer.awaitWaiting();
    peer.interrupt();
    peer.join();
    put(ends.sender(), 1);
    expect(receiver, 1);
  }

  /// A thread for one part of a check.
  private static final class Peer {
    private final Thread thread;
    private final AtomicReference<@Nullable Throwable> thrown = new AtomicReference<>();

    private Peer(Runnable body) {
      thread =
          Thread.ofPlatform()
              .name("stream-contract")
              .unstarted(
                  () -> {
                    try {
                      body.run();
                    } catch (Throwable e) {
                      thrown.set(e);
                    }
                  });
    }

    static Peer start(Runnable body) {
      Peer peer = new Peer(body);
      peer.thread.start();
      return peer;
    }

    /// Returns once the thread waits or is over.
    void awaitWaiting() {
      while (true) {
        Thread.State state = thread.getState();
        if (state == Thread.State.TIMED_WAITING
            || state == Thread.State.WAITING
            || state == Thread.State.TERMINATED) {
          return;
        }
        Thread.onSpinWait();
      }
    }

    void interrupt() {
      thread.interrupt();
    }

    void join() throws InterruptedException {
      thread.join();
      Throwable failure = thrown.get();
      if (failure != null) {
        throw new AssertionError("on the other thread: " + failure.getMessage(), failure);
      }
    }
  }
}
