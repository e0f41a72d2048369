package dev.tigris.specializer;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Locale;
import java.util.Map;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.zip.CRC32;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;

/// Jars and other files that are read, and replaced as a whole.
final class Jars {
  private Jars() {}

  /// What writes a file.
  interface Content {
    void writeTo(OutputStream out) throws IOException;
  }

  /// Opens a jar to see each entry under its own name, those for other versions of the JDK too.
  ///
  /// @throws IOException if it is no jar; the message names it
  static JarFile open(Path path) throws IOException {
    try {
      return new JarFile(path.toFile(), false);
    } catch (IOException e) {
      throw new IOException("cannot open " + path + " as a jar: " + e.getMessage(), e);
    }
  }

  /// The bytes of an entry.
  ///
  /// @throws IOException if they cannot be read; the message names the jar and the entry
  static byte[] read(JarFile jar, ZipEntry entry) throws IOException {
    try (InputStream in = jar.getInputStream(entry)) {
      return in.readAllBytes();
    } catch (IOException e) {
      throw new IOException(
          "cannot read %s of %s: %s".formatted(entry.getName(), jar.getName(), e.getMessage()), e);
    }
  }

  /// Whether the jar has a signature, which a changed class would break.
  static boolean isSigned(JarFile jar) {
    return jar.stream()
        .map(entry -> entry.getName().toUpperCase(Locale.ROOT))
        .anyMatch(name -> name.startsWith("META-INF/") && name.endsWith(".SF"));
  }

  /// Replaces a file atomically; if it is a link, what that leads to.
  static void replace(Path file, Content content) throws IOException {
    Path target = file.toRealPath();
    Path aside = target.resolveSibling(target.getFileName() + ".specialized");
    try {
      try (OutputStream out = new BufferedOutputStream(Files.newOutputStream(aside))) {
        content.writeTo(out);
      }
      Files.move(
          aside, target, StandardCopyOption.REPLACE_EXISTING, StandardCopyOption.ATOMIC_MOVE);
    } finally {
      Files.deleteIfExists(aside);
    }
  }

  /// Replaces some entries of a jar. The others keep their bytes, and all their order and times.
  static void rewrite(Path path, Map<String, byte[]> changed) throws IOException {
    replace(path, out -> copy(path, changed, out));
  }

  private static void copy(Path path, Map<String, byte[]> changed, OutputStream out)
      throws IOException {
    try (JarFile jar = open(path);
        ZipOutputStream entries = new ZipOutputStream(out)) {
      for (JarEntry entry : jar.stream().toList()) {
        byte[] bytes = changed.get(entry.getName());
        if (bytes == null) {
          bytes = read(jar, entry);
        }
        entries.putNextEntry(like(entry, bytes));
        entries.write(bytes);
        entries.closeEntry();
      }
    }
  }

  private static ZipEntry like(ZipEntry entry, byte[] bytes) {
    ZipEntry copy = new ZipEntry(entry.getName());
    copy.setTimeLocal(entry.getTimeLocal());
    copy.setComment(entry.getComment());
    copy.setMethod(entry.getMethod());
    if (entry.getMethod() == ZipEntry.STORED) {
      CRC32 crc = new CRC32();
      crc.update(bytes);
      copy.setCrc(crc.getValue());
      copy.setSize(bytes.length);
    }
    return copy;
  }
}
