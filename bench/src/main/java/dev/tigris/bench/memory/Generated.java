package dev.tigris.bench.memory;

import dev.tigris.specializer.ClassHierarchy;
import dev.tigris.specializer.ClassPath;
import dev.tigris.specializer.Delivery;
import dev.tigris.specializer.Rule;
import dev.tigris.specializer.Specialized;
import dev.tigris.specializer.Specializer;
import dev.tigris.specializer.patch.PatchKind;
import java.io.File;
import java.lang.invoke.MethodHandles;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/// Classes that a measuring process generates and then runs. Those for pre-serialized objects go
/// through the specializer, as the Maven plugin does it, and reach the JVM by one of its
/// deliveries: rewritten or, in a process with [#LOAD_TIME] among its flags, with a patch that the
/// agent applies.
final class Generated {
  /// The flag of a process that has the agent, and is to use it.
  static final String LOAD_TIME = "-Dtigris.bench.delivery=loadtime";

  private static final Specializer SPECIALIZER = specializer();

  private Generated() {}

  /// Whether this process has its classes specialized as they are loaded.
  static boolean isLoadTime() {
    return "loadtime".equals(System.getProperty("tigris.bench.delivery"));
  }

  /// An object of the class as it is.
  static Object plain(byte[] classFile) {
    try {
      Class<?> type = MethodHandles.lookup().defineClass(classFile);
      return type.getConstructor().newInstance();
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException("a generated class cannot be used", e);
    }
  }

  /// An object of the class as it is when it was specialized.
  static Object specialized(byte[] classFile) {
    Specialized result = SPECIALIZER.specialize(classFile);
    if (!result.changed()) {
      throw new IllegalStateException("not specialized: " + result.problems());
    }
    return plain(delivery().deliver(classFile, result.bytes()));
  }

  private static Delivery delivery() {
    return isLoadTime()
        ? new Delivery.Patched(PatchKind.DIFF, Optional.empty())
        : new Delivery.Rewritten();
  }

  /// Its class path stays open for as long as the measuring process lives.
  private static Specializer specializer() {
    String path = System.getProperty("java.class.path");
    List<Path> entries = Stream.of(path.split(File.pathSeparator, -1)).map(Path::of).toList();
    return new Specializer(new ClassHierarchy(new ClassPath(entries)), Rule.standard());
  }
}
