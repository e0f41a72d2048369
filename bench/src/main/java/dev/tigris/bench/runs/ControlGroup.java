package dev.tigris.bench.runs;

import com.sun.management.OperatingSystemMXBean;
import com.sun.net.httpserver.HttpServer;
import dev.tigris.bench.Bar;
import dev.tigris.bench.Better;
import dev.tigris.bench.Figure;
import dev.tigris.bench.Group;
import dev.tigris.bench.Pairs;
import dev.tigris.bench.Run;
import dev.tigris.bench.RunFolder;
import dev.tigris.bench.WrongResultException;
import dev.tigris.cluster.run.outputs.Facts;
import dev.tigris.steering.ControlServer;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

/// The control server of a run of 300 replicas: requests a second on one connection, each of which
/// looks at the run, beside the server of the JDK that sends such an answer without a look; and how
/// much of a core it takes to steer a run: its own look each second, and one client that asks for
/// the load and one that asks for the metrics.
final class ControlGroup implements Group {
  private static final String NAME = "cluster.control";
  private static final String REQUESTS = NAME + ".requests";
  private static final String SHARE = NAME + ".share";
  private static final String RUN = "/api/v1/run";
  private static final double LIMIT_PERCENT = 1;
  private static final Path TASKS = Path.of("/proc/self/task");

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public List<String> figures() {
    return List.of(SHARE, REQUESTS);
  }

  @Override
  public void measure(Run run) throws Exception {
    Path folder = Files.createTempDirectory(run.workFolder(), "control-");
    try (ControlServer _ = ControlServer.start(new SteeredRun(folder))) {
      Map<String, String> facts = Facts.readOwn(folder.resolve("api"));
      URI address = URI.create(facts.getOrDefault("address", ""));
      String token = facts.getOrDefault("token", "");
      if (run.wants(SHARE)) {
        measureShare(run, address, token);
      }
      if (run.wants(REQUESTS)) {
        measureRequests(run, address, token);
      }
    } finally {
      RunFolder.deleteAll(folder);
    }
  }

  // -- Requests.

  private static void measureRequests(Run run, URI address, String token) throws IOException {
    int rounds = run.scale().pick(1, 8, 20);
    int requests = run.scale().pick(20, 5_000, 10_000);
    try (PlainClient ours = new PlainClient(address, token);
        ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      byte[] answer = ours.get(RUN);
      HttpServer jdk =
          HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
      jdk.setExecutor(threads);
      jdk.createContext(
          RUN,
          exchange -> {
            boolean isKnown =
                ("Bearer " + token).equals(exchange.getRequestHeaders().getFirst("Authorization"));
            exchange.getResponseHeaders().set("Content-Type", "application/json");
            exchange.sendResponseHeaders(isKnown ? 200 : 401, answer.length);
            exchange.getResponseBody().write(answer);
            exchange.close();
          });
      jdk.start();
      URI other =
          URI.create(
              "http://%s:%d"
                  .formatted(
                      jdk.getAddress().getAddress().getHostAddress(), jdk.getAddress().getPort()));
      try (PlainClient theirs = new PlainClient(other, token)) {
        double[] subjects = new double[rounds];
        double[] peers = new double[rounds];
        for (int round = run.scale().pick(0, -2, -2); round < rounds; round++) { // two warm up
          run.say("%s, round %d of %d".formatted(REQUESTS, round + 1, rounds));
          double rate = rate(ours, requests);
          double peer = rate(theirs, requests);
          if (round >= 0) {
            subjects[round] = rate;
            peers[round] = peer;
          }
        }
        run.emit(
            Figure.of(
                    REQUESTS,
                    "1/s",
                    Better.HIGHER,
                    Bar.HTTP_SERVER,
                    List.of(new Pairs(subjects, peers)))
                .withNote(
                    "one connection, %d replicas; the peer sends a text that was made before"
                        .formatted(SteeredRun.REPLICAS)));
      } finally {
        jdk.stop(0);
      }
    }
  }

  private static double rate(PlainClient client, int requests) throws IOException {
    long start = System.nanoTime();
    for (int i = 0; i < requests; i++) {
      WrongResultException.check("the answer is an object", '{', (char) client.get(RUN)[0]);
    }
    return requests * 1e9 / (System.nanoTime() - start);
  }

  // -- The share of a core.

  private static void measureShare(Run run, URI address, String token)
      throws IOException, InterruptedException {
    int rounds = run.scale().pick(1, 3, 7);
    int seconds = run.scale().pick(1, 8, 10);
    long pauseMillis = run.scale().pick(10, 1000, 1000);
    List<Double> shares = new ArrayList<>();
    try (PlainClient client = new PlainClient(address, token)) {
      for (int i = 0; i < run.scale().pick(1, 3_000, 3_000); i++) {
        ask(client); // so that what is measured is not the compiler
      }
      for (int round = 1; round <= rounds; round++) {
        run.say("%s, round %d of %d".formatted(SHARE, round, rounds));
        long cpu = cpuNanos();
        long compiled = compilerNanos();
        long start = System.nanoTime();
        for (int i = 0; i < seconds; i++) {
          TimeUnit.MILLISECONDS.sleep(pauseMillis);
          ask(client);
        }
        long worked = cpuNanos() - cpu - (compilerNanos() - compiled);
        shares.add(100.0 * worked / (System.nanoTime() - start));
      }
    }
    double[] subjects = shares.stream().mapToDouble(Double::doubleValue).toArray();
    double[] limits = new double[subjects.length];
    Arrays.fill(limits, LIMIT_PERCENT);
    run.emit(
        Figure.of(SHARE, "%", Better.LOWER, Bar.LIMIT, List.of(new Pairs(subjects, limits)))
            .withNote(
                "of a core: a look, the load and the metrics each second; %d replicas; with the client, without the JVM's compiler"
                    .formatted(SteeredRun.REPLICAS)));
  }

  private static void ask(PlainClient client) throws IOException {
    String load = new String(client.get("/api/v1/load"), StandardCharsets.UTF_8);
    String metrics = new String(client.get("/metrics"), StandardCharsets.UTF_8);
    boolean isWhole = load.startsWith("{") && metrics.endsWith("# EOF\n");
    WrongResultException.check("answers that are cut", 0, isWhole ? 0 : 1);
  }

  /// Returns how long the JVM's compiler has used a processor; 0 where Linux does not tell. Looks
  /// are one in a second, so their code is compiled as the rounds go on.
  private static long compilerNanos() throws IOException {
    long nanos = 0;
    if (Files.isDirectory(TASKS)) {
      try (DirectoryStream<Path> tasks = Files.newDirectoryStream(TASKS)) {
        for (Path task : tasks) {
          if (Files.readString(task.resolve("comm")).matches("C[12] Compiler.*\\s*")) {
            String used = Files.readString(task.resolve("schedstat"));
            nanos += Long.parseLong(used.substring(0, used.indexOf(' ')));
          }
        }
      }
    }
    return nanos;
  }

  private static long cpuNanos() {
    return ((OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean())
        .getProcessCpuTime();
  }
}
