package dev.tigris.flow.mirror;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class ReadOrderTest {
  private final ReadOrder<String> order = new ReadOrder<>();

  private List<String> all() {
    List<String> all = new ArrayList<>();
    for (String next = order.next(); next != null; next = order.next()) {
      all.add(next);
    }
    return all;
  }

  @Test
  void theReaderThatIsFurthestBehindIsFirst() {
    order.add(1, 0.5, "middle");
    order.add(1, 0.9, "ahead");
    order.add(1, 0.1, "behind");
    order.add(1, 0.1, "behind too");
    assertEquals(List.of("behind", "behind too", "middle", "ahead"), all());
    assertNull(order.next());
  }

  @Test
  void readingsTakeTurns() {
    order.add(1, 0.8, "a");
    order.add(1, 0.9, "b");
    order.add(2, 0.0, "x");
    order.add(2, 0.1, "y");
    order.add(2, 0.2, "z");
    assertEquals(List.of("a", "x", "b", "y", "z"), all());
  }

  @Test
  void whatIsTakenOutIsNotServed() {
    order.add(1, 0.1, "a");
    order.add(1, 0.2, "b");
    order.add(2, 0, "x");
    assertTrue(order.remove("a"));
    assertTrue(order.remove("x"));
    assertFalse(order.remove("x"));
    assertEquals(List.of("b"), all());
  }
}
