package dev.tigris.testing;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class WaitTest {
  @Test
  void looksUntilTheConditionHolds() {
    AtomicInteger looks = new AtomicInteger();
    Wait.until("three looks", () -> looks.incrementAndGet() == 3);
    assertEquals(3, looks.get());
    assertEquals(
        "there", Wait.forValue("a look", () -> looks.incrementAndGet() > 5 ? "there" : null));
  }

  @Test
  void saysWhatDidNotBecomeSo() {
    var failure =
        assertThrows(
            AssertionError.class,
            () -> Wait.until(() -> "there is one", Duration.ofMillis(5), () -> false));
    assertEquals("not so after 5 ms: there is one", failure.getMessage());
    assertFalse(Wait.isMet(Duration.ZERO, () -> false));
  }

  @Test
  void failsWhereTheConditionCannotBeLookedAt() {
    var failure =
        assertThrows(
            AssertionError.class,
            () ->
                Wait.until(
                    "a file",
                    () -> {
                      throw new IOException("no disk");
                    }));
    assertTrue(failure.getCause() instanceof IOException);
  }
}
