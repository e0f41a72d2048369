package dev.tigris.cli;

import dev.tigris.cluster.run.ClusterRun;
import dev.tigris.steering.ControlServer;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/// The control API of a run that a command waits for. It is served once the run has gone on for a
/// second: shorter ones do not pay for the start of a server.
///
/// Thread rule: one thread.
final class Steered implements AutoCloseable {
  private static final long AFTER_NANOS = 1_000_000_000;

  private final ClusterRun run;
  private @Nullable ControlServer server;
  private boolean isTried;

  Steered(ClusterRun run) {
    this.run = run;
  }

  /// Starts the server when it is time, if the run has a folder to say so in.
  void look() {
    if (isTried || run.folder().isEmpty() || run.progress().elapsedNanos() < AFTER_NANOS) {
      return;
    }
    isTried = true;
    try {
      server = ControlServer.start(run);
    } catch (IOException | RuntimeException e) { // the run goes on without
      System.getLogger(Steered.class.getName())
          .log(System.Logger.Level.WARNING, "the run has no control API", e);
    }
  }

  @Override
  public void close() {
    if (server != null) {
      server.close();
    }
  }
}
