package dev.tigris.testing.process;

import dev.tigris.testing.Wait;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// A process that a test has started by a [Command]. What it prints is collected; it is killed at
/// the end of the test, or of the class of tests, that started it.
///
/// Any thread may use it; one at a time takes lines.
public final class Child implements AutoCloseable {
  private final Command command;
  private final Process process;
  private final Printed output;
  private final Printed errors;

  Child(Command command, Process process, Printed output, Printed errors) {
    this.command = command;
    this.process = process;
    this.output = output;
    this.errors = errors;
    Children.OF_THIS_JVM.add(this);
  }

  /// Returns its number.
  public long pid() {
    return process.pid();
  }

  /// Returns what the JDK knows of it.
  public ProcessHandle handle() {
    return process.toHandle();
  }

  /// Whether it runs, or is paused.
  public boolean isAlive() {
    return process.isAlive();
  }

  /// Returns the next line that it prints to its standard output; null at the end of that.
  ///
  /// @throws AssertionError if no line comes in time
  public @Nullable String nextLine() {
    return output.nextLine(command.patience(), this);
  }

  /// Waits for a line, and returns the process.
  ///
  /// @throws AssertionError if it prints another, or ends
  public Child expectLine(String line) {
    String printed = nextLine();
    if (!line.equals(printed)) {
      throw new AssertionError(
          "'%s' is not the next line of %s, but '%s'".formatted(line, this, printed));
    }
    return this;
  }

  /// Writes a line to its standard input.
  ///
  /// @throws UncheckedIOException if the process no longer reads
  public void say(String line) {
    try {
      Writer input = process.outputWriter();
      input.write(line + "\n");
      input.flush();
    } catch (IOException e) {
      throw new UncheckedIOException("cannot tell '%s' to %s".formatted(line, this), e);
    }
  }

  /// Ends its standard input.
  public void endInput() {
    try {
      process.outputWriter().close();
    } catch (IOException e) {
      throw new UncheckedIOException("cannot end the input of " + this, e);
    }
  }

  /// Sends it a signal.
  public void send(Signal signal) {
    Outcome sent =
        Command.of("sh", "-c", "kill -%s %d".formatted(signal, pid())).named("kill").run();
    if (sent.exitCode() != 0 && isAlive()) {
      throw new AssertionError(sent.toString());
    }
  }

  /// Kills it (SIGKILL), and waits for its end. What it has printed can still be read.
  public void kill() {
    beginToKill();
    Outcome _ = reap();
  }

  /// Kills it (SIGKILL), and does not wait for its end.
  public void beginToKill() {
    // Process.destroyForcibly would close the output under its reader.
    process.toHandle().destroyForcibly();
  }

  /// Asks it to end (SIGTERM).
  public void terminate() {
    process.toHandle().destroy();
  }

  /// Pauses it (SIGSTOP), and waits until none of its threads runs.
  public void pause() {
    send(Signal.STOP);
    Path threads = Path.of("/proc", String.valueOf(pid()), "task");
    if (Files.exists(threads)) {
      Wait.until("it is paused: " + this, () -> allStand(threads));
    }
  }

  private static boolean allStand(Path threads) throws IOException {
    try (Stream<Path> all = Files.list(threads)) {
      for (Path thread : all.toList()) {
        String stat;
        try {
          stat = Files.readString(thread.resolve("stat"));
        } catch (NoSuchFileException e) {
          continue; // it ended meanwhile
        }
        if (stat.charAt(stat.lastIndexOf(')') + 2) != 'T') {
          return false;
        }
      }
      return true;
    }
  }

  /// Lets it go on after a pause (SIGCONT).
  public void resume() {
    send(Signal.CONT);
  }

  /// Waits for its end for so long; returns whether it has ended.
  public boolean endsWithin(Duration duration) {
    try {
      return process.waitFor(duration.toNanos(), TimeUnit.NANOSECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError("interrupted while it waits for " + this, e);
    }
  }

  /// Waits for its end, and returns its exit code.
  ///
  /// @throws AssertionError with what it has printed, if it does not end in time
  public int exitCode() {
    if (!endsWithin(command.patience())) {
      throw new AssertionError(
          "it goes on after %d ms: %s%n%s"
              .formatted(command.patience().toMillis(), this, printed()));
    }
    return process.exitValue();
  }

  /// Waits for its end, and returns how it ended.
  ///
  /// @throws AssertionError with what it has printed, if it does not end in time
  public Outcome outcome() {
    int code = exitCode();
    return new Outcome(
        command.toString(),
        code,
        output.all(command.patience(), this),
        errors.all(command.patience(), this));
  }

  private Outcome reap() {
    int code = exitCode();
    return new Outcome(command.toString(), code, output.toString(), errors.toString());
  }

  /// Returns what it has printed so far, to its standard output and to its standard error.
  public String printed() {
    return output.toString() + errors;
  }

  /// Kills it if it has not ended, and waits for its end.
  @Override
  public void close() {
    if (isAlive()) {
      kill();
    }
    try {
      process.outputWriter().close();
    } catch (IOException e) {
      // What it did not read is lost with it.
    }
  }

  @Override
  public String toString() {
    return "%s (process %d)".formatted(command, pid());
  }
}
