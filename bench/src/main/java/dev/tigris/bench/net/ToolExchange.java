package dev.tigris.bench.net;

import java.io.IOException;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.StringJoiner;
import java.util.concurrent.TimeUnit;

/// The measuring tools of other libraries, which are started anew for each measurement, and say
/// what they have measured. Each is pinned as all contestants are.
final class ToolExchange implements Exchange {
  private static final int TIMEOUT_SECONDS = 20;

  /// A server takes a while until it listens: so often a client is started anew.
  private static final int ATTEMPTS = 20;

  /// So often both sides are started anew.
  private static final int STARTS = 3;

  /// UCX warms up with a share of what it measures.
  private static final int WARM_UP_SHARE = 5;

  private final Tool tool;
  private final Place place;

  /// What to measure: round trips, or messages one way.
  record Test(boolean pingPong, int bytes, int count) {}

  /// A tool.
  interface Tool {
    /// As it stands in the results.
    String title();

    /// The program.
    String program();

    /// The Debian package that it is in.
    String fromPackage();

    /// Environment variables, for the network interface to be used.
    Map<String, String> environment(String device);

    /// Arguments of the one that serves at this port.
    List<String> serverArguments(int port, Test test);

    /// Arguments of the one that connects.
    List<String> clientArguments(int port, String address, Test test);

    /// The nanoseconds of a round trip, or of a message, from what a client has said.
    double nanos(Test test, List<String> output);

    /// What it measures.
    Contestant.Manner manner();

    default Contestant contestant() {
      return new Contestant(
          title(),
          Place.isInstalled(program())
              ? Optional.empty()
              : Optional.of("%s is missing: install %s".formatted(program(), fromPackage())),
          manner(),
          place -> new ToolExchange(this, place));
    }
  }

  private ToolExchange(Tool tool, Place place) {
    this.tool = tool;
    this.place = place;
  }

  /// What `ucx_perftest` sends.
  enum UcxKind {
    /// Active messages, whose receiver does not look at the payload.
    ACTIVE_MESSAGES("ucp_am_"),

    /// Messages that arrive in a buffer that the receiver has posted, as those of an interface do.
    TAGGED_MESSAGES("tag_");

    private final String test;

    UcxKind(String test) {
      this.test = test;
    }
  }

  /// `ucx_perftest`.
  ///
  /// @param title as it stands in the results
  /// @param kind of messages
  /// @param transports what UCX may use
  record Ucx(String title, UcxKind kind, String transports) implements Tool {
    @Override
    public String program() {
      return "ucx_perftest";
    }

    @Override
    public String fromPackage() {
      return "ucx-utils";
    }

    @Override
    public Map<String, String> environment(String device) {
      return Map.of("UCX_TLS", transports, "UCX_NET_DEVICES", device);
    }

    @Override
    public List<String> serverArguments(int port, Test test) {
      return List.of("-p", Integer.toString(port));
    }

    @Override
    public List<String> clientArguments(int port, String address, Test test) {
      return List.of(
          address,
          "-p",
          Integer.toString(port),
          "-t",
          kind.test + (test.pingPong() ? "lat" : "bw"),
          "-s",
          Integer.toString(test.bytes()),
          "-n",
          Integer.toString(test.count()),
          "-w",
          Integer.toString(test.count() / WARM_UP_SHARE),
          "-f",
          "-v");
    }

    /// The last line has, separated by commas: iterations, half a round trip's median, average and
    /// overall in microseconds, two bandwidths, and two rates of messages.
    @Override
    public double nanos(Test test, List<String> output) {
      String[] words = output.getLast().split(",", -1);
      return test.pingPong()
          ? 2_000 * Double.parseDouble(words[1])
          : 1e9 / Double.parseDouble(words[words.length - 1]);
    }

    @Override
    public Contestant.Manner manner() {
      return Contestant.Manner.TOOL;
    }
  }

  /// `fi_pingpong` of libfabric, which has averages of round trips, and nothing else.
  ///
  /// @param title as it stands in the results
  /// @param provider of libfabric
  /// @param endpoint its kind
  record FiPingPong(String title, String provider, String endpoint) implements Tool {
    @Override
    public String program() {
      return "fi_pingpong";
    }

    @Override
    public String fromPackage() {
      return "libfabric-bin";
    }

    @Override
    public Map<String, String> environment(String device) {
      return Map.of();
    }

    @Override
    public List<String> serverArguments(int port, Test test) {
      List<String> words = new ArrayList<>(List.of("-B", Integer.toString(port)));
      words.addAll(both(test));
      return words;
    }

    @Override
    public List<String> clientArguments(int port, String address, Test test) {
      List<String> words = new ArrayList<>(List.of("-P", Integer.toString(port)));
      words.addAll(both(test));
      words.add(address);
      return words;
    }

    private List<String> both(Test test) {
      return List.of(
          "-p",
          provider,
          "-e",
          endpoint,
          "-S",
          Integer.toString(test.bytes()),
          "-I",
          Integer.toString(test.count()));
    }

    /// The last line has the microseconds of half a round trip in the column before the last.
    @Override
    public double nanos(Test test, List<String> output) {
      String[] words = output.getLast().strip().split("\\s+", -1);
      return 2_000 * Double.parseDouble(words[words.length - 2]);
    }

    @Override
    public Contestant.Manner manner() {
      return Contestant.Manner.PING_PONG_TOOL;
    }
  }

  @Override
  public RoundTrips pingPong(int bytes, int count) throws IOException, InterruptedException {
    return new RoundTrips(measure(new Test(true, bytes, count)), 0, 0);
  }

  @Override
  public OneWay bandwidth(int bytes, int count) throws IOException, InterruptedException {
    return new OneWay(measure(new Test(false, bytes, count)), 0);
  }

  /// A tool that fails is started anew, both sides and at another port, before its failure is
  /// believed: now and then one hangs, and the port that was free may be no longer.
  private double measure(Test test) throws IOException, InterruptedException {
    StringJoiner failures = new StringJoiner("; ");
    for (int start = 0; start < STARTS; start++) {
      OptionalDouble nanos = measureOnce(test, failures);
      if (nanos.isPresent()) {
        return nanos.getAsDouble();
      }
    }
    throw new IOException("%s fails: %s".formatted(tool.title(), failures));
  }

  /// Empty if a side has failed; what it said is among the failures then.
  private OptionalDouble measureOnce(Test test, StringJoiner failures)
      throws IOException, InterruptedException {
    Path served = Files.createTempFile(place.folder(), "server-", ".out");
    Path output = Files.createTempFile(place.folder(), "client-", ".out");
    try {
      return measureOnce(test, served, output, failures);
    } finally {
      Files.deleteIfExists(output);
      Files.deleteIfExists(served);
    }
  }

  private OptionalDouble measureOnce(Test test, Path served, Path output, StringJoiner failures)
      throws IOException, InterruptedException {
    int port = freePort();
    Process server = start(place.server(command(tool.serverArguments(port, test))), served);
    try {
      List<String> client =
          place.client(command(tool.clientArguments(port, place.address(), test)));
      String end = "not started";
      for (int attempt = 0; attempt < ATTEMPTS && server.isAlive(); attempt++) {
        Process process = start(client, output);
        boolean ended = process.waitFor(TIMEOUT_SECONDS, TimeUnit.SECONDS);
        process.destroyForcibly();
        if (ended && process.exitValue() == 0) {
          return OptionalDouble.of(
              tool.nanos(test, Files.readAllLines(output, StandardCharsets.UTF_8)));
        }
        end =
            ended ? "exit " + process.exitValue() : "killed after %d s".formatted(TIMEOUT_SECONDS);
      }
      failures.add(
          "client, %s: %s, server, %s: %s"
              .formatted(
                  end,
                  Files.readString(output).strip(),
                  server.isAlive() ? "alive" : "exit " + server.exitValue(),
                  Files.readString(served).strip()));
      return OptionalDouble.empty();
    } finally {
      server.destroyForcibly();
    }
  }

  private List<String> command(List<String> arguments) {
    List<String> words = new ArrayList<>(List.of(tool.program()));
    words.addAll(arguments);
    return words;
  }

  private Process start(List<String> command, Path output) throws IOException {
    ProcessBuilder builder =
        new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(output.toFile());
    builder.environment().putAll(tool.environment(place.device()));
    return builder.start();
  }

  private static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0)) {
      return socket.getLocalPort();
    }
  }

  @Override
  public void close() {}
}
