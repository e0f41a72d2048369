package dev.tigris.testing.process;

import dev.tigris.testing.Tier;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// A command that a test runs in a process of its own: the words, the folder, and where its output
/// goes. Each method returns a command that differs in one thing.
public final class Command {
  /// How long a process may take to print a line, or to end, on a machine that is busy. In a soak,
  /// the whole long form of a test may be one process; a short soak has the usual time at least.
  static final Duration PATIENCE = Duration.ofMinutes(Math.max(2, Tier.choose(2, 5, 120)));

  private final List<String> words;
  private final String name;
  private final @Nullable Path folder;
  private final Map<String, @Nullable String> environment;
  private final Redirect output;
  private final Redirect errors;
  private final boolean mergesErrors;
  private final Redirect input;
  private final Duration patience;

  private Command(Draft draft) {
    this.words = List.copyOf(draft.words);
    this.name = draft.name;
    this.folder = draft.folder;
    this.environment = draft.environment;
    this.output = draft.output;
    this.errors = draft.errors;
    this.mergesErrors = draft.mergesErrors;
    this.input = draft.input;
    this.patience = draft.patience;
  }

  /// What of a command may be changed until it is made.
  private static final class Draft {
    List<String> words;
    String name;
    @Nullable Path folder;
    Map<String, @Nullable String> environment = new HashMap<>();
    Redirect output = Redirect.PIPE;
    Redirect errors = Redirect.PIPE;
    boolean mergesErrors = true;
    Redirect input = Redirect.PIPE;
    Duration patience = PATIENCE;

    Draft(List<String> words) {
      this.words = words;
      this.name = String.join(" ", words);
    }

    Draft(Command from) {
      this.words = from.words;
      this.name = from.name;
      this.folder = from.folder;
      this.environment = new HashMap<>(from.environment);
      this.output = from.output;
      this.errors = from.errors;
      this.mergesErrors = from.mergesErrors;
      this.input = from.input;
      this.patience = from.patience;
    }
  }

  /// A program and its arguments.
  public static Command of(String... words) {
    return of(List.of(words));
  }

  /// A program and its arguments.
  public static Command of(List<String> words) {
    return new Command(new Draft(words));
  }

  /// A line for the shell, which finds the arguments as `$1` and on.
  public static Command shell(String line, String... arguments) {
    List<String> words = new ArrayList<>(List.of("sh", "-c", line, "sh"));
    words.addAll(List.of(arguments));
    return of(words);
  }

  /// Appends words.
  public Command with(String... more) {
    Draft draft = new Draft(this);
    draft.words = concatenation(words, List.of(more));
    return new Command(draft);
  }

  /// Puts words before it: a command that runs this one, such as `prlimit --nofile=64 --`.
  public Command behind(String... prefix) {
    return behind(List.of(prefix));
  }

  /// Puts words before it: a command that runs this one.
  public Command behind(List<String> prefix) {
    Draft draft = new Draft(this);
    draft.words = concatenation(prefix, words);
    return new Command(draft);
  }

  /// Lets the permissions of files bind it. They do not bind root otherwise, who must start it.
  public Command bound() {
    String dropped = "-dac_override,-dac_read_search,-fowner";
    return behind("setpriv", "--bounding-set=" + dropped, "--inh-caps=" + dropped, "--");
  }

  /// Lets a shell run a line, such as `ulimit -n 80`, and then become this command.
  public Command after(String line) {
    return behind("sh", "-c", line + " && exec \"$@\"", "sh");
  }

  /// Returns a copy with another name in the text of failures.
  public Command named(String shown) {
    Draft draft = new Draft(this);
    draft.name = shown;
    return new Command(draft);
  }

  /// Runs it in a folder.
  public Command in(Path where) {
    Draft draft = new Draft(this);
    draft.folder = where;
    return new Command(draft);
  }

  /// Sets a variable of its environment, or removes it, by null.
  public Command environment(String variable, @Nullable String value) {
    Draft draft = new Draft(this);
    draft.environment.put(variable, value);
    return new Command(draft);
  }

  /// Collects what it prints to its standard error apart from its output.
  public Command errorsApart() {
    Draft draft = new Draft(this);
    draft.mergesErrors = false;
    return new Command(draft);
  }

  /// Sends its output elsewhere, so that it is not collected.
  public Command outputTo(Redirect where) {
    Draft draft = new Draft(this);
    draft.output = where;
    return new Command(draft);
  }

  /// Sends its errors elsewhere, so that they are not collected.
  public Command errorsTo(Redirect where) {
    Draft draft = new Draft(this);
    draft.errors = where;
    draft.mergesErrors = false;
    return new Command(draft);
  }

  /// Lets it read a file, or what else it is to read.
  public Command inputFrom(Redirect where) {
    Draft draft = new Draft(this);
    draft.input = where;
    return new Command(draft);
  }

  /// How long it may take to print a line that a test waits for, and to end.
  public Command patience(Duration longest) {
    Draft draft = new Draft(this);
    draft.patience = longest;
    return new Command(draft);
  }

  /// Starts it.
  ///
  /// @throws UncheckedIOException if it cannot be started, as where there is no such program
  public Child start() {
    Process process = launch();
    boolean reads = output.equals(Redirect.PIPE);
    boolean readsErrors = !mergesErrors && errors.equals(Redirect.PIPE);
    return new Child(
        this,
        process,
        reads ? Printed.from(process.getInputStream(), "output of " + name) : Printed.nothing(),
        readsErrors
            ? Printed.from(process.getErrorStream(), "errors of " + name)
            : Printed.nothing());
  }

  /// Starts it, and closes its output unread, as a reader does that has enough.
  public Child startUnread() {
    Process process = launch();
    try {
      process.getInputStream().close();
    } catch (IOException e) {
      throw new UncheckedIOException("cannot close the output of " + name, e);
    }
    return new Child(this, process, Printed.nothing(), Printed.nothing());
  }

  private Process launch() {
    ProcessBuilder builder =
        new ProcessBuilder(words).redirectErrorStream(mergesErrors).redirectInput(input);
    builder.redirectOutput(output);
    if (!mergesErrors) {
      builder.redirectError(errors);
    }
    if (folder != null) {
      builder.directory(new File(folder.toString()));
    }
    environment.forEach(
        (variable, value) -> {
          if (value == null) {
            builder.environment().remove(variable);
          } else {
            builder.environment().put(variable, value);
          }
        });
    try {
      return builder.start();
    } catch (IOException e) {
      throw new UncheckedIOException("cannot start " + this, e);
    }
  }

  /// Runs it to its end.
  ///
  /// @throws AssertionError with what it has printed, if it does not end in time
  public Outcome run() {
    try (Child child = start()) {
      return child.outcome();
    }
  }

  /// Runs it to its end, and returns what it printed.
  ///
  /// @throws AssertionError with what it has printed, if its exit code is not 0
  public String output() {
    return run().orThrow();
  }

  /// Whether it can be run, and ends with 0.
  public boolean succeeds() {
    try {
      return run().exitCode() == 0;
    } catch (UncheckedIOException e) {
      return false; // there is no such program
    }
  }

  Duration patience() {
    return patience;
  }

  private static List<String> concatenation(List<String> first, List<String> second) {
    List<String> all = new ArrayList<>(first);
    all.addAll(second);
    return all;
  }

  @Override
  public String toString() {
    return name;
  }
}
