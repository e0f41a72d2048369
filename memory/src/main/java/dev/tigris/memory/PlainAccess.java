package dev.tigris.memory;

import java.io.IOException;
import java.io.InputStream;
import java.lang.StackWalker.Option;
import java.lang.StackWalker.StackFrame;
import java.lang.classfile.ClassFile;
import java.lang.classfile.constantpool.ClassEntry;
import java.lang.classfile.constantpool.FieldRefEntry;
import java.lang.classfile.constantpool.PoolEntry;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Looks for code that would access fields of objects and was not specialized, such as a test whose
/// build specializes the main classes only. The JVM would find no such field, and its
/// [NoSuchFieldError] cannot say why.
///
/// The code that uses a class of objects first is on the stack when that class is first used, and
/// its class file says what it accesses. Nothing is looked for in a JVM where classes are
/// specialized when they are loaded: their files are those that the compiler has made.
final class PlainAccess {
  /// Set by the specializer.
  private static final String AT_LOAD = "tigris.specialized.at.load";

  /// How deep below the first use to look.
  private static final int MOST_FRAMES = 100;

  private static final String LINKAGE = PsoLinkage.class.getName().replace('.', '/');

  private static final StackWalker STACK = StackWalker.getInstance(Option.RETAIN_CLASS_REFERENCE);

  /// A field that a class file names.
  private record NamedField(String owner, String name) {}

  /// What each class file accesses, as far as it may be fields of objects.
  private static final ClassValue<List<NamedField>> ACCESSES =
      new ClassValue<>() {
        @Override
        protected List<NamedField> computeValue(Class<?> user) {
          return accesses(user);
        }
      };

  private PlainAccess() {}

  /// Refuses a caller of this thread that accesses stored fields of a class as plain ones.
  ///
  /// @throws UnspecializedClassException if there is one
  static void refuse(Class<?> type, PsoLayout layout) {
    if (layout.fields().isEmpty() || System.getProperty(AT_LOAD) != null) {
      return;
    }
    List<Class<?>> users =
        STACK.walk(
            frames ->
                frames
                    .limit(MOST_FRAMES)
                    .<Class<?>>map(StackFrame::getDeclaringClass)
                    .distinct()
                    .filter(PlainAccess::mayBeUser)
                    .toList());
    for (Class<?> user : users) {
      for (NamedField access : ACCESSES.get(user)) {
        if (isOf(access.owner, type) && stores(layout, access.name)) {
          throw new UnspecializedClassException(user, type, access.name);
        }
      }
    }
  }

  private static boolean mayBeUser(Class<?> caller) {
    ClassLoader loader = caller.getClassLoader();
    return loader != null
        && !loader.equals(ClassLoader.getPlatformClassLoader())
        && !caller.isHidden()
        && !caller.getPackageName().equals(PlainAccess.class.getPackageName());
  }

  private static boolean stores(PsoLayout layout, String name) {
    return layout.fields().stream().anyMatch(field -> field.name().equals(name));
  }

  /// Whether a class file that names this owner of a field may mean the class.
  private static boolean isOf(String owner, Class<?> type) {
    for (Class<?> at = type; at != Pso.class; at = at.getSuperclass()) {
      if (at.getName().equals(owner)) {
        return true;
      }
    }
    return false;
  }

  private static List<NamedField> accesses(Class<?> user) {
    byte[] file = classFile(user);
    List<NamedField> found = new ArrayList<>();
    try {
      if (file != null) {
        for (PoolEntry entry : ClassFile.of().parse(file).constantPool()) {
          if (entry instanceof ClassEntry named && named.name().equalsString(LINKAGE)) {
            return List.of(); // it was specialized: what it names it does not use
          }
          if (entry instanceof FieldRefEntry field) {
            String owner = field.owner().asInternalName().replace('/', '.');
            found.add(new NamedField(owner, field.name().stringValue()));
          }
        }
      }
    } catch (IllegalArgumentException notTheFileThatWasLoaded) {
      return List.of();
    }
    return List.copyOf(found);
  }

  private static byte @Nullable [] classFile(Class<?> user) {
    ClassLoader loader = user.getClassLoader();
    try (InputStream in =
        loader == null
            ? null
            : loader.getResourceAsStream(user.getName().replace('.', '/') + ".class")) {
      return in == null ? null : in.readAllBytes();
    } catch (IOException | RuntimeException e) { // of any loader: it need not give files out
      return null;
    }
  }
}
