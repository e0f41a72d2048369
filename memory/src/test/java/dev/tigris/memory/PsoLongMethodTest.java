package dev.tigris.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.reflect.Method;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.Arrays;
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
        public static long run(Container container) {
          Counter counter = new Counter(container);
          add(counter, 3);
          return counter.total;
        }
      }
      """;

  @TempDir private Path folder;

  /// With 640 call sites a method has too many for C1, with 60 it is only too long to be inlined.
  @ParameterizedTest
  @CsvSource({"128, 3, 9", "12, 1, 1"})
  void doesWhatItDidBeforeItWasSplit(int statements, int least, int most) throws Exception {
    String body = "counter.count++; counter.total += step * counter.count;\n".repeat(statements);
    Outside.compile(folder, "Counter", COUNTER.replace("STATEMENTS", body));
    Outside.specialize(folder);
    URL[] path = {folder.toUri().toURL()};
    try (URLClassLoader loader = new URLClassLoader(path, Pso.class.getClassLoader())) {
      Class<?> counter = loader.loadClass("Counter");
      long parts =
          Arrays.stream(counter.getDeclaredMethods())
              .map(Method::getName)
              .filter(name -> name.startsWith("tigris$add$"))
              .count();
      assertTrue(least <= parts && parts <= most, "" + parts);
      Object total =
          counter.getMethod("run", Container.class).invoke(null, Jbuf.allocate(1024).asContainer());
      assertEquals(3L * statements * (statements + 1) / 2, total);
    }
  }
}
