package dev.tigris.testing.host;

import dev.tigris.testing.process.Command;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;

/// Requirements without which a test is skipped. Where it is absent, the test is skipped, and says
/// what is missing.
public final class Needs {
  private Needs() {}

  /// A program on the PATH.
  ///
  /// @param packages the Debian packages that bring it
  public static void program(String name, String packages) {
    Assumptions.assumeTrue(
        isThere(name), () -> "there is no %s: apt-get install %s".formatted(name, packages));
  }

  /// Whether the PATH has a program.
  public static boolean isThere(String program) {
    String path = System.getenv().getOrDefault("PATH", "");
    // Not every user's PATH has the folders of the system's administrator.
    return Stream.of((path + ":/usr/sbin:/sbin").split(":", -1))
        .anyMatch(folder -> Files.isExecutable(Path.of(folder, program)));
  }

  /// The rights of root.
  public static void root(String what) {
    Assumptions.assumeTrue(
        Command.of("id", "-u").output().strip().equals("0"), () -> what + " needs root");
  }

  /// A file, or a device.
  public static void file(Path path) {
    Assumptions.assumeTrue(Files.exists(path), () -> "there is no " + path);
  }

  /// That a command can be run here: it is tried.
  ///
  /// @param why what is missing otherwise
  public static void command(String why, Command trial) {
    Assumptions.assumeTrue(trial.succeeds(), why);
  }
}
