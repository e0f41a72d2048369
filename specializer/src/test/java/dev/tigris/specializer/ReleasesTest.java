package dev.tigris.specializer;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.jar.JarFile;
import java.util.spi.ToolProvider;
import java.util.zip.ZipEntry;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// A library that is for older JDKs, too, where its points are ordinary objects.
class ReleasesTest {
  private static final Delivery REWRITTEN = new Delivery.Rewritten();
  private static final List<String> NAMES = List.of("Account", "Point", "User");
  private static final String ORDINARY = "package app; class Point { int x; }";
  private static final String OBJECT =
      """
      package app;
      import dev.tigris.memory.*;
      class Point extends Pso { int x; Point(Container container) { super(container); } }
      """;

  @TempDir private Path temporary;
  private Path folder;

  /// What lies in the folder afterwards, by name.
  private final TreeMap<String, byte[]> expected = new TreeMap<>();

  /// Release 99 has ordinary points again, and no user of its own.
  @BeforeEach
  void compile() throws IOException {
    folder = Files.createDirectories(temporary.resolve("library"));
    put("app/", ORDINARY, NAMES);
    put("META-INF/versions/25/app/", OBJECT, NAMES);
    put("META-INF/versions/99/app/", ORDINARY, List.of("Account", "Point"));
  }

  private void put(String where, String point, List<String> names) throws IOException {
    Path own = temporary.resolve(where.replace('/', '_'));
    try (Workshop shop = new Workshop(own)) {
      // One is looked at before the class that it uses, the other one after it.
      shop.javac.compile(
          point,
          "package app; class Account { int use(Point point) { return point.x; } }",
          "package app; class User { int use(Point point) { return point.x; } }");
      Files.createDirectories(folder.resolve(where));
      for (String name : names) {
        String file = where + name + ".class";
        Files.copy(shop.javac.folder().resolve("app/" + name + ".class"), folder.resolve(file));
        expected.put(file, shop.specialize("app/" + name).bytes());
      }
    }
  }

  private Specializer specializer(Path... paths) throws IOException {
    Path memory = new Javac(Files.createDirectories(temporary.resolve("memory"))).folder();
    List<Path> path = new ArrayList<>(List.of(paths));
    path.add(memory);
    return new Specializer(new ClassHierarchy(new ClassPath(path)), Rule.standard());
  }

  @Test
  void specializesEachReleaseOfAFolderByItself() throws IOException {
    Report report = ClassFiles.specialize(List.of(folder), specializer(folder), REWRITTEN);
    assertEquals(List.of(), report.problems());
    assertEquals(3, report.classesChanged());
    for (String file : expected.keySet()) {
      assertArrayEquals(expected.get(file), Files.readAllBytes(folder.resolve(file)), file);
    }
    assertEquals(List.of(), ClassFiles.check(List.of(folder), specializer(folder)).problems());
  }

  @Test
  void findsWhatWasForgottenInAReleaseOfAFolder() throws IOException {
    List<Problem> problems = ClassFiles.check(List.of(folder), specializer(folder)).problems();
    assertEquals(
        List.of(
            "app.Account.use(Account.java:1): getfield app.Point.x was not rewritten",
            "app.Point.*(Point.java): the class was not specialized",
            "app.User.use(User.java:1): getfield app.Point.x was not rewritten"),
        problems.stream().map(Problem::toString).toList());
  }

  private Path jar() throws IOException {
    Path jar = temporary.resolve("library.jar");
    Path manifest = Files.writeString(temporary.resolve("manifest"), "Multi-Release: true\n");
    String[] words = {"-c", "-f", jar + "", "-m", manifest + "", "-C", folder + "", "."};
    assertEquals(0, ToolProvider.findFirst("jar").orElseThrow().run(System.out, System.err, words));
    return jar;
  }

  @Test
  void specializesEachReleaseOfAJarByItself() throws IOException {
    Path jar = jar();
    Report report = ClassFiles.specialize(List.of(jar), specializer(jar), REWRITTEN);
    assertEquals(List.of(), report.problems());
    assertEquals(3, report.classesChanged());
    try (JarFile file = new JarFile(jar.toFile())) {
      for (String name : expected.keySet()) {
        ZipEntry entry = file.getEntry(name);
        assertArrayEquals(expected.get(name), file.getInputStream(entry).readAllBytes(), name);
      }
    }
    assertEquals(List.of(), ClassFiles.check(List.of(jar), specializer(jar)).problems());
  }

  /// To specialize it, which is what others are told, would change nothing.
  @Test
  void saysWhatHelpsAClassThatAReleaseOfAJarHasNoOwnOneOf() throws IOException {
    Files.delete(folder.resolve("META-INF/versions/25/app/User.class"));
    Path jar = jar();
    ClassFiles.specialize(List.of(jar), specializer(jar), REWRITTEN);
    List<Problem> problems = ClassFiles.check(List.of(jar), specializer(jar)).problems();
    assertEquals(1, problems.size(), problems.toString());
    String problem = problems.getFirst().toString();
    assertTrue(problem.startsWith("app.User.use(User.java:1): getfield app.Point.x"), problem);
    assertTrue(problem.contains("Compile it for META-INF/versions as well"), problem);
  }

  @Test
  void saysNothingOfThatWhereSpecializingHelps() throws IOException {
    Path jar = jar();
    List<Problem> problems = ClassFiles.check(List.of(jar), specializer(jar)).problems();
    assertEquals(3, problems.size(), problems.toString());
    assertFalse(problems.toString().contains("META-INF"), problems.toString());
  }
}
