// Over 400 lines: specializing and checking go through the same folders, jars and jars in jars.
package dev.tigris.specializer;

import dev.tigris.specializer.patch.CodePatch;
import dev.tigris.specializer.patch.PatchRefusedException;
import dev.tigris.specializer.patch.TrustedKeys;
import java.io.File;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.UncheckedIOException;
import java.lang.classfile.ClassFile;
import java.lang.constant.ClassDesc;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipException;

/// Specializes and checks whole folders, jars and class files.
///
/// Thread rule: any thread; of two that write to the same files at once, one has the last word on
/// each.
public final class ClassFiles {
  private static final String SUFFIX = ".class";
  private static final Witness SILENT = (original, specialized) -> {};

  private final Specializer specializer;
  private final Delivery delivery;
  private Witness witness = SILENT;
  private final Map<Path, byte[]> changedFiles = new LinkedHashMap<>();
  private final Map<Path, Map<String, byte[]>> changedJars = new LinkedHashMap<>();
  private final List<ClassReport> classes = new ArrayList<>();
  private final List<Problem> problems = new ArrayList<>();
  private final List<String> rewrittenBefore = new ArrayList<>();
  private final Set<String> rulesAtWork = new HashSet<>();
  private int seen;

  /// Receives each class that changes.
  public interface Witness {
    /// A class that was specialized.
    ///
    /// @param original the class file as it was compiled
    /// @param specialized what it becomes
    void specialized(byte[] original, byte[] specialized);
  }

  private ClassFiles(Specializer specializer, Delivery delivery) {
    this.specializer = specializer;
    this.delivery = delivery;
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
    ClassFiles run = new ClassFiles(specializer, delivery);
    run.untilAllIsKnown(() -> run.read(inputs));
    if (run.problems.isEmpty()) {
      run.write();
    }
    return run.report();
  }

  /// Shows what [#specialize] would do, and writes nothing.
  public static Report preview(Collection<Path> inputs, Specializer specializer, Witness witness)
      throws IOException {
    ClassFiles run = new ClassFiles(specializer, new Delivery.Rewritten());
    run.untilAllIsKnown(() -> run.read(inputs));
    run.forget();
    run.witness = witness;
    run.read(inputs);
    return run.report();
  }

  /// One look at all inputs.
  private interface Look {
    void take() throws IOException;
  }

  /// Classes are found by their names in folders and jars that have their packages. Those that lie
  /// elsewhere, as in a folder that has such a folder, or in the jar of a web application, are
  /// known when they come by: the classes before them are then looked at once more.
  private void untilAllIsKnown(Look look) throws IOException {
    long late;
    do {
      late = specializer.learnedLate();
      forget();
      look.take();
    } while (specializer.learnedLate() != late);
  }

  private void forget() {
    changedFiles.clear();
    changedJars.clear();
    classes.clear();
    problems.clear();
    rewrittenBefore.clear();
    rulesAtWork.clear();
    seen = 0;
  }

  private void read(Collection<Path> inputs) throws IOException {
    for (Path input : inputs) {
      if (Files.isDirectory(input)) {
        Path start = start(input);
        Releases releases = releases(start);
        for (Path file : under(start, ClassFiles::isClass)) {
          specializeFile(file, releases.specializerOf(name(start, file)));
        }
      } else if (isClass(input.toString())) {
        specializeFile(input, specializer);
      } else {
        specializeJar(input);
      }
    }
  }

  private Releases releases(Path folder) throws IOException {
    // Few folders have these, and to list one without takes as long as to look through it.
    boolean has = Files.isDirectory(folder.resolve("META-INF", "versions"));
    List<String> names =
        has
            ? under(folder, ClassFiles::isClass).stream().map(file -> name(folder, file)).toList()
            : List.of();
    return new Releases(specializer, names.stream(), name -> ClassPath.read(folder, name));
  }

  /// @param jar opened to see each entry under its own name
  private Releases releases(JarFile jar) {
    return new Releases(
        specializer,
        jar.stream().map(JarEntry::getName).filter(ClassFiles::isClass),
        name -> ClassPath.read(jar, name));
  }

  private static String name(Path folder, Path file) {
    return folder.relativize(file).toString().replace(File.separatorChar, '/');
  }

  private void specializeFile(Path file, Specializer by) throws IOException {
    try {
      specialize(Files.readAllBytes(file), by).ifPresent(bytes -> changedFiles.put(file, bytes));
    } catch (IllegalArgumentException e) {
      throw new IOException(file + " is no class file: " + e.getMessage(), e);
    }
  }

  private void specializeJar(Path path) throws IOException {
    Map<String, byte[]> changed = new LinkedHashMap<>();
    byte[] first = null;
    boolean isSigned;
    try (JarFile jar = Jars.open(path)) {
      isSigned = Jars.isSigned(jar);
      Releases releases = releases(jar);
      for (JarEntry entry : jar.stream().toList()) {
        if (isClass(entry)) {
          byte[] bytes = Jars.read(jar, entry);
          Optional<byte[]> result =
              specializeIfLoadable(bytes, releases.specializerOf(entry.getName()));
          result.ifPresent(now -> changed.put(entry.getName(), now));
          first = first == null && result.isPresent() ? bytes : first;
        } else if (Jars.isJar(entry)) {
          specializeWithin(jar, entry);
        }
      }
    }
    if (first != null && isSigned) {
      problems.add(problem(first, path + " is signed: specialize its classes before signing it"));
    }
    if (first != null && !Jars.beginsAsJar(path)) {
      problems.add(
          problem(
              first,
              path
                  + " begins with other bytes than a jar, such as a script: specialize "
                  + "its classes before those bytes are added"));
    }
    if (!changed.isEmpty()) {
      changedJars.put(path, changed);
    }
  }

  /// Looks into a jar in a jar, and changes nothing in it: a launcher may want it as it is.
  private void specializeWithin(JarFile jar, JarEntry inner) throws IOException {
    Jars.forEachWithin(
        jar,
        inner,
        ClassFiles::isClass,
        bytes -> {
          if (specializeIfLoadable(bytes, specializer).isPresent()) {
            problems.add(
                problem(
                    bytes,
                    "lies in %s, a jar inside %s: specialize the inner jar before it is packed"
                        .formatted(inner.getName(), jar.getName())));
          }
        });
  }

  /// As specializing it; empty if the class file, of a jar, is damaged: not ours to repair, and no
  /// JVM can load it. Some jars carry such files on purpose.
  private Optional<byte[]> specializeIfLoadable(byte[] original, Specializer by)
      throws IOException {
    try {
      return specialize(original, by);
    } catch (IllegalArgumentException notLoadable) {
      return Optional.empty();
    }
  }

  /// Specializes one class file.
  ///
  /// @return what to write in its place, if anything changes
  private Optional<byte[]> specialize(byte[] found, Specializer by) throws InterruptedIOException {
    if (Thread.currentThread().isInterrupted()) {
      throw new InterruptedIOException("stopped before anything was written");
    }
    seen++;
    byte[] original;
    try {
      original = CodePatch.strip(found);
    } catch (PatchRefusedException e) {
      problems.add(problem(found, "was changed after it was patched: compile it again"));
      return Optional.empty();
    }
    Specialized result = by.specialize(original);
    if (result.changed() || !result.report().methods().isEmpty()) {
      classes.add(result.report());
    }
    rulesAtWork.addAll(result.rulesAtWork());
    problems.addAll(result.problems());
    by.undecided(original).ifPresent(problems::add);
    if (result.wasRewrittenBefore() && !result.changed()) {
      rewrittenBefore.add(result.report().name());
    }
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
    return new Report(
        seen,
        problems.isEmpty() ? changed : 0,
        classes,
        problems,
        delivery instanceof Delivery.Patched ? rewrittenBefore : List.of(),
        specializer.addedRules().stream().filter(rule -> !rulesAtWork.contains(rule)).toList());
  }

  /// Finds every class in class files, folders and jars, those in the folders and in other jars
  /// too, that was not specialized as it should have been. A class that carries a patch counts as
  /// what the patch makes of it.
  ///
  /// @return how many classes were seen, and what is wrong with them
  public static Report check(Collection<Path> path, Specializer specializer) throws IOException {
    ClassFiles run = new ClassFiles(specializer, new Delivery.Rewritten());
    run.untilAllIsKnown(() -> run.checkAll(path));
    return run.report();
  }

  private void checkAll(Collection<Path> path) throws IOException {
    for (Path entry : path) {
      if (Files.isDirectory(entry)) {
        Path start = start(entry);
        Releases releases = releases(start);
        for (Path file : under(start, name -> isClass(name) || Jars.isJar(name))) {
          if (isClass(file.toString())) {
            checkFile(file, releases.specializerOf(name(start, file)));
          } else {
            checkJarOfFolder(file);
          }
        }
      } else if (isClass(entry.toString())) {
        checkFile(entry, specializer);
      } else if (Files.isRegularFile(entry)) {
        checkJar(entry);
      }
    }
  }

  private void checkFile(Path file, Specializer by) throws IOException {
    try {
      check(Files.readAllBytes(file), by);
    } catch (IllegalArgumentException e) {
      throw new IOException(file + " is no class file: " + e.getMessage(), e);
    }
  }

  private void checkJar(Path path) throws IOException {
    try (JarFile jar = ClassPath.open(path);
        JarFile asSpecialized = Jars.open(path)) {
      Releases releases = releases(asSpecialized);
      for (JarEntry entry : jar.versionedStream().toList()) {
        if (isClass(entry)) {
          int before = problems.size();
          byte[] found = Jars.read(jar, entry);
          checkIfLoadable(found);
          List<Problem> ofClass = problems.subList(before, problems.size());
          Specializer by = releases.specializerOf(entry.getRealName());
          if (!ofClass.isEmpty() && jar.isMultiRelease() && by.check(found).isEmpty()) {
            ofClass.replaceAll(ClassFiles::needsRelease);
          }
        } else if (Jars.isJar(entry)) {
          Jars.forEachWithin(jar, entry, ClassFiles::isClass, this::checkIfLoadable);
        }
      }
    }
  }

  /// What helps where specializing a multi-release jar leaves a class as it is, since for its own
  /// release there is nothing to rewrite in it.
  private static Problem needsRelease(Problem problem) {
    return new Problem(
        problem.location(),
        problem.message()
            + ". Specializing does not change this class, because its release has "
            + "nothing to rewrite. Compile it for META-INF/versions as well, beside "
            + "the class of objects");
  }

  /// Checks a jar as one in a jar: an unreadable part may be a resource that is so on purpose.
  private void checkJarOfFolder(Path path) throws IOException {
    try {
      checkJar(path);
    } catch (ZipException unreadable) {
      // no program runs with it
    } catch (UncheckedIOException e) {
      if (!(e.getCause() instanceof ZipException)) {
        throw e;
      }
    }
  }

  private void checkIfLoadable(byte[] found) {
    try {
      check(found, specializer);
    } catch (IllegalArgumentException notLoadable) {
      // as for specializing
    }
  }

  private void check(byte[] found, Specializer by) {
    seen++;
    try {
      byte[] loaded = CodePatch.apply(found, TrustedKeys.ANY).orElse(found);
      problems.addAll(by.check(loaded));
    } catch (PatchRefusedException e) {
      problems.add(problem(found, String.valueOf(e.getMessage())));
    }
  }

  private static Problem problem(byte[] classFile, String message) {
    ClassDesc type = ClassFile.of().parse(classFile).thisClass().asSymbol();
    return new Problem(new Location(type, "*", Optional.empty(), 0), message);
  }

  private static boolean isClass(ZipEntry entry) {
    return isClass(entry.getName());
  }

  /// Module and package descriptors have no code.
  private static boolean isClass(String name) {
    return name.endsWith(SUFFIX)
        && !name.endsWith("module-info" + SUFFIX)
        && !name.endsWith("package-info" + SUFFIX);
  }

  /// What a link leads to is walked through when it is named, and not when it lies in a folder.
  private static Path start(Path folder) throws IOException {
    return Files.isSymbolicLink(folder) ? folder.toRealPath() : folder;
  }

  private static List<Path> under(Path folder, Predicate<String> wanted) throws IOException {
    try (Stream<Path> files = Files.walk(folder)) {
      return files
          .filter(file -> wanted.test(file.toString()) && Files.isRegularFile(file))
          .sorted()
          .toList();
    }
  }

  /// The version of Java that a class file is for; 0 if it is none.
  static int release(byte[] classFile) {
    ByteBuffer header = ByteBuffer.wrap(classFile);
    boolean isOne = classFile.length >= 8 && header.getInt() == ClassFile.MAGIC_NUMBER;
    return isOne ? header.getShort(6) - (ClassFile.JAVA_1_VERSION - 1) : 0;
  }
}
