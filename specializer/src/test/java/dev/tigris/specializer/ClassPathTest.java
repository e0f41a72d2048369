package dev.tigris.specializer;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.lang.constant.ClassDesc;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
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
