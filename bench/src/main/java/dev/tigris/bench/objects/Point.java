package dev.tigris.bench.objects;

import dev.tigris.memory.Container;
import dev.tigris.memory.Pso;

/// Three doubles, for [UpdateSuite].
final class Point extends Pso {
  double x;
  double y;
  double z;

  Point(Container container) {
    super(container);
  }
}
