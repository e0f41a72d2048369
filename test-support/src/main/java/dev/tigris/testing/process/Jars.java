package dev.tigris.testing.process;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.jar.Attributes;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;

/// Packs compiled classes: the build runs tests before it packs jars.
public final class Jars {
  private Jars() {}

  /// Returns the jar that classes are in; packs them in `jar` if they are in a folder.
  public static Path pack(Path classes, Path jar) throws IOException {
    return Files.isRegularFile(classes) ? classes : pack(classes, jar, new Attributes());
  }

  /// Packs a folder.
  ///
  /// @param attributes what its manifest says
  public static Path pack(Path folder, Path jar, Attributes attributes) throws IOException {
    Manifest manifest = new Manifest();
    manifest.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
    manifest.getMainAttributes().putAll(attributes);
    try (OutputStream file = Files.newOutputStream(jar);
        JarOutputStream out = new JarOutputStream(file, manifest);
        Stream<Path> files = Files.walk(folder)) {
      for (Path entry : files.filter(Files::isRegularFile).toList()) {
        out.putNextEntry(new ZipEntry(folder.relativize(entry).toString()));
        Files.copy(entry, out);
      }
    }
    return jar;
  }
}
