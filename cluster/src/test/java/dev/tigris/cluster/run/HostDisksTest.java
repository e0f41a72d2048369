package dev.tigris.cluster.run;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tigris.cluster.disk.DiskServer;
import dev.tigris.cluster.disk.HostFinder;
import dev.tigris.cluster.run.host.HostAddress;
import dev.tigris.cluster.run.host.HostKey;
import dev.tigris.cluster.run.host.HostKeys;
import dev.tigris.flow.Results;
import dev.tigris.flow.mirror.Mirror;
import dev.tigris.os.disk.DiskFile;
import dev.tigris.os.disk.FileHost;
import dev.tigris.testing.Slow;
import dev.tigris.testing.process.Jvm;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Disks that workers serve to other hosts, all of which are this one.
@Slow("makes keys, and starts JVMs")
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class HostDisksTest {
  private static final int BLOCK_BYTES = 4096;
  private static final int BLOCKS = 90;

  @TempDir private Path folder;

  private final List<AutoCloseable> opened = new ArrayList<>();
  private final List<HostWorker> workers = new ArrayList<>();
  private final List<Path> disks = new ArrayList<>();
  private Path coordinatorKey = Path.of("");

  @BeforeEach
  void serve() throws Exception {
    HostKeys keys = HostKeys.init(folder.resolve("keys"));
    Path workerKey = keys.worker(List.of("127.0.0.1"), 1);
    coordinatorKey = keys.coordinator("coordinator", 1);
    System.setProperty(HostFinder.KEY_PROPERTY, coordinatorKey.toString());
    for (int host = 0; host < 2; host++) {
      HostWorker worker =
          HostWorker.start(
              workerKey, List.of(), folder.resolve("runs" + host), "127.0.0.1:0", said -> {});
      workers.add(worker);
      opened.add(worker);
      List<Path> folders = new ArrayList<>();
      for (int disk = 0; disk < 2; disk++) {
        folders.add(Files.createDirectory(folder.resolve("disk%d%d".formatted(host, disk))));
      }
      int port = HostAddress.parse(worker.address()).port();
      opened.add(
          DiskServer.start(HostKey.load(workerKey), "127.0.0.1", DiskServer.portOf(port), folders));
      folders.forEach(each -> disks.add(Path.of(worker.address() + ":" + each)));
    }
  }

  @AfterEach
  void end() throws Exception {
    System.clearProperty(HostFinder.KEY_PROPERTY);
    for (AutoCloseable each : opened.reversed()) {
      each.close();
    }
  }

  @Test
  void processesOfHostsReadADataSetThatLiesOnThem() throws Exception {
    refusesWhatItDoesNotServe();
    byte[] bytes = new byte[BLOCKS * BLOCK_BYTES];
    new Random(57).nextBytes(bytes);
    long sum = 0;
    for (byte each : bytes) {
      sum += each;
    }
    Path data = Files.write(folder.resolve("data"), bytes);
    List<Path> inTurn = List.of(disks.get(2), disks.get(0), disks.get(3), disks.get(1));
    Mirror.copying(data, "data", inTurn, BLOCK_BYTES, 2, warning -> {}).start().await();
    Path manifest = disks.getFirst().resolve("data.mirror");
    assertTrue(Mirror.isManifest(manifest));
    Path hosts = folder.resolve("hosts");
    Path _ = Files.write(hosts, workers.stream().map(HostWorker::address).toList());
    ClusterRun run =
        Cluster.hosts(hosts, coordinatorKey)
            .withCode(List.of(Jvm.location(ReadsMirror.class)))
            .withRuns(folder.resolve("runs"))
            .start(ReadsMirror.class, manifest.toString(), "4");
    Results results = run.await();
    assertEquals(sum, results.number("sum"));
    Map<Integer, Integer> places = new TreeMap<>();
    run.progress().replicas().forEach(each -> places.put(each.state().replica(), each.process()));
    assertEquals(
        Map.of(0, 1, 1, 0, 2, 1, 3, 0), places, "each is beside the first copy of its segment");
    assertEquals(
        2, results.numbers().keySet().stream().filter(name -> name.startsWith("blocks-")).count());
    opened.get(3).close(); // the disks of the second host
    Mirror mirror = Mirror.open(manifest);
    Path back = folder.resolve("back");
    assertFalse(mirror.copyTo(back).problems().isEmpty());
    assertArrayEquals(bytes, Files.readAllBytes(back));
  }

  private void refusesWhatItDoesNotServe() throws IOException {
    FileHost host = FileHost.of(disks.getFirst());
    Path outside = Path.of(workers.getFirst().address() + ":" + folder);
    String told =
        String.valueOf(assertThrows(IOException.class, () -> host.hasFolder(outside)).getMessage());
    assertTrue(told.contains("start its worker with --disks"), told);
    Path above = disks.getFirst().resolve("../keys/coordinator.key");
    assertThrows(IOException.class, () -> host.open(above, DiskFile.Mode.READ));
    Path link = folder.resolve("disk00/link");
    Path _ = Files.createSymbolicLink(link, folder.resolve("keys/coordinator.key"));
    Path linked = disks.getFirst().resolve("link");
    assertThrows(IOException.class, () -> host.open(linked, DiskFile.Mode.READ));
    Files.delete(link);
    Path none = disks.getFirst().resolve("none");
    assertThrows(NoSuchFileException.class, () -> host.read(none, 10));
    assertFalse(FileHost.isFile(none));
    assertFalse(FileHost.isFolder(none));
  }
}
