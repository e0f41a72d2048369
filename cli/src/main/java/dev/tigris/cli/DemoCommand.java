package dev.tigris.cli;

import dev.tigris.cli.demo.SlowConsumers;
import dev.tigris.cli.demo.SlowConsumersChart;
import dev.tigris.cluster.run.RunException;
import dev.tigris.flow.FlowException;
import dev.tigris.sort.CheckJob;
import dev.tigris.sort.GenerateJob;
import dev.tigris.sort.SortException;
import dev.tigris.sort.SortJob;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;

/// `tigris demo`: shows what the system does, in less than a minute.
final class DemoCommand implements Command {
  private static final long RECORDS = 1_000_000;
  private static final Duration RUN = Duration.ofMillis(800);
  private static final int QUICK = 10;

  @Override
  public CommandSpec spec() {
    var spec = CommandSpec.create();
    spec.addPositional(
        PositionalParamSpec.builder()
            .arity("0..1")
            .type(String.class)
            .paramLabel("cluster|disks|growth")
            .description(
                "cluster: show one flow on four processes instead, one of which is killed.",
                "disks: show eight mirrored disks instead, three of which are slow.",
                "growth: show a flow instead whose stage grows and shrinks while it runs.")
            .build());
    spec.addOption(
        Options.flag("--quick", "Run a tenth of everything: seconds, but less exact figures."));
    spec.addOption(
        OptionSpec.builder("--png")
            .type(Path.class)
            .paramLabel("FILE")
            .description("Write the picture to FILE (default: build/demo.png of the checkout).")
            .build());
    spec.addOption(Options.debug());
    spec.addOption(Options.help());
    spec.usageMessage()
        .header("Sort a million records, then show what slow consumers do to a dataflow.")
        .description(
            "", "The demo takes less than a minute, and some 300 MB of disk while it runs.", "")
        .footer(
            "",
            "Examples:",
            "  tigris demo",
            "  tigris demo --quick --png slow.png",
            "  tigris demo cluster",
            "  tigris demo disks",
            "  tigris demo growth");
    return spec;
  }

  @Override
  public ExitCode run(ParseResult options, Console console) throws Exception {
    boolean isQuick = options.hasMatchedOption("--quick");
    Path home = Path.of(console.home(), "build");
    String which = options.matchedPositionalValue(0, "");
    if (which.equals("cluster")) {
      return cluster(home, isQuick, console.out());
    }
    if (!Set.of("", "disks", "growth").contains(which)) {
      throw new ParameterException(
          options.commandSpec().commandLine(),
          "there is no demo '%s': leave it out, or name cluster, disks or growth".formatted(which));
    }
    boolean isOfDisks = which.equals("disks");
    Path png =
        options.matchedOptionValue(
            "--png", home.resolve(which.isEmpty() ? "demo.png" : "demo-" + which + ".png"));
    if (options.hasMatchedOption("--png")) {
      Options.requirePlace("picture", png); // and not when half a minute has gone by
    }
    if (which.equals("growth")) {
      return growth(home, isQuick, png, console.out());
    }
    Path folder = makeFolder(home);
    if (isOfDisks) {
      try {
        new DisksDemo(folder, isQuick, png, console).run();
      } finally {
        delete(folder);
      }
      return ExitCode.OK;
    }
    try {
      sort(folder, isQuick ? RECORDS / QUICK : RECORDS, console.out());
    } finally {
      delete(folder);
    }
    slowDown(isQuick ? RUN.dividedBy(QUICK) : RUN, png, console);
    sayWhatNext(console.out());
    return ExitCode.OK;
  }

  private static ExitCode cluster(Path home, boolean isQuick, PrintStream out)
      throws CommandException, InterruptedException, IOException {
    Path folder = makeFolder(home);
    try {
      new ClusterDemo(folder, isQuick, out).run();
    } catch (RunException e) {
      throw new CommandException(RunCommand.code(e), String.valueOf(e.getMessage()), e);
    } finally {
      delete(folder);
    }
    return ExitCode.OK;
  }

  private static ExitCode growth(Path home, boolean isQuick, Path png, PrintStream out)
      throws CommandException, InterruptedException, IOException {
    Path folder = makeFolder(home);
    try {
      new GrowthDemo(folder, isQuick, png, out).run();
    } catch (RunException e) {
      throw new CommandException(RunCommand.code(e), String.valueOf(e.getMessage()), e);
    } finally {
      delete(folder);
    }
    return ExitCode.OK;
  }

  private static Path makeFolder(Path home) throws CommandException {
    try {
      return Files.createTempDirectory(Files.createDirectories(home), "demo");
    } catch (IOException e) {
      throw new CommandException(
          ExitCode.BAD_OUTPUT,
          "the demo cannot write to its folder %s: run it in a checkout of your own"
              .formatted(home),
          e);
    }
  }

  private static void sort(Path folder, long records, PrintStream out)
      throws SortException, InterruptedException {
    Path data = folder.resolve("data");
    Path sorted = folder.resolve("sorted");
    out.printf("1. Sorting %,d records of 100 bytes, as sort benchmarks do%n%n", records);
    var made = GenerateJob.to(data, records).checksum().run();
    var line = new ResultLine("gen", "generated", made.records(), made.bytes(), made.elapsed());
    out.println("  gen    " + line.sentence(Objects.requireNonNull(made.checksum()).toHex()));
    var order = SortJob.of(List.of(data), sorted).run();
    line = new ResultLine("sort", "sorted", order.records(), order.bytes(), order.elapsed());
    out.println("  sort   " + line.sentence(order.checksum().toHex()));
    var check = CheckJob.of(List.of(sorted)).run().summary();
    out.println("  check  " + String.join(", ", check.verdict()));
  }

  private static void slowDown(Duration run, Path png, Console console)
      throws FlowException, InterruptedException, CommandException {
    PrintStream out = console.out();
    out.printf(
        "%n2. A dataflow whose consumers get slow%n%n"
            + "  4 producers put waters (batches of 8 KiB) into a reservoir, 8 consumers take%n"
            + "  1500 a second each, and a slow one takes 11.6 %% of that. A bar is as long as%n"
            + "  the best that any policy could reach, and full as far as this one came.%n");
    if (run.compareTo(RUN) < 0) {
      out.println("  (With --quick, runs are short, so single bars can be far off.)");
    }
    SlowConsumers measured = SlowConsumers.measure(run, out, console.isUnicode());
    out.printf("%n  In percent of the best:%n%n");
    measured.table().forEach(out::println);
    out.printf(
        "%n  Round-robin runs at the pace of the slowest consumer. A policy that looks at%n"
            + "  credits lets the data flow to the consumers that are fast.%n%n");
    draw(() -> SlowConsumersChart.write(measured, png), png, out);
  }

  /// Writes a picture.
  interface Drawing {
    void write() throws IOException;
  }

  /// Draws a picture, or says why there is none.
  static void draw(Drawing drawing, Path png, PrintStream out) throws CommandException {
    try {
      drawing.write();
      out.println("  As a picture: " + png);
    } catch (IOException e) {
      throw new CommandException(
          ExitCode.BAD_OUTPUT,
          "the picture '%s' cannot be written: %s".formatted(png, Reason.of(e)),
          e);
    } catch (RuntimeException | LinkageError | InternalError e) {
      // Bare machines have no fonts, of which the JDK complains in many ways.
      out.println("  There is no picture: it cannot be drawn here (" + e + ").");
      out.println("  It needs fonts: apt-get install fontconfig fonts-dejavu-core");
    }
  }

  private static void sayWhatNext(PrintStream out) {
    out.print(
        """

        3. Try next

          ./tigris gen 10M data && ./tigris sort data sorted && ./tigris check sorted
          ./tigris sort --help           your own records, of any size
          ./tigris demo cluster          one flow on four processes
          ./tigris demo disks            eight mirrored disks, three of them slow
          ./tigris demo growth           a flow that grows while it runs
          ./tigris bench flow --quick    the same and more, measured with care
          ./tigris test                  the tests of this checkout, in minutes
        """);
  }

  private static void delete(Path folder) throws IOException {
    try (Stream<Path> files = Files.walk(folder)) {
      for (Path path : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.deleteIfExists(path);
      }
    }
  }
}
