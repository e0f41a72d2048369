package dev.tigris.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.ref.WeakReference;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// A program that loads its classes anew, as servers do, must not keep the old ones for ever.
class PsoUnloadingTest {
  private static final String ENTRY =
      """
      import dev.tigris.memory.*;
      public class Entry extends Pso {
        public enum Side { BUY, SELL }
        public static class Point extends Pso {
          public int x;
          public Point(Container container) { super(container); }
        }
        public long value;
        public volatile Side side;
        public Entry next;
        @Capacity(12) public Utf8 name;
        @Capacity(4) public Ints samples;
        @InPlace public Point origin;
        public PsoList<Entry> others;
        public PsoTable<Point> points;
        public Entry(Container container) { super(container); }
      }
      """;

  private static final String USER =
      """
      import dev.tigris.memory.*;
      import dev.tigris.memory.schema.*;
      public class User {
        public static long run(Bytes bytes) {
          Schema schema = Schema.of(Entry.class);
          Container container = bytes.asContainer();
          container.declare(schema);
          Entry entry = new Entry(container);
          entry.value = 7;
          entry.side = Entry.Side.SELL;
          entry.next = entry;
          entry.name.set("seven");
          entry.samples.set(0, 7);
          entry.origin.x = 7;
          entry.others = new PsoList<>(container, Entry.class, 1);
          entry.others.add(entry);
          entry.points = new PsoTable<>(container, Entry.Point.class, 1);
          entry.points.add().x = 7;
          container.root(entry);

          Container opened = bytes.asContainer();
          schema.validate(opened);
          Entry root = opened.root(Entry.class);
          long sum = root.next.value + root.side.ordinal() + root.name.lengthBytes();
          for (PsoCursor<Entry> all = root.others.cursor(); all.next(); ) {
            sum += all.element().samples.get(0) + all.element().origin.x;
          }
          for (PsoCursor<Entry.Point> all = root.points.cursor(); all.next(); ) {
            sum += all.element().x;
          }
          return sum;
        }
      }
      """;

  @Test
  void classesOfObjectsAndTheirUsersAreUnloadedThoughTheMemoryStays(@TempDir Path folder)
      throws Exception {
    Outside.compile(folder, "Entry", ENTRY);
    Outside.compile(folder, "User", USER, folder);
    Outside.specialize(folder);
    Jbuf jbuf = Jbuf.allocate(4096);
    WeakReference<ClassLoader> loader = use(folder, jbuf);
    for (int round = 0; round < 50 && loader.get() != null; round++) {
      System.gc();
    }
    assertTrue(loader.refersTo(null), "somebody holds the classes still");
    assertEquals(State.REFERENCED, jbuf.state());
  }

  /// In a method of its own, so that nothing of it is left in a frame.
  private static WeakReference<ClassLoader> use(Path folder, Jbuf jbuf) throws Exception {
    URL[] path = {folder.toUri().toURL()};
    try (URLClassLoader loader = new URLClassLoader(path, Pso.class.getClassLoader())) {
      Object sum =
          loader.loadClass("User").getMethod("run", Bytes.class).invoke(null, jbuf.asBytes());
      assertEquals(7L + 1 + 5 + 7 + 7 + 7, sum);
      return new WeakReference<>(loader);
    }
  }
}
