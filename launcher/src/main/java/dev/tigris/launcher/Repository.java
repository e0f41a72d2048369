package dev.tigris.launcher;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;

/// A folder in the form of a Maven repository, with what Maven Central wants of each artifact but
/// the signature: jar, sources, Javadoc, pom and checksums.
/// ```text
/// repository/dev/tigris/tigris-memory/VERSION/tigris-memory-VERSION.jar
///                                             tigris-memory-VERSION-sources.jar
///                                             tigris-memory-VERSION-javadoc.jar
///                                             tigris-memory-VERSION.pom
///                                             ... and of each .md5, .sha1, .sha256, .sha512
/// ```
final class Repository {
  private static final Map<String, String> CHECKSUMS =
      Map.of("MD5", ".md5", "SHA-1", ".sha1", "SHA-256", ".sha256", "SHA-512", ".sha512");

  private static final List<String> JARS = List.of(".jar", "-sources.jar", "-javadoc.jar");

  private Repository() {}

  /// Gathers what was built.
  ///
  /// @throws IOException if a jar is missing
  static void make(SourceCopy source, Path repository) throws IOException {
    add(source.root(), source.version(), repository, List.of());
    for (String module : source.published()) {
      add(source.root().resolve(module), source.version(), repository, JARS);
    }
  }

  /// Adds the artifact of a module.
  ///
  /// @param jars the kinds of its jars, such as `.jar`
  static void add(Path folder, String version, Path repository, List<String> jars)
      throws IOException {
    String artifact = SourceCopy.artifact(folder);
    Path place = repository.resolve("dev/tigris").resolve(artifact).resolve(version);
    Files.createDirectories(place);
    String name = artifact + "-" + version;
    put(folder.resolve("pom.xml"), place.resolve(name + ".pom"));
    for (String kind : jars) {
      put(folder.resolve("target").resolve(name + kind), place.resolve(name + kind));
    }
  }

  private static void put(Path file, Path place) throws IOException {
    byte[] bytes = Files.readAllBytes(file);
    Files.write(place, bytes);
    for (Map.Entry<String, String> kind : CHECKSUMS.entrySet()) {
      try {
        byte[] sum = MessageDigest.getInstance(kind.getKey()).digest(bytes);
        Files.writeString(
            place.resolveSibling(place.getFileName() + kind.getValue()),
            HexFormat.of().formatHex(sum));
      } catch (NoSuchAlgorithmException e) {
        throw new IllegalStateException(e); // every JDK has these
      }
    }
  }
}
