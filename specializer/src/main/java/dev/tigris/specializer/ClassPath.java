package dev.tigris.specializer;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.classfile.ClassFile;
import java.lang.constant.ClassDesc;
import java.net.URI;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.jar.Attributes.Name;
import java.util.jar.JarFile;
import java.util.jar.Manifest;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import org.jspecify.annotations.Nullable;

/// Folders and jars, searched in order, and after them the classes of the running JDK.
///
/// It takes what `javac` takes: entries that don't exist are skipped, and so are files that neither
/// have the name of a jar nor are one. Behind each jar come those that its manifest names. Jars
/// stay open until [#close].
public final class ClassPath implements ClassSource, AutoCloseable {
  private sealed interface Entry {}

  private record Folder(Path path) implements Entry {}

  private record Jar(JarFile file) implements Entry {}

  private static final String ALL_JARS = "*";

  private final List<Entry> entries = new ArrayList<>();
  private final Set<Path> jars = new HashSet<>();
  private final ClassLoader jdk = ClassLoader.getPlatformClassLoader();

  /// Opens a class path.
  ///
  /// @throws UncheckedIOException if a jar cannot be opened; the message names it
  public ClassPath(Collection<Path> paths) {
    try {
      for (Path path : paths) {
        add(path);
      }
    } catch (Throwable e) { // of any kind: these must be closed here
      close();
      throw e;
    }
  }

  private void add(Path path) {
    if (Files.isDirectory(path)) {
      entries.add(new Folder(path));
    } else if (Files.isRegularFile(path) && jars.add(path.toAbsolutePath().normalize())) {
      JarFile jar;
      try {
        jar = open(path);
      } catch (UncheckedIOException e) {
        if (isNamedAsJar(path)) {
          throw e;
        }
        return;
      }
      entries.add(new Jar(jar));
      namedBy(jar, path).forEach(this::add);
    }
  }

  private static boolean isNamedAsJar(Path path) {
    String name = path.toString().toLowerCase(Locale.ROOT);
    return name.endsWith(".jar") || name.endsWith(".zip");
  }

  /// The places that the manifest of a jar says belong to its class path.
  private static List<Path> namedBy(JarFile jar, Path path) {
    List<Path> named = new ArrayList<>();
    try {
      Manifest manifest = jar.getManifest();
      String places =
          manifest == null ? null : manifest.getMainAttributes().getValue(Name.CLASS_PATH);
      for (String place : places == null ? new String[0] : places.strip().split("\\s+")) {
        URI location = path.toUri().resolve(place);
        if (!place.isEmpty() && "file".equals(location.getScheme())) {
          named.add(Path.of(location));
        }
      }
    } catch (IOException | IllegalArgumentException damaged) {
      return List.of(); // it may have classes even so
    }
    return named;
  }

  /// Reads a class path as `javac` does: `FOLDER/*` stands for all jars in a folder, and an empty
  /// entry for the current folder.
  ///
  /// @param path its entries, with [File#pathSeparator] between them
  /// @throws UncheckedIOException if a folder of jars cannot be listed
  public static List<Path> parse(String path) {
    List<Path> places = new ArrayList<>();
    for (String place : path.split(File.pathSeparator, -1)) {
      if (place.equals(ALL_JARS) || place.endsWith(File.separator + ALL_JARS)) {
        places.addAll(jarsIn(Path.of(place.substring(0, place.length() - 1))));
      } else {
        places.add(Path.of(place));
      }
    }
    return places;
  }

  private static List<Path> jarsIn(Path folder) {
    if (!Files.isDirectory(folder)) {
      return List.of();
    }
    try (Stream<Path> files = Files.list(folder)) {
      return files
          .filter(file -> file.toString().endsWith(".jar") || file.toString().endsWith(".JAR"))
          .sorted()
          .toList();
    } catch (IOException e) {
      throw new UncheckedIOException("cannot list the jars in " + folder, e);
    }
  }

  /// Returns the folder or jar in which the classes of an input are found by their names: the
  /// input, or the folder that the packages of a class file begin in.
  ///
  /// @throws IOException if a class file cannot be read, or is none
  public static Path rootOf(Path input) throws IOException {
    if (Files.isDirectory(input) || !input.toString().endsWith(".class")) {
      return input;
    }
    try {
      ClassDesc type = ClassFile.of().parse(Files.readAllBytes(input)).thisClass().asSymbol();
      Path inside = Path.of(ClassSource.pathOf(type));
      Path root = input.toAbsolutePath();
      int depth = root.endsWith(inside) ? inside.getNameCount() : 1;
      return root.resolve("../".repeat(depth)).normalize();
    } catch (IllegalArgumentException e) {
      throw new IOException(input + " is not a class file: " + e.getMessage(), e);
    }
  }

  @Override
  public byte @Nullable [] find(ClassDesc type) {
    String name = ClassSource.pathOf(type);
    try {
      for (Entry entry : entries) {
        byte[] bytes =
            switch (entry) {
              case Folder folder -> read(folder.path, name);
              case Jar jar -> read(jar.file, name);
            };
        if (bytes != null) {
          return bytes;
        }
      }
      try (InputStream in = jdk.getResourceAsStream(name)) {
        return in == null ? null : in.readAllBytes();
      }
    } catch (IOException e) {
      throw new UncheckedIOException("cannot read class " + type.displayName(), e);
    }
  }

  @Override
  public void close() {
    for (Entry entry : entries) {
      if (entry instanceof Jar jar) {
        try {
          jar.file.close();
        } catch (IOException e) {
          throw new UncheckedIOException("cannot close " + jar.file.getName(), e);
        }
      }
    }
  }

  /// Opens a jar at the running JDK's version, so that a multi-release jar shows the classes that
  /// this JDK would load.
  static JarFile open(Path path) {
    try {
      return new JarFile(path.toFile(), false, ZipFile.OPEN_READ, Runtime.version());
    } catch (IOException e) {
      throw new UncheckedIOException("cannot open " + path + " as a jar: " + e.getMessage(), e);
    }
  }

  /// The bytes of a file in a folder, or null if there is none of this name.
  static byte @Nullable [] read(Path folder, String name) throws IOException {
    Path file;
    try {
      file = folder.resolve(name);
    } catch (InvalidPathException e) {
      return null; // no file can have this name, in the encoding of the locale: a jar still may
    }
    try {
      return Files.readAllBytes(file);
    } catch (NoSuchFileException e) {
      return null;
    } catch (AccessDeniedException e) {
      throw e;
    } catch (FileSystemException e) {
      if (Files.exists(file)) {
        throw e;
      }
      return null; // a file has the name of a folder on the way there, or the name is too long
    }
  }

  /// The bytes of an entry of a jar, or null if there is none of this name.
  static byte @Nullable [] read(JarFile jar, String name) throws IOException {
    ZipEntry entry = jar.getEntry(name);
    return entry == null ? null : Jars.read(jar, entry);
  }
}
