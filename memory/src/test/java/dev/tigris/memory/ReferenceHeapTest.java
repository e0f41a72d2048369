package dev.tigris.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.tigris.testing.Slow;
import dev.tigris.testing.process.Jvm;
import org.junit.jupiter.api.Test;

/// What is reached through references and is not kept by the program takes no heap: each of these
/// programs would fail with an [OutOfMemoryError] if a reader kept what it has read.
class ReferenceHeapTest {
  static final class Order extends Pso {
    long id;
    int quantity;
    Order next;

    Order(Container container) {
      super(container);
    }
  }

  /// Looks up each order through a list, twice.
  static final class LookUp {
    public static void main(String[] arguments) {
      int count = Integer.parseInt(arguments[0]);
      Container container = Jbuf.allocate(100L + 40L * count).asContainer();
      PsoList<Order> orders = new PsoList<>(container, Order.class, count);
      for (int i = 0; i < count; i++) {
        Order order = new Order(container);
        order.quantity = i;
        orders.add(order);
      }
      long sum = 0;
      for (int round = 0; round < 2; round++) {
        for (int i = 0; i < count; i++) {
          sum += orders.get(i).quantity;
        }
      }
      System.out.println(sum == (long) count * (count - 1));
    }
  }

  /// Follows a chain of orders, and holds its first one.
  static final class Walk {
    public static void main(String[] arguments) {
      int count = Integer.parseInt(arguments[0]);
      Container container = Jbuf.allocate(100L + 24L * count).asContainer();
      Order first = new Order(container);
      Order last = first;
      for (int i = 1; i < count; i++) {
        Order order = new Order(container);
        order.quantity = i;
        last.next = order;
        last = order;
      }
      long sum = 0;
      for (Order order = first; order != null; order = order.next) {
        sum += order.quantity;
      }
      System.out.println(2 * sum == (long) count * (count - 1) && first.quantity == 0);
    }
  }

  private static String run(Class<?> main, String heap, int count) {
    return Jvm.of(main)
        .options("-Xmx" + heap, "-XX:+UseSerialGC", "-XX:MaxDirectMemorySize=1g")
        .command(String.valueOf(count))
        .output();
  }

  @Test
  void lookingUpOrdersThroughAListNeedsNoHeap() {
    assertEquals("true\n", run(LookUp.class, "12m", 500_000));
  }

  @Test
  void followingReferencesNeedsNoHeap() {
    assertEquals("true\n", run(Walk.class, "12m", 500_000));
  }

  @Test
  @Slow("ten million references")
  void tenMillionReferencesAreFollowedWithAHeapOf64Megabytes() {
    assertEquals("true\n", run(Walk.class, "64m", 10_000_000));
  }

  @Test
  @Slow("five million orders")
  void fiveMillionOrdersAreLookedUpWithAHeapOf64Megabytes() {
    assertEquals("true\n", run(LookUp.class, "64m", 5_000_000));
  }
}
