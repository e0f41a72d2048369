package dev.tigris.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// A method that has so many call sites that it was split does what it did before.
class PsoLongMethodTest {
  private static final String COUNTER =
      """
      import dev.tigris.memory.*;
      public class Counter extends Pso {
        public int count;
        public long total;
        public Counter(Container container) { super(container); }
        static void add(Counter counter, long step) {
          STATEMENTS
        }
        public int count() { return count; }
        public static long run(Container container) {
          Counter counter = new Counter(container);
          add(counter, 3);
          return counter.total;
        }
      }
      """;

  /// Its initializer waits for another thread that calls an instance method, as one may that does
  /// not wait for the initializer.
  private static final String USER =
      """
      import java.lang.invoke.MethodHandles;
      public class User {
        static class Worker extends Thread {
          final User user = new User();
          @Override public void run() {
            try {
              user.use(null, null);
            } catch (NullPointerException expected) {
            }
          }
        }
        static {
          Worker worker = new Worker();
          worker.start();
          try {
            worker.join();
          } catch (InterruptedException e) {
            throw new IllegalStateException(e);
          }
        }
        public void use(Counter counter, Counter other) {
          hashCode(); counter.count++;
          STATEMENTS int more = other.count;
        }
        public static Class<?> hidden(byte[] file) throws IllegalAccessException {
          return MethodHandles.lookup().defineHiddenClass(file, true).lookupClass();
        }
      }
      """;

  private static final int LINE_OF_OTHER = 23;

  @TempDir private Path folder;

  private ClassLoader loader() throws Exception {
    Outside.specialize(folder);
    URL[] path = {folder.toUri().toURL()};
    return new URLClassLoader(path, Pso.class.getClassLoader());
  }

  private static long parts(Class<?> type, String method) {
    return Arrays.stream(type.getDeclaredMethods())
        .map(Method::getName)
        .filter(name -> name.startsWith("tigris$" + method + "$"))
        .count();
  }

  /// With 640 call sites a method has too many for C1, with 60 it is only too long to be inlined.
  @ParameterizedTest
  @CsvSource({"128, 3, 9", "12, 1, 1"})
  void doesWhatItDidBeforeItWasSplit(int statements, int least, int most) throws Exception {
    String body = "counter.count++; counter.total += step * counter.count;\n".repeat(statements);
    Outside.compile(folder, "Counter", COUNTER.replace("STATEMENTS", body));
    Class<?> counter = loader().loadClass("Counter");
    long parts = parts(counter, "add");
    assertTrue(least <= parts && parts <= most, "" + parts);
    Object total =
        counter.getMethod("run", Container.class).invoke(null, Jbuf.allocate(1024).asContainer());
    assertEquals(3L * statements * (statements + 1) / 2, total);
  }

  @Test
  @Timeout(60)
  void staysAMethodOfItsObjectThatTellsItsLines() throws Exception {
    Outside.compile(folder, "Counter", COUNTER.replace("STATEMENTS", ""));
    String body = "counter.count++; ".repeat(28);
    Outside.compile(folder, "User", USER.replace("STATEMENTS", body), folder);
    ClassLoader loader = loader();
    Class<?> user = Class.forName("User", true, loader);
    assertEquals(1, parts(user, "use"));
    byte[] file = Files.readAllBytes(folder.resolve("User.class"));
    Object hidden = user.getMethod("hidden", byte[].class).invoke(null, file);

    Object counter =
        loader
            .loadClass("Counter")
            .getConstructor(Container.class)
            .newInstance(Jbuf.allocate(1024).asContainer());
    for (Class<?> type : List.of(user, (Class<?>) hidden)) {
      use(type).invoke(type.getConstructor().newInstance(), counter, counter);
    }
    assertEquals(2 * 29, counter.getClass().getMethod("count").invoke(counter));

    Object object = user.getConstructor().newInstance();
    InvocationTargetException e =
        assertThrows(
            InvocationTargetException.class, () -> use(user).invoke(object, counter, null));
    StackTraceElement at = e.getCause().getStackTrace()[0];
    assertEquals("use:" + LINE_OF_OTHER, at.getMethodName() + ":" + at.getLineNumber());
  }

  private static Method use(Class<?> user) {
    return Arrays.stream(user.getMethods())
        .filter(method -> method.getName().equals("use"))
        .findFirst()
        .orElseThrow();
  }
}
