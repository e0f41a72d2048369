package dev.tigris.cluster.run.outputs;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/// The files in the folder of a run, as others read them.
///
/// @param folder the folder
/// @param run its 32 hexadecimal digits
/// @param state what has become of it
/// @param facts what is run: `program`, `arguments`, `processes`, `process`
/// @param ending how it has ended, if it is over
public record RunRecord(
    Path folder, String run, State state, Map<String, String> facts, Map<String, String> ending) {
  /// A fact of an ending: `done`, `cancelled`, or why it has failed.
  public static final String OUTCOME = "outcome";

  /// A fact of an ending: how many attempts there were.
  public static final String ATTEMPTS = "attempts";

  /// A fact of an ending: how long the run took.
  public static final String NANOS = "nanos";

  /// A fact of a failed ending: the kind of its exception.
  public static final String KIND = "kind";

  /// The beginning of the facts with results, each of which is a number and its name.
  public static final String RESULT = "result.";

  private static final Duration YOUNG = Duration.ofSeconds(5);

  /// The things that may have become of a run.
  public enum State {
    /// Its coordinator's process lives.
    RUNNING,
    /// It is over.
    OVER,
    /// Its coordinator's process has died.
    LOST
  }

  /// Copies the maps.
  public RunRecord {
    facts = Map.copyOf(facts);
    ending = Map.copyOf(ending);
  }

  /// Reads the folder of a run.
  ///
  /// @throws IOException if it cannot be read, or the run is one of this process that is not over
  public static RunRecord of(Path folder) throws IOException {
    Path run = folder.resolve(RunRecovery.RUN);
    Path over = folder.resolve(RunRecovery.OVER);
    if (FolderLock.isHeld(run)) {
      throw new IOException(run + " is locked by this process, which would give the lock back");
    }
    Map<String, String> facts = Facts.read(run).plain();
    boolean isRunning = Files.notExists(over) && isRunning(run);
    boolean isOver = Files.exists(over); // asked again: it may have come meanwhile
    return new RunRecord(
        folder,
        RunRecovery.numberOf(folder),
        isOver ? State.OVER : isRunning ? State.RUNNING : State.LOST,
        facts,
        isOver ? Facts.read(over).plain() : Map.of());
  }

  /// A coordinator locks a folder that is new: to look whether it has must not be in its way.
  private static boolean isRunning(Path run) throws IOException {
    Instant made = Files.getLastModifiedTime(run, LinkOption.NOFOLLOW_LINKS).toInstant();
    if (made.plus(YOUNG).isAfter(Instant.now())) {
      return true;
    }
    try (FolderLock lock = FolderLock.of(run)) {
      return lock == null;
    }
  }

  /// Reads the folders of all runs whose coordinators are or were on this host, the oldest first.
  /// One that cannot be read, or is being deleted, is left out.
  ///
  /// @throws IOException if the folder of all cannot be read
  public static List<RunRecord> in(Path runs) throws IOException {
    List<RunRecord> all = new ArrayList<>();
    for (Path folder : RunRecovery.find(runs, "")) {
      try {
        RunRecord found = of(folder);
        if (!found.facts().containsKey(RunRecovery.COORDINATOR)) {
          all.add(found);
        }
      } catch (IOException e) {
        // another run may be deleting it
      }
    }
    return all;
  }

  /// Returns when the run was started, as its folder is named.
  public String started() {
    String name = String.valueOf(folder.getFileName());
    return name.substring(0, Math.max(0, name.lastIndexOf('-')));
  }

  /// Returns the outcome in words; empty if the run is not over.
  public String outcome() {
    return ending.getOrDefault(OUTCOME, "");
  }

  /// Returns the numbers that the modules have told, if the run has ended well.
  public Map<String, Long> results() {
    Map<String, Long> results = new TreeMap<>();
    ending.forEach(
        (name, value) -> {
          int space = value.indexOf(' ');
          if (name.startsWith(RESULT) && space > 0) {
            results.put(value.substring(space + 1), Long.parseLong(value.substring(0, space)));
          }
        });
    return results;
  }
}
