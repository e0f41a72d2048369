package dev.tigris.cli;

import dev.tigris.cluster.group.GroupProgram;
import dev.tigris.cluster.run.FlowProgram;
import java.io.IOException;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.jar.Attributes;
import java.util.jar.JarFile;
import java.util.jar.Manifest;
import org.jspecify.annotations.Nullable;

/// A jar, or a folder of classes, with a program to run.
///
/// @param path the jar or folder, and the jars that its manifest names
/// @param file the jar or folder, as the user has named it
/// @param program the class of the program
/// @param loader finds the classes of the jar or folder
record ProgramFile(List<Path> path, Path file, Class<?> program, ClassLoader loader) {
  /// The attribute of a jar's manifest that names its program.
  static final String ATTRIBUTE = "Tigris-Program";

  ProgramFile {
    path = List.copyOf(path);
  }

  /// Opens a jar or folder. Its class loader stays open as long as the command runs.
  ///
  /// @param program the name of the class; null if the jar's manifest has it
  static ProgramFile open(Path file, @Nullable String program) throws CommandException {
    Path absolute = file.toAbsolutePath().normalize();
    List<Path> path = new ArrayList<>(List.of(absolute));
    String name = program;
    if (!Files.isDirectory(absolute)) {
      Attributes attributes = attributes(absolute);
      if (attributes.getValue("Start-Class") != null) {
        throw new CommandException(
            ExitCode.BAD_INPUT,
            "'%s' is a jar of Spring Boot, with other jars inside: extract it by 'java -Djarmode=tools -jar %s extract', and name the jar that this makes"
                .formatted(file, file));
      }
      addLibraries(path, absolute, attributes);
      if (name == null) {
        name = attributes.getValue(ATTRIBUTE);
      }
      if (name == null) {
        name = attributes.getValue(Attributes.Name.MAIN_CLASS);
      }
    }
    if (name == null) {
      throw new CommandException(
          ExitCode.USAGE,
          "%s names no program: name one with --program CLASS, or in the manifest, as %s"
              .formatted(file, ATTRIBUTE));
    }
    ClassLoader loader = loader(path);
    return new ProgramFile(path, file, load(loader, name, file), loader);
  }

  /// Returns the program of a flow.
  Class<? extends FlowProgram> flow() throws CommandException {
    return of(
        FlowProgram.class,
        GroupProgram.class.isAssignableFrom(program) ? "; run it as a group, by --group N" : "");
  }

  /// Returns the program of a group.
  Class<? extends GroupProgram> group() throws CommandException {
    return of(GroupProgram.class, "; leave --group out");
  }

  private <T> Class<? extends T> of(Class<T> kind, String advice) throws CommandException {
    if (!kind.isAssignableFrom(program)) {
      throw new CommandException(
          ExitCode.BAD_INPUT,
          "class %s in '%s' is no program: it does not implement %s%s"
              .formatted(program.getName(), file, kind.getName(), advice));
    }
    return program.asSubclass(kind);
  }

  private static Attributes attributes(Path jar) throws CommandException {
    try (JarFile opened = new JarFile(jar.toFile())) {
      Manifest manifest = opened.getManifest();
      return manifest == null ? new Attributes() : manifest.getMainAttributes();
    } catch (NoSuchFileException e) {
      throw new CommandException(
          ExitCode.BAD_INPUT, "'%s' does not exist: check the name of the jar".formatted(jar), e);
    } catch (IOException e) {
      throw new CommandException(
          ExitCode.BAD_INPUT, "cannot read the jar '%s': %s".formatted(jar, e.getMessage()), e);
    }
  }

  private static void addLibraries(List<Path> path, Path jar, Attributes attributes) {
    String libraries = attributes.getValue(Attributes.Name.CLASS_PATH);
    for (String each : libraries == null ? new String[0] : libraries.strip().split(" +", -1)) {
      Path library = jar.resolveSibling(each).normalize();
      if (Files.exists(library)) {
        path.add(library);
      }
    }
  }

  private static ClassLoader loader(List<Path> path) {
    List<URL> urls = new ArrayList<>();
    for (Path each : path) {
      try {
        urls.add(each.toUri().toURL());
      } catch (MalformedURLException e) {
        throw new IllegalStateException("a file has no address: " + each, e);
      }
    }
    return new URLClassLoader(urls.toArray(URL[]::new), FlowProgram.class.getClassLoader());
  }

  private static Class<?> load(ClassLoader loader, String name, Path file) throws CommandException {
    try {
      return Class.forName(name, true, loader);
    } catch (ClassNotFoundException e) {
      throw new CommandException(
          ExitCode.BAD_INPUT, "'%s' has no class %s".formatted(file, name), e);
    } catch (LinkageError e) {
      throw new CommandException(
          ExitCode.BAD_INPUT, "class %s in '%s' cannot be loaded: %s".formatted(name, file, e), e);
    }
  }
}
