package dev.tigris.bench;

import dev.tigris.cli.Reason;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
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
    footer = "",
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:done",
      "1:a figure does not reach its bar (with --check)",
      "2:wrong usage",
      "3:a bench failed or computed a wrong result, its files cannot be deleted, or existing"
          + " results are damaged",
      "4:the figures cannot be printed, or the results cannot be written"
    })
public final class Main implements Callable<Integer> {
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
          "take under two minutes a module, with wider intervals; measure variants, such as"
              + " net.tcp.veth, only if NAME names them")
  private boolean quick;

  @Option(names = "--tiny", hidden = true, description = "only show that the benches work")
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
      description = "write the results there, with a summary; NAME must name whole groups")
  private @Nullable Path out;

  @Option(names = "--missing", description = "with --out: only groups that have no results yet")
  private boolean missing;

  @Option(
      names = "--plots",
      description =
          "draw the results in --out (default: bench/results of the checkout), and measure nothing")
  private boolean plots;

  @Option(
      names = "--dir",
      paramLabel = "FOLDER",
      description = "put big files there (default: build/bench-work of the checkout)")
  private @Nullable Path work;

  @Option(names = "--debug", description = "print stack traces of failures")
  private boolean debug;

  private final Stop stop;

  /// The figures that are still to be measured would be of no use.
  private static final class UnwantedException extends RuntimeException {
    private static final long serialVersionUID = 1;
  }

  /// @param stop the request to end soon, which a signal makes
  Main(Stop stop) {
    this.stop = stop;
  }

  /// Runs the command and exits with its code.
  public static void main(String[] args) {
    System.setProperty("java.awt.headless", "true");
    // A writer directly over the stream notices what cannot be printed.
    PrintWriter out = new PrintWriter(System.out, true, System.out.charset());
    Stop stop = new Stop();
    CommandLine command = new CommandLine(new Main(stop)).setOut(out);
    int code = stop.stoppable(() -> command.execute(args));
    if (code == 0 && out.checkError()) {
      System.err.println("# The help cannot be printed."); // all else is reported elsewhere
      code = Outcome.NOT_WRITTEN.code;
    }
    System.exit(code);
  }

  @Override
  public Integer call() {
    Outcome outcome;
    try {
      outcome = perform();
    } catch (InterruptedException e) {
      say("stopped"); // what is left, if anything, was said before
      return Outcome.FAILED.code; // not seen: the signal has its own code
    } catch (UnwritableException e) {
      outcome = report(Outcome.NOT_WRITTEN, String.valueOf(e.getMessage()), e);
    } catch (IOException e) {
      outcome = report(Outcome.FAILED, String.valueOf(e.getMessage()), e);
    }
    if (!isPrinted()) {
      say("The figures cannot be printed: the output is full or closed.");
      outcome = outcome.and(Outcome.NOT_WRITTEN);
    }
    return outcome.code;
  }

  private Outcome perform() throws IOException, InterruptedException {
    if (plots) {
      return drawPlots();
    }
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
    List<Group> groups = quick ? withoutVariants(wanted) : wanted;
    if (list) {
      PrintWriter console = spec.commandLine().getOut();
      groups.stream()
          .flatMap(group -> group.figures().stream())
          .filter(name -> name.startsWith(prefix))
          .forEach(console::println);
      return Outcome.DONE;
    }
    Path results = out;
    if (results == null) {
      if (missing) {
        throw usage("--missing needs the folder of the existing results: name it with --out");
      }
      return measure(groups, Optional.empty());
    }
    for (Group group : groups) {
      if (!group.figures().stream().allMatch(name -> name.startsWith(prefix))) {
        throw usage(
            "--out writes whole groups, but '%s' is only a part of %s: name the group"
                .formatted(prefix, group.name()));
      }
    }
    return measure(groups, Optional.of(new Results(UnwritableException.writable(results))));
  }

  private Outcome drawPlots() throws IOException {
    if (!prefix.isEmpty() || quick || missing || check || list || json) {
      throw usage("--plots measures nothing: give it --out at most");
    }
    Path folder = out != null ? out : Home.find().resolve("bench").resolve("results");
    if (!Files.isDirectory(folder)) {
      throw usage("'%s' is not a folder with results: name another with --out".formatted(folder));
    }
    Results results = new Results(UnwritableException.writable(folder));
    List<Results.Sheet> sheets = results.loadAll();
    try {
      Plots.draw(sheets, results);
      return Outcome.DONE;
    } catch (IOException e) {
      return unwritten("the plots", results, e);
    }
  }

  private RunFolder newFolder(Path place) throws UnwritableException, InterruptedException {
    try {
      return RunFolder.in(place.toAbsolutePath());
    } catch (IOException e) {
      if (stop.isAskedFor()) {
        throw new InterruptedException(); // which is how the lock says that
      }
      throw new UnwritableException(
          "'%s' cannot be written to: %s".formatted(place, reason(e, place)));
    }
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

  private Outcome measure(List<Group> groups, Optional<Results> results)
      throws IOException, InterruptedException {
    List<Group> todo = new ArrayList<>(groups);
    if (results.isPresent()) {
      // Damaged ones are to be known now: the summary, which comes last, is of all of them.
      for (Group group : Groups.all()) {
        if ((missing || !groups.contains(group)) && results.get().load(group.name()).isPresent()) {
          todo.remove(group);
        }
      }
    }
    Path place =
        UnwritableException.writable(
            work != null ? work : Home.find().resolve("build").resolve("bench-work"));
    RunFolder folder = newFolder(place);
    Outcome outcome = Outcome.DONE;
    try {
      outcome = measure(todo, folder.path(), results);
      if (results.isPresent()) {
        outcome = outcome.and(summarize(results.get()));
      }
    } finally {
      outcome = outcome.and(delete(folder));
    }
    return outcome;
  }

  private Outcome delete(RunFolder folder) {
    try {
      folder.close();
      return Outcome.DONE;
    } catch (IOException e) {
      String why = reason(e, folder.path());
      return report(
          Outcome.FAILED,
          "'%s' cannot be deleted: %s. The next run there will try again"
              .formatted(folder.path(), why),
          e);
    }
  }

  private Outcome measure(List<Group> groups, Path folder, Optional<Results> results)
      throws InterruptedException {
    Outcome outcome = Outcome.DONE;
    for (Group group : groups) {
      if (stop.isAskedFor()) {
        throw new InterruptedException();
      }
      outcome = outcome.and(measure(group, folder, results));
      if (results.isEmpty() && !isPrinted()) {
        break; // the figures to come would be lost
      }
    }
    return outcome;
  }

  private Outcome measure(Group group, Path folder, Optional<Results> results)
      throws InterruptedException {
    List<Figure> figures = new ArrayList<>();
    Instant started = Clock.systemUTC().instant();
    try {
      group.measure(run(figures, folder, results.isPresent()));
    } catch (InterruptedException e) {
      throw e;
    } catch (Exception e) {
      if (stop.isAskedFor()) {
        throw new InterruptedException(); // a wait for a process that was ended may not tell
      }
      if (e instanceof UnwantedException) {
        return Outcome.NOT_WRITTEN;
      }
      return report(Outcome.FAILED, group.name() + " failed: " + reason(e, folder), e);
    }
    Header header = Header.of(group, scale(), Home.find(), started, Clock.systemUTC().instant());
    if (results.isPresent()) {
      try {
        results.get().save(new Results.Sheet(header, figures));
      } catch (IOException e) {
        return unwritten("the results of " + group.name(), results.get(), e);
      }
    } else {
      say(Results.line(header));
    }
    return check && figures.stream().anyMatch(Bar::isMissed) ? Outcome.MISSED : Outcome.DONE;
  }

  /// @param folder where was written
  private static String reason(Exception failure, Path folder) {
    String reason = Reason.of(failure);
    return reason.contains("No space left")
        ? "%s: make room on the disk of '%s', or name a folder on another".formatted(reason, folder)
        : reason;
  }

  private Outcome unwritten(String what, Results results, IOException why) {
    String message = what + " cannot be written: " + reason(why, results.folder());
    return report(Outcome.NOT_WRITTEN, message, why);
  }

  private Outcome report(Outcome outcome, String message, Exception cause) {
    say(message);
    if (debug) {
      cause.printStackTrace(spec.commandLine().getErr());
    }
    return outcome;
  }

  /// Whether all that was printed has gone where it should: a `PrintWriter` does not say otherwise.
  private boolean isPrinted() {
    return !spec.commandLine().getOut().checkError();
  }

  /// @param isKept whether figures go to a file too, and need not be printed
  private Run run(List<Figure> figures, Path folder, boolean isKept) {
    return new Run(
        scale(),
        prefix,
        folder,
        figure -> {
          figures.add(figure);
          PrintWriter console = spec.commandLine().getOut();
          console.println(json ? Results.line(figure) : Summary.line(figure));
          boolean isLost = !isPrinted() && !isKept;
          if (isLost || stop.isAskedFor()) {
            throw new UnwantedException();
          }
        },
        this::goOn);
  }

  /// Says what comes next, unless the bench was asked to stop: a process that it has lost by that
  /// is followed by no other.
  private void goOn(String next) {
    if (stop.isAskedFor()) {
      throw new UnwantedException();
    }
    say(next);
  }

  private Outcome summarize(Results results) {
    try {
      results.saveBeside(
          "summary.md", Summary.page(results.loadAll()).getBytes(StandardCharsets.UTF_8));
      return Outcome.DONE;
    } catch (IOException e) {
      return unwritten("the summary", results, e);
    }
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
