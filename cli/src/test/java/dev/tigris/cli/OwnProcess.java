package dev.tigris.cli;

import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/// The command as a process of its own, as the launcher starts it.
final class OwnProcess {
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
  static Process tigris(Path folder, String property, Redirect out, String... args)
      throws IOException {
    return tigris(folder, property, out, List.of(), args);
  }

  /// The same by a command before its own, which starts it with fewer rights, say.
  static Process tigris(
      Path folder, String property, Redirect out, List<String> before, String... args)
      throws IOException {
    var line = new ArrayList<>(before);
    line.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    line.addAll(List.of("-Xmx256m", "-XX:+UseSerialGC", "-XX:-UsePerfData", property));
    line.add("--enable-native-access=dev.tigris.os,dev.tigris.memory,dev.tigris.net.libfabric");
    line.addAll(List.of("-p", System.getProperty("jdk.module.path")));
    line.addAll(List.of("-m", "dev.tigris.cli/dev.tigris.cli.Main"));
    line.addAll(List.of(args));
    return new ProcessBuilder(line)
        .directory(folder.toFile())
        .redirectOutput(out)
        .redirectError(folder.resolve("err").toFile())
        .start();
  }
}
