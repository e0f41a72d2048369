package dev.tigris.specializer;

import java.lang.constant.ClassDesc;
import org.jspecify.annotations.Nullable;

/// A source of the class files that a class is specialized against.
///
/// A build has a [ClassPath]; the [agent][Agent] asks class loaders for their resources.
@FunctionalInterface
public interface ClassSource {
  /// The bytes of a class file, or null when this source doesn't have it. May be called by several
  /// threads.
  byte @Nullable [] find(ClassDesc type);

  /// The path of a class file inside a folder or jar: `a/b/Outer$Inner.class`.
  static String pathOf(ClassDesc type) {
    String descriptor = type.descriptorString();
    return descriptor.substring(1, descriptor.length() - 1) + ".class";
  }
}
