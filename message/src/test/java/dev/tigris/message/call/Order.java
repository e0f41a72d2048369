package dev.tigris.message.call;

import dev.tigris.memory.Capacity;
import dev.tigris.memory.Container;
import dev.tigris.memory.Pso;
import dev.tigris.memory.Utf8;
import org.jspecify.annotations.Nullable;

/// An object of the tests, with text, and a reference.
public class Order extends Pso {
  public long id;
  public int quantity;

  @Capacity(20)
  public Utf8 symbol;

  public @Nullable Order next;

  public Order(Container container) {
    super(container);
  }

  static Order of(Container container, long id, int quantity, String symbol) {
    Order order = new Order(container);
    order.id = id;
    order.quantity = quantity;
    order.symbol.set(symbol);
    return order;
  }
}
