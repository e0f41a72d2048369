package dev.tigris.cluster.run;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/// The jars and folders of classes on a host, among which those of a program are found by name and
/// content. Code that a coordinator sends would be put among them here.
final class HostCode {
  /// The name of Tigris itself, which is no file: first among those that are wanted.
  static final String TIGRIS = "the code of Tigris";

  private static final int SHOWN_DIGITS = 12;

  private final List<Path> given;

  /// @param given jars, folders of classes, and folders with such
  HostCode(List<Path> given) {
    this.given = given.stream().map(Path::toAbsolutePath).toList();
  }

  /// Finds a program's code, for the Tigris that this process runs.
  ///
  /// @param wanted a name and a hash for Tigris itself, and for each jar or folder
  /// @return where each lies
  /// @throws IOException if one is not there, or is another one, with its name; or if Tigris is
  List<Path> find(List<String> wanted) throws IOException {
    if (wanted.size() < 2 || !wanted.getFirst().equals(TIGRIS)) {
      throw new IOException("the coordinator does not say which Tigris it runs: update it");
    }
    String own = ContentHash.ofTigris();
    if (!own.equals(wanted.get(1))) {
      throw new IOException(
          "its Tigris differs from that of the coordinator (SHA-256 %s..., and not %s...): install one version on all hosts, and start the worker again"
              .formatted(shown(own), shown(wanted.get(1))));
    }
    Set<Path> all = all();
    List<Path> found = new ArrayList<>();
    for (int i = 2; i + 1 < wanted.size(); i += 2) {
      found.add(find(wanted.get(i), wanted.get(i + 1), all));
    }
    return found;
  }

  private Path find(String name, String hash, Set<Path> all) throws IOException {
    Path other = null;
    String its = "";
    for (Path each : all) {
      if (each.getFileName() != null && each.getFileName().toString().equals(name)) {
        other = each;
        its = ContentHash.of(each);
        if (its.equals(hash)) {
          return each;
        }
      }
    }
    throw new IOException(
        other == null
            ? "there is no %s on this host: put it where its 'tigris worker --code' looks, which is %s"
                .formatted(name, given)
            : "%s differs from the %s of the coordinator (SHA-256 %s..., and not %s...): copy that here"
                .formatted(other, name, shown(its), shown(hash)));
  }

  private static String shown(String hash) {
    return hash.substring(0, Math.min(hash.length(), SHOWN_DIGITS));
  }

  private Set<Path> all() throws IOException {
    Set<Path> all = new LinkedHashSet<>();
    for (Path each : given) {
      if (!Files.exists(each)) {
        throw new IOException(
            "%s, which its 'tigris worker --code' names, is not there".formatted(each));
      }
      all.add(each);
      if (Files.isDirectory(each)) {
        try (Stream<Path> entries = Files.list(each)) {
          entries.sorted().forEach(all::add);
        }
      }
    }
    CodePath own = CodePath.ofThisProcess();
    for (String path : List.of(own.classPath(), own.modulePath())) {
      for (String entry : path.split(File.pathSeparator, -1)) {
        if (!entry.isEmpty() && Files.exists(Path.of(entry))) {
          all.add(Path.of(entry).toAbsolutePath());
        }
      }
    }
    return all;
  }
}
