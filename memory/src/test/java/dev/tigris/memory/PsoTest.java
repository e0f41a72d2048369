package dev.tigris.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;

import org.junit.jupiter.api.Test;

class PsoTest {
  static class Trade extends Pso {
    boolean open;
    long id;
    int quantity;
    double price;
    Trade next;

    Trade(Container container) {
      super(container);
      quantity = 1;
    }
  }

  @Test
  void readsWhatWasWritten() {
    Container container = Jbuf.allocate(1024).asContainer();
    Trade trade = new Trade(container);
    trade.open = true;
    trade.id = 7;
    trade.quantity += 2;
    trade.price = 1.5;
    assertEquals(true, trade.open);
    assertEquals(7, trade.id);
    assertEquals(3, trade.quantity);
    assertEquals(1.5, trade.price);
    assertNull(trade.next);
    Trade second = new Trade(container);
    trade.next = second;
    assertSame(second, trade.next);
    container.root(trade);
    assertSame(trade, container.root(Trade.class));
  }
}
