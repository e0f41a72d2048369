package dev.tigris.bench.objects;

import dev.tigris.memory.Container;
import dev.tigris.memory.Pso;
import org.jspecify.annotations.Nullable;

/// The object of nine fields in Welsh's MS thesis, 1999, figure 9: four bytes, four ints and a
/// reference to the next. [PlainItem] is its twin on the heap.
final class Item extends Pso {
  byte b0;
  byte b1;
  byte b2;
  byte b3;
  int i0;
  int i1;
  int i2;
  int i3;
  @Nullable Item next;

  Item(Container container) {
    super(container);
  }

  void fill(int seed) {
    b0 = (byte) seed;
    b1 = (byte) (seed + 1);
    b2 = (byte) (seed + 2);
    b3 = (byte) (seed + 3);
    i0 = seed;
    i1 = 2 * seed;
    i2 = 3 * seed;
    i3 = 4 * seed;
  }

  long sum() {
    return (long) b0 + b1 + b2 + b3 + i0 + i1 + i2 + i3;
  }
}
