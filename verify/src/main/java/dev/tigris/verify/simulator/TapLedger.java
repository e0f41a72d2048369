package dev.tigris.verify.simulator;

import dev.tigris.flow.Operation.End;
import dev.tigris.flow.Tap;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.HashMap;
import java.util.Map;

/// One tap of a simulated flow, with what must hold of its copies: those of a sender come once and
/// in its order, with their own bytes, and a tap that blocks leaves nothing out.
final class TapLedger implements Tap.Reader {
  /// The last copy of a sender.
  private record Last(long sender, long number, long count) {}

  final Tap tap;

  private final Tap.Terms terms;

  /// Whether it was attached before any water was put.
  private final boolean isWhole;

  private final EngineModules modules;
  private final Map<End, Last> lasts = new HashMap<>();
  private long copies;
  private boolean isClosed;

  TapLedger(EngineModules modules, String reservoir, Tap.Terms terms, boolean isWhole) {
    this.modules = modules;
    this.tap = new Tap(reservoir, terms);
    this.terms = terms;
    this.isWhole = isWhole;
  }

  /// Returns how many copies have come.
  long copies() {
    return copies;
  }

  /// Takes what there is.
  ///
  /// @return whether there was something
  boolean read() {
    try {
      return tap.read(this) > 0;
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  @Override
  public void take(End from, long number, int size, byte[] bytes, int length) {
    ByteBuffer water = ByteBuffer.wrap(bytes, 0, length).order(ByteOrder.LITTLE_ENDIAN);
    if (length < EngineModules.BYTES || length != Math.min(size, terms.mostBytes())) {
      throw modules.violated("%d bytes of %d were copied".formatted(length, size));
    }
    Last now = new Last(water.getLong(8), number, water.getLong(16));
    Last before = lasts.put(from, now);
    copies++;
    if (before == null) {
      if (terms.blocks() && number != 0) {
        throw modules.violated("the first copy of %s is number %d".formatted(from, number));
      }
    } else if (now.sender() != before.sender()
        || now.count() <= before.count()
        || now.number() <= before.number()
        || (terms.blocks() && now.number() != before.number() + 1)) {
      throw modules.violated("of %s, %s was copied after %s".formatted(from, now, before));
    }
  }

  /// Checks what must hold when the flow is over.
  ///
  /// @param isComplete whether the flow has come to a good end
  /// @param sent how many waters were sent on its reservoir
  void check(boolean isComplete, long sent) {
    if (!tap.isOver() || copies != tap.copied()) {
      throw new AssertionError("%d copies came, of %d".formatted(copies, tap.copied()));
    }
    if (!isClosed && tap.isComplete() != isComplete) {
      throw new AssertionError("the tap has heard of another end");
    }
    if (isWhole && isComplete && !isClosed) {
      long all = copies + (terms.blocks() ? 0 : tap.leftOut());
      if (all != sent) {
        throw new AssertionError(
            "%d waters were sent, %d copied, %d left out".formatted(sent, copies, tap.leftOut()));
      }
    }
  }

  void close() {
    isClosed = true;
    tap.close();
  }
}
