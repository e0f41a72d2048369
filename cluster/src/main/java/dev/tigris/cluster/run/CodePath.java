package dev.tigris.cluster.run;

import java.io.File;
import java.nio.file.Path;
import java.util.List;

/// Where the classes of a process come from.
///
/// @param classPath its class path; may be empty
/// @param modulePath its module path; may be empty
record CodePath(String classPath, String modulePath) {
  /// Returns that of this process.
  static CodePath ofThisProcess() {
    return new CodePath(
        System.getProperty("java.class.path", ""), System.getProperty("jdk.module.path", ""));
  }

  /// Returns a copy with more behind the class path.
  CodePath with(List<Path> more) {
    String path = classPath;
    for (Path entry : more) {
      path = path.isEmpty() ? entry.toString() : path + File.pathSeparator + entry;
    }
    return new CodePath(path, modulePath);
  }
}
