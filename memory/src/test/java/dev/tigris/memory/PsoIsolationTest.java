package dev.tigris.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Attempts on the module from outside, in a plain `java` with the module path as a user has it:
/// the test runner opens packages that are closed there.
class PsoIsolationTest {
  @TempDir private Path temporary;

  /// Compiles a source file of this test's resources to a folder of its own.
  private Path compile(String name, Path... path) throws IOException {
    Path folder = temporary.resolve(name);
    String resource = "isolation/" + name + ".java.txt";
    try (var in = PsoIsolationTest.class.getClassLoader().getResourceAsStream(resource)) {
      String source = new String(in.readAllBytes(), StandardCharsets.UTF_8);
      Outside.compile(folder, name, source, path);
    }
    return folder;
  }

  private static String run(String mainClass, Path... path) throws Exception {
    List<String> classPath = List.of(path).stream().map(Path::toString).toList();
    Process java =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--module-path",
                Outside.MEMORY.toString(),
                "--add-modules",
                "dev.tigris.memory,jdk.unsupported",
                "--enable-native-access=dev.tigris.memory",
                "--illegal-native-access=deny",
                "-cp",
                String.join(File.pathSeparator, classPath),
                mainClass)
            .redirectErrorStream(true)
            .start();
    String output = new String(java.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertEquals(0, java.waitFor(), output);
    return output;
  }

  @Test
  void holdsAgainstAttemptsFromOutside() throws Exception {
    Path unspecialized = compile("Unspecialized");
    Path attempts = compile("Attempts", unspecialized);
    Outside.specialize(attempts, unspecialized);
    String output = run("Attempts", attempts, unspecialized);
    assertEquals(
        """
        object without constructor: harmless
        reference from an object without constructor: IllegalStateException
        reflection on the address: InaccessibleObjectException
        private lookup in Pso: IllegalAccessException
        the segment over all memory: IllegalAccessException
        a binding of one's own: IllegalAccessException
        null for a binding: NullPointerException
        a stolen binding for a larger class: IllegalArgumentException
        a class that was not specialized: UnspecializedClassException
        a subclass of one: UnspecializedClassException
        an object whose constructor failed: IllegalStateException
        a cursor over objects that are bound elsewhere: IllegalStateException
        """,
        output);
  }
}
