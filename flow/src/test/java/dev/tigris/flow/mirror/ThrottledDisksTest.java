package dev.tigris.flow.mirror;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tigris.flow.Flow;
import dev.tigris.testing.Slow;
import dev.tigris.testing.host.Needs;
import dev.tigris.testing.host.SmallDisk;
import dev.tigris.testing.process.Command;
import dev.tigris.testing.process.Jvm;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Loop devices that the kernel makes slow, one of them more than the others: it throttles the
/// direct reads of a control group (version 1, `blkio.throttle`).
@Timeout(300)
@Slow("disks of a few megabytes a second")
class ThrottledDisksTest {
  private static final Path GROUPS = Path.of("/sys/fs/cgroup/blkio");
  private static final int DISKS = 4;
  private static final int SLOW = 1;
  private static final int RATE = 4 << 20;
  private static final int SLOW_RATE = RATE / 8;
  private static final int BLOCK_BYTES = 64 << 10;
  private static final int BYTES = 256 * BLOCK_BYTES;
  private static final long MEGABYTES = 1 << 20;

  @TempDir Path folder;
  private final List<SmallDisk> mounted = new ArrayList<>();
  private final Path group = GROUPS.resolve("tigris-test-" + ProcessHandle.current().pid());

  /// Reads a data set by four replicas, and says how many bytes it had: the argument is a manifest.
  static final class Reader {
    public static void main(String[] arguments) throws Exception {
      var bytes = new AtomicLong();
      Flow.named("read")
          .stage("count", () -> (in, out) -> bytes.addAndGet(in.size()), DISKS)
          .feed("count", Mirror.open(Path.of(arguments[0])).feed())
          .build()
          .start()
          .await();
      System.out.println(bytes);
    }
  }

  @AfterEach
  void unmount() throws Exception {
    for (SmallDisk disk : mounted) {
      disk.close();
    }
    Files.deleteIfExists(group);
  }

  private Path mount(String kind, int number) throws IOException {
    Path parent = Files.createDirectory(folder.resolve("disk" + number));
    SmallDisk disk =
        kind.equals("xfs")
            ? SmallDisk.xfs(parent, 400 * MEGABYTES)
            : SmallDisk.ext4(parent, 64 * MEGABYTES);
    mounted.add(disk);
    return disk.folder();
  }

  private long served(String device) throws IOException {
    return Files.readAllLines(group.resolve("blkio.throttle.io_service_bytes")).stream()
        .filter(line -> line.startsWith(device + " Read "))
        .mapToLong(line -> Long.parseLong(line.substring(line.lastIndexOf(' ') + 1)))
        .sum();
  }

  @ParameterizedTest
  @ValueSource(strings = {"ext4", "xfs"})
  void aSlowDeviceServesFewOfTheBlocks(String kind) throws Exception {
    Needs.root("a control group");
    Needs.file(GROUPS.resolve("blkio.throttle.read_bps_device"));
    List<Path> disks = new ArrayList<>();
    for (int disk = 0; disk < DISKS; disk++) {
      disks.add(mount(kind, disk));
    }
    byte[] bytes = new byte[BYTES];
    new Random(57).nextBytes(bytes);
    Path file = Files.write(folder.resolve("data"), bytes);
    List<String> warnings = new ArrayList<>();
    Mirror.copying(file, "data", disks, BLOCK_BYTES, 2, warnings::add).start().await();
    assertEquals(List.of(), warnings);
    Files.createDirectory(group);
    List<String> devices = new ArrayList<>();
    for (int disk = 0; disk < DISKS; disk++) {
      devices.add(Command.of("mountpoint", "-d", disks.get(disk).toString()).output().strip());
      Files.writeString(
          group.resolve("blkio.throttle.read_bps_device"),
          devices.get(disk) + " " + (disk == SLOW ? SLOW_RATE : RATE));
    }
    long began = System.nanoTime();
    String said =
        Jvm.of(Reader.class)
            .quick()
            .command(disks.getFirst().resolve("data.mirror").toString())
            .after("echo $$ > " + group.resolve("cgroup.procs"))
            .output();
    assertEquals("" + BYTES, said.strip());
    List<Long> served = new ArrayList<>();
    for (String device : devices) {
      served.add(served(device));
    }
    System.out.printf(
        "%s: %s bytes in %d ms%n", kind, served, (System.nanoTime() - began) / 1_000_000);
    long all = served.stream().mapToLong(each -> each).sum();
    assertTrue(all >= BYTES, served::toString); // they were direct, or nothing would be counted
    assertTrue(served.get(SLOW) * (DISKS - 1) < (all - served.get(SLOW)) / 2, served::toString);
  }
}
