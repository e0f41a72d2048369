package dev.tigris.net.socket;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.tigris.net.NetException;
import java.util.Locale;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TcpAddressTest {
  @ParameterizedTest
  @ValueSource(strings = {"127.0.0.1:7000", "[0:0:0:0:0:0:0:1]:7000", "0.0.0.0:0"})
  void readsWhatItWrites(String text) {
    assertEquals(text, TcpAddress.format(TcpAddress.parse(text)));
  }

  @Test
  void writesDigitsThatEverybodyReadsInALocaleWithOthers() {
    Locale before = Locale.getDefault();
    Locale.setDefault(Locale.of("fa"));
    try {
      assertEquals("127.0.0.1:7000", TcpAddress.format(TcpAddress.parse("127.0.0.1:7000")));
    } finally {
      Locale.setDefault(before);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"", ":", "host", ":7000", "host:", "host:x", "host:70000", "::1:7000"})
  void refusesOtherForms(String text) {
    assertThrows(IllegalArgumentException.class, () -> TcpAddress.parse(text));
  }

  @Test
  void saysThatAHostIsUnknown() {
    assertThrows(NetException.class, () -> TcpAddress.parse("no-such-host.invalid:7000"));
  }
}
