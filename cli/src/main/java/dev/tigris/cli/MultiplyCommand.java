package dev.tigris.cli;

import dev.tigris.matrix.Matrix;
import dev.tigris.matrix.Npy;
import dev.tigris.matrix.Precision;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
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
        .footer("", "Examples:", "  tigris multiply a.npy b.npy c.npy");
    return spec;
  }

  @Override
  public ExitCode run(ParseResult options, Console console) throws Exception {
    List<Path> files = options.matchedPositionalValue(0, List.of());
    Path output = files.get(2);
    Options.refuseFolder(options, options.matchedPositional(0).originalStringValues().get(2));
    Options.requirePlace("product", output);
    int threads =
        options.matchedOptionValue(
            ArrowCommand.PARALLEL, Runtime.getRuntime().availableProcessors());
    Matrix a = read(files.get(0));
    Matrix b = read(files.get(1));
    Precision precision = a.precision() == b.precision() ? a.precision() : Precision.DOUBLE;
    Matrix c = Matrix.zeros(precision, a.rows(), b.columns());
    long begun = System.nanoTime();
    try {
      Matrix.addProduct(in(precision, a), in(precision, b), c, threads);
    } catch (IllegalArgumentException e) {
      throw new CommandException(ExitCode.BAD_INPUT, String.valueOf(e.getMessage()), e);
    }
    double seconds = (System.nanoTime() - begun) / 1e9;
    try {
      Npy.write(output, c);
    } catch (IOException e) {
      throw new CommandException(
          ExitCode.BAD_OUTPUT, "cannot write '%s': %s".formatted(output, Reason.of(e)), e);
    }
    print(options, console, output, a, c, seconds);
    return ExitCode.OK;
  }

  private static void print(
      ParseResult options, Console console, Path output, Matrix a, Matrix c, double seconds) {
    double operations = 2.0 * a.rows() * a.columns() * c.columns();
    String kernel = Matrix.kernel(c.precision());
    PrintStream out = console.beside(output);
    if (options.hasMatchedOption("--json")) {
      Map<String, Object> members = Json.success("multiply");
      members.put("rows", c.rows());
      members.put("columns", c.columns());
      members.put("inner", a.columns());
      members.put("bits", Byte.SIZE * c.precision().bytes());
      members.put("kernel", kernel);
      members.put("seconds", seconds);
      members.put("operations", operations);
      members.put("output", output.toString());
      out.println(Json.object(members));
    } else if (!options.hasMatchedOption("--quiet")) {
      out.printf(
          Locale.ROOT,
          "multiplied %d x %d by %d x %d, %d bits, in %.2f s: %.2f GFLOP/s, kernel: %s%n",
          a.rows(),
          a.columns(),
          a.columns(),
          c.columns(),
          Byte.SIZE * c.precision().bytes(),
          seconds,
          operations / seconds / 1e9,
          kernel);
    }
  }

  private static Matrix in(Precision precision, Matrix matrix) {
    return matrix.precision() == precision ? matrix : matrix.copy(precision);
  }

  private static Matrix read(Path file) throws CommandException {
    try {
      return Npy.read(file);
    } catch (IOException e) {
      String reason = Reason.of(e);
      String prefix = file + ": ";
      throw new CommandException(
          ExitCode.BAD_INPUT,
          "cannot read '%s': %s"
              .formatted(
                  file, reason.startsWith(prefix) ? reason.substring(prefix.length()) : reason),
          e);
    }
  }
}
