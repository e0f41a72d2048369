package dev.tigris.verify.crash;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tigris.memory.Jbuf;
import dev.tigris.memory.Longs;
import dev.tigris.memory.Mapping;
import dev.tigris.testing.Slow;
import dev.tigris.verify.crash.CallLog.Call;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.AnnotatedElementContext;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.io.TempDirFactory;

/// The machine crashes while a program flushes a file: whatever the disk has kept of what was not
/// synced, the file is that of the last completed flush or of the next.
class FlushMachineCrashTest {
  private static final int STATES = Integer.getInteger("tigris.test.states", 12);
  private static final int PAGE = 4096;
  private static final int BYTES = 6 * PAGE;

  /// A file of its own tells what the program has said: from the write of a value on, the file has
  /// this one, or the next that it will say.
  private static final String SAID = "said";

  /// Says that the file may have anything.
  private static final long ANYTHING = -1;

  /// Gives all longs of a file the same value.
  static final class Writer {
    private final Path file;
    private final FileChannel said;

    private Writer(Path file, FileChannel said) {
      this.file = file;
      this.said = said;
    }

    public static void main(String[] arguments) throws IOException, InterruptedException {
      Path file = Path.of(arguments[0]);
      if (Boolean.parseBoolean(arguments[1])) {
        Files.createFile(file);
        Files.createFile(file.resolveSibling("file.journal"));
      }
      try (FileChannel said =
          FileChannel.open(
              file.resolveSibling(SAID), StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
        new Writer(file, said).write();
      }
    }

    private void write() throws IOException, InterruptedException {
      say(0);
      flush(BYTES, 1, 2, 3);
      byte[] before = Files.readAllBytes(file);
      flush(2 * BYTES, 4, 5);
      // Without a journal, now that no process has it mapped.
      say(ANYTHING);
      try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
        channel.write(ByteBuffer.wrap(before), 0);
        channel.write(ByteBuffer.wrap(before), BYTES);
        channel.force(true);
      }
      say(3);
      flush(2 * BYTES, 6, 7);
    }

    private void flush(int bytes, long... values) throws IOException, InterruptedException {
      Jbuf jbuf = Jbuf.map(file, Mapping.DURABLE, bytes);
      flush(jbuf, values);
      CountDownLatch freed = new CountDownLatch(1);
      jbuf.unreference(
          unreferenced -> {
            unreferenced.free();
            freed.countDown();
          });
      do {
        System.gc();
      } while (!freed.await(10, TimeUnit.MILLISECONDS));
    }

    private void flush(Jbuf jbuf, long... values) throws IOException {
      Longs longs = jbuf.asLongs();
      for (long value : values) {
        for (long i = 0; i < longs.length(); i++) {
          longs.set(i, value);
        }
        jbuf.flush();
        say(value);
      }
    }

    private void say(long value) throws IOException {
      ByteBuffer bytes = ByteBuffer.allocate(Long.BYTES).order(ByteOrder.LITTLE_ENDIAN);
      said.write(bytes.putLong(value).flip(), 0);
    }
  }

  /// What the protocol waits for.
  private enum Sync {
    EXTENDED_FILE,
    FOLDER,
    RECORDED_JOURNAL,
    FILE,
    EMPTIED_JOURNAL;

    /// Which of them a call is, if it is one; `before` is the last call on the same path.
    static Sync of(Call call, Call before) {
      if (!call.name().equals("sync")) {
        return null;
      }
      boolean written = before != null && before.name().equals("write");
      return switch (call.path().getFileName().toString()) {
        case "file" -> written ? FILE : EXTENDED_FILE;
        case "file.journal" -> written ? RECORDED_JOURNAL : EMPTIED_JOURNAL;
        default -> FOLDER;
      };
    }
  }

  @Test
  void findsTheLastFlushOfANewFileAfterAnyCrash(
      @TempDir Path temporary, @TempDir(factory = InMemory.class) Path after) throws Exception {
    requireLastFlush(false, temporary, after);
  }

  @Test
  @Slow("the quick tier has a new file: this one differs in the first calls")
  void findsTheLastFlushOfAFileWhoseMakerWasKilledAfterAnyCrash(
      @TempDir Path temporary, @TempDir(factory = InMemory.class) Path after) throws Exception {
    requireLastFlush(true, temporary, after);
  }

  private static void requireLastFlush(boolean begun, Path temporary, Path after) throws Exception {
    Path real = temporary.toRealPath();
    Path folder = Files.createDirectory(real.resolve("folder"));
    List<Call> calls =
        CallLog.of(
            Writer.class,
            folder,
            real,
            true,
            folder.resolve("file").toString(),
            Boolean.toString(begun));
    long seed = System.nanoTime();
    int checked = requireAllOrNothing(calls, after, seed);
    System.out.printf("%d states after %d calls, seed %d%n", checked, calls.size(), seed);
    assertTrue(checked > calls.size(), "few states: " + checked);
    // Each of the waits is needed, and its absence is found.
    for (Sync sync : Sync.values()) {
      List<Call> without = without(sync, calls);
      assertTrue(without.size() < calls.size(), sync + " is not in " + calls);
      AssertionError found =
          assertThrows(
              AssertionError.class, () -> requireAllOrNothing(without, after, seed), sync::name);
      System.out.println("without " + sync + ": " + found.getMessage());
    }
  }

  /// The calls of the flushes lack one kind, up to where the program writes without a journal.
  private static List<Call> without(Sync sync, List<Call> calls) {
    List<Call> without = new ArrayList<>();
    Map<Path, Call> before = new HashMap<>();
    boolean isJournaled = true;
    for (Call call : calls) {
      isJournaled &= !says(call) || said(call) != ANYTHING;
      if (!isJournaled || Sync.of(call, before.get(call.path())) != sync) {
        without.add(call);
      }
      before.put(call.path(), call);
    }
    return without;
  }

  /// Crashes after each call, and returns how many states were looked at.
  private static int requireAllOrNothing(List<Call> calls, Path after, long seed)
      throws IOException {
    long[] said =
        calls.stream()
            .filter(FlushMachineCrashTest::says)
            .mapToLong(FlushMachineCrashTest::said)
            .toArray();
    assertEquals(10, said.length, Arrays.toString(said));
    Random random = new Random(seed);
    Disk disk = new Disk();
    int sayings = 0;
    int checked = 0;
    for (int step = 0; step < calls.size(); step++) {
      Call call = calls.get(step);
      disk.apply(call);
      sayings += says(call) ? 1 : 0;
      if (sayings == 0 || said[sayings - 1] == ANYTHING) {
        continue;
      }
      long last = said[sayings - 1];
      long next = said[Math.min(sayings, said.length - 1)];
      for (int state = 0; state < STATES; state++) {
        Disk.Rest rest =
            state == 0 ? Disk.Rest.NOTHING : state == 1 ? Disk.Rest.ALL : Disk.Rest.ANY;
        disk.crash(after, rest, random);
        requireOneOf(
            after.resolve("file"),
            last,
            next == ANYTHING ? last : next, // the file is not touched before that is said
            "seed %d, %s of the rest after step %d, %s".formatted(seed, rest, step, call));
        checked++;
      }
    }
    return checked;
  }

  /// A folder in memory, where there is one: what is looked at needs no disk.
  static final class InMemory implements TempDirFactory {
    @Override
    public Path createTempDirectory(AnnotatedElementContext element, ExtensionContext test)
        throws IOException {
      Path memory = Path.of("/dev/shm");
      return Files.isWritable(memory)
          ? Files.createTempDirectory(memory, "tigris-test")
          : Files.createTempDirectory("tigris-test");
    }
  }

  private static boolean says(Call call) {
    return call.name().equals("write") && call.path().endsWith(SAID);
  }

  private static long said(Call call) {
    return call.bytes().duplicate().order(ByteOrder.LITTLE_ENDIAN).getLong(0);
  }

  /// Opening the file completes its last flush; all of it has one of two values then.
  private static void requireOneOf(Path file, long last, long next, String when) {
    ByteBuffer bytes;
    try {
      Jbuf.map(file, Mapping.DURABLE, BYTES).free();
      bytes = ByteBuffer.wrap(Files.readAllBytes(file)).order(ByteOrder.LITTLE_ENDIAN);
    } catch (IOException e) {
      throw new AssertionError(when, e);
    }
    long first = bytes.getLong(0);
    assertTrue(
        first == last || first == next, "%s: %d was said, %d found".formatted(when, last, first));
    for (int at = 0; at + Long.BYTES <= bytes.limit(); at += Long.BYTES) {
      long found = bytes.getLong(at);
      // What a file was made longer by is zero until the next flush.
      boolean isNew = at >= BYTES && found == 0 && first == last;
      assertTrue(found == first || isNew, "%s: %d at %d of %d".formatted(when, found, at, first));
    }
  }
}
