package dev.tigris.steering;

import dev.tigris.cluster.run.TapReader;
import dev.tigris.flow.Tap;
import java.io.IOException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
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
      body.put("reservoir", reservoir);
      body.put("bytes", (long) terms.mostBytes());
      body.put("window", (long) terms.window());
      body.put("blocks", terms.blocks());
      body.put("part", (long) terms.part());
      body.put("parts", (long) terms.parts());
      body.put("perSecond", (long) perSecond);
      body.put("address", reader.address());
      body.put("token", reader.token());
      body.put("key", reader.key());
      client.await(client.change("/api/v1/tap", body));
      return made;
    } catch (IOException | InterruptedException | RuntimeException e) {
      made.close();
      throw e;
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
