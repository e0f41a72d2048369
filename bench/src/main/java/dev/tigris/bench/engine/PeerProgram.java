package dev.tigris.bench.engine;

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
public record PeerProgram(List<Path> jars, Path jar) {
  /// Compiles a source that lies beside a class of ours.
  ///
  /// @param beside the class
  /// @param release of Java that is to run it
  public static PeerProgram compile(
      Path folder, Class<?> beside, String name, List<Path> jars, int release)
      throws IOException, InterruptedException {
    Path source = folder.resolve(name + ".java");
    try (InputStream in = beside.getResourceAsStream(name + ".java")) {
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

  /// Returns the path of a tool of this JDK.
  public static String tool(String name) {
    return Path.of(System.getProperty("java.home"), "bin", name).toString();
  }

  private static String joined(List<Path> jars) {
    return jars.stream().map(Path::toString).collect(Collectors.joining(File.pathSeparator));
  }

  /// Returns the class path of the peer and the program.
  public String classPath() {
    return joined(jars) + File.pathSeparator + jar;
  }

  /// Makes the folder that the processes of Spark find its jars in.
  public Path home(Path work) throws IOException {
    Path home = Files.createDirectory(work.resolve("spark-home"));
    Path links = Files.createDirectory(home.resolve("jars"));
    for (Path peer : jars) {
      Path _ = Files.createSymbolicLink(links.resolve(String.valueOf(peer.getFileName())), peer);
    }
    return home;
  }
}
