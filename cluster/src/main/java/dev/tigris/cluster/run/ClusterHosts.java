package dev.tigris.cluster.run;

import dev.tigris.cluster.run.host.HostAddress;
import dev.tigris.cluster.run.host.HostKey;
import dev.tigris.cluster.run.host.HostRefusedException;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/// The hosts of a [Cluster].
///
/// @param lines where the worker of each listens, one for each process
/// @param key of this process
record ClusterHosts(List<HostAddress> lines, HostKey key) {
  ClusterHosts {
    lines = List.copyOf(lines);
  }

  /// Reads the file of hosts and the key.
  ///
  /// @throws IOException if the file has another line, or the key cannot be used
  static ClusterHosts of(Path file, Path key) throws IOException {
    List<HostAddress> lines = HostAddress.in(file);
    HostKey own = HostKey.load(key);
    if (own.role() != HostKey.Role.COORDINATOR) {
      throw new IOException(
          "%s is the key of a worker: a run needs one of 'tigris keys coordinator'".formatted(key));
    }
    return new ClusterHosts(lines, own);
  }

  /// Connects to all.
  HostLinks connect(ProgramCode code) throws RunException {
    String launcher = CodePath.ofThisProcess().launcher();
    if (code.path().isEmpty() && !launcher.isEmpty()) {
      throw new RunException(
          RunException.Kind.START,
          0,
          "this process runs a jar of Spring Boot, whose libraries lie inside it: extract it by 'java -Djarmode=tools -jar APP.jar extract', and start what that makes",
          null);
    }
    try {
      return HostLinks.connect(lines, key, code(code));
    } catch (HostRefusedException e) {
      throw new RunException(RunException.Kind.DIFFERENCE, 0, String.valueOf(e.getMessage()), e);
    } catch (IOException e) {
      throw new RunException(RunException.Kind.START, 0, String.valueOf(e.getMessage()), e);
    }
  }

  /// Returns the jars and folders that all hosts have to have.
  static List<Path> code(ProgramCode code) {
    if (!code.path().isEmpty()) {
      return code.path();
    }
    CodePath own = CodePath.ofThisProcess();
    return Stream.of(own.classPath(), own.modulePath())
        .flatMap(path -> Stream.of(path.split(File.pathSeparator, -1)))
        .filter(entry -> !entry.isEmpty() && Files.exists(Path.of(entry)))
        .map(entry -> Path.of(entry).toAbsolutePath())
        .toList();
  }

  /// Returns what carries the messages and the streams of a run.
  Network network() {
    return new Network.Hosts(key, Network.Hosts.ANY, Network.Hosts.ANY);
  }
}
