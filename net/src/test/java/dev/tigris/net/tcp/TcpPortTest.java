package dev.tigris.net.tcp;

import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class TcpPortTest {
  /// As a thread does that is to give a signal, and was not given a core while the owner closed.
  @Test
  void endsAWaitThatBeginsAfterTheEnd() {
    TcpPort port = new TcpPort();
    port.close();
    assertTrue(port.wakeRequest().take(), "who closes wakes those that wait");
    assertTrue(port.park(Long.MAX_VALUE));
  }
}
