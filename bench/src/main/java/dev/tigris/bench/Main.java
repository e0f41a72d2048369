package dev.tigris.bench;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/// `tigris bench`: measures figures, each beside its peer.
@Command(
    name = "tigris bench",
    exitCodeOnExecutionException = 3, // and not 1, as if a bar was not reached
    description = "Measures the figures whose names start with NAME, each beside its peer.",
    footer = {
      "",
      "Exit codes: 0 done, 1 a bar was not reached (with --check), 2 wrong usage,",
      "3 a bench failed or computed something wrong, 4 the figures cannot be printed."
    })
public final class Main implements Callable<Integer> {
  private static final int MISSED = 1;
  private static final int FAILED = 3;
  private static final int NOT_PRINTED = 4;

  @Spec private CommandSpec spec = CommandSpec.create();

  @Option(
      names = {"-h", "--help"},
      usageHelp = true,
      description = "print this help")
  @SuppressWarnings("UnusedVariable") // picocli looks at it
  private boolean help;

  @Parameters(arity = "0..1", paramLabel = "NAME", description = "a figure's prefix (default: all)")
  private String prefix = "";

  @Option(
      names = "--quick",
      description =
          "under two minutes a module: wider intervals, and variants, such as net.tcp.veth, only"
              + " by their name")
  private boolean quick;

  @Option(names = "--tiny", hidden = true, description = "only shows that the benches work")
  private boolean tiny;

  @Option(names = "--json", description = "print one JSON object a line")
  private boolean json;

  @Option(names = "--list", description = "print the figures' names and measure nothing")
  private boolean list;

  @Option(names = "--check", description = "exit with 1 if a figure does not reach its bar")
  private boolean check;

  @Option(
      names = "--out",
      paramLabel = "FOLDER",
      description = "write the results there, with a summary and plots; whole groups only")
  private @Nullable Path out;

  @Option(names = "--missing", description = "with --out: only groups that have no results yet")
  private boolean missing;

  @Option(
      names = "--dir",
      paramLabel = "FOLDER",
      description = "for big files (default: build/bench-work of the checkout)")
  private @Nullable Path work;

  /// Runs the command and exits with its code.
  public static void main(String[] args) {
    System.setProperty("java.awt.headless", "true");
    // A writer right over the stream hears from it that something could not be printed.
    PrintWriter out = new PrintWriter(System.out, true, System.out.charset());
    System.exit(new CommandLine(new Main()).setOut(out).execute(args));
  }

  @Override
  public Integer call() throws Exception {
    PrintWriter console = spec.commandLine().getOut();
    List<Group> all = Groups.all();
    List<Group> wanted =
        all.stream()
            .filter(group -> group.figures().stream().anyMatch(name -> name.startsWith(prefix)))
            .toList();
    all.stream()
        .filter(group -> wanted.contains(group) || group.name().startsWith(prefix))
        .flatMap(group -> group.missing().stream())
        .forEach(this::say);
    if (wanted.isEmpty()) {
      throw usage("No figure's name starts with '" + prefix + "'. See them all with --list.");
    }
    if (list) {
      wanted.stream()
          .flatMap(group -> group.figures().stream())
          .filter(name -> name.startsWith(prefix))
          .forEach(console::println);
      return isPrinted() ? 0 : NOT_PRINTED;
    }
    List<Group> groups = quick ? withoutVariants(wanted) : wanted;
    Path results = out;
    if (results == null) {
      if (missing) {
        throw usage("--missing is about results that are there: say where, with --out");
      }
      return measure(groups, Optional.empty());
    }
    for (Group group : groups) {
      if (!group.figures().stream().allMatch(name -> name.startsWith(prefix))) {
        throw usage(
            "--out keeps whole groups, and '" + prefix + "' is only a part of " + group.name());
      }
    }
    return measure(groups, Optional.of(new Results(writable(results))));
  }

  /// Makes a folder if it is missing; refuses one that cannot be made, or written to, before
  /// anything is measured.
  private Path writable(Path folder) {
    try {
      if (Files.isWritable(Files.createDirectories(folder))) {
        return folder;
      }
    } catch (IOException e) {
      // is said below
    }
    throw usage("'%s' is no folder that can be written to: name another".formatted(folder));
  }

  /// What a quick run measures of these: variants only if nothing else is asked for.
  private List<Group> withoutVariants(List<Group> wanted) {
    List<Group> rest = wanted.stream().filter(group -> !group.isVariant()).toList();
    if (rest.isEmpty() || rest.size() == wanted.size()) {
      return wanted;
    }
    String variants =
        wanted.stream().filter(Group::isVariant).map(Group::name).collect(Collectors.joining(", "));
    say("A quick run leaves out " + variants + ": name one to measure it.");
    return rest;
  }

  private CommandLine.ParameterException usage(String message) {
    return new CommandLine.ParameterException(spec.commandLine(), message);
  }

  private int measure(List<Group> groups, Optional<Results> results)
      throws IOException, InterruptedException {
    Path folder =
        writable(work != null ? work : Home.find().resolve("build").resolve("bench-work"));
    boolean failed = false;
    boolean missed = false;
    for (Group group : groups) {
      if (results.isEmpty() && !isPrinted()) {
        return NOT_PRINTED; // nobody would know what comes
      }
      if (missing && results.isPresent() && results.get().load(group.name()).isPresent()) {
        continue;
      }
      List<Figure> figures = new ArrayList<>();
      Instant started = Clock.systemUTC().instant();
      try {
        group.measure(run(figures, folder));
      } catch (InterruptedException e) {
        throw e;
      } catch (Exception e) {
        failed = true;
        say(group.name() + " failed: " + e.getMessage());
        e.printStackTrace(spec.commandLine().getErr());
        continue;
      }
      missed |= figures.stream().anyMatch(Main::missesItsBar);
      Header header = Header.of(group, scale(), Home.find(), started, Clock.systemUTC().instant());
      if (results.isPresent()) {
        results.get().save(new Results.Sheet(header, figures));
      } else {
        say(Results.line(header));
      }
    }
    if (results.isPresent()) {
      redraw(results.get());
    }
    return failed ? FAILED : !isPrinted() ? NOT_PRINTED : check && missed ? MISSED : 0;
  }

  /// Whether all that was printed has gone where it should: a `PrintWriter` does not say otherwise.
  private boolean isPrinted() {
    boolean failed = spec.commandLine().getOut().checkError();
    if (failed) {
      say("The figures cannot be printed: the output is full, or nobody reads it.");
    }
    return !failed;
  }

  private Run run(List<Figure> figures, Path folder) {
    return new Run(
        scale(),
        prefix,
        folder,
        figure -> {
          figures.add(figure);
          PrintWriter console = spec.commandLine().getOut();
          console.println(json ? Results.line(figure) : Summary.line(figure));
          console.flush();
        },
        this::say);
  }

  private static boolean missesItsBar(Figure figure) {
    return Bar.of(figure).map(bar -> bar.judge(figure) != Bar.Verdict.MET).orElse(false);
  }

  private static void redraw(Results results) throws IOException {
    List<Results.Sheet> sheets = new ArrayList<>();
    for (Group group : Groups.all()) {
      results.load(group.name()).ifPresent(sheets::add);
    }
    results.saveSummary(Summary.page(sheets));
    Plots.draw(sheets, results);
  }

  private Scale scale() {
    return tiny ? Scale.TINY : quick ? Scale.QUICK : Scale.FULL;
  }

  /// What is going on goes to the error stream, so that the output holds figures only.
  private void say(String line) {
    PrintWriter errors = spec.commandLine().getErr();
    errors.println("# " + line);
    errors.flush();
  }
}
