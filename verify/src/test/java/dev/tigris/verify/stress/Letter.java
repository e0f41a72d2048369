package dev.tigris.verify.stress;

import dev.tigris.memory.Container;
import dev.tigris.memory.Identity;
import dev.tigris.memory.InPlace;
import dev.tigris.memory.Jbuf;
import dev.tigris.memory.Pso;

/// What the stress tests of objects pass from thread to thread.
@Identity
class Letter extends Pso {
  /// What a letter holds as a part of it.
  static final class Enclosure extends Pso {
    int content;

    Enclosure(Container container) {
      super(container);
    }
  }

  int content;
  @InPlace Enclosure enclosure;
  volatile int stamp;
  volatile long number;
  volatile double weight;
  volatile Letter answer;

  Letter(Container container) {
    super(container);
  }

  /// Room for four letters.
  static Container container() {
    return Jbuf.allocate(256).asContainer();
  }
}
