package dev.tigris.verify.stress;

import dev.tigris.net.shm.Ring;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/// Slots are not written again before they were read: the release store of `freed` in
/// `RingReader`, and its acquire in `RingWriter`. The ring is full when the actors start.
@JCStressTest
@Outcome(id = "0, \\d+", expect = Expect.ACCEPTABLE, desc = "all was read as it was written")
@Outcome(expect = Expect.FORBIDDEN, desc = "something was written over")
@State
public class RingReuseTest {
  private static final int MESSAGE_BYTES = 100;
  private static final int OLD = 1;

  private final Letterbox box = new Letterbox(Ring.SLOTS);
  private final int count;

  /// Fills the ring.
  public RingReuseTest() {
    int written = 0;
    while (box.write(MESSAGE_BYTES, OLD)) {
      written++;
    }
    count = written;
  }

  /// The writer: writes over what was given back.
  @Actor
  public void write(II_Result result) {
    for (int i = 0; i < count; i++) {
      result.r2 += box.write(MESSAGE_BYTES, OLD + 1) ? 1 : 0;
    }
  }

  /// The reader: finds the old messages.
  @Actor
  public void read(II_Result result) {
    for (int i = 0; i < count; i++) {
      result.r1 += box.read() && box.content() == OLD ? 0 : 1;
    }
  }
}
