package dev.tigris.memory.differential;

import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// The classes of `memory` that a [Sketch] mentions, as plain Java: with these, the class files of
/// a program run on the heap as they were compiled. They say what the specialized program must do.
final class PlainObjects {
  private static final String ANNOTATION =
      """
      package dev.tigris.memory;
      import java.lang.annotation.*;
      @Retention(RetentionPolicy.RUNTIME)
      public @interface %s
      """;

  private static final String PSO =
      """
      package dev.tigris.memory;
      import java.lang.reflect.Field;
      public abstract class Pso {
        protected Pso(Container container) {
          for (Class<?> at = getClass(); at != Pso.class; at = at.getSuperclass()) {
            for (Field field : at.getDeclaredFields()) {
              if (field.getAnnotations().length > 0 && field.getType() != String.class) {
                makePart(field, container);
              }
            }
          }
        }

        private void makePart(Field field, Container container) {
          try {
            field.setAccessible(true);
            Class<?> type = field.getType();
            field.set(
                this,
                Pso.class.isAssignableFrom(type)
                    ? type.getConstructor(Container.class).newInstance(container)
                    : type.getConstructor().newInstance());
          } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
          }
        }
      }
      """;

  private static final Map<String, String> SOURCES =
      Map.of(
          "dev.tigris.memory.HeapOnly",
          ANNOTATION.formatted("HeapOnly {}"),
          "dev.tigris.memory.InPlace",
          ANNOTATION.formatted("InPlace {}"),
          "dev.tigris.memory.Capacity",
          ANNOTATION.formatted("Capacity { int value(); }"),
          "dev.tigris.memory.Pso",
          PSO,
          "dev.tigris.memory.Container",
          """
                  package dev.tigris.memory;
                  public class Container {
                    private Pso root;
                    public void root(Pso object) { root = object; }
                    public <T extends Pso> T root(Class<T> type) { return type.cast(root); }
                  }
                  """,
          "dev.tigris.memory.Utf8",
          """
                  package dev.tigris.memory;
                  public class Utf8 {
                    private String text = "";
                    public void set(CharSequence value) { text = value.toString(); }
                    @Override public String toString() { return text; }
                  }
                  """,
          "dev.tigris.memory.Ints",
          """
                  package dev.tigris.memory;
                  public class Ints {
                    private final int[] values = new int[4];
                    public int get(long index) { return values[(int) index]; }
                    public void set(long index, int value) { values[(int) index] = value; }
                  }
                  """);

  private static @Nullable Map<String, byte[]> compiled;

  private PlainObjects() {}

  private static synchronized Map<String, byte[]> classes() throws IOException {
    if (compiled == null) {
      compiled = Compiled.of(SOURCES, Path.of("none"));
    }
    return compiled;
  }

  /// A loader of a program's classes over the plain ones.
  static Loader loader(Map<String, byte[]> program) throws IOException {
    Map<String, byte[]> all = new HashMap<>(classes());
    all.putAll(program);
    return new Loader(all, ClassLoader.getPlatformClassLoader());
  }

  /// Loads class files that lie in memory.
  static final class Loader extends ClassLoader {
    private final Map<String, byte[]> classes;

    Loader(Map<String, byte[]> classes, ClassLoader parent) {
      super(parent);
      this.classes = classes;
    }

    /// Its own classes come first: any other loader knows where a module's packages are.
    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
      byte[] bytes = classes.get(name);
      if (bytes == null) {
        return super.loadClass(name, resolve);
      }
      synchronized (getClassLoadingLock(name)) {
        Class<?> loaded = findLoadedClass(name);
        return loaded == null ? defineClass(name, bytes, 0, bytes.length) : loaded;
      }
    }
  }
}
