package dev.tigris.message.call;

import dev.tigris.memory.Container;
import dev.tigris.memory.Pso;

/// Tells whether a service serves from now on: an element of [Health#watch].
public final class HealthState extends Pso {
  /// The number of a [Serving].
  public int code;

  /// Makes one in a container.
  public HealthState(Container container) {
    super(container);
  }

  /// Returns whether the service serves.
  public Serving serving() {
    Serving known = Serving.of(code);
    return known == null ? Serving.UNKNOWN : known;
  }
}
