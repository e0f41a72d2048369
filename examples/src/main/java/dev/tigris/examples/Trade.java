package dev.tigris.examples;

import dev.tigris.memory.Container;
import dev.tigris.memory.Pso;
import org.jspecify.annotations.Nullable;

/// An object whose fields lie in a container, used as any other.
public final class Trade extends Pso {
  /// Who traded.
  public int account;

  /// How many were bought, or sold if negative.
  public int quantity;

  /// What one cost.
  public double price;

  /// The next trade in the same container, or null.
  public @Nullable Trade next;

  /// A new trade in a container.
  public Trade(Container container) {
    super(container);
  }
}
