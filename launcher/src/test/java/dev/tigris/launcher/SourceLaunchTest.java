package dev.tigris.launcher;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.tigris.launcher.FakeCheckout.Result;
import java.io.IOException;
import java.nio.file.Files;
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
  void doesNotRunTheTestsInPlaceOfAHelpThatCannotBePrinted() throws Exception {
    assumeTrue(Files.exists(Path.of("/dev/full")), "there is no device that is always full");
    String line = "'%s' test --help > /dev/full".formatted(checkout.root.resolve("tigris"));
    Result result = checkout.run(folder, "/bin/sh", "-c", line);
    assertEquals(4, result.exitCode(), result.err());
    assertEquals("", String.join("\n", checkout.calls()));
  }

  @Test
  void saysThatABuildFailed() throws Exception {
    checkout.environment.put("BROKEN", "yes");
    Result result = checkout.tigris("help");
    assertEquals(126, result.exitCode(), result.err());
    assertTrue(result.err().contains("no such luck"), result.err());
  }
}
