package dev.tigris.bench.papers;

import dev.tigris.memory.Container;
import dev.tigris.memory.Pso;
import org.jspecify.annotations.Nullable;

/// The object of figure 7 in Welsh's MS thesis, 1999.
final class MyObject extends Pso {
  int someInt;
  byte someByte;
  @Nullable MyObject someRef;

  MyObject(Container container) {
    super(container);
  }
}
