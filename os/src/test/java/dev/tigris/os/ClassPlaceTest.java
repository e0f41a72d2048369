package dev.tigris.os;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class ClassPlaceTest {
  private static final class Nested {}

  @Test
  void findsFoldersAndJars() throws IOException {
    Path folder = ClassPlace.of(ClassPlaceTest.class);
    assertTrue(
        Files.exists(folder.resolve("dev/tigris/os/ClassPlaceTest.class")), folder::toString);
    assertEquals(folder, ClassPlace.of(Nested.class));
    Path jar = ClassPlace.of(Test.class);
    assertTrue(jar.toString().endsWith(".jar") && Files.isRegularFile(jar), jar::toString);
  }

  @Test
  void aClassOfJavaIsInNoFile() {
    assertThrows(IOException.class, () -> ClassPlace.of(String.class));
  }
}
