package dev.tigris.cli;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tigris.cluster.run.Cluster;
import dev.tigris.cluster.run.HostWorker;
import dev.tigris.cluster.run.host.HostKeys;
import dev.tigris.sort.GenerateJob;
import dev.tigris.sort.HostFile;
import dev.tigris.sort.HostSortJob;
import dev.tigris.sort.SortException;
import dev.tigris.sort.SortJob;
import dev.tigris.testing.Slow;
import dev.tigris.testing.Tier;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Sorts and checks files of two hosts, both of which are this one.
@Slow("makes keys, and starts JVMs")
@Timeout(value = 300, unit = TimeUnit.SECONDS)
class HostFilesTest {
  private static final int RECORDS = 50_000;

  @TempDir private static Path keys;

  private static Path workerKey;
  private static Path coordinatorKey;

  @TempDir private Path folder;

  private final List<HostWorker> workers = new ArrayList<>();
  private final Queue<String> said = new ConcurrentLinkedQueue<>();
  private Path hosts;
  private Path one;
  private Path other;
  private Path output;

  @BeforeAll
  static void makeKeys() throws Exception {
    HostKeys made = HostKeys.init(keys.resolve("ours"));
    workerKey = made.worker(List.of("127.0.0.1"), 1);
    coordinatorKey = made.coordinator("coordinator", 1);
  }

  @BeforeEach
  void startWorkers() throws Exception {
    for (String name : List.of("w0", "w1")) {
      workers.add(
          HostWorker.start(workerKey, List.of(), folder.resolve(name), "127.0.0.1:0", said::add));
    }
    hosts =
        Files.write(folder.resolve("hosts"), workers.stream().map(HostWorker::address).toList());
    one = folder.resolve("one");
    other = folder.resolve("other");
    output = folder.resolve("sorted");
    GenerateJob.to(one, RECORDS).run();
  }

  @AfterEach
  void endWorkers() {
    workers.forEach(HostWorker::close);
  }

  private Cluster cluster() throws IOException {
    return Cluster.hosts(hosts, coordinatorKey).withRuns(folder.resolve("runs"));
  }

  private HostFile file(int host, Path path) throws IOException {
    return new HostFile(cluster().hosts().get(host), path);
  }

  private HostSortJob<SortJob.Result> job(Cluster cluster) throws IOException {
    return HostSortJob.of(cluster, List.of(file(0, one), file(1, other)), output);
  }

  /// Returns the bytes that a sort in this process makes of both.
  private byte[] expected() throws Exception {
    Path sorted = folder.resolve("expected");
    SortJob.Result _ = SortJob.of(List.of(one, other), sorted).unforced().run();
    return Files.readAllBytes(sorted);
  }

  private static byte[] bytes(List<HostFile> parts) throws IOException {
    var all = new ByteArrayOutputStream();
    for (HostFile part : parts) {
      all.write(Files.readAllBytes(part.path()));
    }
    return all.toByteArray();
  }

  private void requireNoPart() throws IOException {
    try (Stream<Path> left = Files.exists(output) ? Files.list(output) : Stream.of()) {
      assertEquals(List.of(), left.toList(), said::toString);
    }
  }

  @Test
  void unequalFilesOfTwoHostsAreSortedAndCheckedByTheCommand() throws Exception {
    GenerateJob.to(other, RECORDS / 10).run();
    var shell = new Shell(folder);
    String on = " --on hosts:@/hosts --coordinator-key " + coordinatorKey + " --runs @/runs ";
    String first = workers.getFirst().address() + ":" + one;
    String second = workers.getLast().address() + ":" + other;
    Shell.Result sorted =
        shell.run("sort" + on + "--parts @/parts " + first + " " + second + " @/sorted");
    assertEquals(ExitCode.OK, sorted.code(), sorted::toString);
    List<String> hostsOf = cluster().hosts();
    List<HostFile> parts =
        Files.readAllLines(folder.resolve("parts")).stream()
            .map(line -> HostFile.parse(line, hostsOf))
            .toList();
    assertArrayEquals(expected(), bytes(parts));
    Shell.Result checked = shell.run("check" + on + "--parts @/parts");
    assertTrue(checked.out().contains("Records: " + RECORDS * 11 / 10), checked::toString);
    assertEquals(ExitCode.OK, checked.code(), checked::toString);
  }

  /// Of equal keys the first is kept, so that the file which both hosts write has gaps to close.
  @Test
  void filesThatAllHostsSeeAreSortedIntoOne() throws Exception {
    var shell = new Shell(folder);
    String on = " --on hosts:@/hosts --coordinator-key " + coordinatorKey + " --runs @/runs ";
    String order = "sort --json -u --key 0:u16be";
    Shell.Result sorted = shell.run(order + on + one + " " + output);
    assertEquals(ExitCode.OK, sorted.code(), sorted::toString);
    assertTrue(sorted.out().contains("\"process\":1"), sorted::toString);
    Shell.Result here = shell.run(order + " " + one + " @/expected");
    assertEquals(ExitCode.OK, here.code(), here::toString);
    assertArrayEquals(Files.readAllBytes(folder.resolve("expected")), Files.readAllBytes(output));
    Shell.Result relative = shell.run(order + on + one + " sorted");
    assertEquals(ExitCode.USAGE, relative.code(), relative::toString);
    assertTrue(relative.out().contains("begins with /"), relative::toString);
  }

  /// Equal keys are in both files, so that their order shows.
  @Test
  void textOfTwoHostsIsSortedAndCheckedByTheCommand() throws Exception {
    var random = new Random(1);
    for (Path file : List.of(one, other)) {
      var lines = new StringBuilder("key,number\n");
      for (int i = 0; i < 20_000; i++) {
        lines.append("%d,%s%d%n".formatted(random.nextInt(2_000), file.getFileName(), i));
      }
      Files.writeString(file, lines);
    }
    List<String> orders =
        List.of("--csv -k key:n", "--lines -t , -k 1,1n -s", "--lines -t , -k 1,1n -u");
    for (String order : orders.subList(0, Tier.choose(1, 3))) {
      requireAsHere(order);
    }
  }

  /// Sorts on the hosts and here, in the same order.
  private void requireAsHere(String order) throws Exception {
    var shell = new Shell(folder);
    String on = " --on hosts:@/hosts --coordinator-key " + coordinatorKey + " --runs @/runs ";
    String first = workers.getFirst().address() + ":" + one;
    String second = workers.getLast().address() + ":" + other;
    String files = first + " " + second + " " + output;
    Shell.Result sorted =
        shell.run("sort " + order + " --memory 4m" + on + "--parts @/parts " + files);
    assertEquals(ExitCode.OK, sorted.code(), sorted::toString);
    Shell.Result here = shell.run("sort " + order + " @/one @/other @/expected");
    assertEquals(ExitCode.OK, here.code(), here::toString);
    String header = order.startsWith("--csv") ? "key,number\n" : "";
    List<String> hostsOf = cluster().hosts();
    var all = new StringBuilder(header);
    for (String part : Files.readAllLines(folder.resolve("parts"))) {
      String text = Files.readString(HostFile.parse(part, hostsOf).path());
      assertTrue(text.startsWith(header), part);
      all.append(text.substring(header.length()));
    }
    assertEquals(Files.readString(folder.resolve("expected")), all.toString());
    if (!order.endsWith("-s")) { // by which lines with equal keys have an order of their own
      Shell.Result checked = shell.run("check " + order + on + "--parts @/parts");
      assertEquals(ExitCode.OK, checked.code(), checked::toString);
    }
    try (Stream<Path> parts = Files.list(output)) {
      for (Path part : parts.toList()) {
        Files.delete(part);
      }
    }
  }

  @Test
  void aSortBeginsAgainWhenAProcessIsKilled() throws Exception {
    GenerateJob.to(other, 10 * RECORDS).run();
    AtomicInteger killed = new AtomicInteger();
    HostSortJob.Result<SortJob.Result> result =
        job(cluster())
            .progress(
                (phase, done, total) -> {
                  if (killed.get() == 0) {
                    ProcessHandle.current()
                        .children()
                        .limit(1)
                        .forEach(each -> killed.addAndGet(each.destroyForcibly() ? 1 : 0));
                  }
                })
            .run();
    assertEquals(1, killed.get());
    assertArrayEquals(expected(), bytes(result.parts()));
  }

  @Test
  void aHostThatIsLostFailsTheSort() throws Exception {
    GenerateJob.to(other, 10 * RECORDS).run();
    HostSortJob<SortJob.Result> job =
        job(cluster().withAttempts(1)).progress((phase, done, total) -> workers.getLast().close());
    assertThrows(SortException.class, job::run);
    requireNoPart();
  }
}
