package dev.tigris.net.shm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tigris.net.NetException;
import java.util.Locale;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@EnabledOnOs(OS.LINUX)
class ShmAddressTest {
  @ParameterizedTest
  @ValueSource(strings = {"7000", "127.0.0.1:7000", "localhost:7000", "[::1]:7000", "0.0.0.0:7000"})
  void takesHostAndPortForTheNameOfThePort(String address) {
    assertEquals(ShmAddress.socketName("7000"), ShmAddress.socketName(address));
    assertEquals(address, ShmAddress.listening(address));
  }

  @Test
  void isTheSameInALocaleWithDigitsOfItsOwn() {
    String name = ShmAddress.socketName("7000");
    Locale before = Locale.getDefault();
    Locale.setDefault(Locale.of("fa"));
    try {
      assertEquals(name, ShmAddress.socketName("7000"));
    } finally {
      Locale.setDefault(before);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"*", "127.0.0.1:0", "[::]:0"})
  void makesANameThatNobodyHasForAny(String any) {
    assertNotEquals(ShmAddress.listening(any), ShmAddress.listening(any));
    assertTrue(ShmAddress.socketName(ShmAddress.listening(any)).length() < 100);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "*",
        "a/b",
        ":7000",
        "a b",
        "[::1]",
        "localhost:",
        "localhost:x",
        "localhost:65536",
        "localhost:99999"
      })
  void refusesOtherForms(String address) {
    assertThrows(IllegalArgumentException.class, () -> ShmAddress.socketName(address));
  }

  @Test
  void refusesOtherHosts() {
    NetException refusal =
        assertThrows(NetException.class, () -> ShmAddress.socketName("192.0.2.1:7000"));
    assertTrue(refusal.getMessage().contains("192.0.2.1 is another host"));
  }

  @Test
  void refusesNamesThatAreTooLong() {
    String longest = "n".repeat(64);
    assertTrue(ShmAddress.socketName(longest).endsWith(longest));
    assertThrows(IllegalArgumentException.class, () -> ShmAddress.socketName(longest + "n"));
  }
}
