package dev.tigris.specializer;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.classfile.ClassFile;
import java.lang.constant.ClassDesc;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.jar.Attributes;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

class ClassPathTest {
  @TempDir private Path temporary;

  private Path jar(String name) throws IOException {
    Path file = temporary.resolve(name);
    try (FileSystem jar = FileSystems.newFileSystem(file, Map.of("create", "true"))) {
      Files.writeString(jar.getPath("/text"), "no class");
    }
    return file;
  }

  private static boolean isOpen(Path file) throws IOException {
    try (Stream<Path> open = Files.list(Path.of("/proc/self/fd"))) {
      return open.anyMatch(one -> leadsTo(one, file));
    }
  }

  private static boolean leadsTo(Path link, Path file) {
    try {
      return Files.readSymbolicLink(link).equals(file);
    } catch (IOException e) {
      return false; // closed since it was listed
    }
  }

  @Test
  void readsAClassPathAsTheCompilerDoes() throws IOException {
    Path lib = Files.createDirectory(temporary.resolve("lib"));
    Path second = Files.copy(jar("one.jar"), lib.resolve("second.jar"));
    Path first = Files.copy(second, lib.resolve("first.JAR"));
    Files.writeString(lib.resolve("readme.txt"), "");
    String path = String.join(File.pathSeparator, lib + "/*", "gone/*", "", "other");
    assertEquals(List.of(first, second, Path.of(""), Path.of("other")), ClassPath.parse(path));
  }

  @Test
  void searchesTheJarsThatAManifestNamesAndSkipsWhatIsNone() throws IOException {
    Path text = Files.writeString(temporary.resolve("readme.txt"), "no jar");
    byte[] classFile = ClassFile.of().build(ClassDesc.of("app.Named"), type -> {});
    Files.createDirectories(temporary.resolve("more"));
    write(
        temporary.resolve("more/named.jar"), new Manifest(), Map.of("app/Named.class", classFile));
    Manifest manifest = new Manifest();
    manifest.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
    manifest.getMainAttributes().put(Attributes.Name.CLASS_PATH, "gone.jar more/named.jar all.jar");
    Path all = temporary.resolve("all.jar");
    write(all, manifest, Map.of());
    try (ClassPath path = new ClassPath(List.of(text, temporary.resolve("gone.jar"), all))) {
      assertArrayEquals(classFile, path.find(ClassDesc.of("app.Named")));
    }
    Path broken = Files.copy(text, temporary.resolve("broken.jar"));
    assertThrows(UncheckedIOException.class, () -> new ClassPath(List.of(broken)));
  }

  private static void write(Path jar, Manifest manifest, Map<String, byte[]> entries)
      throws IOException {
    try (var out = new JarOutputStream(Files.newOutputStream(jar), manifest)) {
      for (var entry : entries.entrySet()) {
        out.putNextEntry(new ZipEntry(entry.getKey()));
        out.write(entry.getValue());
      }
    }
  }

  /// A name like that can be in a jar. So can one with an accent, where the locale has none.
  @Test
  void findsNothingInAFolderUnderANameThatNoFileCanHave() {
    try (ClassPath path = new ClassPath(List.of(temporary))) {
      assertNull(path.find(ClassDesc.of("app.No\0File")));
    }
  }

  @Test
  @EnabledOnOs(OS.LINUX)
  void closesWhatItHasOpenedWhenSomethingElseCannotBe() throws IOException {
    Path jar = jar("first.jar").toRealPath();
    try (FileSystem other = FileSystems.newFileSystem(jar("other.jar"))) {
      Path within = other.getPath("/text"); // of a file system whose files have no place on a disk
      assertThrows(UnsupportedOperationException.class, () -> new ClassPath(List.of(jar, within)));
    }
    assertFalse(isOpen(jar));
  }
}
