package dev.tigris.cluster.run.outputs;

import dev.tigris.cluster.run.protocol.Epoch;
import dev.tigris.cluster.run.protocol.Recovery;
import dev.tigris.cluster.run.protocol.RunId;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Finishes a run whose processes have ended before all of its outputs had their names or were
/// deleted. It holds the lock of the run's folder, which a coordinator holds as long as its process
/// lives.
///
/// Recovery can be repeated, and goes on where an earlier one was interrupted.
///
/// Thread rule: one thread.
public final class RunRecovery implements AutoCloseable {
  /// The name of the file that tells what is run, and is locked.
  public static final String RUN = "run";

  /// The name of the file with the options of the workers' JVMs.
  public static final String OPTIONS = "options";

  /// The name of the file that tells workers where the coordinator is.
  public static final String CONTROL = "control";

  /// The name of the file that tells clients where the control API of the run is.
  public static final String API = "api";

  /// The name of the file that tells of outputs on other hosts.
  public static final String ELSEWHERE = "elsewhere";

  /// The name of the file that tells how the run has ended.
  public static final String OVER = "over";

  /// A file that tells what is run is not larger.
  private static final int MOST_BYTES = 1 << 24;

  /// A fact in the file `run` of a host that has workers of a run, and not its coordinator.
  static final String COORDINATOR = "coordinator";

  /// The fates of the outputs.
  ///
  /// @param named how many have their names, now or before
  /// @param deleted how many were deleted
  /// @param unnamed what to tell the user about each that should have its name and has not
  public record Result(int named, int deleted, List<String> unnamed) {
    /// A result with its own list.
    public Result {
      unnamed = List.copyOf(unnamed);
    }
  }

  private final Path folder;
  private final FolderLock locked;
  private final RunId run;
  private final @Nullable String coordinator;
  private final @Nullable Decision decision;
  private final List<OutputNote> notes;

  private RunRecovery(Path folder, FolderLock locked) throws IOException {
    this.folder = folder;
    this.locked = locked;
    Path file = folder.resolve(RUN);
    Facts facts = Facts.of(file, text(locked.channel()));
    this.run = Facts.run(file, facts.need(RUN));
    this.coordinator = facts.find(COORDINATOR);
    this.decision = Decision.readFrom(folder);
    if (decision != null && !decision.run().equals(run)) {
      throw new IOException(
          "%s has the decision of run %s: this is run %s".formatted(folder, decision.run(), run));
    }
    this.notes = OutputNote.in(folder);
  }

  /// Takes over the folder of a run.
  ///
  /// @throws RunStillGoingException if the coordinator's process lives
  /// @throws IOException if the folder cannot be read or locked
  public static RunRecovery of(Path folder) throws IOException {
    FolderLock lock;
    try {
      lock = FolderLock.of(folder.resolve(RUN));
    } catch (NoSuchFileException | NotDirectoryException e) {
      throw new IOException(folder + " is not the folder of a run: it has no file 'run'", e);
    }
    if (lock == null) {
      throw new RunStillGoingException(
          "%s: the process of its coordinator still runs: end that first".formatted(folder));
    }
    try {
      return new RunRecovery(folder, lock);
    } catch (Throwable e) {
      lock.close();
      throw e;
    }
  }

  /// Reads through the channel that holds the lock: to close another one would give that back.
  private static String text(FileChannel locked) throws IOException {
    ByteBuffer bytes = ByteBuffer.allocate((int) Math.min(locked.size(), MOST_BYTES));
    while (bytes.hasRemaining() && locked.read(bytes) >= 0) {}
    return StandardCharsets.UTF_8.decode(bytes.flip()).toString();
  }

  /// Returns the run.
  public RunId run() {
    return run;
  }

  /// Returns the attempt whose outputs get their names by the decision that was found. It is null
  /// if there is none, or it was to give up.
  public @Nullable Epoch decided() {
    return decision == null ? null : decision.epoch();
  }

  /// Returns where the run's coordinator is, if that is another host without whose folder it is not
  /// known what was decided; null if it is known here.
  public @Nullable String askedElsewhere() {
    return decision == null ? coordinator : null;
  }

  /// Returns the notes of outputs that have not all got their names or been deleted.
  public List<OutputNote> notes() {
    return List.copyOf(notes);
  }

  /// Returns what to tell about outputs on other hosts, which those hosts have notes of and only
  /// this folder has the decision for.
  ///
  /// @throws IOException if that cannot be read
  public List<String> elsewhere() throws IOException {
    List<String> all = new ArrayList<>();
    Path file = folder.resolve(ELSEWHERE);
    if (Files.exists(file) && !Files.exists(folder.resolve(OVER))) {
      for (Facts.Fact fact : Facts.read(file).all()) {
        if (fact.name().startsWith("output.")) {
          all.add(fact.plain());
        }
      }
    }
    return all;
  }

  /// Does as was decided: outputs of the decided attempt get their names, all others are deleted.
  /// Without a decision, it first writes the one to give up.
  ///
  /// @throws IOException if that cannot be written, or an output cannot be deleted
  /// @throws IllegalStateException if it is not known here what was decided
  public Result finish() throws IOException {
    if (askedElsewhere() != null) {
      throw new IllegalStateException("the coordinator is " + coordinator);
    }
    if (decision == null) {
      Decision.giveUp(run).writeTo(folder);
    }
    return carryOut(decided());
  }

  /// Does as the user decides, where the coordinator's host is gone for good or has told.
  ///
  /// @param attempt whose outputs get their names; 0 if all are deleted
  /// @throws IOException if the decision cannot be written, an output cannot be deleted, or the
  ///     attempt has an output that was not prepared
  /// @throws IllegalStateException if it is known here what was decided
  public Result decide(int attempt) throws IOException {
    if (askedElsewhere() == null) {
      throw new IllegalStateException("it is known what was decided: call finish()");
    }
    for (OutputNote note : notes) {
      if (note.epoch().attempt() == attempt && !note.isPrepared()) {
        throw new IOException(
            "attempt %d was not decided, since worker %d had not prepared its outputs: discard them"
                .formatted(attempt, note.worker()));
      }
    }
    Decision chosen =
        attempt == 0 ? Decision.giveUp(run) : Decision.publish(new Epoch(run, attempt));
    chosen.writeTo(folder);
    return carryOut(chosen.epoch());
  }

  private Result carryOut(@Nullable Epoch decided) throws IOException {
    int named = 0;
    int deleted = 0;
    List<String> unnamed = new ArrayList<>();
    for (OutputNote note : notes) {
      int outputs = note.outputs().size();
      if (Recovery.of(decided, note.epoch()) == Recovery.PUBLISH) {
        List<String> left = note.publish();
        unnamed.addAll(left);
        named += Math.max(0, outputs - left.size());
      } else {
        note.discard();
        deleted += outputs;
      }
    }
    OutputNote.deleteEmpty(folder);
    Files.deleteIfExists(folder.resolve(CONTROL));
    Files.deleteIfExists(folder.resolve(OPTIONS));
    Files.deleteIfExists(folder.resolve(API));
    if (unnamed.isEmpty()) {
      Files.writeString(folder.resolve(OVER), Facts.text(Map.of("outcome", "recovered")));
    }
    return new Result(named, deleted, unnamed);
  }

  /// Gives the lock back.
  @Override
  public void close() throws IOException {
    locked.close();
  }

  /// Returns the folder of all runs: `tigris/runs` in XDG_STATE_HOME, which is `~/.local/state` by
  /// default.
  public static Path usualRuns() {
    String state = System.getenv("XDG_STATE_HOME");
    Path base =
        state == null || state.isEmpty() || !Path.of(state).isAbsolute()
            ? Path.of(System.getProperty("user.home"), ".local", "state")
            : Path.of(state);
    return base.resolve("tigris").resolve("runs");
  }

  /// Returns the folders of runs in whose number these digits are, the oldest first. Hosts that
  /// share the folder of all runs have several of one run: that of its coordinator comes first.
  public static List<Path> find(Path runs, String digits) throws IOException {
    if (Files.notExists(runs)) {
      return List.of();
    }
    try (var all = Files.list(runs)) {
      return all.filter(each -> Files.exists(each.resolve(RUN)))
          .filter(each -> numberOf(each).contains(digits))
          .sorted()
          .toList();
    }
  }

  /// Returns the number of the run of a folder, which is called `TIME-RUN` or, on a host of a
  /// worker, `TIME-RUN.MORE`.
  public static String numberOf(Path folder) {
    String name = String.valueOf(folder.getFileName());
    int end = name.indexOf('.');
    return name.substring(name.lastIndexOf('-') + 1, end < 0 ? name.length() : end);
  }
}
