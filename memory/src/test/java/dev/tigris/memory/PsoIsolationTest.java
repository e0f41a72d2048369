package dev.tigris.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.tigris.specializer.ClassFiles;
import dev.tigris.specializer.ClassHierarchy;
import dev.tigris.specializer.ClassPath;
import dev.tigris.specializer.Problem;
import dev.tigris.specializer.Rule;
import dev.tigris.specializer.Specializer;
import java.io.File;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.spi.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Attempts on the module from outside, in a plain `java` with the module path as a user has it:
/// the test runner opens packages that are closed there.
class PsoIsolationTest {
  private static final Path MEMORY = Path.of("target", "classes").toAbsolutePath();

  @TempDir private Path temporary;

  /// Compiles a source file of this test's resources to a folder of its own.
  private Path compile(String source, Path... path) throws IOException {
    Path folder = Files.createDirectories(temporary.resolve(source));
    String resource = "isolation/" + source + ".java.txt";
    Path file = temporary.resolve(source + ".java");
    try (var in = PsoIsolationTest.class.getClassLoader().getResourceAsStream(resource)) {
      Files.write(file, in.readAllBytes());
    }
    StringBuilder classPath = new StringBuilder(MEMORY.toString());
    for (Path entry : path) {
      classPath.append(File.pathSeparator).append(entry);
    }
    StringWriter errors = new StringWriter();
    PrintWriter out = new PrintWriter(errors);
    String[] arguments = {"-d", folder.toString(), "-cp", classPath.toString(), file.toString()};
    if (ToolProvider.findFirst("javac").orElseThrow().run(out, out, arguments) != 0) {
      throw new AssertionError(errors.toString());
    }
    return folder;
  }

  private static void specialize(Path folder, Path... path) throws IOException {
    List<Path> lookup = new ArrayList<>(List.of(folder, MEMORY));
    lookup.addAll(List.of(path));
    try (ClassPath classPath = new ClassPath(lookup)) {
      Specializer specializer = new Specializer(new ClassHierarchy(classPath), Rule.standard());
      List<Problem> problems = ClassFiles.specialize(folder, specializer).problems();
      assertEquals(List.of(), problems);
    }
  }

  private static String run(String mainClass, Path... path) throws Exception {
    List<String> classPath = List.of(path).stream().map(Path::toString).toList();
    Process java =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--module-path",
                MEMORY.toString(),
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
    specialize(attempts, unspecialized);
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
        """,
        output);
  }
}
