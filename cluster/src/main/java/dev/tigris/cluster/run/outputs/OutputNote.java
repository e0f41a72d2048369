package dev.tigris.cluster.run.outputs;

import dev.tigris.cluster.run.protocol.Epoch;
import dev.tigris.flow.OutputOwner;
import dev.tigris.os.UnnamedOutput;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/// A worker's note of the outputs that it makes in one attempt: the file `worker-K.N.outputs` in
/// the run's folder. It tells of each output before anything of that is on the disk, so that what
/// a dead process has left can be found. A last line says that all of them are prepared.
///
/// Without outputs there is no file.
///
/// Thread rule: any thread.
public final class OutputNote implements OutputOwner {
  private static final String SUFFIX = ".outputs";
  private static final String TEMPORARY = "temporary";
  private static final String TARGET = "target";

  /// Followed by which output it is, from 0.
  private static final String IDENTITY = "identity.";

  private final Path file;
  private final Epoch epoch;
  private final int worker;
  private final List<UnnamedOutput> outputs = new ArrayList<>();

  /// What each output keeps when it gets its name, as it was when it was prepared.
  private final Map<UnnamedOutput, UnnamedOutput.Identity> identities = new HashMap<>();

  private final StringBuilder written = new StringBuilder();
  private boolean prepared;
  private boolean discarded;

  /// Makes a note without an output, whose file is made with the first one.
  ///
  /// @param folder the run's
  public OutputNote(Path folder, Epoch epoch, int worker) {
    this.file =
        folder
            .toAbsolutePath()
            .resolve("worker-%d.%d%s".formatted(worker, epoch.attempt(), SUFFIX));
    this.epoch = epoch;
    this.worker = worker;
  }

  private OutputNote(Path file, Facts facts) throws IOException {
    this.file = file;
    this.epoch = new Epoch(Facts.run(file, facts.need("run")), facts.needNumber("attempt"));
    this.worker = facts.needNumber("worker");
    this.prepared = facts.isSealed();
    Path temporary = null;
    for (Facts.Fact fact : facts.all()) {
      if (fact.name().equals(TEMPORARY)) {
        temporary = Path.of(fact.plain());
      } else if (fact.name().equals(TARGET) && temporary != null) {
        outputs.add(new UnnamedOutput(temporary, Path.of(fact.plain())));
        temporary = null;
      } else if (prepared && fact.name().startsWith(IDENTITY)) {
        identify(fact);
      }
    }
  }

  /// Reads a line of the identity of an output.
  private void identify(Facts.Fact fact) throws IOException {
    try {
      int which = Integer.parseInt(fact.name().substring(IDENTITY.length()));
      UnnamedOutput.Identity its = UnnamedOutput.Identity.parse(fact.plain());
      identities.put(outputs.get(which), its);
    } catch (IllegalArgumentException | IndexOutOfBoundsException e) {
      throw new IOException(
          "%s has a line %s=%s, which is of no output: it is damaged"
              .formatted(file, fact.name(), fact.value()),
          e);
    }
  }

  /// Returns the notes in a run's folder.
  public static List<OutputNote> in(Path folder) throws IOException {
    List<OutputNote> notes = new ArrayList<>();
    for (Path each : files(folder)) {
      Facts facts = Facts.read(each);
      if (!facts.all().isEmpty()) { // else its process died before it wrote anything
        notes.add(new OutputNote(each, facts));
      }
    }
    return notes;
  }

  /// Deletes the notes of processes that died before they wrote anything: they tell of no output.
  public static void deleteEmpty(Path folder) throws IOException {
    for (Path each : files(folder)) {
      if (Facts.read(each).all().isEmpty()) {
        Files.deleteIfExists(each);
      }
    }
  }

  private static List<Path> files(Path folder) throws IOException {
    try (var all = Files.list(folder.toAbsolutePath())) {
      return all.filter(each -> each.toString().endsWith(SUFFIX)).sorted().toList();
    }
  }

  /// Returns the folder of the run.
  public Path folder() {
    return Objects.requireNonNull(file.getParent());
  }

  /// Returns the attempt.
  public Epoch epoch() {
    return epoch;
  }

  /// Returns which worker, from 0.
  public int worker() {
    return worker;
  }

  /// Returns whether the worker has voted: all of its outputs are on the disk.
  public synchronized boolean isPrepared() {
    return prepared;
  }

  /// Returns the outputs.
  public synchronized List<UnnamedOutput> outputs() {
    return List.copyOf(outputs);
  }

  // -- The worker.

  @Override
  public String mark() {
    return "%s.%d".formatted(epoch, worker);
  }

  @Override
  public synchronized void making(Path temporary, Path target) throws IOException {
    refuseIfDiscarded();
    String lines =
        Facts.line(TEMPORARY, temporary.toString()) + Facts.line(TARGET, target.toString());
    if (written.isEmpty()) {
      lines =
          Facts.line("version", Facts.VERSION)
              + Facts.line("run", epoch.run().toString())
              + Facts.line("attempt", String.valueOf(epoch.attempt()))
              + Facts.line("worker", String.valueOf(worker))
              + lines;
    }
    append(lines, false);
    outputs.add(new UnnamedOutput(temporary, target));
  }

  /// Writes to the disk that all outputs are prepared: the worker may vote.
  public synchronized void prepare() throws IOException {
    refuseIfDiscarded();
    if (!prepared && !written.isEmpty()) {
      StringBuilder lines = new StringBuilder();
      for (int i = 0; i < outputs.size(); i++) {
        UnnamedOutput.Identity its = outputs.get(i).identity();
        if (its != null) {
          identities.put(outputs.get(i), its);
          lines.append(Facts.line(IDENTITY + i, its.text()));
        }
      }
      append(lines + Facts.seal(written.toString() + lines), true);
      Facts.syncName(file);
    }
    prepared = true;
  }

  private void refuseIfDiscarded() throws IOException {
    if (discarded) {
      throw new IOException("the outputs of %s were discarded".formatted(mark()));
    }
  }

  /// Adds lines to the file. Where recovery has deleted it meanwhile, there is none any more.
  private void append(String lines, boolean sync) throws IOException {
    try (FileChannel open =
        FileChannel.open(
            file,
            written.isEmpty() ? StandardOpenOption.CREATE_NEW : StandardOpenOption.WRITE,
            StandardOpenOption.APPEND)) {
      Facts.write(open, lines);
      if (sync) {
        open.force(true);
      }
    }
    written.append(lines);
  }

  // -- After the decision, by the worker or by another process.

  /// Gives all outputs their names, and deletes the note when all have theirs. It goes on when one
  /// fails, deletes none, and can be repeated.
  ///
  /// @return what to tell the user about each that has no name: where it lies, and why
  public synchronized List<String> publish() {
    List<String> unnamed = new ArrayList<>();
    for (UnnamedOutput output : outputs) {
      try {
        if (!output.isUnnamed() && isNamed(output)) {
          output.syncName(); // it had its name before
        } else {
          output.publish(true);
        }
      } catch (NoSuchFileException e) {
        if (!isNamed(output)) { // else another process was faster
          unnamed.add(
              "%s is gone, and %s is another file or none: delete %s if you have moved it"
                  .formatted(output.temporary(), output.target(), file));
        }
      } catch (IOException e) {
        unnamed.add(
            "%s cannot be renamed to %s: %s".formatted(output.temporary(), output.target(), e));
      }
    }
    if (unnamed.isEmpty()) {
      try {
        Files.deleteIfExists(file);
      } catch (IOException e) {
        unnamed.add(
            "all outputs in %s have their names, but it cannot be deleted: %s".formatted(file, e));
      }
    }
    return unnamed;
  }

  private boolean isNamed(UnnamedOutput output) {
    return output.isNamed(identities.get(output));
  }

  /// Deletes all outputs that have no name, and the note when they are gone.
  ///
  /// @throws IOException if one of them cannot be deleted; the note stays
  public synchronized void discard() throws IOException {
    discarded = true;
    for (UnnamedOutput output : outputs) {
      output.discard();
    }
    Files.deleteIfExists(file);
  }

  @Override
  public String toString() {
    return "%s: %d outputs of worker %d in attempt %d, %s"
        .formatted(
            file,
            outputs().size(),
            worker,
            epoch.attempt(),
            isPrepared() ? "prepared" : "not prepared");
  }
}
