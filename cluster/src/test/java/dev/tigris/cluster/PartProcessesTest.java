package dev.tigris.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tigris.testing.Slow;
import dev.tigris.testing.host.TlsKey;
import dev.tigris.testing.host.TwoHosts;
import dev.tigris.testing.process.Child;
import dev.tigris.testing.process.Command;
import dev.tigris.testing.process.Jvm;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// One flow, the parts of which run in processes, on one host and on two.
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class PartProcessesTest {
  @TempDir private static Path keys;

  private static Command part(int self, int processes, long count, int bytes, String... ways) {
    List<String> arguments = new ArrayList<>();
    for (long number : new long[] {self, processes, count, bytes}) {
      arguments.add(String.valueOf(number));
    }
    arguments.addAll(List.of(ways));
    return Jvm.of(Squares.Part.class).quick().command(arguments.toArray(String[]::new));
  }

  /// Lets the processes know of each other, and returns what they have printed.
  private static List<String> run(List<Child> all, long count) {
    List<String> reach = all.stream().map(Child::nextLine).toList();
    all.forEach(child -> reach.forEach(child::say));
    List<String> printed = new ArrayList<>();
    long[] sums = new long[2];
    for (Child child : all) {
      String line = child.nextLine();
      while (line != null && !line.startsWith("sums ")) {
        printed.add(line); // the log says which ways were chosen
        line = child.nextLine();
      }
      String[] its = String.valueOf(line).split(" ", -1);
      sums[0] += Long.parseLong(its[1]);
      sums[1] += Long.parseLong(its[2]);
      child.outcome().expect(0);
    }
    assertEquals(Squares.expected(count, 0), sums[0]);
    assertEquals(Squares.expected(count, 1), sums[1]);
    return printed;
  }

  private static List<String> runHere(int processes, long count, int bytes, String... ways) {
    List<Child> all = new ArrayList<>();
    for (int self = 0; self < processes; self++) {
      all.add(part(self, processes, count, bytes, ways).start());
    }
    return run(all, count);
  }

  @Test
  void aFlowRunsInTwoProcesses() {
    List<String> printed = runHere(2, 1000, 64, "tcp", "shm");
    assertTrue(printed.toString().contains("are carried by shm"), printed::toString);
  }

  @Slow("starts eight JVMs")
  @ParameterizedTest
  @ValueSource(strings = {"tcp", "uring"})
  void aFlowRunsInFourProcesses(String provider) {
    List<String> _ = runHere(4, 500, 100_000, provider);
  }

  /// Two hosts share no memory, so that their streams go over the cable, encrypted.
  @Slow("makes network namespaces and two keys, and starts two JVMs")
  @Test
  void aFlowRunsOnTwoHostsWithTls() throws Exception {
    try (TwoHosts hosts = TwoHosts.connectedBy("tbf rate 500mbit burst 64kb latency 50ms")) {
      TlsKey _ = TlsKey.make(keys, "near", "san=ip:" + hosts.near().address());
      TlsKey _ = TlsKey.make(keys, "far", "san=ip:" + hosts.far().address());
      Command near = part(0, 2, 500, 20_000, "shm", way(hosts.near(), "near", "far"));
      Command far = part(1, 2, 500, 20_000, "shm", way(hosts.far(), "far", "near"));
      List<String> printed =
          run(List.of(hosts.near().on(near).start(), hosts.far().on(far).start()), 500);
      assertTrue(
          printed.toString().contains("are carried by tcp with TLS")
              && printed.toString().contains("not by shm: it is on another host"),
          printed::toString);
    }
  }

  private static String way(TwoHosts.Host host, String key, String trusted) {
    return "tls,%s,%s,%s".formatted(host.address(), keys.resolve(key), keys.resolve(trusted));
  }
}
