package dev.tigris.cli;

import dev.tigris.cluster.run.ClusterRun;
import dev.tigris.cluster.run.host.HostKeys;
import dev.tigris.steering.ControlServer;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParseResult;

/// The control API of a run that a command waits for. It is served once the run has gone on for a
/// second: shorter ones do not pay for the start of a server.
///
/// Thread rule: one thread.
final class Steered implements AutoCloseable {
  static final String CONTROL = "--control";
  private static final int MOST_PORT = 65_535;
  private static final long AFTER_NANOS = 1_000_000_000;

  private final ClusterRun run;
  private @Nullable ControlServer server;
  private boolean isTried;

  Steered(ClusterRun run, ParseResult options, Console console)
      throws IOException, CommandException {
    this.run = run;
    if (options.hasMatchedOption(CONTROL)) {
      if (run.folder().isEmpty()) {
        throw new CommandException(ExitCode.USAGE, CONTROL + " is for runs on processes: see --on");
      }
      isTried = true;
      ControlServer made = ControlServer.start(run);
      server = made;
      try {
        listen(made::listen, options, console);
      } catch (CommandException e) {
        made.close();
        throw e;
      }
    }
  }

  static void add(CommandSpec spec) {
    spec.addOption(
        OptionSpec.builder(CONTROL)
            .type(String.class)
            .paramLabel("HOST:PORT")
            .description(
                "Let clients of other hosts steer the run here, by the keys of 'tigris keys'.")
            .build());
  }

  /// Listens at an address, for the owner of a key.
  interface Listening {
    URI listen(String host, int port, Path key) throws IOException;
  }

  /// Lets clients of other hosts in, if the user has said so.
  static void listen(Listening server, ParseResult options, Console console)
      throws CommandException {
    String address = options.matchedOptionValue(CONTROL, null);
    if (address == null) {
      return;
    }
    int colon = address.lastIndexOf(':');
    String port = address.substring(colon + 1);
    if (colon < 1 || !port.matches("[0-9]{1,5}") || Integer.parseInt(port) > MOST_PORT) {
      throw new CommandException(
          ExitCode.USAGE, "%s %s: name a host and a port".formatted(CONTROL, address));
    }
    Path key = options.matchedOptionValue("--key", null);
    try {
      URI listens =
          server.listen(
              address.substring(0, colon),
              Integer.parseInt(port),
              key == null ? HostKeys.coordinatorKey(HostKeys.usualFolder()) : key);
      if (!options.hasMatchedOption("--quiet")) {
        console.err().println("tigris: clients of other hosts have --server " + listens);
      }
    } catch (IOException e) {
      throw new CommandException(ExitCode.BAD_INPUT, Reason.of(e), e);
    }
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
