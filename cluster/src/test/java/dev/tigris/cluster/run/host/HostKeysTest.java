package dev.tigris.cluster.run.host;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tigris.testing.Slow;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Keys that are of no use are named as what they are.
@Slow("each key is made by a process")
class HostKeysTest {
  @TempDir private static Path folder;

  private static HostKeys keys;
  private static Path worker;

  @BeforeAll
  static void make() throws Exception {
    keys = HostKeys.init(folder.resolve("keys"));
    worker = keys.worker(List.of("h1.example", "10.0.0.1"), 1);
  }

  private static String refusal(Path key) {
    return assertThrows(IOException.class, () -> HostKey.load(key)).getMessage();
  }

  private static Path made(String name, String start) throws IOException {
    Path file = folder.resolve(name + ".key");
    keys.issue(file, new HostKey.Owner(name, HostKey.Role.COORDINATOR), start, 1, List.of());
    return file;
  }

  @Test
  void aKeyTellsItsOwner() throws Exception {
    HostKey key = HostKey.load(worker);
    assertEquals(HostKey.Role.WORKER, key.role());
    assertEquals("h1.example", key.name());
    assertEquals("rw-------", PosixFilePermissions.toString(Files.getPosixFilePermissions(worker)));
  }

  @Test
  void aSecondKeyOfAHostNeedsTheFirstToBeRevoked() {
    IOException refusal =
        assertThrows(IOException.class, () -> keys.worker(List.of("h1.example"), 1));
    assertTrue(refusal.getMessage().contains("revoke it first"), refusal::getMessage);
  }

  @Test
  void aKeyThatHasExpiredIsNamed() throws Exception {
    String told = refusal(made("old", "-3d"));
    assertTrue(told.contains("CN=old") && told.contains("has expired on"), told);
  }

  /// As on a host whose clock is two days behind that of the authority.
  @Test
  void aKeyThatIsNotValidYetAsksForTheClock() throws Exception {
    String told = refusal(made("new", "+2d"));
    assertTrue(told.contains("CN=new") && told.contains("is a clock wrong?"), told);
  }

  @Test
  void aKeyThatOthersCanReadIsRefused() throws Exception {
    Path open = Files.copy(worker, folder.resolve("open.key"));
    Path _ = Files.setPosixFilePermissions(open, PosixFilePermissions.fromString("rw-r-----"));
    String told = refusal(open);
    assertTrue(told.contains("can be read by others than its owner (rw-r-----)"), told);
  }

  @Test
  void whatIsNoKeyIsRefused() throws Exception {
    Path file = folder.resolve("no.key");
    Path _ = Files.writeString(file, "no key");
    Path _ = Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
    assertTrue(refusal(file).contains("is no key of 'tigris keys'"));
  }

  @Test
  void namesThatLeadElsewhereAreRefused() {
    for (String name : List.of("../h1", "h1/..", "", "a b", "h1\n")) {
      assertThrows(IOException.class, () -> keys.worker(List.of(name), 1), name);
      assertThrows(IOException.class, () -> keys.coordinator(name, 1), name);
    }
  }

  @Test
  void aListOfRevokedKeysIsTakenIfItRevokesMore() throws Exception {
    Path place = Files.createDirectory(folder.resolve("host"));
    HostKey key = HostKey.load(Files.copy(worker, place.resolve("worker.key")));
    Path thief = Files.copy(keys.coordinator("thief", 1), place.resolve("thief.key"));
    assertEquals(1, keys.revoke("thief").size());
    byte[] first = Files.readAllBytes(keys.revokedFile());
    Path _ = keys.coordinator("thief", 1);
    assertEquals(1, keys.revoke("thief").size());
    byte[] second = Files.readAllBytes(keys.revokedFile());

    assertTrue(key.takeRevoked(first));
    assertTrue(refusal(thief).contains("is revoked"));
    assertFalse(key.takeRevoked(first));
    assertTrue(key.takeRevoked(second));
    assertFalse(key.takeRevoked(first));
    assertArrayEquals(second, key.revoked());

    HostKeys theirs = HostKeys.init(folder.resolve("theirs"));
    Path _ = theirs.coordinator("c", 1);
    assertEquals(1, theirs.revoke("c").size());
    byte[] foreign = Files.readAllBytes(theirs.revokedFile());
    for (byte[] wrong : List.of(foreign, new byte[0], "no list".getBytes(StandardCharsets.UTF_8))) {
      assertThrows(IOException.class, () -> key.takeRevoked(wrong));
    }
    assertArrayEquals(second, key.revoked());
    try (var files = Files.list(place)) {
      assertEquals(3, files.count());
    }
  }
}
