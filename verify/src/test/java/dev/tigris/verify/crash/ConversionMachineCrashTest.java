package dev.tigris.verify.crash;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tigris.memory.Container;
import dev.tigris.memory.Jbuf;
import dev.tigris.memory.Mapping;
import dev.tigris.memory.Pso;
import dev.tigris.memory.schema.Schema;
import dev.tigris.testing.Slow;
import dev.tigris.verify.crash.CallLog.Call;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The machine crashes while a program opens a file of objects whose fields have changed, or after
/// that: whatever the disk has kept of what was not synced, there is the old file or the converted
/// one, whole, and what was flushed to the converted one is there.
class ConversionMachineCrashTest {
  private static final int STATES = Integer.getInteger("tigris.test.states", 12);
  private static final int OBJECTS = 300;
  private static final int BYTES = 1 << 14;

  /// What two versions of a program do with the file: each has its own version of a class.
  public interface Version {
    /// Maps the file, which is converted if need be, and returns how many objects have this number.
    int count(Path file, Mapping mapping, long number) throws IOException;

    /// Maps the file, gives all objects this number, flushes it, and leaves it mapped.
    void write(Path file, Mapping mapping, long number) throws IOException;
  }

  /// Objects as they were.
  public static final class Older extends Pso {
    public int number;
    public Older next;

    public Older(Container container) {
      super(container);
    }
  }

  /// Writes them.
  public static final class OlderVersion implements Version {
    @Override
    public int count(Path file, Mapping mapping, long number) {
      throw new UnsupportedOperationException("it reads nothing");
    }

    @Override
    public void write(Path file, Mapping mapping, long number) throws IOException {
      Jbuf jbuf = Jbuf.map(file, mapping, BYTES, Schema.of(Older.class));
      Container container = jbuf.asContainer();
      Older first = null;
      for (int i = 0; i < OBJECTS; i++) {
        Older object = new Older(container);
        object.number = (int) number;
        object.next = first;
        first = object;
      }
      container.root(first);
      jbuf.flush();
    }
  }

  /// The objects as they are. A [Renamer] loads this class as one that is called [Older].
  public static final class Newer extends Pso {
    public double more;
    public long number;
    public Newer next;

    public Newer(Container container) {
      super(container);
    }
  }

  /// Reads and changes them.
  public static final class NewerVersion implements Version {
    @Override
    public int count(Path file, Mapping mapping, long number) throws IOException {
      Schema schema = Schema.of(Newer.class);
      Jbuf.map(file, mapping, BYTES, schema).free(); // completes what was begun
      Jbuf jbuf = Jbuf.map(file, Mapping.PRIVATE, BYTES, schema);
      Container container = jbuf.asContainer();
      schema.validate(container);
      int count = 0;
      for (Newer at = container.root(Newer.class); at != null; at = at.next) {
        count += at.number == number && at.more == 0 ? 1 : 0;
      }
      jbuf.unreference(Jbuf::free);
      return count;
    }

    @Override
    public void write(Path file, Mapping mapping, long number) throws IOException {
      Jbuf jbuf = Jbuf.map(file, mapping, BYTES, Schema.of(Newer.class));
      for (Newer at = jbuf.asContainer().root(Newer.class); at != null; at = at.next) {
        at.number = number;
      }
      jbuf.flush();
    }
  }

  /// Loads the newer classes under the names of the older ones, which are as long.
  private static final class Renamer extends ClassLoader {
    Renamer() {
      super(ConversionMachineCrashTest.class.getClassLoader());
    }

    static Version version() throws ReflectiveOperationException {
      Class<?> version = new Renamer().loadClass(NewerVersion.class.getName());
      return (Version) version.getConstructor().newInstance();
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
      Class<?> loaded = findLoadedClass(name);
      if (loaded != null) {
        return loaded;
      }
      if (name.equals(NewerVersion.class.getName())) {
        return define(name, name);
      }
      return name.equals(Older.class.getName())
          ? define(name, Newer.class.getName())
          : super.loadClass(name, resolve);
    }

    private Class<?> define(String name, String from) throws ClassNotFoundException {
      try (InputStream in = getResourceAsStream(from.replace('.', '/') + ".class")) {
        String bytes = new String(in.readAllBytes(), StandardCharsets.ISO_8859_1);
        // Not those of the version.
        byte[] renamed =
            bytes.replaceAll("Newer(?!Version)", "Older").getBytes(StandardCharsets.ISO_8859_1);
        return defineClass(name, renamed, 0, renamed.length);
      } catch (IOException e) {
        throw new ClassNotFoundException(name, e);
      }
    }
  }

  /// Writes ones, and twos after the conversion; says each in a file of its own.
  static final class Writer {
    public static void main(String[] arguments) throws Exception {
      Path file = Path.of(arguments[0]);
      new OlderVersion().write(file, Mapping.SHARED, 1);
      Files.createFile(file.resolveSibling("said-1"));
      Renamer.version().write(file, Mapping.valueOf(arguments[1]), 2);
      Files.createFile(file.resolveSibling("said-2"));
    }
  }

  @Test
  void findsTheOldFileOrTheConvertedOne(
      @TempDir Path temporary, @TempDir(factory = FlushMachineCrashTest.InMemory.class) Path after)
      throws Exception {
    requireOldOrConverted(Mapping.DURABLE, temporary, after);
  }

  @Test
  @Slow("the quick tier has a durable mapping, which syncs more")
  void findsTheOldFileOrTheConvertedOneThatIsNotDurable(
      @TempDir Path temporary, @TempDir(factory = FlushMachineCrashTest.InMemory.class) Path after)
      throws Exception {
    requireOldOrConverted(Mapping.SHARED, temporary, after);
  }

  private static void requireOldOrConverted(Mapping mapping, Path temporary, Path after)
      throws Exception {
    Path real = temporary.toRealPath();
    Path folder = Files.createDirectory(real.resolve("folder"));
    String file = folder.resolve("file").toString();
    List<Call> calls = CallLog.ofMapped(Writer.class, folder, real, file, mapping.toString());
    long seed = System.nanoTime();
    int checked = requireWhole(calls, mapping, after, seed);
    System.out.printf("%d states after %d calls, seed %d%n", checked, calls.size(), seed);
    // Each of the waits is needed, and its absence is found.
    int rename = indexOf(calls, 0, call -> call.name().equals("rename"));
    Path fresh = calls.get(rename).path();
    requireNeeded(indexOf(calls, 0, call -> syncs(call, fresh)), calls, mapping, after, seed);
    requireNeeded(indexOf(calls, rename, call -> syncs(call, folder)), calls, mapping, after, seed);
  }

  private static boolean syncs(Call call, Path path) {
    return call.name().equals("sync") && call.path().equals(path);
  }

  private static int indexOf(List<Call> calls, int from, Predicate<Call> which) {
    for (int i = from; i < calls.size(); i++) {
      if (which.test(calls.get(i))) {
        return i;
      }
    }
    throw new AssertionError("it is missing in " + calls);
  }

  private static void requireNeeded(
      int sync, List<Call> calls, Mapping mapping, Path after, long seed) {
    List<Call> without = new ArrayList<>(calls);
    Call gone = without.remove(sync);
    AssertionError found =
        assertThrows(
            AssertionError.class,
            () -> requireWhole(without, mapping, after, seed),
            () -> gone + " is not needed in " + calls);
    System.out.println("without " + gone + ": " + found.getMessage());
  }

  /// Crashes after each call, and returns how many states were looked at.
  private static int requireWhole(List<Call> calls, Mapping mapping, Path after, long seed)
      throws Exception {
    Version version = Renamer.version();
    Random random = new Random(seed);
    Disk disk = new Disk();
    int said = 0;
    int checked = 0;
    for (int step = 0; step < calls.size(); step++) {
      Call call = calls.get(step);
      disk.apply(call);
      said += call.path().getFileName().toString().startsWith("said") ? 1 : 0;
      for (int state = 0; said > 0 && state < STATES; state++) {
        Disk.Rest rest =
            state == 0 ? Disk.Rest.NOTHING : state == 1 ? Disk.Rest.ALL : Disk.Rest.ANY;
        disk.crash(after, rest, random);
        String when = "seed %d, %s of the rest after step %d, %s".formatted(seed, rest, step, call);
        require(version, after.resolve("file"), mapping, said, when);
        checked++;
      }
    }
    assertEquals(2, said);
    assertTrue(checked > calls.size(), "few states: " + checked);
    return checked;
  }

  /// All objects are there, with what was said or, before more was said, with what was written
  /// since: all or none of them if the mapping is durable.
  private static void require(Version version, Path file, Mapping mapping, int said, String when) {
    int ones;
    int twos;
    try {
      ones = version.count(file, mapping, 1);
      twos = version.count(file, mapping, 2);
    } catch (Exception e) {
      throw new AssertionError(when, e);
    }
    assertEquals(OBJECTS, ones + twos, when);
    assertTrue(said == 1 || ones == 0, () -> when + ": what was flushed is gone");
    boolean isMixed = ones > 0 && twos > 0;
    assertTrue(!isMixed || mapping == Mapping.SHARED, () -> when + ": a mixture");
  }
}
