package dev.tigris.cli;

import dev.tigris.cluster.run.Cluster;
import dev.tigris.cluster.run.RunException;
import dev.tigris.matrix.Matrix;
import dev.tigris.matrix.Npy;
import dev.tigris.matrix.NpyProduct;
import dev.tigris.matrix.Precision;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;
import picocli.CommandLine.ParseResult;

/// `tigris multiply`: multiplies two matrices in NumPy's files.
final class MultiplyCommand implements Command {
  @Override
  public CommandSpec spec() {
    var spec = CommandSpec.create();
    spec.addPositional(
        PositionalParamSpec.builder()
            .required(true)
            .arity("3")
            .index("0..2")
            .type(List.class)
            .auxiliaryTypes(Path.class)
            .converters(SortCommand::file)
            .paramLabel("FILE")
            .description("The two factors, and the file for their product.")
            .build());
    spec.addOption(
        OptionSpec.builder(ArrowCommand.PARALLEL)
            .type(Integer.class)
            .converters(Quantity.THREADS)
            .paramLabel("N")
            .description("How many processors to use at most (default: all).")
            .build());
    spec.addOption(
        OptionSpec.builder(RunOptions.ON)
            .type(String.class)
            .paramLabel("WHERE")
            .description(
                "Where to multiply: in this process (threads, the default), or in processes:N"
                    + " of this host, each of which has a block of columns. --parallel is divided"
                    + " among them.")
            .build());
    RunOptions.addRun(spec);
    spec.addOption(Options.flag("--quiet", "Print failures only."));
    spec.addOption(Options.flag("--json", "Print one JSON object, for a failure too."));
    spec.addOption(Options.debug());
    spec.addOption(Options.help());
    spec.usageMessage()
        .customSynopsis("tigris multiply [OPTIONS] A.npy B.npy C.npy")
        .header("Multiply two matrices in NumPy's files: C = A B.")
        .description(
            "",
            "A and B have elements f4 or f8, in either byte order, by rows or by columns. If they",
            "differ, C is f8. C appears under its name only when it is complete. The result says",
            "which kernel has multiplied: the one with vectors is several times as fast.",
            "")
        .footer(
            "",
            "Examples:",
            "  tigris multiply a.npy b.npy c.npy",
            "  tigris multiply --on processes:4 a.npy b.npy c.npy");
    return spec;
  }

  @Override
  public ExitCode run(ParseResult options, Console console) throws Exception {
    List<Path> files = options.matchedPositionalValue(0, List.of());
    Path output = files.get(2);
    Options.refuseFolder(options, options.matchedPositional(0).originalStringValues().get(2));
    Options.requirePlace("product", output);
    Cluster cluster = options.hasMatchedOption(RunOptions.ON) ? RunOptions.cluster(options) : null;
    NpyProduct.Made made;
    try {
      made =
          cluster == null || cluster.isThreads()
              ? onThreads(files, options)
              : onProcesses(files, cluster, options);
    } catch (IllegalArgumentException e) {
      throw new CommandException(ExitCode.BAD_INPUT, String.valueOf(e.getMessage()), e);
    }
    print(options, console, output, made);
    return ExitCode.OK;
  }

  private static NpyProduct.Made onThreads(List<Path> files, ParseResult options)
      throws CommandException {
    int threads =
        options.matchedOptionValue(
            ArrowCommand.PARALLEL, Runtime.getRuntime().availableProcessors());
    Matrix a = read(files.get(0));
    Matrix b = read(files.get(1));
    Precision precision = a.precision() == b.precision() ? a.precision() : Precision.DOUBLE;
    Matrix c = Matrix.zeros(precision, a.rows(), b.columns());
    long begun = System.nanoTime();
    Matrix.addProduct(in(precision, a), in(precision, b), c, threads);
    Duration multiplying = Duration.ofNanos(System.nanoTime() - begun);
    try {
      Npy.write(files.get(2), c);
    } catch (IOException e) {
      throw unwritten(files.get(2), e);
    }
    return new NpyProduct.Made(
        a.rows(),
        a.columns(),
        c.columns(),
        precision,
        Matrix.kernel(precision),
        multiplying,
        Duration.ZERO);
  }

  private static NpyProduct.Made onProcesses(List<Path> files, Cluster cluster, ParseResult options)
      throws CommandException, InterruptedException {
    NpyProduct product;
    try {
      product = NpyProduct.of(files.get(0), files.get(1));
    } catch (IOException e) {
      throw unread(e);
    }
    Integer threads = options.matchedOptionValue(ArrowCommand.PARALLEL, null);
    try {
      return (threads == null ? product : product.withProcessors(threads))
          .write(files.get(2), cluster);
    } catch (IOException e) {
      throw unwritten(files.get(2), e);
    } catch (RunException e) {
      throw new CommandException(RunCommand.code(e), String.valueOf(e.getMessage()), e);
    }
  }

  private static void print(
      ParseResult options, Console console, Path output, NpyProduct.Made made) {
    double seconds = made.multiplying().toNanos() / 1e9;
    double operations = 2.0 * made.rows() * made.inner() * made.columns();
    int bits = Byte.SIZE * made.precision().bytes();
    PrintStream out = console.beside(output);
    if (options.hasMatchedOption("--json")) {
      Map<String, Object> members = Json.success("multiply");
      members.put("rows", made.rows());
      members.put("columns", made.columns());
      members.put("inner", made.inner());
      members.put("bits", bits);
      members.put("kernel", made.kernel());
      members.put("seconds", seconds);
      members.put("communicationSeconds", made.communication().toNanos() / 1e9);
      members.put("operations", operations);
      members.put("output", output.toString());
      out.println(Json.object(members));
    } else if (!options.hasMatchedOption("--quiet")) {
      out.printf(
          Locale.ROOT,
          "multiplied %d x %d by %d x %d, %d bits, in %.2f s: %.2f GFLOP/s, kernel: %s%n",
          made.rows(),
          made.inner(),
          made.inner(),
          made.columns(),
          bits,
          seconds,
          operations / seconds / 1e9,
          made.kernel());
    }
  }

  private static Matrix in(Precision precision, Matrix matrix) {
    return matrix.precision() == precision ? matrix : matrix.copy(precision);
  }

  private static Matrix read(Path file) throws CommandException {
    try {
      return Npy.read(file);
    } catch (IOException e) {
      throw unread(e);
    }
  }

  /// The message of the cause names the file.
  private static CommandException unread(IOException e) {
    return new CommandException(ExitCode.BAD_INPUT, "cannot multiply: " + Reason.of(e), e);
  }

  private static CommandException unwritten(Path file, IOException e) {
    return new CommandException(
        ExitCode.BAD_OUTPUT, "cannot write '%s': %s".formatted(file, Reason.of(e)), e);
  }
}
