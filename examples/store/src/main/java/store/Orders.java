package store;

import dev.tigris.memory.Container;
import dev.tigris.memory.Primitive;
import dev.tigris.memory.Pso;
import dev.tigris.memory.PsoArray;
import dev.tigris.memory.PsoTable;

/// The root of the file: the orders one after the other, and an index of them by number. The index
/// is a hash table with open addressing. A slot holds the place of an order in the table plus one,
/// or 0.
public final class Orders extends Pso {
  public PsoTable<Order> table;
  public PsoArray slots;

  public Orders(Container container, long capacity) {
    super(container);
    table = new PsoTable<>(container, Order.class, capacity);
    slots = new PsoArray(container, Primitive.INT, slotsFor(capacity));
  }

  /// A power of two, of which at most two thirds are taken and one is free.
  static long slotsFor(long capacity) {
    return Long.highestOneBit(Math.max(1, capacity + capacity / 2)) << 1;
  }
}
