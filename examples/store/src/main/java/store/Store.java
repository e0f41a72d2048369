package store;

import dev.tigris.memory.Container;
import dev.tigris.memory.ConversionOption;
import dev.tigris.memory.Ints;
import dev.tigris.memory.Jbuf;
import dev.tigris.memory.Mapping;
import dev.tigris.memory.PsoCursor;
import dev.tigris.memory.PsoLayout;
import dev.tigris.memory.PsoTable;
import dev.tigris.memory.schema.Schema;
import java.io.IOException;
import java.nio.file.Path;

/// A file of orders that are found by their numbers. What was added or changed since the last
/// [#flush] is lost when the process or the machine dies, and nothing else: orders and index are as
/// of one flush.
///
/// Thread rule: one thread at a time.
public final class Store implements AutoCloseable {
  /// Room for the header, the schema, and the roundings.
  private static final long SPARE_BYTES = 64 << 10;

  private final Jbuf file;
  private final PsoTable<Order> table;
  private final Ints slots;
  private final long mask;

  private Store(Jbuf file, Orders orders) {
    this.file = file;
    this.table = orders.table;
    this.slots = orders.slots.asInts();
    this.mask = orders.slots.length() - 1;
  }

  /// Opens a file, or makes one with room for so many orders. A file of an older class of orders is
  /// converted.
  ///
  /// @param options `ALLOW_LOSS` to convert a file of a newer class, whose fields are then lost
  public static Store open(Path path, long capacity, ConversionOption... options)
      throws IOException {
    long bytes =
        SPARE_BYTES
            + capacity * PsoLayout.of(Order.class).sizeBytes()
            + Orders.slotsFor(capacity) * Integer.BYTES;
    Jbuf file = Jbuf.map(path, Mapping.DURABLE, bytes, Schema.of(Orders.class), options);
    try {
      Container container = file.asContainer();
      Orders orders = container.root(Orders.class);
      if (orders == null) {
        orders = new Orders(container, capacity);
        container.root(orders);
      }
      return new Store(file, orders);
    } catch (RuntimeException e) {
      file.close();
      throw e;
    }
  }

  public long size() {
    return table.size();
  }

  /// Adds an order.
  ///
  /// @throws IllegalArgumentException if there is one of this number
  /// @throws IllegalStateException if the store is full: the index does not grow
  public Order add(long number) {
    if (table.size() == table.capacity()) {
      throw new IllegalStateException("the store is full, with " + table.size() + " orders");
    }
    long slot = slotOf(number);
    if (slots.get(slot) != 0) {
      throw new IllegalArgumentException("there is an order " + number + " already");
    }
    Order order = table.add();
    order.number = number;
    slots.set(slot, (int) table.size());
    return order;
  }

  /// Finds an order; null if there is none of this number.
  public Order find(long number) {
    int row = slots.get(slotOf(number));
    return row == 0 ? null : table.get(row - 1);
  }

  /// The slot that an order of this number has, or would get.
  private long slotOf(long number) {
    long slot = Sample.mix(number) & mask;
    for (int row = slots.get(slot); row != 0; row = slots.get(slot)) {
      if (table.get(row - 1).number == number) {
        break;
      }
      slot = slot + 1 & mask;
    }
    return slot;
  }

  /// All orders, by one object that moves along.
  public PsoCursor<Order> all() {
    return table.cursor();
  }

  public void flush() throws IOException {
    file.flush();
  }

  @Override
  public void close() {
    file.close();
  }
}
