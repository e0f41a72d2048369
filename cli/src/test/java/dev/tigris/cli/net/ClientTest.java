package dev.tigris.cli.net;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class ClientTest {
  @Test
  void waitsLongerForALargeMessageThanForASmallOne() {
    assertEquals(Duration.ofSeconds(10), Duration.ofNanos(Client.patienceNanos(0)));
    Duration forOneGibibyte = Duration.ofNanos(Client.patienceNanos(1L << 30));
    assertTrue(forOneGibibyte.compareTo(Duration.ofMinutes(15)) > 0, forOneGibibyte.toString());
  }
}
