package dev.tigris.verify.crash;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tigris.flow.FileStream;
import dev.tigris.flow.Flow;
import dev.tigris.flow.mirror.Mirror;
import dev.tigris.verify.crash.CallLog.Call;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Reads and writes that the system interrupts, or does in part: the data is all there.
class CutCallsTest {
  private static final int BYTES = 300_001;

  /// Makes a data set of a file, and a file of the data set: the argument is a folder that has the
  /// file and disks.
  static final class Copier {
    public static void main(String[] arguments) throws Exception {
      Path folder = Path.of(arguments[0]);
      List<Path> disks = List.of(folder.resolve("disk0"), folder.resolve("disk1"));
      Mirror.copying(folder.resolve("data"), "data", disks, 8192, 2, System.err::println)
          .start()
          .await();
      Mirror mirror = Mirror.open(disks.getLast().resolve("data.mirror"));
      if (!mirror.check().isWell()) {
        throw new IllegalStateException("the data set is damaged");
      }
      Flow.named("copy")
          .stage("pass", () -> (in, out) -> out.put(in))
          .feed("pass", FileStream.reading(folder.resolve("data"), 10_000))
          .drain("pass", FileStream.writing(folder.resolve("copy")))
          .build()
          .start()
          .await();
    }
  }

  @Test
  void neitherDataSetsNorFilesMissAnything(@TempDir Path temporary) throws Exception {
    Path real = temporary.toRealPath();
    Path folder = Files.createDirectory(real.resolve("folder"));
    Files.createDirectory(folder.resolve("disk0"));
    Files.createDirectory(folder.resolve("disk1"));
    byte[] bytes = new byte[BYTES];
    new Random(57).nextBytes(bytes);
    Files.write(folder.resolve("data"), bytes);
    int seed = 1 + new Random().nextInt(1 << 20);
    List<Call> calls = CallLog.ofCut(Copier.class, folder, real, seed, folder.toString());
    for (String name : List.of("data", "disk0", "disk1", "copy")) {
      long cut =
          calls.stream()
              .filter(call -> call.name().equals("cut") && call.path().toString().contains(name))
              .count();
      assertTrue(cut > 0, () -> "nothing of %s was cut, seed %d".formatted(name, seed));
    }
    assertArrayEquals(bytes, Files.readAllBytes(folder.resolve("copy")), "seed " + seed);
    Mirror mirror = Mirror.open(folder.resolve("disk0").resolve("data.mirror"));
    assertTrue(mirror.check().isWell(), "seed " + seed);
  }
}
