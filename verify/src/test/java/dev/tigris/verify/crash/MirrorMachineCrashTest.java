package dev.tigris.verify.crash;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tigris.flow.mirror.Mirror;
import dev.tigris.flow.mirror.MirrorFile;
import dev.tigris.verify.crash.CallLog.Call;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The machine crashes while a mirrored data set is written, replaced and repaired: each name that
/// is there leads to all of the old data set or all of the new one, and to what was acknowledged at
/// least.
class MirrorMachineCrashTest {
  private static final int STATES = Integer.getInteger("tigris.test.states", 2);
  private static final int DISKS = 3;
  private static final int BLOCK_BYTES = 4096;
  private static final int BYTES = 7 * BLOCK_BYTES + 100;
  private static final int VERSIONS = 2;
  private static final String ACKNOWLEDGED = "acknowledged";

  /// Writes data sets of ones, then of twos, and repairs what it has deleted: arguments are the
  /// folder of the input, and the disks.
  static final class Writer {
    public static void main(String[] arguments) throws Exception {
      Path input = Path.of(arguments[0]).resolve("data");
      List<Path> disks = Arrays.stream(arguments).skip(1).map(Path::of).toList();
      for (byte version = 1; version <= VERSIONS; version++) {
        byte[] bytes = new byte[BYTES];
        Arrays.fill(bytes, version);
        Files.write(input, bytes);
        Mirror.copying(input, "data", disks, BLOCK_BYTES, 2, Writer::refuse).start().await();
        Files.createFile(disks.getFirst().resolve(ACKNOWLEDGED + version));
      }
      try (var all = Files.list(disks.getFirst())) {
        for (Path each : all.filter(Writer::isSegment).toList()) {
          Files.delete(each);
        }
      }
      Mirror mirror = Mirror.open(disks.getFirst().resolve("data.mirror"));
      if (mirror.repair(null, null).repairedCopies() == 0) {
        throw new IllegalStateException("nothing was repaired");
      }
    }

    private static boolean isSegment(Path file) {
      String name = file.getFileName().toString();
      return !name.endsWith(".mirror") && !name.startsWith(ACKNOWLEDGED);
    }

    private static void refuse(String warning) {
      throw new IllegalStateException(warning);
    }
  }

  @TempDir(factory = FlushMachineCrashTest.InMemory.class)
  Path temporary;

  @TempDir Path aside;
  private final List<Path> disks = new ArrayList<>();
  private final List<String> arguments = new ArrayList<>();
  private Path folder;

  @BeforeEach
  void makeDisks() throws IOException {
    Path real = temporary.toRealPath();
    folder = Files.createDirectory(real.resolve("disks"));
    arguments.add(real.toString());
    for (int disk = 0; disk < DISKS; disk++) {
      disks.add(Files.createDirectory(folder.resolve("disk" + disk)));
      arguments.add(disks.getLast().toString());
    }
  }

  @Test
  void findsTheOldDataSetOrTheNewOne() throws Exception {
    List<Call> calls =
        CallLog.of(Writer.class, folder, aside, true, arguments.toArray(String[]::new));
    long seed = System.nanoTime();
    int[] found = requireWhole(calls, seed);
    System.out.printf("%s after %d calls, seed %d%n", Arrays.toString(found), calls.size(), seed);
    assertTrue(found[0] > 0 && found[1] > 0 && found[2] > 0, Arrays.toString(found));
    // It is the syncs of the segments that make it so, and those of the folders.
    for (boolean ofFolders : List.of(false, true)) {
      List<Call> fewer =
          calls.stream()
              .filter(
                  call ->
                      !call.name().equals("sync")
                          || call.path().toString().contains(".mirror")
                          || disks.contains(call.path()) != ofFolders)
              .toList();
      assertTrue(fewer.size() < calls.size());
      AssertionError lost = assertThrows(AssertionError.class, () -> requireWhole(fewer, seed));
      System.out.printf("fewer syncs: %s%n", lost.getMessage());
    }
  }

  /// Crashes after each call. Returns how often no data set and each version was found.
  private int[] requireWhole(List<Call> calls, long seed) throws Exception {
    Random random = new Random(seed);
    Disk disk = new Disk();
    int[] found = new int[VERSIONS + 1];
    int acknowledged = 0;
    for (int step = 0; step < calls.size(); step++) {
      Call call = calls.get(step);
      disk.apply(call);
      if (call.name().equals("create") && call.path().toString().contains(ACKNOWLEDGED)) {
        acknowledged++;
      }
      for (int state = 0; state < STATES; state++) {
        Disk.Rest rest =
            state > 0 ? Disk.Rest.ANY : step % 2 == 0 ? Disk.Rest.NOTHING : Disk.Rest.ALL;
        disk.crash(disks, rest, random);
        String when = "seed %d, %s of the rest after step %d, %s".formatted(seed, rest, step, call);
        int version = version(when);
        assertTrue(version >= acknowledged, () -> "an acknowledged one is lost: " + when);
        found[version]++;
      }
    }
    return found;
  }

  /// The version that all names lead to; 0 if there is no name.
  private int version(String when) {
    List<Path> names =
        disks.stream().map(disk -> disk.resolve("data.mirror")).filter(Files::exists).toList();
    if (names.isEmpty()) {
      return 0;
    }
    try {
      List<String> identities = new ArrayList<>();
      for (Path name : names) {
        identities.add(Mirror.open(name).identity());
      }
      assertEquals(1, identities.stream().distinct().count(), when);
      return content(Mirror.open(names.getFirst()), when);
    } catch (IOException | InterruptedException e) {
      throw new AssertionError(when + ": " + e.getMessage(), e);
    }
  }

  private static int content(Mirror mirror, String when) throws IOException, InterruptedException {
    assertEquals(BYTES, mirror.bytes(), when);
    ByteBuffer all = ByteBuffer.allocateDirect(BYTES);
    try (MirrorFile file = mirror.openFile()) {
      while (all.hasRemaining()) {
        assertTrue(file.read(all, all.position()) > 0, when);
      }
    }
    for (int at = 0; at < BYTES; at++) {
      assertEquals(all.get(0), all.get(at), when);
    }
    return all.get(0);
  }
}
