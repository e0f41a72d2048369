package dev.tigris.bench.objects;

import dev.tigris.memory.Container;
import dev.tigris.memory.Pso;

/// A record of 64 bytes in a file, of which one field is looked at. Its twin is the struct of
/// `scan.c`.
final class Reading extends Pso {
  static final int BYTES = 64;

  long id;
  int value;
  int other;
  double a;
  double b;
  double c;
  double d;
  double e;
  double f;

  Reading(Container container) {
    super(container);
  }
}
