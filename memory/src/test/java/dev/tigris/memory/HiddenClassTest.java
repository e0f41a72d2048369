package dev.tigris.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tigris.specializer.ClassHierarchy;
import dev.tigris.specializer.ClassPath;
import dev.tigris.specializer.Rule;
import dev.tigris.specializer.Specializer;
import java.io.IOException;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodHandles.Lookup;
import java.lang.invoke.MethodType;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Classes that a program makes while it runs, which neither a build nor an agent sees; and classes
/// that a jar has no more.
class HiddenClassTest {
  private static final Path TESTS = Path.of("target", "test-classes").toAbsolutePath();

  @TempDir private Path folder;
  private final Container container = Jbuf.allocate(1 << 12).asContainer();

  static final class Point extends Pso {
    int x;

    Point(Container container) {
      super(container);
    }
  }

  private byte[] compiled(String name, String source) throws IOException {
    Outside.compile(folder, name, "package dev.tigris.memory;" + source, TESTS);
    return Files.readAllBytes(folder.resolve("dev/tigris/memory/" + name + ".class"));
  }

  private byte[] specialized(byte[] classFile) {
    try (ClassPath path = new ClassPath(List.of(folder, TESTS, Outside.MEMORY))) {
      var specializer = new Specializer(new ClassHierarchy(path), Rule.standard());
      return specializer.specialize(classFile).bytes();
    }
  }

  @Test
  void saysThatObjectsCannotBeOfSuch() throws Exception {
    byte[] classFile =
        compiled("Made", "class Made extends Pso { int x; Made(Container c) { super(c); } }");
    Lookup made = MethodHandles.lookup().defineHiddenClass(classFile, true);
    MethodHandle constructor =
        made.findConstructor(
            made.lookupClass(), MethodType.methodType(void.class, Container.class));
    var e = assertThrows(UnspecializedClassException.class, () -> constructor.invoke(container));
    assertTrue(String.valueOf(e.getMessage()).contains("is a hidden class"), e::toString);
  }

  @Test
  void rewritesUsersForWhoMakesThem() throws Throwable {
    byte[] classFile =
        compiled("User", "class User { static int x(HiddenClassTest.Point p) { return p.x; } }");
    Lookup user = MethodHandles.lookup().defineHiddenClass(specialized(classFile), true);
    Point point = new Point(container);
    point.x = 42;
    MethodType type = MethodType.methodType(int.class, Point.class);
    assertEquals(42, (int) user.findStatic(user.lookupClass(), "x", type).invokeExact(point));
  }

  /// As tools leave it that drop from a jar what no code refers to.
  @Test
  void needsNoneOfTheClassesAroundAClassOfObjects() throws Exception {
    String source =
        """
        import dev.tigris.memory.*;
        public class Around {
          public static class Inner extends Pso {
            int x;
            public Inner(Container container) { super(container); x = 5; }
            @Override public int hashCode() { return x; }
          }
        }
        """;
    Outside.compile(folder, "Around", source);
    Outside.specialize(folder);
    Files.delete(folder.resolve("Around.class"));
    URL[] path = {folder.toUri().toURL()};
    try (URLClassLoader loader = new URLClassLoader(path, Pso.class.getClassLoader())) {
      Class<?> inner = loader.loadClass("Around$Inner");
      assertEquals(5, inner.getConstructor(Container.class).newInstance(container).hashCode());
    }
  }
}
