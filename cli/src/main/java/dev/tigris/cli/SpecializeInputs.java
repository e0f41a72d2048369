package dev.tigris.cli;

import dev.tigris.memory.Pso;
import dev.tigris.memory.PsoField;
import dev.tigris.memory.PsoLayout;
import dev.tigris.specializer.ClassPath;
import dev.tigris.specializer.ClassSource;
import dev.tigris.specializer.MemoryNames;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.constant.ClassDesc;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// The inputs of `tigris specialize`, and the classes that they mention: found in the inputs, on
/// the class path, and, for Tigris's own, in this program.
final class SpecializeInputs implements ClassSource, AutoCloseable {
  private static final String SUFFIX = ".class";

  private final List<Path> inputs;
  private final @Nullable Path copies;

  /// What a copy was made of, for messages: the copy is deleted when something goes wrong.
  private final Map<Path, Path> originals;

  private final ClassPath classes;
  private final URLClassLoader loader;
  private boolean kept;

  private SpecializeInputs(
      List<Path> inputs, @Nullable Path copies, Map<Path, Path> originals, List<Path> classPath)
      throws IOException {
    this.inputs = inputs;
    this.copies = copies;
    this.originals = originals;
    List<Path> path = new ArrayList<>();
    for (Path input : inputs) {
      path.add(ClassPath.rootOf(input));
    }
    path.addAll(classPath);
    List<URL> urls = new ArrayList<>();
    for (Path place : path) {
      urls.add(place.toUri().toURL());
    }
    this.loader =
        new URLClassLoader(urls.toArray(URL[]::new), SpecializeInputs.class.getClassLoader());
    this.classes = new ClassPath(path);
  }

  static SpecializeInputs inPlace(List<Path> inputs, List<Path> classPath) throws IOException {
    return new SpecializeInputs(inputs, null, Map.of(), classPath);
  }

  /// Copies the inputs first: jars and class files by their names, and what is in folders.
  static SpecializeInputs copiedTo(Path folder, List<Path> inputs, List<Path> classPath)
      throws IOException, CommandException {
    if (Files.exists(folder)) {
      throw new CommandException(
          ExitCode.BAD_OUTPUT, "'%s' exists: name a new folder".formatted(folder));
    }
    List<Path> copied = new ArrayList<>();
    Map<Path, Path> originals = new HashMap<>();
    List<Path> path = new ArrayList<>();
    for (Path input : inputs) {
      if (folder.toAbsolutePath().normalize().startsWith(input.toAbsolutePath().normalize())) {
        throw new CommandException(
            ExitCode.BAD_OUTPUT,
            "'%s' lies in '%s', which is to be copied: name a folder outside of it"
                .formatted(folder, input));
      }
      if (isClassFile(input)) {
        path.add(
            ClassPath.rootOf(
                input)); // what is found there in place is found when it is copied, too
      }
      copied.add(Files.isDirectory(input) ? folder : folder.resolve(inside(input)));
    }
    try {
      Files.createDirectories(folder);
      for (int i = 0; i < inputs.size(); i++) {
        copy(inputs.get(i), copied.get(i), originals);
      }
    } catch (FileAlreadyExistsException e) {
      delete(folder);
      throw new CommandException(
          ExitCode.BAD_INPUT,
          "two inputs would be copied to '%s': specialize one of them alone".formatted(e.getFile()),
          e);
    } catch (IOException | UncheckedIOException e) {
      delete(folder);
      throw new CommandException(
          ExitCode.BAD_OUTPUT, "cannot copy to '%s': %s".formatted(folder, Reason.of(e)), e);
    }
    path.addAll(classPath);
    try {
      return new SpecializeInputs(copied.stream().distinct().toList(), folder, originals, path);
    } catch (IOException | UncheckedIOException e) {
      delete(folder);
      throw ofInput(e, originals);
    }
  }

  private static void copy(Path from, Path to, Map<Path, Path> originals) throws IOException {
    Path start = Files.isSymbolicLink(from) ? from.toRealPath() : from;
    try (Stream<Path> files = Files.walk(start)) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        Path target = to.resolve(start.relativize(file));
        Files.createDirectories(target.toAbsolutePath().getParent());
        Files.copy(file, target);
        originals.put(target, from.resolve(start.relativize(file)));
      }
    }
  }

  /// Returns where an input is copied to: a class file keeps its place below the root of its
  /// packages.
  private static Path inside(Path file) throws IOException {
    return isClassFile(file)
        ? ClassPath.rootOf(file).toAbsolutePath().relativize(file.toAbsolutePath())
        : file.getFileName();
  }

  private static boolean isClassFile(Path input) {
    return !Files.isDirectory(input) && input.toString().endsWith(SUFFIX);
  }

  List<Path> inputs() {
    return inputs;
  }

  /// Returns the failure, with the name of the input in place of its copy's.
  IOException ofInput(IOException failure) {
    return ofInput(failure, originals);
  }

  private static IOException ofInput(Exception failure, Map<Path, Path> originals) {
    String message = String.valueOf(failure.getMessage());
    Optional<Path> copy =
        originals.keySet().stream()
            .filter(path -> message.contains(path.toString()))
            .max(Comparator.comparingInt(path -> path.toString().length()));
    if (copy.isEmpty()) {
      return failure instanceof IOException known ? known : new IOException(message, failure);
    }
    String input = String.valueOf(originals.get(copy.get()));
    return new IOException(message.replace(copy.get().toString(), input), failure);
  }

  @Override
  public byte @Nullable [] find(ClassDesc type) {
    byte[] bytes = classes.find(type);
    if (bytes != null || !type.packageName().equals(MemoryNames.PSO.packageName())) {
      return bytes;
    }
    try (InputStream in = Pso.class.getResourceAsStream("/" + ClassSource.pathOf(type))) {
      return in == null ? null : in.readAllBytes();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /// Returns the recipe behind a call site, from the layout of the class that it names.
  Optional<String> recipe(ClassDesc owner, String field, String operation) {
    String path = ClassSource.pathOf(owner);
    String name = path.substring(0, path.length() - SUFFIX.length()).replace('/', '.');
    try {
      Class<? extends Pso> type = Class.forName(name, false, loader).asSubclass(Pso.class);
      PsoLayout layout = PsoLayout.of(type);
      // A subclass's field hides that of a superclass.
      for (PsoField stored : layout.fields().reversed()) {
        if (stored.name().equals(field)) {
          return Optional.of(layout.recipe(stored, operation.equals(MemoryNames.SET)));
        }
      }
      return Optional.empty();
    } catch (ClassNotFoundException | LinkageError | IllegalArgumentException notLoadable) {
      return Optional.empty();
    }
  }

  /// Keeps the copies, after a success.
  void keep() {
    kept = true;
  }

  private static void delete(Path folder) {
    try (Stream<Path> files = Files.walk(folder)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.deleteIfExists(file);
      }
    } catch (IOException e) {
      // What cannot be deleted is left behind; the failure that led here is what is told.
    }
  }

  @Override
  public void close() throws IOException {
    classes.close();
    loader.close();
    if (copies != null && !kept) {
      delete(copies);
    }
  }
}
