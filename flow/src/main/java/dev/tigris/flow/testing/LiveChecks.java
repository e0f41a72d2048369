package dev.tigris.flow.testing;

import static dev.tigris.flow.testing.StreamContract.WATER_BYTES;
import static dev.tigris.flow.testing.StreamContract.WINDOW;
import static dev.tigris.flow.testing.StreamContract.check;
import static dev.tigris.flow.testing.StreamContract.end;
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
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/// The checks of [StreamContract] for streams both of whose ends are in use at once: credits,
/// waiting, waking, and the end from the receiver's side.
final class LiveChecks {
  private static final int MANY = 10_000;

  /// How long an end may take to hear what the other one has done.
  private static final long LATE_NANOS = 10_000_000_000L;

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
    for (int round = 0; round < 3 * WINDOW; round++) {
      for (int i = 1; i <= WINDOW; i++) {
        put(ends, i);
        requireOutstanding(ends, i);
      }
      for (int i = 1; i <= WINDOW; i++) {
        Water water = take(ends, i);
        requireOutstanding(ends, WINDOW - i + 1);
        release(ends, water);
        requireOutstanding(ends, WINDOW - i);
      }
    }
  }

  /// Takes a water, which must have that number.
  private static Water take(StreamContract.Ends ends, int number) throws Exception {
    Stream receiver = ends.receiver();
    AtomicReference<@Nullable Water> taken = new AtomicReference<>();
    ends.take(() -> taken.set(check(receiver.get(), number)));
    return required(taken.get(), "water " + number);
  }

  private static void release(StreamContract.Ends ends, Water water) throws Exception {
    ends.take(water::release);
  }

  private static void requireOutstanding(StreamContract.Ends ends, int expected) throws Exception {
    Stream sender = ends.sender();
    soon(ends, () -> sender.outstanding() == expected);
    ends.send(
        () -> {
          int outstanding = sender.outstanding();
          require(
              outstanding == expected,
              "%d waters are outstanding, not %d".formatted(outstanding, expected));
          require(sender.credits() == WINDOW - expected, "credits = window - outstanding");
        });
  }

  /// Lets the sender hear what the receiver has done, if that takes a while.
  private static void soon(StreamContract.Ends ends, BooleanSupplier heard) throws Exception {
    long deadline = System.nanoTime() + LATE_NANOS;
    AtomicBoolean is = new AtomicBoolean(!ends.hearsLate());
    while (!is.get() && System.nanoTime() < deadline) {
      ends.send(() -> is.set(heard.getAsBoolean()));
    }
  }

  private static void returnsCreditsInAnyOrder(StreamContract.Ends ends) throws Exception {
    for (int round = 0; round < 3; round++) {
      for (int i = 0; i < 3; i++) {
        put(ends, i);
      }
      Water first = take(ends, 0);
      Water second = take(ends, 1);
      Water third = take(ends, 2);
      release(ends, second);
      requireOutstanding(ends, 2);
      put(ends, 3);
      release(ends, third);
      ends.take(() -> check(first, 0).release());
      requireOutstanding(ends, 1);
      expect(ends, 3);
      requireOutstanding(ends, 0);
      ends.take(() -> requireRefusal(first::release, "a second release"));
    }
  }

  private static void returnsTheCreditOfAKeptWater(StreamContract.Ends ends) throws Exception {
    put(ends, 1);
    put(ends, 2);
    Water kept = take(ends, 1);
    ends.take(kept::keep);
    requireOutstanding(ends, 1);
    expect(ends, 2);
    for (int i = 0; i < 3 * WINDOW; i++) {
      put(ends, i);
      expect(ends, i);
    }
    ends.take(() -> check(kept, 1).release());
    requireOutstanding(ends, 0);
  }

  private static void usesWatersAgain(StreamContract.Ends ends) throws Exception {
    Stream receiver = ends.receiver();
    Set<Water> waters = Collections.newSetFromMap(new IdentityHashMap<>());
    for (int round = 0; round < 100; round++) {
      int burst = 1 + round % WINDOW;
      ends.send(
          () -> {
            for (int i = 0; i < burst; i++) {
              Water water = ends.sender().spring().createWater(WATER_BYTES);
              waters.add(water);
              ends.sender().put(water);
            }
          });
      ends.take(
          () -> {
            for (int i = 0; i < burst; i++) {
              required(receiver.get(), "a water").release();
            }
          });
    }
    require(
        waters.size() <= WINDOW + 1,
        "%d waters for a window of %d".formatted(waters.size(), WINDOW));
  }

  private static Water required(@Nullable Water water, String what) {
    if (water == null) {
      throw new AssertionError("null came in place of " + what);
    }
    return water;
  }

  private static void carriesWatersOfAllSizes(StreamContract.Ends ends) throws Exception {
    Stream receiver = ends.receiver();
    for (int bytes : new int[] {0, 1, 63, 64, 65, 1000, 100_000, 2, 100_000, 0}) {
      ends.send(
          () -> {
            Water water = ends.sender().spring().createWater(bytes);
            require(water.size() == bytes, "a new water has the size that was asked for");
            require(water.capacity() >= bytes, "and room for it");
            if (bytes > 0) {
              water.bytes().set(bytes - 1, (byte) bytes);
            }
            ends.sender().put(water);
          });
      ends.take(
          () -> {
            Water taken = required(receiver.get(), "a water of " + bytes + " bytes");
            require(taken.size() == bytes, "%d bytes, not %d".formatted(taken.size(), bytes));
            require(
                bytes == 0 || taken.bytes().get(bytes - 1) == (byte) bytes,
                "the last byte is the same");
            taken.release();
          });
    }
  }

  private static void carriesContainers(StreamContract.Ends ends) throws Exception {
    Stream receiver = ends.receiver();
    for (int round = 0; round < 2 * WINDOW; round++) {
      int length = 1 + round;
      AtomicLong used = new AtomicLong();
      ends.send(
          () -> {
            Water water = ends.sender().spring().createWater(1000);
            Container container = water.container();
            container.root(new PsoArray(container, Primitive.LONG, length));
            used.set(container.usedBytes());
            water.setSize((int) container.usedBytes());
            ends.sender().put(water);
          });
      ends.take(
          () -> {
            Water taken = required(receiver.get(), "a water");
            long found = taken.container().usedBytes();
            require(
                found == used.get(), "%s bytes of objects were put, not %d".formatted(used, found));
            PsoArray array = taken.container().root(PsoArray.class);
            require(array != null && array.length() == length, "the array that was put");
            taken.release();
          });
    }
  }

  private static void putWaitsForCredit(StreamContract.Ends ends) throws Exception {
    Stream sender = ends.sender();
    for (int i = 0; i < WINDOW; i++) {
      put(ends, i);
    }
    Peer peer = Peer.sends(ends, () -> put(sender, WINDOW));
    peer.awaitWaiting();
    require(sender.counters().waters() == WINDOW, "a put without credit must wait");
    expect(ends, 0);
    peer.join();
    for (int i = 1; i <= WINDOW; i++) {
      expect(ends, i);
    }
    require(sender.counters().creditWaits() == 1, "one put has waited for credit");
  }

  private static void getWaitsForAWater(StreamContract.Ends ends) throws Exception {
    Stream receiver = ends.receiver();
    Peer peer = Peer.takes(ends, () -> expect(receiver, 5));
    peer.awaitWaiting();
    put(ends, 5);
    peer.join();
  }

  private static void getWaitsForTheEnd(StreamContract.Ends ends) throws Exception {
    Stream receiver = ends.receiver();
    Peer peer =
        Peer.takes(ends, () -> require(receiver.get() == null, "the end of an empty stream"));
    peer.awaitWaiting();
    end(ends);
    peer.join();
  }

  private static void carriesManyBetweenThreads(StreamContract.Ends ends) throws Exception {
    Stream receiver = ends.receiver();
    Peer peer =
        Peer.takes(
            ends,
            () -> {
              for (int i = 0; i < MANY; i++) {
                expect(receiver, i);
              }
              require(receiver.get() == null, "the end");
            });
    ends.send(
        () -> {
          for (int i = 0; i < MANY; i++) {
            put(ends.sender(), i);
          }
          ends.sender().end();
        });
    peer.join();
  }

  private static void discardsAfterStop(StreamContract.Ends ends) throws Exception {
    Stream sender = ends.sender();
    Stream receiver = ends.receiver();
    put(ends, 1);
    put(ends, 2);
    expect(ends, 1);
    ends.take(receiver::stop);
    soon(ends, sender::isStopped);
    ends.send(
        () -> {
          require(sender.isStopped(), "the sender sees that the receiver has ended");
          require(sender.credits() == 0, "there is no credit after the receiver has ended");
          for (int i = 0; i < 2 * WINDOW; i++) {
            put(sender, i);
          }
          sender.end();
        });
    long discarded = sender.counters().discarded();
    require(
        discarded == 1 + 2 * WINDOW,
        "%d waters were not taken, but %d are counted".formatted(1 + 2 * WINDOW, discarded));
    ends.take(() -> require(receiver.poll() == null, "an ended receiver gets nothing"));
  }

  private static void freesAWaitingSender(StreamContract.Ends ends) throws Exception {
    Stream sender = ends.sender();
    Stream receiver = ends.receiver();
    for (int i = 0; i < WINDOW; i++) {
      put(ends, i);
    }
    Peer peer = Peer.sends(ends, () -> put(sender, WINDOW));
    peer.awaitWaiting();
    ends.take(receiver::stop);
    peer.join();
    require(sender.counters().discarded() == WINDOW + 1, "all waters are discarded");
  }

  private static void endsAnInterruptedWait(StreamContract.Ends ends) throws Exception {
    Stream receiver = ends.receiver();
    Peer peer =
        Peer.takes(
            ends,
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
    put(ends, 1);
    expect(ends, 1);
  }

  /// A thread for one part of a check.
  private static final class Peer {
    private final StreamContract.Ends ends;
    private final boolean sends;
    private final Thread thread;
    private final AtomicReference<@Nullable Throwable> thrown = new AtomicReference<>();

    private Peer(StreamContract.Ends ends, boolean sends, StreamContract.Body body) {
      this.ends = ends;
      this.sends = sends;
      thread =
          Thread.ofPlatform()
              .name("stream-contract")
              .unstarted(
                  () -> {
                    try {
                      if (sends) {
                        ends.send(body);
                      } else {
                        ends.take(body);
                      }
                    } catch (Throwable e) {
                      thrown.set(e);
                    }
                  });
    }

    /// Starts a part that sends.
    static Peer sends(StreamContract.Ends ends, StreamContract.Body body) {
      return start(new Peer(ends, true, body));
    }

    /// Starts a part that takes.
    static Peer takes(StreamContract.Ends ends, StreamContract.Body body) {
      return start(new Peer(ends, false, body));
    }

    private static Peer start(Peer peer) {
      peer.thread.start();
      return peer;
    }

    /// Returns once the part waits or is over.
    void awaitWaiting() {
      while (!ends.isWaiting(thread, sends)) {
        Thread.onSpinWait();
      }
    }

    void interrupt() {
      ends.interrupt(thread, sends);
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
