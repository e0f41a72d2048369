package dev.tigris.bench.memory;

import dev.tigris.memory.Container;
import dev.tigris.memory.Pso;
import org.jspecify.annotations.Nullable;

/// A pre-serialized object with a reference, for [ObjectSuite].
final class Node extends Pso {
  int value;
  @Nullable Node next;

  Node(Container container) {
    super(container);
  }
}
