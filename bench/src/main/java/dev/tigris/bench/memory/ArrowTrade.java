package dev.tigris.bench.memory;

import dev.tigris.memory.Capacity;
import dev.tigris.memory.Container;
import dev.tigris.memory.Pso;
import dev.tigris.memory.Utf8;
import dev.tigris.memory.arrow.ArrowAs;

/// A row of six columns: numbers, a short text, an enum and a time.
final class ArrowTrade extends Pso {
  /// Which side of the trade it was.
  enum Side {
    BUY,
    SELL
  }

  long account;
  int quantity;
  double price;
  Side side;

  @Capacity(12)
  Utf8 symbol;

  @ArrowAs(ArrowAs.Meaning.TIMESTAMP_MICROS)
  long time;

  @SuppressWarnings("NullAway") // fields are memory
  ArrowTrade(Container container) {
    super(container);
  }

  void fill(int seed) {
    account = seed * 2_654_435_761L;
    quantity = seed % 1000;
    price = seed * 0.25;
    side = seed % 3 == 0 ? Side.SELL : Side.BUY;
    symbol.set("S" + seed % 5000);
    time = 1_795_000_000_000_000L + seed;
  }
}
