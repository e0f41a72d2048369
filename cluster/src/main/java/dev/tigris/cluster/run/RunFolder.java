package dev.tigris.cluster.run;

import dev.tigris.cluster.run.outputs.Decision;
import dev.tigris.cluster.run.outputs.Facts;
import dev.tigris.cluster.run.outputs.FolderLock;
import dev.tigris.cluster.run.outputs.OutputNote;
import dev.tigris.cluster.run.outputs.RunRecovery;
import dev.tigris.cluster.run.protocol.Epoch;
import dev.tigris.cluster.run.protocol.RunId;
import dev.tigris.os.UnnamedOutput;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/// The folder of one run, which only its user can enter:
///
/// ```
/// RUNS/20261129-014500-1f3a.../
///   run              what is run, and which version of this layout
///   api              where the control API is reached, and the word that lets clients in
///   options          the options of the workers' JVMs
///   control          where workers of this host reach the coordinator, and the word that lets them
///   worker-2.1.log   what worker 2 of attempt 1 has printed
///   worker-2.1.outputs   what it writes, until that has its name (OutputNote)
///   elsewhere        the outputs of other hosts, which have notes of them
///   decision         which attempt's outputs get their names (Decision)
///   over             how the run has ended; only then the folder may be deleted
/// ```
final class RunFolder implements AutoCloseable {
  /// How many runs that are over are kept.
  static final int KEPT = 20;

  private static final Duration YOUNG = Duration.ofMinutes(1);
  private static final DateTimeFormatter TIME =
      DateTimeFormatter.ofPattern("yyyyMMdd-HHmmss", Locale.ROOT).withZone(ZoneOffset.UTC);

  private final Path path;
  private final FolderLock locked;
  private List<Elsewhere> elsewhere = List.of();

  private final Map<String, String> facts;

  private RunFolder(Path path, FolderLock locked, Map<String, String> facts) {
    this.path = path;
    this.locked = locked;
    this.facts = Map.copyOf(facts);
  }

  /// Returns the folder of all runs.
  static Path usualRuns() {
    return RunRecovery.usualRuns();
  }

  /// Makes the folder of a run, and deletes those of the oldest runs that are over.
  ///
  /// @param facts what the file `run` tells besides the version
  /// @throws IOException if it cannot be made
  static RunFolder make(Path runs, RunId run, Instant time, Map<String, String> facts)
      throws IOException {
    return make(runs, run, "", time, facts);
  }

  /// Makes the folder of a run on a host that is not its coordinator's.
  ///
  /// @param suffix tells it from others of the run
  static RunFolder make(
      Path runs, RunId run, String suffix, Instant time, Map<String, String> facts)
      throws IOException {
    Files.createDirectories(runs);
    prune(runs);
    Path path = runs.resolve(TIME.format(time) + "-" + run + suffix);
    Files.createDirectory(
        path, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
    Map<String, String> all = new TreeMap<>(facts);
    all.put("run", run.toString());
    Path file = path.resolve(RunRecovery.RUN);
    try (FileChannel channel = Facts.create(file, all)) {
      channel.force(true); // recovery after a crash of the machine reads it
    }
    FolderLock lock = FolderLock.of(file);
    if (lock == null) {
      throw new IOException("another process has locked %s, which is new".formatted(file));
    }
    return new RunFolder(path, lock, all);
  }

  /// Refuses outputs of two workers with one name: the one named last would replace the other.
  void refuseClash(Epoch epoch) throws IOException {
    Map<Path, Integer> seen = new HashMap<>();
    for (OutputNote note : OutputNote.in(path)) {
      if (note.epoch().equals(epoch)) {
        for (UnnamedOutput output : note.outputs()) {
          Integer other = seen.putIfAbsent(output.target(), note.worker());
          if (other != null) {
            throw new IOException(
                "workers %d and %d both write %s: give one of them another name"
                    .formatted(other, note.worker(), output.target()));
          }
        }
      }
    }
  }

  /// Reads a file of facts that [#make] or [#control] has written.
  ///
  /// @throws IOException if it cannot be read, others can write to it, or it is of another version
  static Map<String, String> read(Path file) throws IOException {
    return Facts.readOwn(file);
  }

  /// Returns what the file `run` tells. This process must not read it: to close it would give the
  /// lock back.
  Map<String, String> facts() {
    return facts;
  }

  Path path() {
    return path;
  }

  /// Returns the command that finishes the run.
  String recovery() {
    return recovery(path);
  }

  static String recovery(Path folder) {
    Path runs = folder.toAbsolutePath().getParent();
    String run = RunRecovery.numberOf(folder);
    return usualRuns().equals(runs) || runs == null
        ? "tigris recover " + run
        : "tigris recover %s --runs %s".formatted(run, runs);
  }

  /// Writes what a worker of this host needs to reach the coordinator.
  void control(Map<String, String> facts) throws IOException {
    Facts.create(path.resolve(RunRecovery.CONTROL), facts).close();
  }

  /// Returns the file that [#control] writes.
  static Path control(Path folder) {
    return folder.resolve(RunRecovery.CONTROL);
  }

  /// Writes the options of the workers' JVMs to a file that only this user can read, as the
  /// command `java @FILE` reads it: in a list of processes all users could.
  Path options(JavaCommand command) throws IOException {
    Path file = path.resolve(RunRecovery.OPTIONS);
    try (FileChannel to = Facts.createOwn(file)) {
      Facts.write(to, command.optionsFile());
    }
    return file;
  }

  /// Returns the file for what Java prints as it makes an AOT cache.
  Path aotLog() {
    return path.resolve("aot.log");
  }

  /// Returns the file for what a worker prints.
  Path log(int worker, int attempt) {
    return path.resolve("worker-%d.%d.log".formatted(worker, attempt));
  }

  /// Writes that an attempt's outputs get their names. It is on the disk when this returns.
  ///
  /// @throws IOException if it cannot be written; [#isDecided] says whether it may be there
  void decide(Epoch epoch) throws IOException {
    Decision.publish(epoch).writeTo(path);
  }

  /// Returns whether there is a decision, be it on the disk or not.
  boolean isDecided() {
    return Decision.isIn(path);
  }

  /// Returns whether an output of the run may have neither its name nor been deleted.
  boolean hasUnfinishedOutputs() throws IOException {
    return !elsewhere.isEmpty() || !OutputNote.in(path).isEmpty();
  }

  /// Gives the outputs of a worker their names, in place of that worker.
  ///
  /// @return what to tell the user about each that has none
  List<String> nameFor(Epoch epoch, int worker) {
    List<String> unnamed = new ArrayList<>();
    try {
      for (OutputNote note : OutputNote.in(path)) {
        if (note.epoch().equals(epoch) && note.worker() == worker) {
          unnamed.addAll(note.publish());
        }
      }
    } catch (IOException e) {
      unnamed.add("the outputs of worker %d cannot be found in %s: %s".formatted(worker, path, e));
    }
    return unnamed;
  }

  /// An output of a worker on another host.
  ///
  /// @param host where that host's worker listens
  /// @param worker which worker, from 0
  /// @param temporary its name until it has its own
  /// @param target where it belongs
  record Elsewhere(String host, int worker, Path temporary, Path target) {
    private String text() {
      return "worker %d at %s: %s for %s".formatted(worker, host, temporary, target);
    }
  }

  /// Notes the outputs of an attempt on other hosts, before it is decided that they get their
  /// names. The folder is kept until they have them.
  void elsewhere(Epoch epoch, List<Elsewhere> outputs) throws IOException {
    elsewhere = List.copyOf(outputs);
    if (!outputs.isEmpty()) {
      Map<String, String> facts = new TreeMap<>();
      for (int i = 0; i < outputs.size(); i++) {
        facts.put("output." + i, outputs.get(i).text());
      }
      facts.put("attempt", String.valueOf(epoch.attempt()));
      try (FileChannel to = Facts.create(path.resolve(RunRecovery.ELSEWHERE), facts)) {
        to.force(true);
      }
    }
  }

  /// Returns the outputs on other hosts that may have no names.
  List<Elsewhere> elsewhere() {
    return elsewhere;
  }

  /// Notes that no output on another host needs the decision any more.
  void forgetElsewhere() throws IOException {
    Files.deleteIfExists(path.resolve(RunRecovery.ELSEWHERE));
    elsewhere = List.of();
  }

  /// Deletes what the processes of an attempt have left, all of which have ended.
  void discard(Epoch epoch) throws IOException {
    for (OutputNote note : OutputNote.in(path)) {
      if (note.epoch().equals(epoch)) {
        note.discard();
      }
    }
  }

  /// Notes how the run has ended. Nothing in the folder is needed any more.
  void over(Map<String, String> facts) throws IOException {
    OutputNote.deleteEmpty(path);
    Files.deleteIfExists(path.resolve(RunRecovery.CONTROL));
    Files.deleteIfExists(path.resolve(RunRecovery.OPTIONS));
    Files.deleteIfExists(path.resolve(RunRecovery.API));
    Facts.create(path.resolve(RunRecovery.OVER), facts).close();
  }

  @Override
  public void close() throws IOException {
    locked.close();
  }

  /// Deletes the folders of the oldest runs that are over. One that cannot be deleted stays.
  private static void prune(Path runs) {
    List<Path> known = new ArrayList<>();
    try (DirectoryStream<Path> all = Files.newDirectoryStream(runs)) {
      for (Path each : all) {
        if (Files.exists(each.resolve(RunRecovery.RUN))) {
          known.add(each);
        }
      }
    } catch (IOException | DirectoryIteratorException e) {
      return; // the next run deletes them
    }
    known.sort(Comparator.<Path, String>comparing(each -> each.toString()).reversed());
    int kept = 1;
    for (Path each : known) {
      try {
        boolean isOver = Files.exists(each.resolve(RunRecovery.OVER)) || isAbandoned(each);
        if (isOver && ++kept > KEPT) {
          delete(each);
        }
      } catch (IOException e) {
        // another run may be deleting it, too
      }
    }
  }

  /// Returns whether the coordinator of a run died before it could say how the run has ended, and
  /// left nothing to recover. One that is being made is younger, and not locked yet.
  private static boolean isAbandoned(Path folder) throws IOException {
    Path run = folder.resolve(RunRecovery.RUN);
    Instant made = Files.getLastModifiedTime(run).toInstant();
    if (made.plus(YOUNG).isAfter(Instant.now())
        || Files.exists(folder.resolve(RunRecovery.ELSEWHERE))
        || !OutputNote.in(folder).isEmpty()) {
      return false;
    }
    try (FolderLock lock = FolderLock.of(run)) {
      return lock != null;
    }
  }

  private static void delete(Path folder) throws IOException {
    List<Path> entries;
    try (Stream<Path> all = Files.list(folder)) {
      entries = all.sorted(Comparator.comparing(RunFolder::isOver)).toList();
    }
    for (Path entry : entries) { // the mark that it may be deleted goes last
      Files.deleteIfExists(entry);
    }
    Files.deleteIfExists(folder);
  }

  private static Boolean isOver(Path file) {
    return file.endsWith(RunRecovery.OVER);
  }
}
