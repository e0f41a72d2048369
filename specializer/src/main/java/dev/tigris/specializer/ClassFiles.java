package dev.tigris.specializer;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.stream.Stream;

/// Specializes and checks whole folders and jars.
public final class ClassFiles {
  private static final String SUFFIX = ".class";

  private ClassFiles() {}

  /// Specializes the class files under a folder, in place: all of them, or none when there is a
  /// problem with any. Each file is replaced atomically. Files that need no change aren't touched,
  /// so that a second run changes nothing.
  public static Report specialize(Path folder, Specializer specializer) throws IOException {
    Map<Path, byte[]> changed = new LinkedHashMap<>();
    List<ClassReport> classes = new ArrayList<>();
    List<Problem> problems = new ArrayList<>();
    List<Path> files = under(folder);
    for (Path file : files) {
      Specialized result = specializer.specialize(Files.readAllBytes(file));
      if (result.changed()) {
        changed.put(file, result.bytes());
      }
      if (result.changed() || !result.report().methods().isEmpty()) {
        classes.add(result.report());
      }
      problems.addAll(result.problems());
    }
    if (problems.isEmpty()) {
      for (Map.Entry<Path, byte[]> file : changed.entrySet()) {
        replace(file.getKey(), file.getValue());
      }
    }
    return new Report(files.size(), problems.isEmpty() ? changed.size() : 0, classes, problems);
  }

  /// Finds every class in folders and jars that was not specialized as it should have been.
  public static List<Problem> check(Collection<Path> path, Specializer specializer)
      throws IOException {
    List<Problem> problems = new ArrayList<>();
    for (Path entry : path) {
      if (Files.isDirectory(entry)) {
        for (Path file : under(entry)) {
          problems.addAll(specializer.check(Files.readAllBytes(file)));
        }
      } else if (Files.isRegularFile(entry)) {
        checkJar(entry, specializer, problems);
      }
    }
    return problems;
  }

  private static void checkJar(Path path, Specializer specializer, List<Problem> problems)
      throws IOException {
    try (JarFile jar = ClassPath.open(path)) {
      List<JarEntry> entries = jar.versionedStream().filter(ClassFiles::isClass).toList();
      for (JarEntry entry : entries) {
        try (InputStream in = jar.getInputStream(entry)) {
          problems.addAll(specializer.check(in.readAllBytes()));
        } catch (IllegalArgumentException notLoadable) {
          // Not ours to repair, and no JVM can load it: some jars carry such files on purpose.
        }
      }
    }
  }

  private static boolean isClass(JarEntry entry) {
    return isClass(entry.getName());
  }

  /// Module and package descriptors have no code.
  private static boolean isClass(String name) {
    return name.endsWith(SUFFIX)
        && !name.endsWith("module-info" + SUFFIX)
        && !name.endsWith("package-info" + SUFFIX);
  }

  private static List<Path> under(Path folder) throws IOException {
    if (!Files.isDirectory(folder)) {
      return List.of();
    }
    try (Stream<Path> files = Files.walk(folder)) {
      return files.filter(file -> isClass(file.toString())).sorted().toList();
    }
  }

  private static void replace(Path file, byte[] bytes) throws IOException {
    Path aside = file.resolveSibling(file.getFileName() + ".specialized");
    Files.write(aside, bytes);
    Files.move(aside, file, StandardCopyOption.REPLACE_EXISTING, StandardCopyOption.ATOMIC_MOVE);
  }
}
