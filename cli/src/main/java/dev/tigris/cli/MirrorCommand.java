package dev.tigris.cli;

import dev.tigris.cluster.disk.HostFinder;
import dev.tigris.flow.FlowException;
import dev.tigris.flow.mirror.Mirror;
import dev.tigris.flow.mirror.MirrorException;
import dev.tigris.os.disk.FileHost;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;

/// `tigris mirror`: makes data sets that lie on several disks, checks and repairs them.
final class MirrorCommand implements Command {
  private static final String TO = "--to";
  private static final String BLOCK = "--block";
  private static final String COPIES = "--copies";
  private static final String REPLACE = "--replace";
  private static final String KEY = "--key";
  private static final String JSON = "--json";
  private static final String CHECK = "check";
  private static final String REPAIR = "repair";
  private static final String COPY = "copy";
  private static final int USUAL_COPIES = 2;

  /// A folder of another host without its whole path.
  private static final Pattern RELATIVE = Pattern.compile("[\\w.-]+(:\\d+)?:[^/].*|.*@.*:.*");

  @Override
  public CommandSpec spec() {
    var spec = CommandSpec.create();
    spec.addPositional(
        PositionalParamSpec.builder()
            .required(true)
            .arity("1..*")
            .index("0..*")
            .type(List.class)
            .auxiliaryTypes(String.class)
            .paramLabel("FILE")
            .description(
                "The files to make data sets of, each named as its file;",
                "or check, or repair, and the manifests of data sets, NAME.mirror",
                "on any of their disks; or copy, such a manifest, and a file to make of it.")
            .build());
    spec.addOption(
        OptionSpec.builder(TO)
            .type(String.class)
            .paramLabel("DIR,DIR...")
            .description(
                "The folders to write to, each on a disk of its own, two at least.",
                "HOST:DIR is one that the worker of a host serves (tigris worker --disks).")
            .build());
    spec.addOption(
        OptionSpec.builder(COPIES)
            .type(Long.class)
            .converters(Quantity.COUNT)
            .paramLabel("N")
            .description("How many disks get each block (default: 2).")
            .build());
    spec.addOption(
        OptionSpec.builder(BLOCK)
            .type(Long.class)
            .converters(Quantity.BYTES)
            .paramLabel("N")
            .description("The bytes of a block, a multiple of 4096 (default: 256k).")
            .build());
    spec.addOption(
        OptionSpec.builder(REPLACE)
            .type(List.class)
            .auxiliaryTypes(String.class)
            .arity("2")
            .paramLabel("OLD NEW")
            .hideParamSyntax(true)
            .description("repair: use the folder NEW in place of OLD, whose disk has died.")
            .build());
    spec.addOption(key());
    spec.addOption(Options.flag(JSON, "Print one JSON object, for a failure too."));
    spec.addOption(Options.debug());
    spec.addOption(Options.help());
    spec.usageMessage()
        .header("Keep data on several disks, each block on two of them.")
        .footer(
            "",
            "A data set is read by name: tigris sort /a/data.mirror sorted. A slow disk",
            "slows only itself, and what is damaged is read from the other copy.",
            "",
            "Examples:",
            "  tigris mirror data --to /a,/b,/c,/d",
            "  tigris mirror check /a/data.mirror",
            "  tigris mirror repair /a/data.mirror",
            "  tigris mirror repair /a/data.mirror --replace /b /e",
            "  tigris mirror copy /a/data.mirror data",
            "  tigris mirror data --to h1:/a,h2:/a,h3:/a");
    return spec;
  }

  private static OptionSpec key() {
    return OptionSpec.builder(KEY)
        .type(Path.class)
        .paramLabel("FILE")
        .description("The key for other hosts (default: coordinator.key of 'tigris keys').")
        .build();
  }

  @Override
  public ExitCode run(ParseResult options, Console console) throws Exception {
    List<String> words = options.matchedPositionalValue(0, List.of());
    String first = words.getFirst();
    List<Path> rest = words.stream().skip(1).map(Path::of).toList();
    Path key = options.matchedOptionValue(KEY, null);
    if (key != null) {
      System.setProperty(HostFinder.KEY_PROPERTY, key.toString());
    }
    try {
      if (first.equals(CHECK) || first.equals(REPAIR)) {
        if (rest.isEmpty() || options.hasMatchedOption(TO)) {
          throw misuse(
              options, "mirror %s: give the manifest of a data set, without --to".formatted(first));
        }
        if (options.hasMatchedOption(REPLACE) && (first.equals(CHECK) || rest.size() > 1)) {
          throw misuse(options, "--replace is for repair, and one data set");
        }
        if (options.matchedOptionValue(REPLACE, List.of()).size() > 2) {
          throw misuse(options, "--replace is given twice: replace one disk after the other");
        }
        return look(first, rest, options, console);
      }
      if (first.equals(COPY)) {
        if (rest.size() != 2 || options.hasMatchedOption(TO) || options.hasMatchedOption(REPLACE)) {
          throw misuse(
              options, "mirror copy SET FILE: give a manifest, and the file to make of it");
        }
        copy(rest.get(0), rest.get(1), options, console);
        return ExitCode.OK;
      }
      if (!options.hasMatchedOption(TO) || options.hasMatchedOption(REPLACE)) {
        throw misuse(
            options, "mirror FILE --to DIR,DIR: name the folders, each on a disk of its own");
      }
      make(words.stream().map(Path::of).toList(), options, console);
      return ExitCode.OK;
    } catch (FlowException e) {
      throw new CommandException(ExitCode.FAILED, reason(e), e);
    } catch (IOException e) {
      throw new CommandException(ExitCode.FAILED, Reason.of(e), e);
    }
  }

  /// Returns why a data set was not made: the stages of the flow behind it mean nothing to people.
  private static String reason(FlowException failure) {
    for (Throwable each = failure.getCause(); each != null; each = each.getCause()) {
      if (each instanceof MirrorException found) {
        return Reason.of(found);
      }
    }
    return Reason.of(failure);
  }

  private static ParameterException misuse(ParseResult options, String message) {
    return new ParameterException(options.commandSpec().commandLine(), message);
  }

  private static void make(List<Path> files, ParseResult options, Console console)
      throws IOException, FlowException, InterruptedException, CommandException {
    String to = options.matchedOptionValue(TO, "");
    List<Path> disks = new ArrayList<>();
    for (String disk : to.split(",", -1)) {
      disks.add(folder(disk));
    }
    long block = options.matchedOptionValue(BLOCK, (long) Mirror.USUAL_BLOCK_BYTES);
    long copies = options.matchedOptionValue(COPIES, (long) USUAL_COPIES);
    List<String> names = files.stream().map(MirrorCommand::name).toList();
    if (names.stream().distinct().count() < names.size()) {
      throw misuse(options, "two files have one name: each data set needs a name of its own");
    }
    for (Path file : files) {
      if (!Files.isRegularFile(file)) {
        throw new CommandException(
            ExitCode.BAD_INPUT, file + " is no file that can be mirrored: check its name");
      }
    }
    var made = new ArrayList<Map<String, Object>>();
    for (int i = 0; i < files.size(); i++) {
      var warnings = new ArrayList<String>();
      try {
        Mirror.copying(
                files.get(i),
                names.get(i),
                disks,
                Math.clamp(block, 0, Integer.MAX_VALUE),
                Math.clamp(copies, 0, Integer.MAX_VALUE),
                warning -> {
                  synchronized (warnings) {
                    warnings.add(warning);
                  }
                  console.err().println("warning: " + warning);
                })
            .start()
            .await();
      } catch (IllegalArgumentException e) {
        throw misuse(options, String.valueOf(e.getMessage()));
      }
      made.add(tell(names.get(i), disks, warnings, options, console));
    }
    if (options.hasMatchedOption(JSON)) {
      Map<String, Object> all = Json.success("mirror");
      all.put("dataSets", made);
      console.out().println(Json.object(all));
    }
  }

  /// Returns a folder of this host, or `HOST:DIR`, unless a folder here has that name.
  private static Path folder(String disk) throws CommandException {
    if (disk.isEmpty()) {
      throw new CommandException(
          ExitCode.BAD_INPUT, "an empty name among the folders: separate them by single commas");
    }
    Path folder = Path.of(disk);
    if (FileHost.isElsewhere(folder)) {
      return Files.isDirectory(folder) ? folder.toAbsolutePath() : folder;
    }
    if (RELATIVE.matcher(disk).matches() && !Files.isDirectory(folder)) {
      throw new CommandException(
          ExitCode.BAD_INPUT,
          disk + " names no folder of another host: give its whole path, HOST:/DIR");
    }
    return folder;
  }

  private static String name(Path file) {
    return String.valueOf(file.getFileName());
  }

  private static Map<String, Object> tell(
      String name, List<Path> disks, List<String> warnings, ParseResult options, Console console)
      throws IOException {
    Path manifest = manifest(name, disks);
    Mirror mirror = Mirror.open(manifest);
    if (!options.hasMatchedOption(JSON)) {
      console
          .out()
          .printf(
              Locale.ROOT,
              "%s: %,d bytes on %d disks%s%n",
              manifest,
              mirror.bytes(),
              disks.size(),
              warnings.isEmpty() ? "" : ", of which some copies are missing: repair it");
    }
    Map<String, Object> members = new LinkedHashMap<>();
    members.put("manifest", manifest.toString());
    members.put("bytes", mirror.bytes());
    members.put("disks", disks.size());
    members.put("warnings", warnings);
    return members;
  }

  /// A disk that has failed meanwhile has none.
  private static Path manifest(String name, List<Path> disks) {
    for (Path disk : disks) {
      Path place = disk.resolve(name + ".mirror");
      if (Mirror.isManifest(place)) {
        return place;
      }
    }
    return disks.getFirst().resolve(name + ".mirror");
  }

  private static void copy(Path manifest, Path file, ParseResult options, Console console)
      throws IOException, InterruptedException, CommandException {
    Mirror mirror = Mirror.open(existing(manifest));
    Mirror.Reads reads = mirror.copyTo(file);
    if (options.hasMatchedOption(JSON)) {
      Map<String, Object> all = Json.success("mirror copy");
      all.put("file", file.toString());
      all.put("bytes", mirror.bytes());
      all.put("problems", reads.problems());
      console.out().println(Json.object(all));
      return;
    }
    reads.problems().forEach(problem -> console.err().println("warning: " + problem));
    console
        .out()
        .printf(
            Locale.ROOT,
            "%s: %,d bytes%s%n",
            file,
            mirror.bytes(),
            reads.problems().isEmpty() ? "" : ", all of them intact: repair " + manifest);
  }

  private static Path existing(Path manifest) throws CommandException {
    try {
      if (FileHost.of(manifest).hasFile(manifest)) {
        return manifest;
      }
    } catch (IOException e) {
      throw new CommandException(ExitCode.BAD_INPUT, Reason.of(e), e);
    }
    throw new CommandException(
        ExitCode.BAD_INPUT,
        manifest + " does not exist: name NAME.mirror on any disk of the data set");
  }

  private static ExitCode look(
      String mode, List<Path> manifests, ParseResult options, Console console)
      throws IOException, CommandException {
    List<String> replace = options.matchedOptionValue(REPLACE, List.of());
    var looked = new ArrayList<Map<String, Object>>();
    boolean isWell = true;
    for (Path manifest : manifests) {
      Mirror mirror = Mirror.open(existing(manifest));
      Mirror.Report report =
          mode.equals(CHECK)
              ? mirror.check()
              : replace.isEmpty()
                  ? mirror.repair(null, null)
                  : mirror.repair(folder(replace.get(0)), folder(replace.get(1)));
      isWell &= report.isWell();
      looked.add(members(manifest, report));
      if (!options.hasMatchedOption(JSON)) {
        report.problems().forEach(problem -> console.err().println(problem));
        console
            .out()
            .printf(
                Locale.ROOT,
                "%s: %d copies, %d bad, %d repaired, %d blocks lost%s%n",
                manifest,
                report.copies(),
                report.badCopies(),
                report.repairedCopies(),
                report.lostBlocks(),
                manifests(report));
      }
    }
    if (options.hasMatchedOption(JSON)) {
      Map<String, Object> all = Json.success("mirror " + mode);
      all.put("isWell", isWell);
      all.put("dataSets", looked);
      console.out().println(Json.object(all));
    }
    return isWell ? ExitCode.OK : ExitCode.FAILED;
  }

  /// Returns what is said of manifests; nothing if all are well.
  private static String manifests(Mirror.Report report) {
    return report.badManifests() == 0
        ? ""
        : "; manifests: %d missing or old, %d written"
            .formatted(report.badManifests(), report.repairedManifests());
  }

  private static Map<String, Object> members(Path manifest, Mirror.Report report) {
    Map<String, Object> members = new LinkedHashMap<>();
    members.put("manifest", manifest.toString());
    members.put("copies", report.copies());
    members.put("badCopies", report.badCopies());
    members.put("repairedCopies", report.repairedCopies());
    members.put("lostBlocks", report.lostBlocks());
    members.put("badManifests", report.badManifests());
    members.put("repairedManifests", report.repairedManifests());
    members.put("problems", report.problems());
    return members;
  }
}
