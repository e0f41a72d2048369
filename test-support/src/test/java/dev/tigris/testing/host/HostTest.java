package dev.tigris.testing.host;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tigris.testing.Wait;
import dev.tigris.testing.process.Command;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.opentest4j.TestAbortedException;

class HostTest {
  @TempDir Path folder;

  @Test
  void aSmallDiskIsFullSoonAndGoneInTheEnd() throws Exception {
    Path inside;
    try (SmallDisk disk = SmallDisk.inMemory(folder, 1 << 20)) {
      inside = Files.write(disk.folder().resolve("half"), new byte[1 << 19]);
      assertThrows(
          IOException.class, () -> Files.write(disk.folder().resolve("more"), new byte[1 << 20]));
    }
    assertFalse(Files.exists(inside));
  }

  @Test
  void aDiskWithBlocksIsMadeInAFile() throws Exception {
    try (SmallDisk disk = SmallDisk.ext4(folder, 4 << 20)) {
      assertEquals("ext4", Files.getFileStore(disk.folder()).type());
    }
  }

  @Test
  void twoHostsReachEachOtherUntilTheCableIsPulled() {
    try (TwoHosts hosts = TwoHosts.connectedBy("tbf rate 200mbit burst 64kb latency 50ms")) {
      String far = hosts.far().address();
      Command route = hosts.near().on(Command.of("ip", "route", "get", far));
      assertTrue(route.output().contains("dev eth0 src " + hosts.near().address()));
      hosts.far().pullCable();
      assertTrue(
          hosts
              .near()
              .on(Command.of("ip", "link", "show", "eth0"))
              .output()
              .contains("NO-CARRIER"));
      hosts.far().plugCable();
      Wait.until(
          "the cable is in",
          () ->
              hosts
                  .near()
                  .on(Command.of("ip", "link", "show", "eth0"))
                  .output()
                  .contains("state UP"));
    }
  }

  @Test
  void aCableThatCannotBeMadeIsAFailure() {
    TwoHosts.connectedBy("pfifo limit 10").close(); // skipped where hosts cannot be made
    AssertionError failed =
        assertThrows(AssertionError.class, () -> TwoHosts.connectedBy("no-such-discipline"));
    assertTrue(failed.getMessage().contains("no-such-discipline"), failed.getMessage());
  }

  @Test
  void aKeyIsTrustedByThoseWhoKnowIt() throws Exception {
    TlsKey key = TlsKey.make(folder, "self", "san=ip:127.0.0.1");
    assertEquals("self", key.name());
    assertEquals(1, key.keys().length);
    assertEquals(1, TlsKey.trusting(key).length);
  }

  @Test
  void whatIsMissingIsNamedWithItsPackage() {
    var skipped =
        assertThrows(
            TestAbortedException.class, () -> Needs.program("no-such-program", "no-such-package"));
    assertTrue(
        skipped.getMessage().contains("apt-get install no-such-package"), skipped.getMessage());
  }
}
