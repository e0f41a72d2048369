package dev.tigris.cli;

import dev.tigris.testing.process.Child;
import dev.tigris.testing.process.Command;
import dev.tigris.testing.process.Jvm;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Path;
import java.util.List;

/// The command as a process of its own, as the launcher starts it, but without the optimizing
/// compiler.
final class OwnProcess {
  private static final String CLASS_PATH =
      System.getProperty("surefire.real.class.path", System.getProperty("java.class.path"));

  private OwnProcess() {}

  /// What comes before a command so that permissions bind it even where root starts it, whom they
  /// do not bind otherwise.
  static List<String> bound(boolean isRoot) {
    String dropped = "-dac_override,-dac_read_search";
    return isRoot
        ? List.of("setpriv", "--bounding-set=" + dropped, "--inh-caps=" + dropped, "--")
        : List.of();
  }

  /// Starts it in a folder, where its errors go to the file `err`.
  ///
  /// @param property an option of its JVM
  static Child tigris(Path folder, String property, Redirect out, String... args) {
    return command(folder, property, out, args).start();
  }

  /// The builder that starts it.
  static Command command(Path folder, String property, Redirect out, String... args) {
    return Jvm.onModulePath(
            "dev.tigris.cli/dev.tigris.cli.Main", System.getProperty("jdk.module.path"))
        .quick()
        .options("-Xmx256m", property)
        .options("-cp", CLASS_PATH) // of libraries without descriptors, such as Micrometer's
        .options("--enable-native-access=dev.tigris.os,dev.tigris.memory,dev.tigris.net.libfabric")
        .command(args)
        .in(folder)
        .outputTo(out)
        .errorsTo(Redirect.to(folder.resolve("err").toFile()));
  }
}
