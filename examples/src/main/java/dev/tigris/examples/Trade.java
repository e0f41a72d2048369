package dev.tigris.examples;

import dev.tigris.memory.Container;
import dev.tigris.memory.Pso;
import org.jspecify.annotations.Nullable;

/// An object whose fields lie in a container, used like any other.
public final class Trade extends Pso {
  /// The number of the account.
  public int account;

  /// The pieces that were bought, or sold if negative.
  public int quantity;

  /// The price of a piece.
  public double price;

  /// The next trade in the same container, or null.
  public @Nullable Trade next;

  /// A new trade in a container.
  public Trade(Container container) {
    super(container);
  }
}
