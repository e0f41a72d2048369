package dev.tigris.launcher;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tigris.launcher.FakeCheckout.Result;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The script and the Java that it runs from source, with the JDK of this test.
class SourceLaunchTest {
  @TempDir Path folder;
  private FakeCheckout checkout;

  @BeforeEach
  void makeACheckout() throws IOException {
    checkout = new FakeCheckout(folder);
    checkout.environment.put("JAVA_HOME", System.getProperty("java.home"));
  }

  @Test
  void saysThatABuildFailed() throws Exception {
    checkout.environment.put("BROKEN", "yes");
    Result result = checkout.tigris("help");
    assertEquals(126, result.exitCode(), result.err());
    assertTrue(result.err().contains("no such luck"), result.err());
  }
}
