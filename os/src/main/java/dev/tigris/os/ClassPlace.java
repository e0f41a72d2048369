package dev.tigris.os;

import java.io.IOException;
import java.net.JarURLConnection;
import java.net.URISyntaxException;
import java.net.URL;
import java.nio.file.FileSystemNotFoundException;
import java.nio.file.Path;

/// Where the code of a class lies.
///
/// Code sources do not tell it: a class of an AOT cache has that of the process which made the
/// cache, and none if that place is gone. So the class is looked for as a resource.
///
/// Thread rule: any thread.
public final class ClassPlace {
  private ClassPlace() {}

  /// Returns the jar or folder that a class is from.
  ///
  /// @throws IOException if it is from neither
  public static Path of(Class<?> type) throws IOException {
    String name = type.getName();
    URL found = type.getResource(name.substring(name.lastIndexOf('.') + 1) + ".class");
    if (found == null) {
      throw new IOException("it is not known where the code of %s lies".formatted(type));
    }
    try {
      if (found.getProtocol().equals("jrt")) {
        throw new IOException("the code of %s is Java's own".formatted(type));
      }
      if (found.openConnection() instanceof JarURLConnection jar) {
        return Path.of(jar.getJarFileURL().toURI());
      }
      Path place = Path.of(found.toURI());
      for (int level = name.split("\\.", -1).length; level > 0; level--) {
        place = place.resolve("..");
      }
      return place.normalize();
    } catch (URISyntaxException | IllegalArgumentException | FileSystemNotFoundException e) {
      throw new IOException("the code of %s is in no file".formatted(type), e);
    }
  }
}
