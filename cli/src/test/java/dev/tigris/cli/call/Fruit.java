package dev.tigris.cli.call;

import dev.tigris.memory.Capacity;
import dev.tigris.memory.Container;
import dev.tigris.memory.Ints;
import dev.tigris.memory.Pso;
import dev.tigris.memory.PsoList;
import dev.tigris.memory.Utf8;
import org.jspecify.annotations.Nullable;

/// An object with a field of each kind that people write.
final class Fruit extends Pso {
  enum Taste {
    SWEET,
    SOUR
  }

  long id;
  float weight;
  char grade;
  boolean isRipe;
  @Nullable Taste taste;

  @Capacity(20)
  Utf8 name;

  @Capacity(3)
  Ints sizes;

  @Nullable PsoList<Fruit> parts;

  Fruit(Container container) {
    super(container);
  }
}
