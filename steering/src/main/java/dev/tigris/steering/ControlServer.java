package dev.tigris.steering;

import dev.tigris.cluster.run.ClusterRun;
import dev.tigris.cluster.run.GraphProgram;
import dev.tigris.cluster.run.RunException;
import dev.tigris.cluster.run.host.HostKey;
import dev.tigris.cluster.run.outputs.Facts;
import dev.tigris.cluster.run.outputs.RunRecovery;
import io.helidon.common.tls.Tls;
import io.helidon.common.tls.TlsClientAuth;
import io.helidon.http.HeaderName;
import io.helidon.http.HeaderNames;
import io.helidon.webserver.WebServer;
import io.helidon.webserver.WebServerConfig;
import io.helidon.webserver.http.ServerRequest;
import io.helidon.webserver.http.ServerResponse;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Clock;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.logging.Level;
import java.util.logging.Logger;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/// Serves the control API of a run, in the process of its coordinator: `tigris ps`, `show`, `top`
/// and `cancel` use it, and so may other programs of this user. It listens at a port of this host
/// alone. Where, and with which token, is in the file `api` of the run's folder, which only this
/// user can read.
///
/// ```java
/// ClusterRun run = Cluster.processes(4).start(Totals.class);
/// try (ControlServer server = ControlServer.start(run)) {
///   run.await();
/// }
/// ```
///
/// When it is closed, it leaves the history of the run in its folder, as `history.json`.
///
/// Thread rule: any thread.
public final class ControlServer implements AutoCloseable {
  /// The name of the file with the history of a run.
  public static final String HISTORY = "history.json";

  static final String ADDRESS = "address";
  static final String TOKEN = "token";

  private static final int TOKEN_BYTES = 16;
  private static final int MOST_CONNECTIONS = 2_000;
  private static final Duration IDLE = Duration.ofMinutes(1);
  private static final Duration READ = Duration.ofSeconds(10);
  private static final Duration LOOK = Duration.ofSeconds(1);
  /// Helidon tells of each start. A reference keeps the level, which loggers lose without one.
  private static final Logger HELIDON = Logger.getLogger("io.helidon");

  private static final SecureRandom SECRETS = new SecureRandom();

  /// Starts the run of a graph that a client has grown.
  public interface Starter {
    /// Starts it.
    ///
    /// @throws RunException if the graph cannot be run, or its processes cannot be started
    ClusterRun start(GraphProgram.Graph graph) throws RunException;
  }

  private final Door door;
  private final String token;
  private final WebServer server;
  private final CountDownLatch closing = new CountDownLatch(1);

  /// The files that tell where this is.
  private final List<Path> files = new CopyOnWriteArrayList<>();

  private volatile Function<Call, Answer> api;
  private volatile @Nullable Kept kept;

  /// A run to tell of when it is over.
  private record Kept(RunApi api, Path folder) {}

  private volatile @Nullable WebServer remote;

  private ControlServer(Door door, String token, Function<Call, Answer> first) {
    this.door = door;
    this.token = token;
    this.api = first;
    if (HELIDON.getLevel() == null) {
      HELIDON.setLevel(Level.WARNING);
    }
    this.server =
        listening(InetAddress.getLoopbackAddress(), 0)
            .routing(routing -> routing.any((request, reply) -> answer(request, reply, false)))
            .build()
            .start();
    door.at(authority());
  }

  private static WebServerConfig.Builder listening(InetAddress address, int port) {
    return WebServer.builder()
        .address(address)
        .port(port)
        .shutdownHook(false)
        .maxPayloadSize(Door.MOST_BODY_BYTES)
        .maxTcpConnections(MOST_CONNECTIONS)
        .idleConnectionTimeout(IDLE)
        .connectionOptions(options -> options.readTimeout(READ).tcpNoDelay(true));
  }

  /// Serves the API over HTTPS besides, where other hosts can reach it. Clients show the key of a
  /// coordinator that the same authority has made, and need no token. To be called once.
  ///
  /// @param host a name or address of this host
  /// @param port the port; 0 for any that is free
  /// @param key the file with the key of this coordinator
  /// @return the address
  /// @throws IOException if the key cannot be used, or the address
  public URI listen(String host, int port, Path key) throws IOException {
    if (remote != null) {
      throw new IllegalStateException("it listens to other hosts already");
    }
    SSLContext context = HostKey.load(key).context(HostKey.Role.COORDINATOR);
    Tls tls = Tls.builder().sslContext(context).clientAuth(TlsClientAuth.REQUIRED).build();
    try {
      WebServer made =
          listening(InetAddress.getByName(host), port)
              .tls(tls)
              .routing(routing -> routing.any((request, reply) -> answer(request, reply, true)))
              .build()
              .start();
      remote = made;
      return URI.create("https://%s:%d".formatted(host, made.port()));
    } catch (UncheckedIOException | IllegalStateException e) {
      throw new IOException("cannot listen at %s:%d: %s".formatted(host, port, e.getMessage()), e);
    }
  }

  /// Starts a server for a run.
  ///
  /// @throws IllegalArgumentException if the run has no folder: see
  ///     [dev.tigris.cluster.run.Cluster#withFolder]
  /// @throws IOException if its address cannot be written there
  public static ControlServer start(ClusterRun run) throws IOException {
    Path _ = folder(run);
    String token = secret();
    Door door = new Door(token, new Changes());
    ControlServer made =
        new ControlServer(door, token, call -> Answer.refusal(Answer.NOT_NOW, "not yet"));
    try {
      made.serve(run);
      return made;
    } catch (IOException e) {
      made.close();
      throw e;
    }
  }

  /// Starts a server for a graph that has nothing yet, and that clients grow. The file `api` of a
  /// folder tells where it listens. When a client has started the graph, it serves the run of that.
  ///
  /// @param folder where to write the address, and the token
  /// @param starter starts the graph
  /// @throws IOException if the address cannot be written there
  public static Growing grow(Path folder, Starter starter) throws IOException {
    String token = secret();
    Door door = new Door(token, new Changes());
    GraphApi growing = new GraphApi(door, starter);
    ControlServer made = new ControlServer(door, token, growing::answer);
    try {
      made.tell(folder);
      return new Growing(made, growing.started());
    } catch (IOException e) {
      made.close();
      throw e;
    }
  }

  /// A server whose graph is grown.
  ///
  /// Thread rule: one thread.
  public static final class Growing implements AutoCloseable {
    private final ControlServer server;
    private final CompletableFuture<ClusterRun> started;

    private Growing(ControlServer server, CompletableFuture<ClusterRun> started) {
      this.server = server;
      this.started = started;
    }

    /// Serves the API to other hosts besides, as [ControlServer#listen] does.
    public URI listen(String host, int port, Path key) throws IOException {
      return server.listen(host, port, key);
    }

    /// Waits until a client has started the graph, and returns its run, which is served from now
    /// on.
    ///
    /// @throws java.util.concurrent.CancellationException if a client has cancelled it
    /// @throws IOException if the address cannot be written into the folder of the run
    public ClusterRun await() throws InterruptedException, IOException {
      try {
        ClusterRun run = started.get();
        server.serve(run);
        return run;
      } catch (ExecutionException e) {
        throw new IllegalStateException("a run is there, or the growth was cancelled", e);
      }
    }

    @Override
    public void close() {
      server.close();
    }
  }

  private static Path folder(ClusterRun run) {
    return run.folder()
        .orElseThrow(
            () ->
                new IllegalArgumentException(
                    "the run has no folder: start it by a cluster withFolder()"));
  }

  private static String secret() {
    byte[] secret = new byte[TOKEN_BYTES];
    SECRETS.nextBytes(secret);
    return HexFormat.of().formatHex(secret);
  }

  /// Serves a run from now on.
  private void serve(ClusterRun run) throws IOException {
    Path folder = folder(run);
    Events events = new Events(run.facts().getOrDefault("run", ""), Clock.systemUTC());
    Watcher watcher = new Watcher(run, events, door.changes());
    RunApi served = new RunApi(run, door, events, watcher);
    api = served::answer;
    tell(folder);
    kept = new Kept(served, folder);
    Thread _ = Thread.ofVirtual().name("tigris-run-watcher").start(() -> watch(watcher));
  }

  private void tell(Path folder) throws IOException {
    Path file = folder.resolve(RunRecovery.API);
    try (FileChannel _ =
        Facts.create(file, Map.of(ADDRESS, "http://" + authority(), TOKEN, token))) {
      boolean _ = files.add(file);
    }
  }

  private String authority() {
    return InetAddress.getLoopbackAddress().getHostAddress() + ":" + server.port();
  }

  private void watch(Watcher watcher) {
    try {
      do {
        watcher.look();
      } while (!closing.await(LOOK.toNanos(), TimeUnit.NANOSECONDS));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void answer(ServerRequest request, ServerResponse response, boolean hasKey)
      throws IOException {
    byte[] bytes = request.content().inputStream().readNBytes(Door.MOST_BODY_BYTES + 1);
    Answer answer =
        api.apply(
            new Call(
                request.prologue().method().text(),
                request.path().path(),
                request.query().rawValue(),
                request.authority(),
                header(request, HeaderNames.ORIGIN),
                header(request, HeaderNames.AUTHORIZATION),
                header(request, HeaderNames.CONTENT_TYPE),
                new String(bytes, StandardCharsets.UTF_8),
                hasKey));
    response
        .status(answer.status())
        .header(HeaderNames.CONTENT_TYPE, answer.type())
        .header(HeaderNames.CACHE_CONTROL, "no-store")
        .send(answer.body().getBytes(StandardCharsets.UTF_8));
  }

  private static @Nullable String header(ServerRequest request, HeaderName name) {
    return request.headers().first(name).orElse(null);
  }

  /// Ends the server, and leaves the history in the folder of the run.
  @Override
  public void close() {
    closing.countDown();
    WebServer other = remote;
    if (other != null) {
      WebServer _ = other.stop();
    }
    WebServer _ = server.stop();
    try {
      for (Path each : files) {
        Files.deleteIfExists(each);
      }
      Kept run = kept;
      if (run != null && Files.isDirectory(run.folder())) {
        try (FileChannel to = Facts.createOwn(run.folder().resolve(HISTORY))) {
          ByteBuffer bytes =
              ByteBuffer.wrap(
                  (Json.text(run.api().history()) + "\n").getBytes(StandardCharsets.UTF_8));
          while (bytes.hasRemaining()) {
            int _ = to.write(bytes);
          }
        }
      }
    } catch (IOException e) {
      System.getLogger(ControlServer.class.getName())
          .log(System.Logger.Level.WARNING, "the history of the run cannot be kept", e);
    }
  }
}
