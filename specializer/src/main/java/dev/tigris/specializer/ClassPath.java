package dev.tigris.specializer;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.constant.ClassDesc;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.jar.JarFile;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import org.jspecify.annotations.Nullable;

/// Folders and jars, searched in order, and after them the classes of the running JDK.
///
/// Entries that don't exist are skipped, as the JVM does. Jars stay open until [#close].
public final class ClassPath implements ClassSource, AutoCloseable {
  private sealed interface Entry {}

  private record Folder(Path path) implements Entry {}

  private record Jar(JarFile file) implements Entry {}

  private final List<Entry> entries = new ArrayList<>();
  private final ClassLoader jdk = ClassLoader.getPlatformClassLoader();

  /// Opens a class path.
  ///
  /// @throws UncheckedIOException if a jar cannot be opened; the message names it
  public ClassPath(Collection<Path> paths) {
    try {
      for (Path path : paths) {
        if (Files.isDirectory(path)) {
          entries.add(new Folder(path));
        } else if (Files.isRegularFile(path)) {
          entries.add(new Jar(open(path)));
        }
      }
    } catch (Throwable e) { // of any kind: these must be closed here
      close();
      throw e;
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
