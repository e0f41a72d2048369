package dev.tigris.message.call;

import dev.tigris.memory.Container;
import dev.tigris.memory.Pso;

/// An object of the tests, of primitives only.
public class Receipt extends Pso {
  public long order;
  public double price;

  public Receipt(Container container) {
    super(container);
  }
}
