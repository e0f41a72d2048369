package dev.tigris.cli;

import static java.util.stream.Collectors.joining;

import dev.tigris.cli.specialize.MachineCode;
import dev.tigris.specializer.ClassFiles;
import dev.tigris.specializer.ClassHierarchy;
import dev.tigris.specializer.ClassPath;
import dev.tigris.specializer.Delivery;
import dev.tigris.specializer.Listing;
import dev.tigris.specializer.NotWrittenException;
import dev.tigris.specializer.Problem;
import dev.tigris.specializer.Report;
import dev.tigris.specializer.Rule;
import dev.tigris.specializer.RuleList;
import dev.tigris.specializer.Specializer;
import dev.tigris.specializer.patch.PatchKind;
import dev.tigris.specializer.patch.PatchSigner;
import java.io.File;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.UncheckedIOException;
import java.lang.constant.ClassDesc;
import java.lang.constant.DynamicCallSiteDesc;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.stream.Stream;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;

/// `tigris specialize`: rewrites class files, or adds code patches to them.
final class SpecializeCommand implements Command {
  private static final String OUTPUT = "--output";
  private static final String PATCH = "--patch";
  private static final String SIGN = "--sign";
  private static final String RULES = "--rules";
  private static final String RULE_PATH = "--rule-path";
  private static final String TRUST = "--trust";
  private static final String CHECK = "--check";
  private static final String PRINT = "--print";
  private static final String MACHINE_CODE = "--machine-code";
  private static final String REPORT = "--report";
  private static final String JSON = "--json";

  @Override
  public CommandSpec spec() {
    var spec = CommandSpec.create();
    spec.addPositional(
        PositionalParamSpec.builder()
            .required(true)
            .arity("1..*")
            .type(List.class)
            .auxiliaryTypes(Path.class)
            .paramLabel("PATH")
            .description("Class files, jars, and folders of classes.")
            .build());
    spec.addOption(
        Options.classPath("Class path of the compilation: folders, jars, FOLDER/*.", "-cp"));
    spec.addOption(
        OptionSpec.builder(OUTPUT, "-o")
            .type(Path.class)
            .paramLabel("FOLDER")
            .description("Write to a new folder, and keep the inputs.")
            .build());
    spec.addOption(
        OptionSpec.builder(PATCH)
            .type(String.class)
            .paramLabel("flat|diff")
            .description("Keep the code, and add a code patch for the agent.")
            .build());
    spec.addOption(
        OptionSpec.builder(SIGN)
            .type(Path.class)
            .paramLabel("KEY")
            .description("Sign the patches with an Ed25519 key in a PEM file.")
            .build());
    addRules(spec);
    spec.addOption(
        Options.flag(
            CHECK,
            "Look for accesses that were not specialized, in all classes of a program; write no"
                + " class."));
    spec.addOption(
        Options.flag(PRINT, "Show the code before and after, with recipes; write no class."));
    spec.addOption(
        Options.flag(
            MACHINE_CODE,
            "With --print: show how many bytes of machine code C2 makes of each call site. This"
                + " loads and initializes the classes of the objects."));
    spec.addOption(
        OptionSpec.builder(REPORT)
            .type(Path.class)
            .paramLabel("FILE")
            .description("Write a report of what was rewritten and what was not, by method.")
            .build());
    spec.addOption(Options.flag(JSON, "Print one JSON object, for a failure too."));
    spec.addOption(Options.debug());
    spec.addOption(Options.help());
    spec.usageMessage()
        .header("Rewrite compiled classes so that their objects' fields lie in containers.")
        .footer(
            "",
            "All inputs are rewritten in place, or none if there is a problem.",
            "",
            "Examples:",
            "  tigris specialize target/classes               rewrites what must be",
            "  tigris specialize app.jar -cp lib/api.jar -o out",
            "  tigris specialize app.jar --patch diff --sign key.pem",
            "  tigris specialize app/User.class --print       shows, and writes nothing",
            "  tigris specialize --check app/*.jar            fails if an access was forgotten");
    return spec;
  }

  private static void addRules(CommandSpec spec) {
    spec.addOption(
        OptionSpec.builder(RULES)
            .type(Path.class)
            .paramLabel("FILE")
            .description("The rules, in their order (default: pso-field, pso-cursor, pso-text).")
            .build());
    spec.addOption(path(RULE_PATH, "-rp", "Folders and jars with modules that provide rules."));
    spec.addOption(
        OptionSpec.builder(TRUST)
            .type(List.class)
            .auxiliaryTypes(String.class)
            .arity("1")
            .paramLabel("MODULE")
            .description(
                "Trust the rules of a module; 'trust MODULE' in the file of rules does so too.")
            .build());
  }

  private static OptionSpec path(String name, String shortName, String description) {
    return OptionSpec.builder(name, shortName)
        .type(String.class)
        .paramLabel("PATH")
        .description(description)
        .build();
  }

  @Override
  public ExitCode run(ParseResult options, Console console) throws Exception {
    List<Path> inputs = options.matchedPositionalValue(0, List.of());
    for (Path input : inputs) {
      requireReadable(input);
    }
    Delivery delivery = delivery(options);
    List<Rule> rules = rules(options);
    Path output = options.matchedOptionValue(OUTPUT, null);
    boolean print = options.hasMatchedOption(PRINT);
    boolean check = options.hasMatchedOption(CHECK);
    if (options.hasMatchedOption(MACHINE_CODE) && !print) {
      throw new ParameterException(
          options.commandSpec().commandLine(),
          "%s needs %s: add it".formatted(MACHINE_CODE, PRINT));
    }
    for (String option : List.of(TRUST, RULE_PATH)) {
      if (options.hasMatchedOption(option) && !options.hasMatchedOption(RULES)) {
        throw new ParameterException(
            options.commandSpec().commandLine(),
            "%s needs %s, whose rules it is about: add it".formatted(option, RULES));
      }
    }
    if (print && options.hasMatchedOption(JSON)) {
      throw new ParameterException(
          options.commandSpec().commandLine(),
          "%s and %s exclude each other: give one of them".formatted(PRINT, JSON));
    }
    if (check && (print || output != null || options.hasMatchedOption(PATCH))) {
      throw new ParameterException(
          options.commandSpec().commandLine(),
          "%s writes and shows no class: remove %s, %s and %s"
              .formatted(CHECK, PRINT, OUTPUT, PATCH));
    }
    if (output == null && options.hasMatchedOption(REPORT)) { // written when all is specialized
      Options.requirePlace("report", options.matchedOptionValue(REPORT, null));
    }
    try (SpecializeInputs found =
        print || output == null
            ? SpecializeInputs.inPlace(inputs, classPath(options))
            : SpecializeInputs.copiedTo(output, inputs, classPath(options))) {
      var hierarchy = new ClassHierarchy(found);
      var specializer = new Specializer(hierarchy, rules);
      Report report =
          check
              ? ClassFiles.check(found.inputs(), specializer)
              : print
                  ? print(found, specializer, options.hasMatchedOption(MACHINE_CODE), console)
                  : specialize(found, specializer, delivery);
      if (report.classesSeen() == 0) {
        throw new CommandException(
            ExitCode.BAD_INPUT,
            "there is no class in %s: name class files, or jars or folders with classes"
                .formatted(inputs.stream().map("'%s'"::formatted).collect(joining(", "))));
      }
      return tell(report, hierarchy, found, options, console);
    } catch (InterruptedIOException e) {
      throw (InterruptedException) new InterruptedException().initCause(e);
    } catch (NotWrittenException e) {
      throw new CommandException(ExitCode.BAD_OUTPUT, String.valueOf(e.getMessage()), e);
    } catch (IOException | UncheckedIOException e) {
      throw new CommandException(ExitCode.BAD_INPUT, Reason.of(e), e);
    }
  }

  private static void requireReadable(Path input) throws CommandException {
    if (!Files.isReadable(input)) {
      throw new CommandException(
          ExitCode.BAD_INPUT,
          "'%s' does not exist or cannot be read: check its name and permissions".formatted(input));
    }
    if (!Files.isRegularFile(input) && !Files.isDirectory(input)) {
      throw new CommandException(
          ExitCode.BAD_INPUT,
          "'%s' is a pipe or a device: name class files, jars or folders".formatted(input));
    }
  }

  private static Report specialize(
      SpecializeInputs found, Specializer specializer, Delivery delivery) throws IOException {
    try {
      return ClassFiles.specialize(found.inputs(), specializer, delivery);
    } catch (InterruptedIOException | NotWrittenException e) {
      throw e;
    } catch (IOException e) {
      throw found.ofInput(e);
    }
  }

  private static Report print(
      SpecializeInputs found, Specializer specializer, boolean withSizes, Console console)
      throws IOException {
    var machineCode = new MachineCode(found, specializer);
    var listing =
        new Listing(
            new Listing.Recipes() {
              @Override
              public Optional<String> find(ClassDesc owner, String field, String operation) {
                return found.recipe(owner, field, operation);
              }

              @Override
              public OptionalInt machineCodeBytes(DynamicCallSiteDesc site) {
                return withSizes ? machineCode.bytes(site) : OptionalInt.empty();
              }
            });
    return ClassFiles.preview(
        found.inputs(),
        specializer,
        (original, specialized) -> console.out().print(listing.of(original, specialized)));
  }

  private static ExitCode tell(
      Report report,
      ClassHierarchy hierarchy,
      SpecializeInputs found,
      ParseResult options,
      Console console)
      throws CommandException {
    Path reportFile = options.matchedOptionValue(REPORT, null);
    if (reportFile != null) {
      try {
        Files.writeString(reportFile, report.text());
      } catch (IOException e) {
        throw new CommandException(
            ExitCode.BAD_OUTPUT, "cannot write the report: " + Reason.of(e), e);
      }
    }
    List<Problem> problems = report.problems();
    if (!problems.isEmpty()) {
      problems.stream().skip(1).forEach(problem -> console.err().println("tigris: " + problem));
      boolean check = options.hasMatchedOption(CHECK);
      throw new CommandException(
          ExitCode.FAILED,
          "%s%n%s: there %s."
              .formatted(
                  problems.getFirst(),
                  check
                      ? "Specialize these classes as well, where nothing else is said"
                      : "Nothing was written",
                  problems.size() == 1
                      ? "is 1 problem"
                      : "are %d problems".formatted(problems.size())));
    }
    found.keep();
    warn(report, hierarchy.missing(), console);
    if (options.hasMatchedOption(JSON)) {
      Map<String, Object> facts = Json.success("specialize");
      facts.put("classes", report.classesSeen());
      facts.put("changed", report.classesChanged());
      facts.put("rewritten", report.rewritten());
      facts.put("left", report.leftAlone());
      console.out().println(Json.object(facts));
    } else {
      console
          .out()
          .println(
              options.hasMatchedOption(CHECK)
                  ? report.classesSeen() + " classes: every access is specialized that has to be"
                  : report.summary());
    }
    return ExitCode.OK;
  }

  private static void warn(Report report, List<ClassDesc> missing, Console console) {
    report
        .slowMethods()
        .forEach(
            method ->
                console
                    .err()
                    .println(
                        "tigris: warning: HotSpot may not compile %s: see --report"
                            .formatted(method)));
    report
        .patchWarning()
        .ifPresent(warning -> console.err().println("tigris: warning: " + warning));
    if (!missing.isEmpty()) {
      console
          .err()
          .println(
              "tigris: warning: not found: %s%s. If one of them is a class of objects, code that uses or extends it was not rewritten: name the class path of the compilation with %s"
                  .formatted(
                      name(missing.getFirst()),
                      missing.size() == 1 ? "" : " and %d more".formatted(missing.size() - 1),
                      Options.CLASSPATH));
    }
  }

  private static String name(ClassDesc type) {
    String inner = type.packageName();
    return inner.isEmpty() ? type.displayName() : inner + "." + type.displayName();
  }

  private static List<Path> classPath(ParseResult options) throws CommandException {
    try {
      return options.hasMatchedOption(Options.CLASSPATH)
          ? ClassPath.parse(options.matchedOptionValue(Options.CLASSPATH, ""))
          : List.of();
    } catch (UncheckedIOException e) {
      throw new CommandException(ExitCode.BAD_INPUT, Reason.of(e), e);
    }
  }

  private static List<Path> rulePath(ParseResult options) {
    String value = options.matchedOptionValue(RULE_PATH, "");
    return Stream.of(value.split(File.pathSeparator, -1))
        .filter(place -> !place.isEmpty())
        .map(Path::of)
        .toList();
  }

  private static Delivery delivery(ParseResult options) throws CommandException {
    Path key = options.matchedOptionValue(SIGN, null);
    String kind = options.matchedOptionValue(PATCH, "");
    if (kind.isEmpty()) {
      if (key != null) {
        throw new ParameterException(
            options.commandSpec().commandLine(),
            "only a patch is signed: add %s diff, or remove %s".formatted(PATCH, SIGN));
      }
      return new Delivery.Rewritten();
    }
    try {
      Optional<PatchSigner> signer =
          key == null ? Optional.empty() : Optional.of(PatchSigner.of(key));
      return switch (kind) {
        case "flat" -> new Delivery.Patched(PatchKind.FLAT, signer);
        case "diff" -> new Delivery.Patched(PatchKind.DIFF, signer);
        default ->
            throw new ParameterException(
                options.commandSpec().commandLine(),
                "there is no kind of patch '%s': use flat or diff".formatted(kind));
      };
    } catch (IOException e) {
      throw new CommandException(ExitCode.BAD_INPUT, "cannot read the key: " + Reason.of(e), e);
    }
  }

  private static List<Rule> rules(ParseResult options) throws CommandException {
    Path file = options.matchedOptionValue(RULES, null);
    if (file == null) {
      return Rule.standard();
    }
    List<String> trusted = options.matchedOptionValue(TRUST, List.of());
    try {
      return RuleList.read(file, rulePath(options), trusted);
    } catch (IOException e) {
      throw new CommandException(ExitCode.BAD_INPUT, "cannot use the rules: " + Reason.of(e), e);
    }
  }
}
