package dev.tigris.bench.runs;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/// Hosts at a switch, each a network namespace. All send and receive at one rate.
///
/// ```text
///   host 0: eth0 10.78.0.1/24 --(tbf)--+
///   host 1: eth0 10.78.0.2/24 --(tbf)--+-- switch     tbf at both ends of a cable
///   ...
/// ```
///
/// A namespace lives as long as a process in it, which ends with its standard input. So nothing is
/// left behind, however this process ends.
final class Switch implements AutoCloseable {
  /// The payload of a full segment with time stamps, as a share of its frame.
  static final double PAYLOAD = 1448.0 / 1514;

  private static final int SECONDS = 20;

  private final List<Process> hosts = new ArrayList<>();

  /// The namespace of the switch itself.
  private final Process own;

  /// Returns the discipline of a cable with a rate.
  static String limitedTo(int megabits) {
    return "tbf rate %dmbit burst 32kb latency 50ms".formatted(megabits);
  }

  /// Makes them.
  ///
  /// @param discipline how each end of a cable sends, as `tc qdisc` has it
  Switch(int count, String discipline) throws IOException, InterruptedException {
    own = open();
    try {
      inside(own, "ip link add switch type bridge", "ip link set switch up");
      for (int host = 0; host < count; host++) {
        Process its = open();
        hosts.add(its);
        String port = "port" + host;
        inside(
            own,
            "ip link add %s type veth peer name eth0 netns %d".formatted(port, its.pid()),
            "ip link set %s master switch".formatted(port),
            "ip link set %s up".formatted(port),
            "tc qdisc add dev %s root %s".formatted(port, discipline));
        inside(
            its,
            "ip addr add %s/24 dev eth0".formatted(address(host)),
            "ip link set lo up",
            "ip link set eth0 up",
            "tc qdisc add dev eth0 root " + discipline);
      }
    } catch (IOException | InterruptedException | RuntimeException e) {
      close();
      throw e;
    }
  }

  /// Returns the IP address of a host, from 0.
  static String address(int host) {
    return "10.78.0." + (host + 1);
  }

  private static Process open() throws IOException {
    String command =
        "echo reno > /proc/sys/net/ipv4/tcp_congestion_control; echo ready && exec cat";
    Process namespace =
        new ProcessBuilder("unshare", "--net", "sh", "-c", command)
            .redirectErrorStream(true)
            .start();
    String first = namespace.inputReader(StandardCharsets.UTF_8).readLine();
    if (!"ready".equals(first)) {
      namespace.destroyForcibly();
      throw new IOException("unshare --net: " + first);
    }
    return namespace;
  }

  private static void inside(Process namespace, String... commands)
      throws IOException, InterruptedException {
    String script = String.join(" && ", commands);
    Process process =
        new ProcessBuilder(entering(namespace, List.of("sh", "-c", script)))
            .redirectErrorStream(true)
            .start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    if (!process.waitFor(SECONDS, TimeUnit.SECONDS) || process.exitValue() != 0) {
      throw new IOException(script + ": " + output.strip());
    }
  }

  private static List<String> entering(Process namespace, List<String> command) {
    List<String> words = new ArrayList<>();
    words.add("nsenter");
    words.add("--net=/proc/" + namespace.pid() + "/ns/net");
    words.addAll(command);
    return words;
  }

  /// Returns a command such that it runs on a host.
  List<String> on(int host, List<String> command) {
    return entering(hosts.get(host), command);
  }

  @Override
  public void close() {
    hosts.forEach(Process::destroyForcibly);
    own.destroyForcibly();
  }
}
