package dev.tigris.message;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class HostAndPortTest {
  @Test
  void replacesAWildcardByTheHostThatIsKnown() {
    assertEquals("10.0.0.7:1", HostAndPort.reachable("0.0.0.0:1", "10.0.0.7:2"));
    assertEquals("[fe80::1]:1", HostAndPort.reachable("[0:0:0:0:0:0:0:0]:1", "[fe80::1]:2"));
    assertEquals("10.0.0.8:1", HostAndPort.reachable("10.0.0.8:1", "10.0.0.7:2"));
    assertEquals("a-name", HostAndPort.reachable("a-name", "10.0.0.7:2"));
    assertEquals("0.0.0.0:1", HostAndPort.reachable("0.0.0.0:1", "a-name"));
  }

  @Test
  void replacesAWildcardByThisMachine() {
    assertEquals("127.0.0.1:1", HostAndPort.fromHere("0.0.0.0:1"));
    assertEquals("[::1]:1", HostAndPort.fromHere("[0:0:0:0:0:0:0:0]:1"));
    assertEquals("10.0.0.8:1", HostAndPort.fromHere("10.0.0.8:1"));
    assertEquals("a-name", HostAndPort.fromHere("a-name"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"", ":", "host", "host:", ":80", "host:x", "host:70000", "host:-1", "[]:1"})
  void refusesWhatIsNoHostAndPort(String text) {
    assertNull(HostAndPort.of(text));
    String said =
        assertThrows(IllegalArgumentException.class, () -> HostAndPort.parse(text)).getMessage();
    assertTrue(said.contains("HOST:PORT"), said);
  }
}
