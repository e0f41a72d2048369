package dev.tigris.cli;

import dev.tigris.cli.layout.CHeader;
import dev.tigris.cli.layout.LayoutFacts;
import dev.tigris.cli.layout.NumpyTypes;
import dev.tigris.cli.layout.StoredTypes;
import dev.tigris.memory.PsoLayout;
import dev.tigris.specializer.ClassPath;
import java.io.File;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import picocli.CommandLine.Model.ArgGroupSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.PositionalParamSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;

/// `tigris layout`: says how objects lie in a container, to people and to other languages.
final class LayoutCommand implements Command {
  private static final String C = "--c";
  private static final String NUMPY = "--numpy";
  private static final String JSON = "--json";

  @Override
  public CommandSpec spec() {
    var spec = CommandSpec.create();
    spec.addPositional(
        PositionalParamSpec.builder()
            .required(true)
            .arity("1..*")
            .type(List.class)
            .auxiliaryTypes(String.class)
            .paramLabel("CLASS")
            .description("Full names of classes. The classes that their fields refer to are added.")
            .build());
    spec.addOption(
        Options.classPath(
            "Folders and jars with the classes, separated by '%s' (default: target/classes)."
                .formatted(File.pathSeparator),
            "--class-path",
            "--module-path",
            "-cp",
            "-p"));
    spec.addArgGroup(
        ArgGroupSpec.builder()
            .exclusive(true)
            .addArg(Options.flag(C, "Print a header for C and C++."))
            .addArg(Options.flag(NUMPY, "Print a Python module with NumPy's dtypes."))
            .addArg(Options.flag(JSON, "Print one JSON object, for a failure too."))
            .build());
    spec.addOption(Options.debug());
    spec.addOption(Options.help());
    spec.usageMessage()
        .header("Show how objects lie in a container, as C, NumPy or JSON.")
        .footer(
            "",
            "Examples:",
            "  tigris layout app.Trade                            offsets and sizes",
            "  tigris layout app.Trade --c > trade.h              structs, asserted",
            "  tigris layout app.Trade --numpy > trade.py         dtypes",
            "  tigris layout -cp app.jar:lib app.Trade app.Order  from jars");
    return spec;
  }

  @Override
  public ExitCode run(ParseResult options, Console console) throws Exception {
    List<String> names = options.matchedPositionalValue(0, List.of());
    String path = options.matchedOptionValue(Options.CLASSPATH, "target/classes");
    if (path.replace(File.pathSeparator, "").isEmpty()) {
      throw new ParameterException(
          options.commandSpec().commandLine(),
          Options.CLASSPATH + " is empty: name folders or jars");
    }
    StoredTypes types = StoredTypes.load(names, ClassPath.parse(path));
    if (options.hasMatchedOption(JSON)) {
      Map<String, Object> facts = Json.success("layout");
      facts.putAll(LayoutFacts.of(types));
      console.out().println(Json.object(facts));
    } else if (options.hasMatchedOption(C)) {
      console.out().print(CHeader.of(types));
    } else if (options.hasMatchedOption(NUMPY)) {
      console.out().print(NumpyTypes.of(types));
    } else {
      console
          .out()
          .print(
              types.layouts().stream()
                  .map(PsoLayout::toString)
                  .collect(Collectors.joining(System.lineSeparator())));
    }
    return ExitCode.OK;
  }
}
