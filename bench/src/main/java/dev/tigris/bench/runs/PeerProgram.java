package dev.tigris.bench.runs;

import dev.tigris.bench.sort.Command;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;

/// The program of a peer, which is compiled when it is measured.
///
/// @param jars of the peer
/// @param jar the program
record PeerProgram(List<Path> jars, Path jar) {
  /// Compiles a source that lies beside this class.
  ///
  /// @param release of Java that is to run it
  static PeerProgram compile(Path folder, String name, List<Path> jars, int release)
      throws IOException, InterruptedException {
    Path source = folder.resolve(name + ".java");
    try (InputStream in = PeerProgram.class.getResourceAsStream(name + ".java")) {
      Files.copy(Objects.requireNonNull(in, name), source);
    }
    Path classes = Files.createDirectory(folder.resolve(name + "-classes"));
    Path jar = folder.resolve(name + ".jar");
    Command javac =
        Command.of(
            tool("javac"),
            "--release",
            String.valueOf(release),
            "-nowarn",
            "-proc:none",
            "-cp",
            joined(jars),
            "-d",
            classes.toString(),
            source.toString());
    javac.run(folder).orThrow(javac);
    Command pack = Command.of(tool("jar"), "cf", jar.toString(), "-C", classes.toString(), ".");
    pack.run(folder).orThrow(pack);
    return new PeerProgram(jars, jar);
  }

  static String tool(String name) {
    return Path.of(System.getProperty("java.home"), "bin", name).toString();
  }

  private static String joined(List<Path> jars) {
    return jars.stream().map(Path::toString).collect(Collectors.joining(File.pathSeparator));
  }

  /// Returns the class path of the peer and the program.
  String classPath() {
    return joined(jars) + File.pathSeparator + jar;
  }
}
