package store;

import dev.tigris.memory.Capacity;
import dev.tigris.memory.Container;
import dev.tigris.memory.Pso;
import dev.tigris.memory.Utf8;

/// An order, which lies in the file as it is.
public final class Order extends Pso {
  public long number;
  public long customer;
  public int cents;
  public boolean paid;
  @Capacity(8) public Utf8 product;

  public Order(Container container) {
    super(container);
  }
}
