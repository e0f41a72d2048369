package dev.tigris.specializer;

import java.io.BufferedOutputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFileAttributeView;
import java.time.DateTimeException;
import java.time.LocalDateTime;
import java.util.Arrays;
import java.util.Locale;
import java.util.Map;
import java.util.function.Predicate;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.zip.CRC32;
import java.util.zip.CheckedInputStream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipException;
import java.util.zip.ZipInputStream;
import java.util.zip.ZipOutputStream;
import org.jspecify.annotations.Nullable;

/// Jars and other files that are read, and replaced as a whole.
final class Jars {
  /// The first time that an entry can have.
  private static final LocalDateTime FIRST_TIME = LocalDateTime.of(1980, 1, 1, 0, 0);

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
    var bytes = new ByteArrayOutputStream();
    try {
      copy(jar, entry, bytes);
    } catch (IOException e) {
      throw damaged(jar, entry, e);
    }
    return bytes.toByteArray();
  }

  private static ZipException damaged(JarFile jar, ZipEntry entry, IOException cause) {
    var named =
        new ZipException(
            "cannot read %s of %s: %s"
                .formatted(entry.getName(), jar.getName(), cause.getMessage()));
    named.initCause(cause);
    return named;
  }

  /// Copies the bytes of an entry, of any length, and compares them with their checksum, which the
  /// JDK doesn't.
  private static void copy(JarFile jar, ZipEntry entry, OutputStream out) throws IOException {
    try (var in = new CheckedInputStream(jar.getInputStream(entry), new CRC32())) {
      in.transferTo(out);
      if (in.getChecksum().getValue() != entry.getCrc()) {
        throw new ZipException(
            "its checksum does not match: it is damaged, or the jar has two entries "
                + "of the name. Make the jar again");
      }
    }
  }

  /// Whether the jar has a signature, which a changed class would break.
  static boolean isSigned(JarFile jar) {
    return jar.stream()
        .map(entry -> entry.getName().toUpperCase(Locale.ROOT))
        .anyMatch(name -> name.startsWith("META-INF/") && name.endsWith(".SF"));
  }

  /// Whether an entry is a jar itself, as the libraries in the jar of a web application are.
  static boolean isJar(ZipEntry entry) {
    return isJar(entry.getName());
  }

  /// Whether a file or an entry of this name is a jar.
  static boolean isJar(String name) {
    String lower = name.toLowerCase(Locale.ROOT);
    return lower.endsWith(".jar") || lower.endsWith(".war");
  }

  /// Takes the bytes of an entry.
  interface Reader {
    void read(byte[] bytes) throws IOException;
  }

  /// Reads the entries that are wanted of a jar in a jar, and of the jars in that, from its
  /// beginning on: up to where it cannot be read that way, since it is damaged, say, or encrypted,
  /// or not a jar in spite of its name. A resource may be like that on purpose.
  static void forEachWithin(JarFile jar, ZipEntry inner, Predicate<ZipEntry> wanted, Reader reader)
      throws IOException {
    try (var in = new ZipInputStream(jar.getInputStream(inner))) {
      forEachWithin(in, wanted, reader);
    }
  }

  private static void forEachWithin(ZipInputStream jar, Predicate<ZipEntry> wanted, Reader reader)
      throws IOException {
    try {
      for (ZipEntry entry; (entry = jar.getNextEntry()) != null; ) {
        if (wanted.test(entry)) {
          reader.read(jar.readAllBytes());
        } else if (isJar(entry)) {
          forEachWithin(new ZipInputStream(jar), wanted, reader);
        }
      }
    } catch (ZipException | EOFException unreadable) {
      // the rest is not needed
    }
  }

  /// Whether a jar is what its file begins with: there can be a script before it, which starts it.
  static boolean beginsAsJar(Path path) throws IOException {
    try (var in = Files.newInputStream(path)) {
      return Arrays.equals(in.readNBytes(4), new byte[] {'P', 'K', 3, 4});
    }
  }

  /// Replaces a file atomically; if it is a link, what that leads to. It keeps its permissions.
  ///
  /// @throws NotWrittenException if it cannot be written; then it is as it was
  /// @throws ZipException if `content` is of a jar, and that is damaged
  static void replace(Path file, Content content) throws IOException {
    Path aside = null;
    try {
      Path target = file.toRealPath();
      // Of a new name: another process may be replacing the same file. And of one of its own, as
      // the file's may be too long to be made longer, or bytes that are no text.
      aside = Files.createTempFile(target.getParent(), "tigris", ".specialized");
      try (OutputStream out = new BufferedOutputStream(Files.newOutputStream(aside))) {
        content.writeTo(out);
      }
      if (Files.getFileAttributeView(target, PosixFileAttributeView.class) != null) {
        Files.setPosixFilePermissions(aside, Files.getPosixFilePermissions(target));
      }
      Files.move(
          aside, target, StandardCopyOption.REPLACE_EXISTING, StandardCopyOption.ATOMIC_MOVE);
    } catch (ZipException e) {
      throw e;
    } catch (IOException e) {
      throw new NotWrittenException(file, e);
    } finally {
      if (aside != null) {
        Files.deleteIfExists(aside);
      }
    }
  }

  /// Replaces some entries of a jar. The others keep their bytes, and all their order and times;
  /// the jar keeps its comment.
  static void rewrite(Path path, Map<String, byte[]> changed) throws IOException {
    replace(path, out -> copy(path, changed, out));
  }

  private static void copy(Path path, Map<String, byte[]> changed, OutputStream out)
      throws IOException {
    try (JarFile jar = open(path);
        ZipOutputStream entries = new ZipOutputStream(out)) {
      entries.setComment(jar.getComment());
      for (JarEntry entry : jar.stream().toList()) {
        byte[] bytes = changed.get(entry.getName());
        try {
          entries.putNextEntry(like(entry, bytes));
          if (bytes == null) {
            copy(jar, entry, entries);
          } else {
            entries.write(bytes);
          }
          entries.closeEntry();
        } catch (ZipException | EOFException e) { // of the jar, or of two entries of one name
          throw damaged(jar, entry, e);
        }
      }
    }
  }

  /// @param bytes what the entry will hold, or null if that stays as it is
  private static ZipEntry like(ZipEntry entry, byte @Nullable [] bytes) {
    ZipEntry copy = new ZipEntry(entry.getName());
    setTime(copy, entry);
    copy.setComment(entry.getComment());
    copy.setMethod(entry.getMethod());
    if (entry.getMethod() == ZipEntry.STORED) {
      var crc = new CRC32();
      if (bytes != null) {
        crc.update(bytes);
      }
      copy.setCrc(bytes == null ? entry.getCrc() : crc.getValue());
      copy.setSize(bytes == null ? entry.getSize() : bytes.length);
    }
    return copy;
  }

  /// An entry may say a time that is none, such as 1980-00-00, which some tools write for the same
  /// jar each time. The first that there is says as much.
  private static void setTime(ZipEntry copy, ZipEntry entry) {
    try {
      copy.setTimeLocal(entry.getTimeLocal());
    } catch (DateTimeException e) {
      copy.setTimeLocal(FIRST_TIME);
    }
  }
}
