package dev.tigris.flow.testing;

import dev.tigris.flow.Stream;
import dev.tigris.flow.StreamKind;
import dev.tigris.flow.Water;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Checks of the contract of every kind of stream, for any test framework:
///
/// ```java
/// @TestFactory
/// java.util.stream.Stream<DynamicTest> keepsTheContract() {
///   return StreamContract.of(myKind).checks().stream()
///       .map(check -> DynamicTest.dynamicTest(check.name(), check::run));
/// }
/// ```
///
/// A check throws [AssertionError] if the stream does not keep the contract. Kinds both of whose
/// ends are in use at once are checked for credits and waiting as well; those that store what was
/// put, and give it later, only for what they carry.
///
/// Thread rule: a contract may be used by one thread at a time; some checks start threads, and end
/// them.
public final class StreamContract {
  static final int WATER_BYTES = 64;
  static final int WINDOW = 4;

  /// The two ends of a stream under test.
  public interface Ends extends AutoCloseable {
    /// Where the check puts waters, and ends the stream.
    Stream sender();

    /// Where the check takes waters. Asked for after the sender has ended if the stream stores,
    /// else at once; the same one each time.
    Stream receiver() throws IOException;

    /// Closes what was opened, and removes what was stored.
    @Override
    void close() throws IOException;
  }

  /// Opens a stream for one check.
  @FunctionalInterface
  public interface Opener {
    /// A new stream with a window. If it stores waters without keeping them apart, it must give
    /// them back in pieces of 64 bytes.
    Ends open(int window) throws Exception;
  }

  /// One thing to check.
  ///
  /// @param name what must hold, such as `carriesWatersInOrder`
  /// @param body checks it
  public record Check(String name, Body body) {
    /// Checks it.
    ///
    /// @throws AssertionError if it does not hold
    public void run() throws Exception {
      body.run();
    }
  }

  /// The body of a check.
  @FunctionalInterface
  public interface Body {
    /// Checks, and throws [AssertionError] if something does not hold.
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

  /// The contract of a kind whose streams have both ends in this JVM at once.
  public static StreamContract of(StreamKind kind) {
    return new StreamContract(window -> new BothEnds(kind, window), false);
  }

  /// The contract of a kind that stores all that is put until it has ended, and gives it then.
  public static StreamContract storing(Opener opener) {
    return new StreamContract(opener, true);
  }

  /// All checks that apply.
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
      put(ends.sender(), i);
    }
    ends.sender().end();
    for (int i = 0; i < WINDOW; i++) {
      expect(ends.receiver(), i);
    }
    require(ends.receiver().get() == null, "after the last water, get gives null");
    require(ends.receiver().get() == null, "and again");
    require(ends.receiver().isDrained(), "an ended stream without waters is drained");
  }

  private static void endsEmpty(Ends ends) throws Exception {
    ends.sender().end();
    require(ends.receiver().poll() == null, "nothing was put, so poll gives null");
    require(ends.receiver().get() == null, "nothing was put, so get gives null");
  }

  private static void countsWatersAndBytes(Ends ends) throws Exception {
    put(ends.sender(), 1);
    put(ends.sender(), 2);
    ends.sender().end();
    long waters = ends.sender().counters().waters();
    long bytes = ends.sender().counters().bytes();
    require(waters == 2, "2 waters were put, not " + waters);
    require(bytes == 2 * WATER_BYTES, "2 waters of 64 bytes were put, not " + bytes + " bytes");
    expect(ends.receiver(), 1);
    expect(ends.receiver(), 2);
  }

  private static void carriesWatersOfOtherSprings(Ends ends) throws Exception {
    Stream other = Stream.memory(WINDOW);
    Water water = other.spring().createWater(WATER_BYTES);
    fill(water, 7);
    ends.sender().put(water);
    ends.sender().end();
    expect(ends.receiver(), 7);
    require(ends.receiver().get() == null, "one water was put");
    other.close(false);
  }

  private static void carriesInputWaters(Ends ends) throws Exception {
    Stream input = Stream.memory(1);
    for (int i = 0; i < WINDOW; i++) {
      put(input, i);
      Water water = input.get();
      require(water != null, "a water of the input");
      if (water != null) {
        ends.sender().put(water);
      }
      require(input.outstanding() == 0, "a water that was put elsewhere is finished");
    }
    ends.sender().end();
    for (int i = 0; i < WINDOW; i++) {
      expect(ends.receiver(), i);
    }
    input.close(false);
  }

  private static void refusesToPutAfterTheEnd(Ends ends) {
    Water water = ends.sender().spring().createWater(WATER_BYTES);
    ends.sender().end();
    requireRefusal(() -> ends.sender().put(water), "a put after the end");
  }

  private static void refusesAWaterThatWasPut(Ends ends) {
    Water water = ends.sender().spring().createWater(WATER_BYTES);
    ends.sender().put(water);
    requireRefusal(() -> ends.sender().put(water), "a second put of a water");
    requireRefusal(water::bytes, "a look at a water that was put");
    requireRefusal(water::release, "the release of a water that was put");
  }

  private static void toleratesBeingEndedTwice(Ends ends) throws Exception {
    put(ends.sender(), 1);
    ends.sender().end();
    ends.sender().end();
    expect(ends.receiver(), 1);
    require(ends.receiver().get() == null, "one water was put");
  }

  // -- What the checks are made of.

  static void put(Stream sender, int number) {
    Water water = sender.spring().createWater(WATER_BYTES);
    fill(water, number);
    sender.put(water);
  }

  static void fill(Water water, int number) {
    for (int offset = 0; offset < WATER_BYTES; offset += Integer.BYTES) {
      water.bytes().setInt(offset, number + offset);
    }
  }

  static void expect(Stream receiver, int number) {
    check(receiver.get(), number).release();
  }

  static Water check(@Nullable Water water, int number) {
    if (water == null) {
      throw new AssertionError("water %d was put, but null came".formatted(number));
    }
    require(water.size() == WATER_BYTES, "64 bytes were put, not " + water.size());
    for (int offset = 0; offset < WATER_BYTES; offset += Integer.BYTES) {
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
