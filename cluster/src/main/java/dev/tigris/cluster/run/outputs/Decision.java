package dev.tigris.cluster.run.outputs;

import dev.tigris.cluster.run.protocol.Epoch;
import dev.tigris.cluster.run.protocol.RunId;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import org.jspecify.annotations.Nullable;

/// The file `decision` in a run's folder: which attempt's outputs get their names, or that none
/// does. It is written aside, synced and renamed, so that it is there as a whole or not.
///
/// @param run the run
/// @param attempt whose outputs get their names; 0 if the run is given up
public record Decision(RunId run, int attempt) {
  private static final String NAME = "decision";
  private static final String ASIDE = "decision.partial";

  /// Returns the decision for an attempt.
  public static Decision publish(Epoch epoch) {
    return new Decision(epoch.run(), epoch.attempt());
  }

  /// Returns the decision for no attempt.
  public static Decision giveUp(RunId run) {
    return new Decision(run, 0);
  }

  /// Returns the attempt; null if there is none.
  public @Nullable Epoch epoch() {
    return attempt == 0 ? null : new Epoch(run, attempt);
  }

  /// Writes it to the disk, with its folder.
  ///
  /// @throws IOException if it cannot be written, or is there already. Where [#isIn] returns false
  ///     then, it is sure that there is none
  public void writeTo(Path folder) throws IOException {
    if (isIn(folder)) {
      throw new IOException("%s has a decision already".formatted(folder));
    }
    String text =
        Facts.line("version", Facts.VERSION)
            + Facts.line("run", run.toString())
            + Facts.line("attempt", String.valueOf(attempt));
    Path aside = folder.resolve(ASIDE);
    try (FileChannel file =
        FileChannel.open(
            aside,
            StandardOpenOption.WRITE,
            StandardOpenOption.CREATE,
            StandardOpenOption.TRUNCATE_EXISTING)) {
      Facts.write(file, text + Facts.seal(text));
      file.force(true);
    }
    Files.move(aside, folder.resolve(NAME), StandardCopyOption.ATOMIC_MOVE);
    Facts.syncName(folder.resolve(NAME));
  }

  /// Returns whether a folder has a decision, on the disk or not.
  public static boolean isIn(Path folder) {
    return !Files.notExists(folder.resolve(NAME));
  }

  /// Reads the decision of a run whose coordinator has ended. It is on the disk when this returns.
  ///
  /// @return null if there is none
  /// @throws IOException if it cannot be read, or is damaged
  public static @Nullable Decision readFrom(Path folder) throws IOException {
    Path file = folder.resolve(NAME);
    Facts facts;
    try {
      facts = Facts.read(file);
    } catch (NoSuchFileException e) {
      return null;
    }
    if (!facts.isSealed()) {
      throw new IOException(
          "%s is damaged: its last line does not fit what is before it".formatted(file));
    }
    int attempt = facts.needNumber("attempt");
    if (attempt < 0) {
      throw new IOException("%s has attempt=%d: it is damaged".formatted(file, attempt));
    }
    try (FileChannel open = FileChannel.open(file, StandardOpenOption.WRITE)) {
      open.force(true);
    }
    Facts.syncName(file);
    return new Decision(Facts.run(file, facts.need("run")), attempt);
  }
}
