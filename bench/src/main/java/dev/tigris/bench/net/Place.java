package dev.tigris.bench.net;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// Where two processes run: each on a CPU of its own, and on the host's network or in network
/// namespaces that are theirs.
///
/// In a namespace of its own TCP has the congestion control that is asked for, for all sockets and
/// whatever the host's is. Under BBR, the same program's bandwidth over loopback differs by several
/// times from one second to the next.
final class Place implements AutoCloseable {
  private static final String CONGESTION_CONTROL = "reno";
  private static final String LOOPBACK = "lo";
  private static final String VETH = "veth0";
  private static final String SERVER_ADDRESS = "10.77.0.1";
  private static final String CLIENT_ADDRESS = "10.77.0.2";

  private final Path folder;
  private final List<Process> namespaces;
  private final String address;
  private final String device;
  private final String note;

  private Place(Path folder, List<Process> namespaces, String address, String device, String note) {
    this.folder = folder;
    this.namespaces = namespaces;
    this.address = address;
    this.device = device;
    this.note = note;
  }

  /// The host as it is.
  static Place host(Path folder) {
    return new Place(folder, List.of(), "127.0.0.1", LOOPBACK, "");
  }

  /// The loopback interface of a new namespace; the host's where that is not possible.
  static Place loopback(Path folder) throws IOException, InterruptedException {
    if (namespaceObstacle().isPresent()) {
      return new Place(folder, List.of(), "127.0.0.1", LOOPBACK, "the host's congestion control");
    }
    Process namespace = open();
    inside(namespace, "ip link set " + LOOPBACK + " up");
    String note = "loopback, " + CONGESTION_CONTROL;
    return new Place(folder, List.of(namespace), "127.0.0.1", LOOPBACK, note);
  }

  /// Two new namespaces with a pair of virtual Ethernet interfaces between them.
  static Place veth(Path folder) throws IOException, InterruptedException {
    Process first = open();
    Process second = open();
    inside(
        first,
        "ip link add %s type veth peer name %s netns %d".formatted(VETH, VETH, second.pid()));
    up(first, SERVER_ADDRESS);
    up(second, CLIENT_ADDRESS);
    String note = "veth, " + CONGESTION_CONTROL;
    return new Place(folder, List.of(first, second), SERVER_ADDRESS, VETH, note);
  }

  private static void up(Process namespace, String address)
      throws IOException, InterruptedException {
    inside(namespace, "ip addr add " + address + "/24 dev " + VETH);
    inside(namespace, "ip link set " + VETH + " up");
    inside(namespace, "ip link set " + LOOPBACK + " up");
  }

  /// Why there are no namespaces here; empty if there are.
  static Optional<String> namespaceObstacle() {
    if (!"root".equals(System.getProperty("user.name"))) {
      return Optional.of("only root may make network namespaces");
    }
    for (String command : List.of("ip", "unshare", "nsenter")) {
      if (!isInstalled(command)) {
        return Optional.of("%s is missing: install iproute2 and util-linux".formatted(command));
      }
    }
    try {
      open().destroyForcibly();
      return Optional.empty();
    } catch (IOException e) {
      return Optional.of("this system makes no network namespaces: " + e.getMessage());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return Optional.of("interrupted");
    }
  }

  static boolean isInstalled(String command) {
    String path = Objects.requireNonNullElse(System.getenv("PATH"), "");
    return Stream.of(path.split(":", -1))
        .anyMatch(folder -> Files.isExecutable(Path.of(folder, command)));
  }

  /// A namespace lives as long as a process in it, which ends with its standard input: so nothing
  /// is left behind, however this process ends.
  private static Process open() throws IOException, InterruptedException {
    String command = "echo " + CONGESTION_CONTROL + " > /proc/sys/net/ipv4/tcp_congestion_control";
    Process namespace =
        new ProcessBuilder("unshare", "--net", "sh", "-c", command + " && echo ready && exec cat")
            .redirectErrorStream(true)
            .start();
    String first = namespace.inputReader(StandardCharsets.UTF_8).readLine();
    if (!"ready".equals(first)) {
      namespace.destroyForcibly();
      throw new IOException("unshare --net: " + first);
    }
    return namespace;
  }

  /// With the namespace's own /sys, in which UCX looks for network interfaces.
  private static List<String> entering(Process namespace, List<String> command) {
    List<String> words = new ArrayList<>();
    words.add("nsenter");
    words.add("--net=/proc/" + namespace.pid() + "/ns/net");
    words.addAll(List.of("unshare", "--mount", "sh", "-c"));
    words.addAll(List.of("mount -t sysfs sysfs /sys && exec \"$@\"", "sh"));
    words.addAll(command);
    return words;
  }

  private static void inside(Process namespace, String command)
      throws IOException, InterruptedException {
    Process process =
        new ProcessBuilder(entering(namespace, List.of(command.split(" ", -1))))
            .redirectErrorStream(true)
            .start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    if (!process.waitFor(10, TimeUnit.SECONDS) || process.exitValue() != 0) {
      throw new IOException(command + ": " + output.strip());
    }
  }

  /// For the files of its processes.
  Path folder() {
    return folder;
  }

  /// The server's IP address.
  String address() {
    return address;
  }

  /// The network interface between the two.
  String device() {
    return device;
  }

  /// What a reader of the figures must know; empty if that is nothing.
  String note() {
    return note;
  }

  /// A command such that it runs where the server is to.
  List<String> server(List<String> command) {
    return placed(namespaces.isEmpty() ? null : namespaces.getFirst(), 1, command);
  }

  /// A command such that it runs where the client is to.
  List<String> client(List<String> command) {
    return placed(namespaces.isEmpty() ? null : namespaces.getLast(), 0, command);
  }

  private static List<String> placed(@Nullable Process namespace, int which, List<String> command) {
    List<Integer> cpus = allowedCpus();
    List<String> words = command;
    if (cpus.size() > 1 && isInstalled("taskset")) {
      words = new ArrayList<>(List.of("taskset", "-c", cpus.get(which).toString()));
      words.addAll(command);
    }
    return namespace == null ? words : entering(namespace, words);
  }

  /// The first two CPUs that this process may use; fewer if there are no more.
  private static List<Integer> allowedCpus() {
    List<Integer> cpus = new ArrayList<>();
    for (String range : allowedList().split(",", -1)) {
      String[] ends = range.split("-", -1);
      int last = Integer.parseInt(ends[ends.length - 1]);
      for (int cpu = Integer.parseInt(ends[0]); cpu <= last && cpus.size() < 2; cpu++) {
        cpus.add(cpu);
      }
    }
    return cpus;
  }

  private static String allowedList() {
    try (Stream<String> lines = Files.lines(Path.of("/proc/self/status"))) {
      return lines
          .filter(line -> line.startsWith("Cpus_allowed_list:"))
          .map(line -> line.substring(line.indexOf(':') + 1).strip())
          .findFirst()
          .orElse("0");
    } catch (IOException e) {
      return "0"; // not Linux: nothing is pinned
    }
  }

  @Override
  public void close() {
    namespaces.forEach(Process::destroyForcibly);
  }
}
