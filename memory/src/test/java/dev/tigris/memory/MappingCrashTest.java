package dev.tigris.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.tigris.memory.raw.Pool;
import dev.tigris.memory.raw.Raw;
import dev.tigris.memory.schema.Schema;
import dev.tigris.os.FileDescriptors;
import dev.tigris.os.FilePages;
import dev.tigris.os.Pages;
import dev.tigris.testing.EveryTier;
import dev.tigris.testing.Tier;
import dev.tigris.testing.process.Jvm;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Files that are cut while they are mapped, and files that cannot be mapped.
class MappingCrashTest {
  private static final int COUNTERS = 20_000;

  @TempDir private Path folder;

  static final class Counter extends Pso {
    long value;

    Counter(Container container) {
      super(container);
    }
  }

  static final class Everything extends Pso {
    long number;
    volatile int ordered;

    @Capacity(100)
    Utf8 text;

    @Capacity(16)
    Doubles doubles;

    Everything next;

    Everything(Container container) {
      super(container);
    }
  }

  /// Touches a file in every way after somebody has cut it, often enough to be compiled.
  static final class Reader {
    /// On aarch64 it takes the JDK long to give up copying what is gone, in proportion to how much
    /// it is (docs/decisions/042-aarch64.md).
    private static final int COPIED =
        System.getProperty("os.arch").equals("aarch64") ? 1_000 : 100_000;

    private static long sink;
    private static int errors;

    public static void main(String[] arguments) throws IOException {
      int rounds = Integer.parseInt(arguments[1]);
      for (Mapping mapping : Mapping.values()) {
        errors = 0;
        // A snapshot is not cut: each access to it succeeds, and takes its time.
        int times = mapping == Mapping.SNAPSHOT ? Math.min(rounds, 20) : rounds;
        touchCut(Path.of(arguments[0], "cut" + mapping), mapping, times);
        System.out.println(mapping + (errors > 0 ? " survived" : " was never told"));
      }
    }

    private static void touchCut(Path path, Mapping mapping, int rounds) throws IOException {
      Jbuf jbuf = Jbuf.map(path, mapping, 1 << 20);
      Bytes bytes = jbuf.asBytes();
      Container container = bytes.slice(1 << 19, 1 << 19).asContainer();
      Everything object = new Everything(container);
      object.next = new Everything(container);
      PsoList<Everything> list = new PsoList<>(container, Everything.class, 10);
      list.add(object);
      RawContainer raw = bytes.asRawContainer();
      Bytes other = Jbuf.allocate(100_000).asBytes();
      byte[] array = new byte[100_000];
      try (FileChannel file = FileChannel.open(path, StandardOpenOption.WRITE)) {
        file.truncate(0);
      }
      for (int round = 0; round < rounds; round++) {
        touch(() -> sink += bytes.getLong(70_001));
        touch(() -> bytes.setLong(70_001, sink));
        touch(() -> sink += sum(bytes, 100_000));
        touch(() -> bytes.slice(80_000, COPIED / 20).fill((byte) 1));
        touch(() -> bytes.copyTo(0, bytes, 300_000, COPIED / 10));
        touch(() -> bytes.copyTo(80_000, new byte[COPIED / 20], 0, COPIED / 20));
        touch(() -> bytes.copyFrom(70_000, array, 0, COPIED));
        touch(() -> bytes.copyTo(70_000, array, 0, COPIED));
        touch(() -> bytes.copyTo(70_000, other, 0, COPIED));
        touch(() -> other.copyTo(0, bytes, 70_000, COPIED));
        touch(() -> sink += object.number);
        touch(() -> object.number = sink);
        touch(() -> object.ordered = (int) sink);
        touch(() -> sink += object.next == null ? 0 : 1);
        touch(() -> object.text.set("some text that is long enough for words"));
        touch(() -> sink += object.text.toString().length());
        touch(() -> sink += object.text.hashCode());
        touch(() -> sink += object.text.contentEquals("some text that is long") ? 1 : 0);
        touch(() -> sink += (long) object.doubles.get(3));
        touch(() -> sink += list.size() == 0 ? 0 : list.get(0).number);
        touch(() -> sink += raw.at(4096, Everything.class).number);
        touch(() -> new Everything(container));
        touch(() -> container.root(object));
        touch(() -> sink += container.usedBytes());
      }
      touchFlush(jbuf);
    }

    private static long sum(Bytes bytes, int count) {
      long sum = 0;
      for (long i = 0; i < count; i++) {
        sum += bytes.get(i);
      }
      return sum;
    }

    private static void touch(Runnable access) {
      try {
        access.run();
      } catch (InternalError | CorruptReferenceException | CorruptTextException e) {
        errors++;
      } catch (ContainerFullException e) {
        // At some time it is.
      }
    }

    private static void touchFlush(Jbuf jbuf) {
      try {
        jbuf.flush();
      } catch (IOException | InternalError | UnsupportedOperationException e) {
        errors++;
      }
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"-Xint", "-XX:TieredStopAtLevel=1", "-XX:+TieredCompilation"})
  @EveryTier("rounds: 20 interpreted and 800 compiled, 1,500, 30,000")
  void survivesAFileThatIsCut(String mode) throws Exception {
    int rounds = Tier.choose(mode.equals("-Xint") ? 20 : 800, 1_500, 30_000);
    StringBuilder survived = new StringBuilder();
    for (Mapping mapping : Mapping.values()) {
      Files.write(folder.resolve("cut" + mapping), new byte[1 << 20]);
      survived.append(mapping).append(" survived\n");
    }
    assertEquals(
        survived.toString(),
        Jvm.of(Reader.class)
            .options("-Xmx64m", "-XX:+UseSerialGC", mode)
            .command(folder.toString(), String.valueOf(rounds))
            .output());
  }

  /// Validates a container whose file somebody has cut.
  static final class Validator {
    public static void main(String[] arguments) throws IOException {
      Path path = Path.of(System.getProperty("validator.file"));
      Schema schema = Schema.ofList(Counter.class);
      Container container = Jbuf.map(path, Mapping.SHARED, 1 << 20, schema).asContainer();
      PsoList<Counter> list = new PsoList<>(container, Counter.class, COUNTERS);
      for (int i = 0; i < COUNTERS; i++) {
        list.add(null);
      }
      container.root(list);
      schema.validate(container);
      try (FileChannel file = FileChannel.open(path, StandardOpenOption.WRITE)) {
        file.truncate(FilePages.pageBytes());
      }
      try {
        schema.validate(container);
      } catch (CorruptContainerException e) {
        System.out.println(e.getMessage());
      }
    }
  }

  /// Compiled code goes on with some value, and fails a little later, or at that.
  @Test
  void saysWhileItValidatesThatTheFileWasCut() throws Exception {
    Path cut = folder.toRealPath().resolve("cut");
    String file = "-Dvalidator.file=" + cut;
    assertEquals(
        "%s was cut short by another program, to %d bytes from %d%n"
            .formatted(cut, FilePages.pageBytes(), 1 << 20),
        Jvm.of(Validator.class).options("-Xint", "-Xmx64m", file).command().output());
  }

  /// Tries to map files, and then uses more memory than these would have taken.
  static final class Mapper {
    public static void main(String[] arguments) {
      int refused = 0;
      for (String file : arguments) {
        for (Mapping mapping : List.of(Mapping.SHARED, Mapping.PRIVATE)) {
          try {
            System.out.println(Jbuf.map(Path.of(file), mapping));
          } catch (IOException e) {
            refused++;
          }
        }
      }
      for (int i = 0; i < 20; i++) {
        Jbuf.allocate(3 << 20).asBytes().fill((byte) 1);
      }
      Budget.PROCESS.checkInvariants();
      System.out.println("refused " + refused);
    }
  }

  /// Lays a file that cannot be mapped over memory that somebody had, without trying first.
  static final class LateMapper {
    public static void main(String[] arguments) throws IOException {
      Pool pool = new Pool();
      long address = pool.takeUnits(Pages.UNIT_BYTES);
      Raw.LONG.set(Raw.GLOBAL, address, 1L);
      int descriptor = FileDescriptors.open(Path.of(arguments[0]), false);
      try {
        FilePages.map(descriptor, address, FilePages.pageBytes(), false);
      } catch (IOException e) {
        System.out.println("refused, " + (long) Raw.LONG.get(Raw.GLOBAL, address) + " is left");
      }
    }
  }

  private static String mapUnmappable(Class<?> mapper) {
    Path one = Path.of("/sys/devices/system/cpu/online");
    assumeTrue(Files.isReadable(one), "there is no sysfs, whose files cannot be mapped");
    return Jvm.of(mapper).options("-Xmx64m").command(one.toString()).output();
  }

  @Test
  void survivesFilesThatCannotBeMapped() throws Exception {
    assertEquals("refused 2\n", mapUnmappable(Mapper.class));
  }

  @Test
  void leavesNoHoleWhereAFileCouldNotBeMapped() throws Exception {
    assertEquals("refused, 0 is left\n", mapUnmappable(LateMapper.class));
  }
}
