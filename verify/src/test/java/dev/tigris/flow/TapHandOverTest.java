package dev.tigris.flow;

import java.io.IOException;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/// The reader of a tap sees whole copies, and has read one before its sender writes to the slot
/// again: the release stores of `copies` and `takes` in `TapEnd`, and their acquires.
@JCStressTest
@Outcome(id = "1111, 0", expect = Expect.ACCEPTABLE, desc = "the second one was left out, or late")
@Outcome(id = "1111, 2222", expect = Expect.ACCEPTABLE, desc = "both came")
@Outcome(expect = Expect.FORBIDDEN, desc = "a copy was torn, lost or written over")
@State
public class TapHandOverTest {
  private static final int BYTES = 64;
  private static final Water FIRST = water(1);
  private static final Water SECOND = water(2);

  private final Tap tap = new Tap("stress", new Tap.Terms(BYTES, 1, false, false));
  private final TapEnd end = tap.end(new Operation.End("sender", 0), new Parker());

  /// The only slot has a copy.
  public TapHandOverTest() {
    end.pass(FIRST);
  }

  private static Water water(int value) {
    Water water = Stream.memory(1).spring().createWater(BYTES);
    for (int i = 0; i < BYTES; i++) {
      water.bytes().set(i, (byte) value);
    }
    return water;
  }

  /// The sender, which leaves the water out if the slot is not free.
  @Actor
  public void copy() {
    end.pass(SECOND);
  }

  /// The reader.
  @Actor
  public void read(II_Result result) {
    take((from, number, size, bytes, length) -> result.r1 = digits(bytes));
    take((from, number, size, bytes, length) -> result.r2 = digits(bytes));
  }

  private void take(Tap.Reader reader) {
    try {
      int _ = tap.read(reader);
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  private static int digits(byte[] bytes) {
    return 1000 * bytes[BYTES - 1] + 100 * bytes[BYTES / 2] + 10 * bytes[1] + bytes[0];
  }
}
