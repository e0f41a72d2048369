package dev.tigris.flow.testing;

import dev.tigris.flow.Stream;
import dev.tigris.flow.StreamKind;
import dev.tigris.flow.Water;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The contract of every kind of stream, as checks that any test framework can run:
///
/// ```java
/// @TestFactory
/// java.util.stream.Stream<DynamicTest> keepsTheContract() {
///   return StreamContract.of(myKind).checks().stream()
///       .map(check -> DynamicTest.dynamicTest(check.name(), check::run));
/// }
/// ```
///
/// A check throws [AssertionError] if the stream does not keep the contract. A kind whose two ends
/// are in use at once is checked for credits and waiting as well. A kind that stores what was put,
/// and gives it later, is checked only for what it carries.
///
/// Thread rule: one thread at a time uses a contract. Some checks start threads, and end them.
public final class StreamContract {
  static final int WATER_BYTES = 64;
  static final int WINDOW = 4;

  /// The two ends of a stream under test.
  public interface Ends extends AutoCloseable {
    /// Returns the end at which the check puts waters, and ends the stream.
    Stream sender();

    /// Returns the end at which the check takes waters, the same one each time. A check of a stream
    /// that stores calls this after the sender has ended, other checks at once.
    Stream receiver() throws IOException;

    /// Runs a part of a check on the thread that the sending end belongs to, and waits for it: on
    /// the calling thread, unless the kind binds an end to a thread.
    default void send(Body part) throws Exception {
      part.run();
    }

    /// Runs a part of a check on the thread that the receiving end belongs to, as [#send] does.
    default void take(Body part) throws Exception {
      part.run();
    }

    /// Returns how many bytes a water of a check has, a multiple of four: 64, unless the kind keeps
    /// bytes in larger pieces.
    default int waterBytes() {
      return WATER_BYTES;
    }

    /// Returns whether an end hears only after a while what the other one has done.
    default boolean hearsLate() {
      return false;
    }

    /// Returns whether a wait has begun in a part that a thread has passed to [#send] or [#take],
    /// or the part is over.
    default boolean isWaiting(Thread thread, boolean sends) {
      return switch (thread.getState()) {
        case WAITING, TIMED_WAITING, TERMINATED -> true;
        default -> false;
      };
    }

    /// Interrupts a part that a thread has passed to [#send] or [#take].
    default void interrupt(Thread thread, boolean sends) {
      thread.interrupt();
    }

    /// Closes what was opened, and removes what was stored.
    @Override
    void close() throws IOException;
  }

  /// A factory of streams, one for each check.
  @FunctionalInterface
  public interface Opener {
    /// Opens a new stream with a window. If it stores waters without keeping them apart, it must
    /// give them back in pieces of [Ends#waterBytes].
    Ends open(int window) throws Exception;
  }

  /// A check of one rule of the contract.
  ///
  /// @param name what must hold, such as `carriesWatersInOrder`
  /// @param body runs the check
  public record Check(String name, Body body) {
    /// Runs the check.
    ///
    /// @throws AssertionError if it does not hold
    public void run() throws Exception {
      body.run();
    }
  }

  /// The body of a check.
  @FunctionalInterface
  public interface Body {
    /// Runs the check, which throws [AssertionError] if the rule does not hold.
    void run() throws Exception;
  }

  /// What a check does with the ends of a new stream.
  @FunctionalInterface
  interface OnEnds {
    void check(Ends ends) throws Exception;
  }

  private final Opener opener;
  private final boolean stores;

  private StreamContract(Opener opener, boolean stores) {
    this.opener = opener;
    this.stores = stores;
  }

  /// Returns the contract for a kind whose streams have both ends in this JVM at once.
  public static StreamContract of(StreamKind kind) {
    return new StreamContract(window -> new BothEnds(kind, window), false);
  }

  /// Returns the contract for a kind whose two ends are two streams, in use at once: in two
  /// processes, say, or as if they were.
  public static StreamContract apart(Opener opener) {
    return new StreamContract(opener, false);
  }

  /// Returns the contract for a kind that stores all that is put, and gives it once the stream has
  /// ended.
  public static StreamContract storing(Opener opener) {
    return new StreamContract(opener, true);
  }

  /// Returns all checks that apply.
  public List<Check> checks() {
    List<Check> checks = new ArrayList<>();
    add(checks, "carriesWatersInOrder", StreamContract::carriesWatersInOrder);
    add(checks, "endsWithoutAWaterIfNothingWasPut", StreamContract::endsEmpty);
    add(checks, "countsWatersAndBytes", StreamContract::countsWatersAndBytes);
    add(checks, "carriesWatersOfOtherSprings", StreamContract::carriesWatersOfOtherSprings);
    add(checks, "carriesInputWatersOfOtherStreams", StreamContract::carriesInputWaters);
    add(checks, "refusesToPutAfterTheEnd", StreamContract::refusesToPutAfterTheEnd);
    add(checks, "refusesAWaterThatWasPut", StreamContract::refusesAWaterThatWasPut);
    add(checks, "toleratesBeingEndedTwice", StreamContract::toleratesBeingEndedTwice);
    if (!stores) {
      for (LiveChecks.Live live : LiveChecks.all()) {
        add(checks, live.name(), live.body());
      }
    }
    return List.copyOf(checks);
  }

  private void add(List<Check> checks, String name, OnEnds body) {
    checks.add(
        new Check(
            name,
            () -> {
              try (Ends ends = opener.open(WINDOW)) {
                body.check(ends);
              }
            }));
  }

  private static void carriesWatersInOrder(Ends ends) throws Exception {
    for (int i = 0; i < WINDOW; i++) {
      put(ends, i);
    }
    end(ends);
    for (int i = 0; i < WINDOW; i++) {
      expect(ends, i);
    }
    requireEnd(ends, "after the last water, get gives null");
    requireEnd(ends, "and again");
    Stream receiver = ends.receiver();
    ends.take(() -> require(receiver.isDrained(), "an ended stream without waters is drained"));
  }

  private static void endsEmpty(Ends ends) throws Exception {
    end(ends);
    Stream receiver = ends.receiver();
    ends.take(() -> require(receiver.poll() == null, "nothing was put, so poll gives null"));
    requireEnd(ends, "nothing was put, so get gives null");
  }

  private static void countsWatersAndBytes(Ends ends) throws Exception {
    put(ends, 1);
    put(ends, 2);
    end(ends);
    long waters = ends.sender().counters().waters();
    long bytes = ends.sender().counters().bytes();
    require(waters == 2, "2 waters were put, not " + waters);
    int size = ends.waterBytes();
    require(bytes == 2L * size, "2 waters of %d bytes were put, not %d".formatted(size, bytes));
    expect(ends, 1);
    expect(ends, 2);
  }

  private static void carriesWatersOfOtherSprings(Ends ends) throws Exception {
    Stream other = Stream.memory(WINDOW);
    ends.send(
        () -> {
          Water water = other.spring().createWater(ends.waterBytes());
          fill(water, 7);
          ends.sender().put(water);
        });
    end(ends);
    expect(ends, 7);
    requireEnd(ends, "one water was put");
    other.close(false);
  }

  private static void carriesInputWaters(Ends ends) throws Exception {
    Stream input = Stream.memory(1);
    ends.send(
        () -> {
          for (int i = 0; i < WINDOW; i++) {
            put(input, i, ends.waterBytes());
            Water water = input.get();
            require(water != null, "a water of the input");
            if (water != null) {
              ends.sender().put(water);
            }
            require(input.outstanding() == 0, "a water that was put elsewhere is finished");
          }
        });
    end(ends);
    for (int i = 0; i < WINDOW; i++) {
      expect(ends, i);
    }
    input.close(false);
  }

  private static void refusesToPutAfterTheEnd(Ends ends) throws Exception {
    ends.send(
        () -> {
          Water water = ends.sender().spring().createWater(ends.waterBytes());
          ends.sender().end();
          requireRefusal(() -> ends.sender().put(water), "a put after the end");
        });
  }

  private static void refusesAWaterThatWasPut(Ends ends) throws Exception {
    ends.send(
        () -> {
          Water water = ends.sender().spring().createWater(ends.waterBytes());
          ends.sender().put(water);
          requireRefusal(() -> ends.sender().put(water), "a second put of a water");
          requireRefusal(water::bytes, "a look at a water that was put");
          requireRefusal(water::release, "the release of a water that was put");
        });
  }

  private static void toleratesBeingEndedTwice(Ends ends) throws Exception {
    put(ends, 1);
    end(ends);
    end(ends);
    expect(ends, 1);
    requireEnd(ends, "one water was put");
  }

  // -- What the checks are made of.

  static void put(Ends ends, int number) throws Exception {
    ends.send(() -> put(ends.sender(), number, ends.waterBytes()));
  }

  static void end(Ends ends) throws Exception {
    ends.send(() -> ends.sender().end());
  }

  static void expect(Ends ends, int number) throws Exception {
    Stream receiver = ends.receiver();
    ends.take(() -> check(receiver.get(), number, ends.waterBytes()).release());
  }

  static void requireEnd(Ends ends, String what) throws Exception {
    Stream receiver = ends.receiver();
    ends.take(() -> require(receiver.get() == null, what));
  }

  static void put(Stream sender, int number) {
    put(sender, number, WATER_BYTES);
  }

  private static void put(Stream sender, int number, int bytes) {
    Water water = sender.spring().createWater(bytes);
    fill(water, number);
    sender.put(water);
  }

  static void fill(Water water, int number) {
    for (int offset = 0; offset < water.size(); offset += Integer.BYTES) {
      water.bytes().setInt(offset, number + offset);
    }
  }

  static void expect(Stream receiver, int number) {
    check(receiver.get(), number).release();
  }

  static Water check(@Nullable Water water, int number) {
    return check(water, number, WATER_BYTES);
  }

  private static Water check(@Nullable Water water, int number, int bytes) {
    if (water == null) {
      throw new AssertionError("water %d was put, but null came".formatted(number));
    }
    require(water.size() == bytes, "%d bytes were put, not %d".formatted(bytes, water.size()));
    for (int offset = 0; offset < bytes; offset += Integer.BYTES) {
      int found = water.bytes().getInt(offset);
      require(
          found == number + offset,
          "water %d has %d at %d".formatted(number, found - offset, offset));
    }
    return water;
  }

  static void require(boolean holds, String what) {
    if (!holds) {
      throw new AssertionError(what);
    }
  }

  static void requireRefusal(Runnable misuse, String what) {
    try {
      misuse.run();
    } catch (IllegalStateException expected) {
      return;
    }
    throw new AssertionError(what + " must throw IllegalStateException");
  }

  /// A stream that is its own receiver.
  private static final class BothEnds implements Ends {
    private final Stream stream;

    BothEnds(StreamKind kind, int window) throws IOException {
      stream = kind.open(new StreamKind.Place("contract", window));
    }

    @Override
    public Stream sender() {
      return stream;
    }

    @Override
    public Stream receiver() {
      return stream;
    }

    @Override
    public void close() {
      stream.close(false);
    }
  }
}
