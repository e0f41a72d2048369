package dev.tigris.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tigris.cli.Shell.Result;
import dev.tigris.cluster.disk.DiskServer;
import dev.tigris.cluster.run.host.HostKeys;
import dev.tigris.testing.Slow;
import dev.tigris.testing.process.Child;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.lang.ProcessBuilder.Redirect;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// `tigris mirror` with disks that two `tigris worker --disks` serve, one of which is killed.
@Slow("makes keys, and starts JVMs")
class MirrorHostsTest {
  @TempDir private Path folder;
  private final List<Child> workers = new ArrayList<>();

  private Child worker(String key, int port, String disks) {
    Child made =
        OwnProcess.tigris(
            folder,
            "-Dx=y",
            Redirect.PIPE,
            "worker",
            "--key",
            key,
            "--listen",
            "127.0.0.1:" + port,
            "--runs",
            folder.resolve("runs" + port).toString(),
            "--disks",
            disks);
    workers.add(made);
    return made;
  }

  private static void expectDisks(Child worker, int port) {
    worker.expectLine("serves disks at 127.0.0.1:" + DiskServer.portOf(port));
    worker.expectLine("listens at 127.0.0.1:" + port);
  }

  @AfterEach
  void end() {
    workers.forEach(Child::kill);
  }

  private Result run(String line) {
    return new Shell(folder).run(line);
  }

  private Result ok(String line) {
    Result result = run(line);
    assertEquals(ExitCode.OK, result.code(), result.err() + result.out());
    return result;
  }

  /// Returns a port that is free, and the next one too.
  private static int ports() throws IOException {
    InetAddress here = InetAddress.getLoopbackAddress();
    for (int attempt = 0; ; attempt++) {
      try (ServerSocket first = new ServerSocket(0, 1, here);
          ServerSocket _ = new ServerSocket(DiskServer.portOf(first.getLocalPort()), 1, here)) {
        return first.getLocalPort();
      } catch (IOException e) {
        if (attempt > 20) {
          throw e;
        }
      }
    }
  }

  @Test
  void aDataSetOutlivesAHost() throws Exception {
    HostKeys keys = HostKeys.init(folder.resolve("keys"));
    String key = keys.worker(List.of("127.0.0.1"), 1).toString();
    String own = " --key " + keys.coordinator("coordinator", 1);
    for (String disk : List.of("a", "b", "c", "d")) {
      Files.createDirectory(folder.resolve(disk));
    }
    byte[] bytes = new byte[300_000];
    new Random(57).nextBytes(bytes);
    Files.write(folder.resolve("data"), bytes);
    int one = ports();
    Child first = worker(key, one, "a,b");
    expectDisks(first, one);
    int two = ports();
    Child second = worker(key, two, "c,d");
    expectDisks(second, two);
    String here = "127.0.0.1:" + one + ":@/";
    String there = "127.0.0.1:" + two + ":@/";
    String to = String.join(",", here + "a", there + "c", here + "b", there + "d");
    Result made = ok("mirror @/data --block 4k --to " + to + own);
    assertTrue(made.out().contains("a/data.mirror: 300,000 bytes on 4 disks"), made.out());
    assertTrue(
        ok("mirror check %sc/data.mirror".formatted(there)).out().contains("8 copies, 0 bad"));

    second.kill();
    Result around = ok("mirror copy %sa/data.mirror @/back".formatted(here));
    assertTrue(around.err().contains("does 'tigris worker --disks DIR' run there?"), around.err());
    assertEquals(-1, Files.mismatch(folder.resolve("data"), folder.resolve("back")));
    ok("sort %sa/data.mirror @/sorted".formatted(here));
    ok("check @/sorted");
    // Another host takes the place of a disk of the dead one, and is reached by the local manifest.
    Path manifest = Files.copy(folder.resolve("a/data.mirror"), folder.resolve("data.mirror"));
    Files.createDirectory(folder.resolve("e"));
    Result half = run("mirror repair %s --replace %sc @/e".formatted(manifest, there));
    assertTrue(half.out().contains("4 bad, 2 repaired, 0 blocks lost"), half.out() + half.err());

    damage(folder.resolve("a"));
    expectDisks(worker(key, two, "c,d"), two);
    Result repaired = ok("mirror repair %sb/data.mirror".formatted(here));
    assertTrue(repaired.out().contains("0 blocks lost"), repaired.out());
    assertTrue(ok("mirror check @/e/data.mirror").out().contains("8 copies, 0 bad, 0 repaired"));
  }

  private static void damage(Path disk) throws IOException {
    try (var files = Files.list(disk)) {
      Path copy =
          files.filter(each -> !each.toString().endsWith(".mirror")).findAny().orElseThrow();
      try (var file = new RandomAccessFile(copy.toFile(), "rw")) {
        file.seek(5000);
        int old = file.read();
        file.seek(5000);
        file.write(old ^ 1);
      }
    }
  }

  @Test
  void saysWhatIsMissing() {
    Result noKey = run("mirror check h1:/a/data.mirror --key @/no.key");
    assertEquals(ExitCode.BAD_INPUT, noKey.code());
    assertTrue(noKey.err().contains("no.key"), noKey.err());
  }
}
