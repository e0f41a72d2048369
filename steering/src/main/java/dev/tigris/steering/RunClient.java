package dev.tigris.steering;

import dev.tigris.cluster.run.host.HostKey;
import dev.tigris.cluster.run.outputs.Facts;
import dev.tigris.cluster.run.outputs.RunRecovery;
import java.io.IOException;
import java.io.InputStream;
import java.net.HttpURLConnection;
import java.net.Proxy;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import javax.net.ssl.HttpsURLConnection;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/// A client of the control API of a run: of this user on this host, or of one that listens to other
/// hosts.
///
/// Thread rule: one thread.
public final class RunClient {
  /// A reply that is longer comes from something else.
  private static final int MOST_BYTES = 64 << 20;

  private static final Duration PATIENCE = Duration.ofSeconds(10);

  /// How long others may be quicker.
  private static final Duration CONTEST = Duration.ofSeconds(10);

  private static final long LOOK_MILLIS = 10;

  private final URI address;
  private final String token;

  /// Shows the key of this client to a server on another host; null on this one.
  private final @Nullable SSLContext keys;

  private RunClient(URI address, String token, @Nullable SSLContext keys) {
    this.address = address;
    this.token = token;
    this.keys = keys;
  }

  /// Returns a client of a server that listens to other hosts ([ControlServer#listen]). It trusts
  /// the owners of keys of coordinators that the authority of this one has made, and nobody else.
  ///
  /// @param server such as `https://h1.example:7070`
  /// @param key the file with the key of a coordinator
  /// @throws IOException if the key cannot be used, or the address is another one
  public static RunClient of(URI server, Path key) throws IOException {
    if (!"https".equals(server.getScheme()) || server.getHost() == null || server.getPort() < 0) {
      throw new IOException("'%s' is no server: name one as https://HOST:PORT".formatted(server));
    }
    return new RunClient(server, "", HostKey.load(key).context(HostKey.Role.COORDINATOR));
  }

  /// Returns a client for the run of a folder.
  ///
  /// @throws IOException if the run serves no API, or has ended
  public static RunClient of(Path folder) throws IOException {
    Map<String, String> facts;
    try {
      facts = Facts.readOwn(folder.resolve(RunRecovery.API));
    } catch (NoSuchFileException e) {
      throw new IOException(
          "the run in %s cannot be asked: it is over, or has no control API".formatted(folder), e);
    }
    try {
      return new RunClient(
          URI.create(facts.getOrDefault(ControlServer.ADDRESS, "")),
          facts.getOrDefault(ControlServer.TOKEN, ""),
          null);
    } catch (IllegalArgumentException e) {
      throw new IOException("the file 'api' of %s is damaged".formatted(folder), e);
    }
  }

  /// A reply.
  ///
  /// @param status the status of HTTP
  /// @param members of the object that came
  public record Reply(int status, Map<String, @Nullable Object> members) {
    /// Returns why the server has refused.
    public String error() {
      return String.valueOf(members.get("error"));
    }

    /// Returns whether it has done what was asked.
    public boolean isWell() {
      return status / 100 == 2;
    }
  }

  /// Asks for something, such as `/api/v1/run`.
  ///
  /// @throws IOException if the run does not answer
  public Reply get(String path) throws IOException {
    return reply(open(path));
  }

  /// Sends a change.
  ///
  /// @throws IOException if the run does not answer: then the same request can be sent again
  public Reply post(String path, Map<String, Object> body) throws IOException {
    HttpURLConnection connection = open(path);
    connection.setRequestMethod("POST");
    connection.setDoOutput(true);
    connection.setRequestProperty("Content-Type", Answer.JSON);
    connection.getOutputStream().write(Json.text(body).getBytes(StandardCharsets.UTF_8));
    return reply(connection);
  }

  /// Asks for a change, based on the revision that the run has now, until no other client was
  /// quicker.
  ///
  /// @param path such as `/api/v1/resize`
  /// @param members of the body, but for the revision and the request's id
  /// @return the id of the change, for [#await]
  /// @throws IOException if the run refuses, or does not answer
  public String change(String path, Map<String, Object> members) throws IOException {
    Map<String, Object> body = new LinkedHashMap<>(members);
    body.put("request", UUID.randomUUID().toString());
    long start = System.nanoTime();
    while (true) {
      Object revision = get("/api/v1/run").members().get("revision");
      body.put("revision", revision == null ? 0L : revision);
      Reply reply = post(path, body);
      if (reply.isWell()) {
        return String.valueOf(reply.members().get("id"));
      }
      boolean isStale =
          reply.status() == Answer.CONFLICT
              && !Objects.equals(revision, get("/api/v1/run").members().get("revision"));
      if (!isStale || System.nanoTime() - start > CONTEST.toNanos()) {
        throw new IOException(reply.error());
      }
    }
  }

  /// Waits until a change was made.
  ///
  /// @throws IOException if it has failed, or the run does not answer
  public void await(String change) throws IOException, InterruptedException {
    while (true) {
      Map<String, @Nullable Object> members = get("/api/v1/changes/" + change).members();
      if ("failed".equals(members.get("state"))) {
        throw new IOException(String.valueOf(members.get("text")));
      }
      if ("done".equals(members.get("state"))) {
        return;
      }
      Thread.sleep(LOOK_MILLIS);
    }
  }

  private HttpURLConnection open(String path) throws IOException {
    // No proxy that the environment names knows this host's own ports.
    HttpURLConnection connection =
        (HttpURLConnection) address.resolve(path).toURL().openConnection(Proxy.NO_PROXY);
    connection.setConnectTimeout((int) PATIENCE.toMillis());
    connection.setReadTimeout((int) PATIENCE.toMillis());
    if (keys != null && connection instanceof HttpsURLConnection secured) {
      secured.setSSLSocketFactory(keys.getSocketFactory());
      // Keys of coordinators have no names of hosts: their role and their authority are checked.
      secured.setHostnameVerifier((host, session) -> true);
    } else {
      connection.setRequestProperty("Authorization", "Bearer " + token);
    }
    return connection;
  }

  private static Reply reply(HttpURLConnection connection) throws IOException {
    int status = connection.getResponseCode();
    InputStream body =
        status < Answer.WRONG ? connection.getInputStream() : connection.getErrorStream();
    if (body == null) {
      throw new IOException("the run answers %d, and nothing else".formatted(status));
    }
    try (body) {
      return new Reply(
          status, Json.object(new String(body.readNBytes(MOST_BYTES), StandardCharsets.UTF_8)));
    }
  }
}
