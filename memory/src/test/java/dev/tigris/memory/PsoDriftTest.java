package dev.tigris.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertSame;

import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// A class that changed after the code that uses it was specialized.
class PsoDriftTest {
  private static final String RECORD =
      """
      import dev.tigris.memory.*;
      public class Record extends Pso {
        %s
        public int value;
        public Record(Container container) { super(container); }
      }
      """;

  private static final String USER =
      """
      import dev.tigris.memory.*;
      public class User {
        public static int run(Container container) {
          Record record = new Record(container);
          record.value = 7;
          return record.value;
        }
      }
      """;

  @TempDir private Path temporary;

  private int run(String change) throws Exception {
    Path before = temporary.resolve("before");
    Path user = temporary.resolve("user");
    Path after = temporary.resolve("after");
    Outside.compile(before, "Record", RECORD.formatted(""));
    Outside.compile(user, "User", USER, before);
    Outside.specialize(user, before);
    Outside.compile(after, "Record", RECORD.formatted(change));
    Outside.specialize(after);
    URL[] path = {user.toUri().toURL(), after.toUri().toURL()};
    try (URLClassLoader loader = new URLClassLoader(path, Pso.class.getClassLoader())) {
      Container container = Jbuf.allocate(1024).asContainer();
      return (int)
          loader.loadClass("User").getMethod("run", Container.class).invoke(null, container);
    }
  }

  @Test
  void followsTheLayoutOfTheClassThatIsLoaded() throws Exception {
    assertEquals(7, run("public long first, second;"));
  }

  @Test
  void reachesAFieldThatIsNoLongerStored() throws Exception {
    assertEquals(7, run("@HeapOnly"));
  }

  /// Says that there is no `@HeapOnly` while it is asked by whom it asks for the layout itself.
  private static final class Fickle extends URLClassLoader {
    static {
      registerAsParallelCapable();
    }

    private @Nullable PsoLayout early;
    private boolean asking;

    Fickle(URL path) {
      super(new URL[] {path}, Pso.class.getClassLoader());
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
      if (name.equals(HeapOnly.class.getName())) {
        if (asking) {
          throw new ClassNotFoundException(name);
        }
        asking = true;
        early = PsoLayout.of(loadClass("Record").asSubclass(Pso.class));
        asking = false;
      }
      return super.loadClass(name, resolve);
    }
  }

  @Test
  void aClassHasOneLayoutWhateverItsLoaderSays() throws Exception {
    Outside.compile(temporary, "Record", RECORD.formatted("@HeapOnly public long note;"));
    try (Fickle loader = new Fickle(temporary.toUri().toURL())) {
      PsoLayout layout = PsoLayout.of(loader.loadClass("Record").asSubclass(Pso.class));
      assertNotNull(loader.early);
      assertSame(loader.early, layout);
    }
  }
}
