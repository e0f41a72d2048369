package dev.tigris.bench.call;

import dev.tigris.memory.Capacity;
import dev.tigris.memory.Container;
import dev.tigris.memory.Longs;
import dev.tigris.memory.Pso;

/// Arguments and results of calls: 32, 288 and 1,344 bytes, as in the workloads of Aeron's rig.
@SuppressWarnings("NullAway") // the specializer makes the arrays
final class Ask {
  private Ask() {}

  /// Of 32 bytes.
  public static final class Small extends Pso {
    public long number;

    @Capacity(3)
    public Longs rest;

    public Small(Container container) {
      super(container);
    }
  }

  /// Of 288 bytes.
  public static final class Medium extends Pso {
    public long number;

    @Capacity(35)
    public Longs rest;

    public Medium(Container container) {
      super(container);
    }
  }

  /// Of 1,344 bytes.
  public static final class Large extends Pso {
    public long number;

    @Capacity(167)
    public Longs rest;

    public Large(Container container) {
      super(container);
    }
  }
}
