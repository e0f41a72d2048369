package dev.tigris.launcher;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tigris.launcher.FakeCheckout.Result;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Where the script looks for a JDK.
class FindJdkTest {
  @TempDir Path folder;
  private FakeCheckout checkout;

  @BeforeEach
  void makeACheckout() throws IOException {
    checkout = new FakeCheckout(folder);
  }

  @Test
  void findsAJdkOnThePathAndInTheUsualFolders() throws Exception {
    checkout.environment.remove("JAVA_HOME");
    for (String usual :
        List.of(
            "usr/lib/jvm/j",
            "opt/j",
            "Library/Java/JavaVirtualMachines/j/Contents/Home",
            "user/.sdkman/candidates/java/j")) {
      Path home = folder.resolve(usual);
      FakeCheckout.jdk("26-ea", home);
      assertTrue(checkout.tigris("help").out().startsWith(home + "/bin/java\n"), usual);
      Files.delete(home.resolve("release"));
    }
    Files.createSymbolicLink(checkout.bin.resolve("java"), folder.resolve("jdk/bin/java"));
    for (int call = 0; call < 2; call++) { // where the link leads is remembered
      assertTrue(checkout.tigris("help").out().startsWith(folder.resolve("jdk") + "/bin/java\n"));
    }
    FakeCheckout.jdk("25.0.9", folder.resolve("other"));
    Files.delete(checkout.bin.resolve("java"));
    Files.createSymbolicLink(checkout.bin.resolve("java"), folder.resolve("other/bin/java"));
    assertTrue(checkout.tigris("help").out().startsWith(folder.resolve("other") + "/bin/java\n"));
  }

  /// It is followed anew where it cannot be remembered, or what was remembered is no JDK any more.
  @Test
  void findsAJdkOnThePathWhateverItRemembers() throws Exception {
    checkout.environment.remove("JAVA_HOME");
    Files.createSymbolicLink(checkout.bin.resolve("java"), folder.resolve("jdk/bin/java"));
    checkout.tigris("help"); // builds and trains
    Path memory = checkout.root.resolve("build/java");
    String found = folder.resolve("jdk") + "/bin/java\n";
    Path twin = folder.resolve("twin");
    Files.createDirectories(twin.resolve("bin"));
    Files.createLink(twin.resolve("bin/java"), folder.resolve("jdk/bin/java"));
    for (String remembered : List.of("", "jdk", "/nowhere", "\0\1", twin.toString())) {
      Files.writeString(memory, remembered + "\n");
      assertTrue(checkout.tigris("help").out().startsWith(found), remembered);
      assertEquals(folder.resolve("jdk") + "\n", Files.readString(memory));
    }
    Files.delete(memory);
    Result limited = checkout.run(folder, FakeCheckout.which("sh").toString(), "-c", limitedHelp());
    assertTrue(limited.out().startsWith(found), limited.toString());
  }

  /// Through a pipe: what the caller writes to a file is limited, too.
  private String limitedHelp() {
    return "(ulimit -f 0; exec '%s' help) | %s"
        .formatted(checkout.root.resolve("tigris"), FakeCheckout.which("cat"));
  }

  @Test
  void passesOverAJdkThatIsTooOld() throws Exception {
    FakeCheckout.jdk("17.0.9", folder.resolve("old"));
    checkout.environment.put("JAVA_HOME", folder.resolve("old").toString());
    FakeCheckout.jdk("25", folder.resolve("usr/lib/jvm/new"));
    assertTrue(
        checkout
            .tigris("help")
            .out()
            .startsWith(folder.resolve("usr/lib/jvm/new") + "/bin/java\n"));
  }
}
