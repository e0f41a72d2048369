package dev.tigris.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.reflect.Method;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// A method with more call sites than stay in one method does what it did before it was split.
class PsoLongMethodTest {
  private static final String COUNTER =
      """
      import dev.tigris.memory.*;
      public class Counter extends Pso {
        public int count;
        public long total;
        public Counter(Container container) { super(container); }
        static void add(Counter counter, long step) {
          %s
        }
        public static long run(Container container) {
          Counter counter = new Counter(container);
          add(counter, 3);
          return counter.total;
        }
      }
      """
          .formatted("counter.count++; counter.total += step * counter.count;\n".repeat(128));

  @TempDir private Path folder;

  @Test
  void doesWhatItDidBeforeItWasSplit() throws Exception {
    Outside.compile(folder, "Counter", COUNTER);
    Outside.specialize(folder);
    URL[] path = {folder.toUri().toURL()};
    try (URLClassLoader loader = new URLClassLoader(path, Pso.class.getClassLoader())) {
      Class<?> counter = loader.loadClass("Counter");
      long parts =
          Arrays.stream(counter.getDeclaredMethods())
              .map(Method::getName)
              .filter(name -> name.startsWith("tigris$add$"))
              .count();
      assertTrue(parts > 2, "" + parts);
      Object total =
          counter.getMethod("run", Container.class).invoke(null, Jbuf.allocate(1024).asContainer());
      assertEquals(3L * 128 * 129 / 2, total);
    }
  }
}
