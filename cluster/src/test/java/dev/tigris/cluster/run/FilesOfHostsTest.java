package dev.tigris.cluster.run;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tigris.cluster.run.host.HostKeys;
import dev.tigris.testing.Slow;
import dev.tigris.testing.process.Child;
import dev.tigris.testing.process.Jvm;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Replicas that read files run on the host where these lie. Two workers of this host stand in for
/// two hosts: each has a folder of its own, in which relative paths lead to other files.
@Slow("makes keys, and starts JVMs")
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class FilesOfHostsTest {
  @TempDir private Path folder;

  private final List<Child> workers = new ArrayList<>();

  private String worker(Path key, Path place) throws Exception {
    Path _ = Files.createDirectory(place);
    Child made =
        Jvm.of(WorksHere.class)
            .quick()
            .command(key.toString(), folder.resolve("runs-there").toString(), "127.0.0.1:0")
            .in(place)
            .errorsApart()
            .start();
    workers.add(made);
    return Objects.requireNonNull(made.nextLine(), made::printed);
  }

  @Test
  void areReadWhereTheyLie() throws Exception {
    HostKeys keys = HostKeys.init(folder.resolve("keys"));
    Path key = keys.worker(List.of("127.0.0.1"), 1);
    Path coordinator = keys.coordinator("coordinator", 1);
    Path one = folder.resolve("one");
    Path other = folder.resolve("other");
    Path hosts =
        Files.write(folder.resolve("hosts"), List.of(worker(key, one), worker(key, other)));
    // As they are spread, each replica would be on the wrong host.
    Path _ = Files.writeString(other.resolve("first"), "first of all");
    Path _ = Files.writeString(one.resolve("second"), "and more");
    Cluster cluster =
        Cluster.hosts(hosts, coordinator)
            .withCode(List.of(Jvm.location(Copies.class)))
            .withRuns(folder.resolve("runs"));
    assertEquals(List.of(1, 0), cluster.plan(Copies.class, "first", "second").places("copy"));
    assertEquals(20, cluster.start(Copies.class, "first", "second").await().number("bytes"));
    assertEquals("first of all", Files.readString(other.resolve("first.copy")));
    assertEquals("and more", Files.readString(one.resolve("second.copy")));
    for (Child each : workers) {
      each.endInput();
      assertEquals(0, each.exitCode());
    }
    assertTrue(Files.notExists(Path.of("first.copy")));
  }
}
