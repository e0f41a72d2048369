package dev.tigris.net.libfabric;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tigris.net.Fabric;
import dev.tigris.net.NetException;
import org.junit.jupiter.api.Test;

class LibfabricProviderTest {
  private static final String LIBRARY = "tigris.net.libfabric.library";

  @Test
  void saysWhatToInstallWhereTheLibraryIsMissing() {
    System.setProperty(LIBRARY, "/nowhere/libfabric.so.1");
    try {
      String obstacle = new LibfabricProvider().obstacle().orElseThrow();
      assertTrue(obstacle.contains("apt install libfabric1"), obstacle);
      assertTrue(obstacle.contains("-D" + LIBRARY + "=/nowhere/libfabric.so.1"), obstacle);
      NetException refusal = assertThrows(NetException.class, () -> Fabric.open("libfabric"));
      assertTrue(refusal.getMessage().contains(obstacle), refusal.getMessage());
      Fabric.Candidate candidate =
          Fabric.candidates("127.0.0.1").stream()
              .filter(each -> each.name().equals("libfabric"))
              .findFirst()
              .orElseThrow();
      assertEquals(obstacle, candidate.obstacle().orElseThrow());
    } finally {
      System.clearProperty(LIBRARY);
    }
  }
}
