package dev.tigris.cluster.run;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.jar.Attributes;
import java.util.jar.JarFile;
import java.util.jar.Manifest;
import org.jspecify.annotations.Nullable;

/// Where the classes of a process come from.
///
/// A jar of Spring Boot has jars inside, from which its own launcher loads the classes. Another
/// class than its own is run by that of its launchers which reads the name in `loader.main`.
///
/// @param classPath its class path; may be empty
/// @param modulePath its module path; may be empty
/// @param launcher the name of the class that loads the others from the jar on the class path;
///     empty if Java itself does
record CodePath(String classPath, String modulePath, String launcher) {
  private static final String START_CLASS = "Start-Class";
  private static final String LAUNCHER = "PropertiesLauncher";

  CodePath(String classPath, String modulePath) {
    this(classPath, modulePath, "");
  }

  /// Returns that of this process.
  static CodePath ofThisProcess() {
    String classPath = System.getProperty("java.class.path", "");
    boolean isLaunched =
        !ClassLoader.getSystemClassLoader().equals(CodePath.class.getClassLoader())
            && !classPath.contains(File.pathSeparator);
    return new CodePath(
        classPath,
        System.getProperty("jdk.module.path", ""),
        isLaunched ? launcher(Path.of(classPath)) : "");
  }

  /// Returns the launcher that is in a jar of Spring Boot; empty for other jars.
  static String launcher(Path jar) {
    Attributes attributes = attributes(jar);
    String main = attributes == null ? null : attributes.getValue(Attributes.Name.MAIN_CLASS);
    if (attributes == null || main == null || attributes.getValue(START_CLASS) == null) {
      return "";
    }
    return main.substring(0, main.lastIndexOf('.') + 1) + LAUNCHER;
  }

  /// Returns the main attributes of a jar's manifest; null if it has none, or is no jar.
  static @Nullable Attributes attributes(Path jar) {
    if (!Files.isRegularFile(jar)) {
      return null;
    }
    try (JarFile opened = new JarFile(jar.toFile())) {
      Manifest manifest = opened.getManifest();
      return manifest == null ? null : manifest.getMainAttributes();
    } catch (IOException e) {
      return null; // as Java ignores it
    }
  }

  /// Returns a copy with more behind the class path.
  CodePath with(List<Path> more) {
    String path = classPath;
    for (Path entry : more) {
      path = path.isEmpty() ? entry.toString() : path + File.pathSeparator + entry;
    }
    return new CodePath(path, modulePath, more.isEmpty() ? launcher : "");
  }
}
