package dev.tigris.steering;

import dev.tigris.cluster.run.TapReader;
import dev.tigris.flow.Tap;
import java.io.IOException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/// Copies of the waters that a run of this user, on this host, puts on a reservoir. The run goes on
/// as if there were no tap, unless the tap blocks.
///
/// ```java
/// try (RunTap tap = RunTap.open(RunClient.of(folder), "work", terms, 10)) {
///   while (!tap.isOver()) {
///     TapReader.Copy copy = tap.poll(Duration.ofSeconds(1));
///   }
/// }
/// ```
///
/// Thread rule: one thread.
public final class RunTap implements AutoCloseable {
  private static final int STALE = 409;
  private static final int TRIES = 20;
  private static final long LOOK_MILLIS = 10;

  private final TapReader reader;

  private RunTap(TapReader reader) {
    this.reader = reader;
  }

  /// Taps a run of this host, and waits until each sender knows of it.
  ///
  /// @param perSecond how many waters of each sender are copied in a second at most; 0 for all
  /// @throws IOException if the run refuses, or does not answer
  public static RunTap open(RunClient client, String reservoir, Tap.Terms terms, int perSecond)
      throws IOException, InterruptedException {
    return open(client, reservoir, terms, perSecond, "");
  }

  /// Taps a run, and waits until each sender knows of it.
  ///
  /// @param host a name or address by which the hosts of the run reach this one; empty for a run of
  ///     this host
  /// @param perSecond how many waters of each sender are copied in a second at most; 0 for all
  /// @throws IOException if the run refuses, or does not answer
  public static RunTap open(
      RunClient client, String reservoir, Tap.Terms terms, int perSecond, String host)
      throws IOException, InterruptedException {
    Object told = client.get("/api/v1/run").members().get("processes");
    int processes = told instanceof Number number ? number.intValue() : 1;
    TapReader reader =
        host.isEmpty() ? TapReader.listen(processes) : TapReader.listen(processes, host);
    RunTap made = new RunTap(reader);
    try {
      Map<String, Object> body = new LinkedHashMap<>();
      body.put("request", UUID.randomUUID().toString());
      body.put("reservoir", reservoir);
      body.put("bytes", (long) terms.mostBytes());
      body.put("window", (long) terms.window());
      body.put("blocks", terms.blocks());
      body.put("perSecond", (long) perSecond);
      body.put("address", reader.address());
      body.put("token", reader.token());
      body.put("key", reader.key());
      made.await(client, asked(client, body));
      return made;
    } catch (IOException | InterruptedException | RuntimeException e) {
      made.close();
      throw e;
    }
  }

  /// Asks, again if another client was quicker, and returns the id of the change.
  private static String asked(RunClient client, Map<String, Object> body) throws IOException {
    for (int left = TRIES; ; left--) {
      Object revision = client.get("/api/v1/run").members().get("revision");
      body.put("revision", revision == null ? 0L : revision);
      RunClient.Reply reply = client.post("/api/v1/tap", body);
      if (reply.isWell()) {
        return String.valueOf(reply.members().get("id"));
      }
      if (reply.status() != STALE || left == 1) {
        throw new IOException(reply.error());
      }
    }
  }

  private void await(RunClient client, String id) throws IOException, InterruptedException {
    while (true) {
      Map<String, @Nullable Object> change = client.get("/api/v1/changes/" + id).members();
      if ("failed".equals(change.get("state"))) {
        throw new IOException(String.valueOf(change.get("text")));
      }
      if ("done".equals(change.get("state"))) {
        return;
      }
      Thread.sleep(LOOK_MILLIS);
    }
  }

  /// Returns the next copy; null if none has come in time.
  ///
  /// @throws IOException if a process is lost, or the flow has failed
  public TapReader.@Nullable Copy poll(Duration longest) throws IOException, InterruptedException {
    return reader.poll(longest);
  }

  /// Returns whether the run has come to its end, and all copies were taken.
  public boolean isOver() {
    return reader.isOver();
  }

  /// Returns how many waters were left out, when the run is over.
  public long leftOut() {
    return reader.leftOut();
  }

  /// Ends the tap. The run goes on.
  @Override
  public void close() throws IOException {
    reader.close();
  }
}
