package dev.tigris.net.testing;

import java.net.URI;
import java.net.URL;
import java.nio.file.Path;

/// Where the class file of a class lies, for the class path of a process that a test starts.
final class ClassFolder {
  private ClassFolder() {}

  /// Returns the path of a folder or a jar; a location would have %20 for a space in it.
  static String of(Class<?> type) {
    URL location = type.getProtectionDomain().getCodeSource().getLocation();
    return Path.of(URI.create(location.toString())).toString();
  }
}
