package dev.tigris.cluster.run;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The code of programs on a host, which has to be that of the coordinator.
class HostCodeTest {
  @TempDir private Path folder;

  private String refusal(List<String> wanted) {
    HostCode code = new HostCode(List.of(folder));
    return String.valueOf(assertThrows(IOException.class, () -> code.find(wanted)).getMessage());
  }

  private static List<String> wanted(String name, String hash) throws IOException {
    return List.of(HostCode.TIGRIS, ContentHash.ofTigris(), name, hash);
  }

  @Test
  void isFoundByNameAndContent() throws IOException {
    Path jar = Files.writeString(folder.resolve("app.jar"), "one");
    String hash = ContentHash.of(jar);
    assertEquals(
        List.of(jar.toAbsolutePath()), new HostCode(List.of(folder)).find(wanted("app.jar", hash)));
    Path _ = Files.writeString(jar, "other");
    String differs = refusal(wanted("app.jar", hash));
    assertTrue(differs.contains("app.jar differs from the app.jar of the coordinator"), differs);
    String missing = refusal(wanted("more.jar", hash));
    assertTrue(missing.contains("there is no more.jar on this host"), missing);
  }

  @Test
  void isRefusedForAnotherTigris() {
    String other = refusal(List.of(HostCode.TIGRIS, "0".repeat(64)));
    assertTrue(other.contains("its Tigris differs") && other.contains("000000000000..."), other);
    String old = refusal(List.of("app.jar", "0".repeat(64)));
    assertTrue(old.contains("does not say which Tigris"), old);
  }
}
