package dev.tigris.cli;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import dev.tigris.cluster.run.Cluster;
import dev.tigris.cluster.run.HostWorker;
import dev.tigris.cluster.run.host.HostKeys;
import dev.tigris.sort.GenerateJob;
import dev.tigris.sort.HostFile;
import dev.tigris.sort.HostSortJob;
import dev.tigris.sort.Progress;
import dev.tigris.sort.SortException;
import dev.tigris.sort.SortJob;
import dev.tigris.sort.UInt128;
import dev.tigris.testing.Slow;
import dev.tigris.testing.Tier;
import dev.tigris.testing.host.Needs;
import dev.tigris.testing.process.Child;
import dev.tigris.testing.process.Jvm;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Sorts on two hosts, both of which are this one, to which something happens.
@Slow("makes keys, and starts JVMs")
@Timeout(value = 300, unit = TimeUnit.SECONDS)
class HostSortTest {
  private static final int RECORDS = 100_000;
  private static final String ADDRESS = "127.0.0.1";

  @TempDir private static Path keys;

  private static Path workerKey;
  private static Path coordinatorKey;

  @TempDir private Path folder;

  private final List<Child> workers = new ArrayList<>();
  private Path one;
  private Path other;
  private Path output;

  /// A worker of a host, until its input ends: its key, and its folder. It prints its address.
  static final class Works {
    private Works() {}

    public static void main(String[] arguments) throws Exception {
      Consumer<String> says = line -> System.err.println(line);
      Path key = Path.of(arguments[0]);
      try (HostWorker worker =
          HostWorker.start(key, List.of(), Path.of(arguments[1]), ADDRESS + ":0", says)) {
        System.out.println(worker.address());
        int _ = System.in.read();
      }
    }
  }

  @BeforeAll
  static void makeKeys() throws Exception {
    HostKeys made = HostKeys.init(keys.resolve("ours"));
    workerKey = made.worker(List.of(ADDRESS), 1);
    coordinatorKey = made.coordinator("coordinator", 1);
  }

  @BeforeEach
  void makeInputs() throws Exception {
    one = folder.resolve("one");
    other = folder.resolve("other");
    output = folder.resolve("sorted");
    GenerateJob.to(one, RECORDS).run();
    GenerateJob.to(other, RECORDS).from(UInt128.of(RECORDS)).run();
  }

  @AfterEach
  void endWorkers() {
    workers.forEach(Child::close);
  }

  /// Starts a worker, behind words that may change what its host is like.
  private void start(String... behind) {
    String own = folder.resolve("w" + workers.size()).toString();
    workers.add(
        Jvm.of(Works.class)
            .quick()
            .command(workerKey.toString(), own)
            .behind(behind)
            .errorsApart()
            .start());
  }

  private Cluster cluster() throws IOException {
    List<String> addresses = workers.stream().map(Child::nextLine).toList();
    Path hosts = Files.write(folder.resolve("hosts"), addresses);
    return Cluster.hosts(hosts, coordinatorKey).withRuns(folder.resolve("runs"));
  }

  private HostSortJob<SortJob.Result> job(Cluster cluster) {
    List<String> hosts = cluster.hosts();
    return HostSortJob.of(
        cluster,
        List.of(new HostFile(hosts.getFirst(), one), new HostFile(hosts.getLast(), other)),
        output);
  }

  private void requireSorted(HostSortJob.Result<SortJob.Result> result) throws Exception {
    Path expected = folder.resolve("expected");
    SortJob.Result _ = SortJob.of(List.of(one, other), expected).unforced().run();
    assertArrayEquals(Files.readAllBytes(expected), bytes(result));
    try (Stream<Path> files = Files.list(output)) {
      assertEquals(result.parts().size(), files.count(), "files beside the parts");
    }
  }

  private static byte[] bytes(HostSortJob.Result<SortJob.Result> result) throws IOException {
    var all = new ByteArrayOutputStream();
    for (HostFile part : result.parts()) {
      all.write(Files.readAllBytes(part.path()));
    }
    return all.toByteArray();
  }

  @Test
  void aFullDiskOnOneHostIsNamedAndNoPartIsLeft() throws Exception {
    Needs.root("a file system of its own for a host");
    Files.createDirectory(output);
    start();
    String mounts = "mount -t tmpfs -o size=1m tmpfs '%s' && exec \"$@\"".formatted(output);
    start("unshare", "--mount", "sh", "-c", mounts, "sh");
    Cluster cluster = cluster();
    SortException failure = assertThrows(SortException.class, job(cluster)::run);
    String message = failure.getMessage();
    assertEquals(SortException.Kind.DISK_FULL, failure.kind(), message);
    assertTrue(message.contains(cluster.hosts().getLast() + ": the disk"), message);
    // Parts are dealt to the hosts in turn, and only one of them has a small disk.
    assertTrue(message.matches("(?s).*/part-000[1357].*"), message);
    try (Stream<Path> files = Files.list(output)) {
      assertEquals(List.of(), files.toList());
    }
  }

  private void requireNoFolder() throws IOException {
    if (Files.exists(output)) {
      try (Stream<Path> left = Files.list(output)) {
        fail("the folder of the parts was left, with " + left.toList());
      }
    }
  }

  private static void delete(Path file) {
    try {
      Files.delete(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void deleteParts() throws IOException {
    try (Stream<Path> files = Files.list(output)) {
      files.forEach(HostSortTest::delete);
    }
    delete(output);
  }

  /// Kills a process of a host: while it partitions, and in the soak while it sorts, and tells of
  /// its inputs, too. One that has ended before is killed in vain.
  @Test
  void aKillInEachPhaseFailsTheSortOrLetsItBeginAgain() throws Exception {
    start();
    start();
    Cluster cluster = cluster();
    int attempts = 1;
    List<Progress.Phase> phases =
        List.of(Progress.Phase.PARTITION, Progress.Phase.SORT, Progress.Phase.SAMPLE);
    for (Progress.Phase phase : phases.subList(0, Tier.choose(1, 3))) {
      AtomicBoolean isKilled = new AtomicBoolean();
      HostSortJob<SortJob.Result> job =
          job(cluster.withAttempts(attempts))
              .progress(
                  (now, done, total) -> {
                    boolean isTime = phase == Progress.Phase.SAMPLE || (now == phase && done > 0);
                    if (isTime && !isKilled.get()) {
                      workers
                          .getLast()
                          .handle()
                          .children()
                          .findFirst()
                          .ifPresent(each -> isKilled.set(each.destroyForcibly()));
                    }
                  });
      try {
        requireSorted(job.run());
        deleteParts();
      } catch (SortException e) {
        assertEquals(1, attempts, phase + ": " + e);
        assertTrue(e.getMessage().contains("signal 9"), phase + ": " + e);
        requireNoFolder();
      }
      attempts = 3 - attempts;
    }
  }
}
