package dev.tigris.cli;

import dev.tigris.cluster.disk.DiskServer;
import dev.tigris.cluster.run.HostWorker;
import dev.tigris.cluster.run.host.HostAddress;
import dev.tigris.cluster.run.host.HostKey;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;

/// `tigris worker`: serves the runs of coordinators on other hosts, until it is asked to end.
final class WorkerCommand implements Command {
  private static final String KEY = "--key";
  private static final String CODE = "--code";
  private static final String LISTEN = "--listen";
  private static final String RUNS = "--runs";
  private static final String DISKS = "--disks";
  private static final String ANYWHERE = "0.0.0.0:7411";

  @Override
  public CommandSpec spec() {
    var spec = CommandSpec.create();
    spec.addOption(
        OptionSpec.builder(KEY)
            .type(Path.class)
            .required(true)
            .paramLabel("FILE")
            .description("The key of this host, which 'tigris keys worker HOST' has made.")
            .build());
    spec.addOption(
        OptionSpec.builder(CODE)
            .type(List.class)
            .auxiliaryTypes(Path.class)
            .arity("1")
            .paramLabel("PATH")
            .description("A jar, a folder of classes, or a folder with such: programs lie there.")
            .build());
    spec.addOption(
        OptionSpec.builder(LISTEN)
            .type(String.class)
            .paramLabel("HOST:PORT")
            .description("Listen there (default: " + ANYWHERE + ", all addresses of this host).")
            .build());
    spec.addOption(
        OptionSpec.builder(RUNS)
            .type(Path.class)
            .paramLabel("DIR")
            .description("Keep the folders of runs here (default: tigris/runs in XDG_STATE_HOME).")
            .build());
    spec.addOption(
        OptionSpec.builder(DISKS)
            .type(List.class)
            .auxiliaryTypes(Path.class)
            .arity("1")
            .splitRegex(",")
            .paramLabel("DIR,DIR...")
            .description(
                "Serve these folders, each on a disk of its own, to processes with a key of the authority, at the next port: for 'tigris mirror --to HOST:DIR'.")
            .build());
    spec.addOption(Options.debug());
    spec.addOption(Options.help());
    spec.usageMessage()
        .header("Serve runs of other hosts, until this process is asked to end.")
        .description(
            "",
            "It starts processes for runs whose coordinator has a key of the same authority, run",
            "after run, and says what it does. SIGTERM or Ctrl-C ends it and its processes.",
            "")
        .footer(
            "",
            "Examples:",
            "  tigris worker --key worker-h1.key --code /srv/programs",
            "  tigris worker --key worker-h1.key --code totals.jar --listen h1:7500",
            "  tigris worker --key worker-h1.key --disks /a,/b");
    return spec;
  }

  @Override
  public ExitCode run(ParseResult options, Console console) throws Exception {
    List<Path> code = options.matchedOptionValue(CODE, List.of());
    Path key = options.matchedOptionValue(KEY, Path.of(""));
    try (HostWorker worker =
            HostWorker.start(
                key,
                code,
                options.matchedOptionValue(RUNS, null),
                options.matchedOptionValue(LISTEN, ANYWHERE),
                line -> say(console, line));
        DiskServer disks = disks(key, worker, options)) {
      if (disks != null) {
        say(console, "serves disks at " + disks.address());
      }
      say(console, "listens at " + worker.address());
      new CountDownLatch(1).await(); // until a signal interrupts this thread
    } catch (IOException e) {
      throw new CommandException(ExitCode.BAD_INPUT, Reason.of(e), e);
    } catch (IllegalArgumentException e) {
      throw new ParameterException(
          options.commandSpec().commandLine(), String.valueOf(e.getMessage()), e);
    }
    return ExitCode.OK;
  }

  private static @Nullable DiskServer disks(Path key, HostWorker worker, ParseResult options)
      throws IOException {
    List<Path> folders = options.matchedOptionValue(DISKS, List.of());
    if (folders.isEmpty()) {
      return null;
    }
    HostAddress at = HostAddress.parse(worker.address());
    return DiskServer.start(HostKey.load(key), at.host(), DiskServer.portOf(at.port()), folders);
  }

  private static void say(Console console, String line) {
    console.out().println(line);
    console.out().flush();
  }
}
