package dev.tigris.verify.crash;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tigris.flow.FileStream;
import dev.tigris.flow.Flow;
import dev.tigris.verify.crash.CallLog.Call;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The machine crashes while a flow writes a file anew: under its name is all of the old file or
/// all of the new one, or none if the old one was not synced either.
class FileStreamMachineCrashTest {
  private static final int STATES = Integer.getInteger("tigris.test.states", 12);
  private static final int BYTES = 10_000;

  /// Copies ones, then twos: arguments are the folder of the output, and whether it is synced.
  static final class Writer {
    public static void main(String[] arguments) throws Exception {
      Path folder = Path.of(arguments[0]);
      boolean sync = Boolean.parseBoolean(arguments[1]);
      for (byte value = 1; value <= 2; value++) {
        byte[] bytes = new byte[BYTES];
        Arrays.fill(bytes, value);
        Path input = Files.write(folder.resolveSibling("input"), bytes);
        Flow.named("copy")
            .stage("pass", () -> (in, out) -> out.put(in))
            .feed("pass", FileStream.reading(input, 4096))
            .drain("pass", FileStream.writing(folder.resolve("file"), sync))
            .build()
            .start()
            .await();
      }
      Files.delete(folder.resolveSibling("input"));
    }
  }

  @Test
  void findsAWholeFileOrNone(
      @TempDir Path temporary, @TempDir(factory = FlushMachineCrashTest.InMemory.class) Path after)
      throws Exception {
    Path real = temporary.toRealPath();
    long seed = System.nanoTime();
    requireWhole(calls(real, true), after, seed);
    // It is the sync that makes it so.
    List<Call> unsynced = calls(real, false);
    assertTrue(unsynced.stream().noneMatch(call -> call.name().equals("sync")), "" + unsynced);
    AssertionError found =
        assertThrows(AssertionError.class, () -> requireWhole(unsynced, after, seed));
    System.out.println("without sync: " + found.getMessage());
  }

  private static List<Call> calls(Path real, boolean sync) throws Exception {
    Path folder = Files.createDirectory(real.resolve("sync-" + sync));
    return CallLog.of(Writer.class, folder, real, true, folder.toString(), "" + sync);
  }

  /// Crashes after each call.
  private static void requireWhole(List<Call> calls, Path after, long seed) throws Exception {
    Random random = new Random(seed);
    Disk disk = new Disk();
    int[] found = new int[3];
    for (int step = 0; step < calls.size(); step++) {
      Call call = calls.get(step);
      disk.apply(call);
      for (int state = 0; state < STATES; state++) {
        Disk.Rest rest =
            state == 0 ? Disk.Rest.NOTHING : state == 1 ? Disk.Rest.ALL : Disk.Rest.ANY;
        disk.crash(after, rest, random);
        String when = "seed %d, %s of the rest after step %d, %s".formatted(seed, rest, step, call);
        found[content(after.resolve("file"), when)]++;
      }
    }
    assertTrue(found[0] > 0 && found[1] > 0 && found[2] > 0, Arrays.toString(found));
  }

  /// What all bytes of a file are; 0 for a file that is not there.
  private static int content(Path file, String when) throws Exception {
    if (!Files.exists(file)) {
      return 0;
    }
    byte[] bytes = Files.readAllBytes(file);
    assertEquals(BYTES, bytes.length, when);
    for (byte value : bytes) {
      assertEquals(bytes[0], value, when);
    }
    assertTrue(bytes[0] != 0, when);
    return bytes[0];
  }
}
