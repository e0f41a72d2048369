package dev.tigris.specializer;

import java.lang.constant.ClassDesc;
import java.util.Optional;

/// A place in a class, written as a stack trace writes it, so that tools make it a link.
///
/// @param member the method or field
/// @param line the line in the source, or 0 when the class file doesn't say
public record Location(ClassDesc type, String member, Optional<String> sourceFile, int line) {
  @Override
  public String toString() {
    String file = sourceFile.orElse("unknown source");
    return nameOf(type) + "." + member + "(" + file + (line == 0 ? "" : ":" + line) + ")";
  }

  /// A class's name as `Class.getName` gives it.
  static String nameOf(ClassDesc type) {
    String path = ClassSource.pathOf(type);
    return path.substring(0, path.length() - ".class".length()).replace('/', '.');
  }
}
