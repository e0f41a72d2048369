package dev.tigris.steering;

import dev.tigris.cluster.run.ClusterRun;
import dev.tigris.cluster.run.outputs.Facts;
import dev.tigris.cluster.run.outputs.RunRecovery;
import io.helidon.http.HeaderName;
import io.helidon.http.HeaderNames;
import io.helidon.webserver.WebServer;
import io.helidon.webserver.http.ServerRequest;
import io.helidon.webserver.http.ServerResponse;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Clock;
import java.time.Duration;
import java.util.HexFormat;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.logging.Level;
import java.util.logging.Logger;
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

  private final RunApi api;
  private final Path folder;
  private final WebServer server;
  private final Watcher watcher;
  private final CountDownLatch closing = new CountDownLatch(1);

  private ControlServer(RunApi api, Path folder, Watcher watcher) throws IOException {
    this.api = api;
    this.folder = folder;
    this.watcher = watcher;
    InetAddress loopback = InetAddress.getLoopbackAddress();
    this.server =
        WebServer.builder()
            .address(loopback)
            .port(0)
            .shutdownHook(false)
            .maxPayloadSize(RunApi.MOST_BODY_BYTES)
            .maxTcpConnections(MOST_CONNECTIONS)
            .idleConnectionTimeout(IDLE)
            .connectionOptions(options -> options.readTimeout(READ).tcpNoDelay(true))
            .routing(routing -> routing.any(this::answer))
            .build()
            .start();
    api.at(loopback.getHostAddress() + ":" + server.port());
  }

  /// Starts a server for a run.
  ///
  /// @throws IllegalArgumentException if the run has no folder: see
  ///     [dev.tigris.cluster.run.Cluster#withFolder]
  /// @throws IOException if its address cannot be written there
  public static ControlServer start(ClusterRun run) throws IOException {
    Path folder =
        run.folder()
            .orElseThrow(
                () ->
                    new IllegalArgumentException(
                        "the run has no folder: start it by a cluster withFolder()"));
    if (HELIDON.getLevel() == null) {
      HELIDON.setLevel(Level.WARNING);
    }
    byte[] secret = new byte[TOKEN_BYTES];
    SECRETS.nextBytes(secret);
    String token = HexFormat.of().formatHex(secret);
    String id = run.facts().getOrDefault("run", "");
    Events events = new Events(id, Clock.systemUTC());
    Changes changes = new Changes();
    Watcher watcher = new Watcher(run, events, changes);
    RunApi api = new RunApi(run, token, events, changes, watcher);
    ControlServer made = new ControlServer(api, folder, watcher);
    try (FileChannel _ =
        Facts.create(
            folder.resolve(RunRecovery.API),
            Map.of(ADDRESS, "http://" + made.authority(), TOKEN, token))) {
      Thread _ = Thread.ofVirtual().name("tigris-run-watcher").start(made::watch);
      return made;
    } catch (IOException e) {
      made.close();
      throw e;
    }
  }

  private String authority() {
    return InetAddress.getLoopbackAddress().getHostAddress() + ":" + server.port();
  }

  private void watch() {
    try {
      do {
        watcher.look();
      } while (!closing.await(LOOK.toNanos(), TimeUnit.NANOSECONDS));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void answer(ServerRequest request, ServerResponse response) throws IOException {
    byte[] bytes = request.content().inputStream().readNBytes(RunApi.MOST_BODY_BYTES + 1);
    Answer answer =
        api.answer(
            new Call(
                request.prologue().method().text(),
                request.path().path(),
                request.query().rawValue(),
                request.authority(),
                header(request, HeaderNames.ORIGIN),
                header(request, HeaderNames.AUTHORIZATION),
                header(request, HeaderNames.CONTENT_TYPE),
                new String(bytes, StandardCharsets.UTF_8)));
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
    WebServer _ = server.stop();
    try {
      Files.deleteIfExists(folder.resolve(RunRecovery.API));
      if (Files.isDirectory(folder)) {
        try (FileChannel to = Facts.createOwn(folder.resolve(HISTORY))) {
          ByteBuffer bytes =
              ByteBuffer.wrap((Json.text(api.history()) + "\n").getBytes(StandardCharsets.UTF_8));
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
