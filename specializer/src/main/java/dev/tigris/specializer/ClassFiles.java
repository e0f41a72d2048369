package dev.tigris.specializer;

import dev.tigris.specializer.patch.CodePatch;
import dev.tigris.specializer.patch.PatchRefusedException;
import dev.tigris.specializer.patch.TrustedKeys;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.lang.classfile.ClassFile;
import java.lang.constant.ClassDesc;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.stream.Stream;

/// Specializes and checks whole folders, jars and class files.
///
/// Thread rule: any thread; of two that write to the same files at once, one has the last word on
/// each.
public final class ClassFiles {
  private static final String SUFFIX = ".class";

  private final Specializer specializer;
  private final Delivery delivery;
  private final Witness witness;
  private final Map<Path, byte[]> changedFiles = new LinkedHashMap<>();
  private final Map<Path, Map<String, byte[]>> changedJars = new LinkedHashMap<>();
  private final List<ClassReport> classes = new ArrayList<>();
  private final List<Problem> problems = new ArrayList<>();
  private int seen;

  /// Is told of each class that changes.
  public interface Witness {
    /// A class that was specialized.
    ///
    /// @param original the class file as it was compiled
    /// @param specialized what it becomes
    void specialized(byte[] original, byte[] specialized);
  }

  private ClassFiles(Specializer specializer, Delivery delivery, Witness witness) {
    this.specializer = specializer;
    this.delivery = delivery;
    this.witness = witness;
  }

  /// Specializes class files, those in jars and those under folders, in place: all of them, or none
  /// when there is a problem with any. Each file is replaced atomically. Files that need no change
  /// aren't touched, so that a second run changes nothing; a class that carries a patch is
  /// specialized from its original, and delivered anew.
  ///
  /// @throws NoSuchFileException if an input does not exist
  /// @throws InterruptedIOException if the thread is interrupted before it has begun to write
  /// @throws NotWrittenException if a file cannot be replaced; those before it were, and a second
  ///     run leaves them alone
  public static Report specialize(
      Collection<Path> inputs, Specializer specializer, Delivery delivery) throws IOException {
    ClassFiles run = new ClassFiles(specializer, delivery, (original, specialized) -> {});
    run.read(inputs);
    if (run.problems.isEmpty()) {
      run.write();
    }
    return run.report();
  }

  /// Shows what [#specialize] would do, and writes nothing.
  public static Report preview(Collection<Path> inputs, Specializer specializer, Witness witness)
      throws IOException {
    ClassFiles run = new ClassFiles(specializer, new Delivery.Rewritten(), witness);
    run.read(inputs);
    return run.report();
  }

  private void read(Collection<Path> inputs) throws IOException {
    for (Path input : inputs) {
      if (Files.isDirectory(input)) {
        for (Path file : under(input)) {
          specializeFile(file);
        }
      } else if (isClass(input.toString())) {
        specializeFile(input);
      } else {
        specializeJar(input);
      }
    }
  }

  private void specializeFile(Path file) throws IOException {
    try {
      specialize(Files.readAllBytes(file)).ifPresent(bytes -> changedFiles.put(file, bytes));
    } catch (IllegalArgumentException e) {
      throw new IOException(file + " is no class file: " + e.getMessage(), e);
    }
  }

  private void specializeJar(Path path) throws IOException {
    Map<String, byte[]> changed = new LinkedHashMap<>();
    Problem signed = null;
    try (JarFile jar = Jars.open(path)) {
      for (JarEntry entry : jar.stream().filter(ClassFiles::isClass).toList()) {
        try {
          byte[] bytes = Jars.read(jar, entry);
          Optional<byte[]> result = specialize(bytes);
          result.ifPresent(now -> changed.put(entry.getName(), now));
          if (result.isPresent() && signed == null && Jars.isSigned(jar)) {
            signed = problem(bytes, path + " is signed: specialize its classes before signing it");
          }
        } catch (IllegalArgumentException notLoadable) {
          // Not ours to repair, and no JVM can load it: some jars carry such files on purpose.
        }
      }
    }
    if (signed != null) {
      problems.add(signed);
    }
    if (!changed.isEmpty()) {
      changedJars.put(path, changed);
    }
  }

  /// Specializes one class file.
  ///
  /// @return what to write in its place, if anything changes
  private Optional<byte[]> specialize(byte[] found) throws InterruptedIOException {
    if (Thread.currentThread().isInterrupted()) {
      throw new InterruptedIOException("stopped before anything was written");
    }
    seen++;
    byte[] original;
    try {
      original = CodePatch.strip(found);
    } catch (PatchRefusedException e) {
      problems.add(problem(found, "was patched, and changed after that: compile it again"));
      return Optional.empty();
    }
    Specialized result = specializer.specialize(original);
    if (result.changed() || !result.report().methods().isEmpty()) {
      classes.add(result.report());
    }
    problems.addAll(result.problems());
    if (result.changed()) {
      witness.specialized(original, result.bytes());
    }
    try {
      byte[] now = result.changed() ? delivery.deliver(original, result.bytes()) : original;
      return Arrays.equals(now, found) ? Optional.empty() : Optional.of(now);
    } catch (IllegalArgumentException e) {
      problems.add(problem(found, String.valueOf(e.getMessage())));
      return Optional.empty();
    }
  }

  private void write() throws IOException {
    for (Map.Entry<Path, byte[]> file : changedFiles.entrySet()) {
      Jars.replace(file.getKey(), out -> out.write(file.getValue()));
    }
    for (Map.Entry<Path, Map<String, byte[]>> jar : changedJars.entrySet()) {
      Jars.rewrite(jar.getKey(), jar.getValue());
    }
  }

  private Report report() {
    int changed = changedFiles.size();
    for (Map<String, byte[]> entries : changedJars.values()) {
      changed += entries.size();
    }
    return new Report(seen, problems.isEmpty() ? changed : 0, classes, problems);
  }

  /// Finds every class in class files, folders and jars that was not specialized as it should have
  /// been. A class that carries a patch counts as what the patch makes of it.
  ///
  /// @return how many classes were seen, and what is wrong with them
  public static Report check(Collection<Path> path, Specializer specializer) throws IOException {
    ClassFiles run = new ClassFiles(specializer, new Delivery.Rewritten(), (was, is) -> {});
    for (Path entry : path) {
      if (Files.isDirectory(entry)) {
        for (Path file : under(entry)) {
          run.checkFile(file);
        }
      } else if (isClass(entry.toString())) {
        run.checkFile(entry);
      } else if (Files.isRegularFile(entry)) {
        run.checkJar(entry);
      }
    }
    return run.report();
  }

  private void checkFile(Path file) throws IOException {
    try {
      check(Files.readAllBytes(file));
    } catch (IllegalArgumentException e) {
      throw new IOException(file + " is no class file: " + e.getMessage(), e);
    }
  }

  private void checkJar(Path path) throws IOException {
    try (JarFile jar = ClassPath.open(path)) {
      List<JarEntry> entries = jar.versionedStream().filter(ClassFiles::isClass).toList();
      for (JarEntry entry : entries) {
        try {
          check(Jars.read(jar, entry));
        } catch (IllegalArgumentException notLoadable) {
          // Not ours to repair, and no JVM can load it: some jars carry such files on purpose.
        }
      }
    }
  }

  private void check(byte[] found) {
    seen++;
    try {
      byte[] loaded = CodePatch.apply(found, TrustedKeys.ANYBODY).orElse(found);
      problems.addAll(specializer.check(loaded));
    } catch (PatchRefusedException e) {
      problems.add(problem(found, String.valueOf(e.getMessage())));
    }
  }

  private static Problem problem(byte[] classFile, String message) {
    ClassDesc type = ClassFile.of().parse(classFile).thisClass().asSymbol();
    return new Problem(new Location(type, "*", Optional.empty(), 0), message);
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
    // What a link leads to is walked through when it is named, and not when it lies in a folder.
    Path start = Files.isSymbolicLink(folder) ? folder.toRealPath() : folder;
    try (Stream<Path> files = Files.walk(start)) {
      return files.filter(file -> isClass(file.toString())).sorted().toList();
    }
  }
}
