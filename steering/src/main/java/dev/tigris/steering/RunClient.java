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
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
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
    Map<String, String> facts = Facts.readOwn(folder.resolve(RunRecovery.API));
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
