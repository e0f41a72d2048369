package dev.tigris.cluster.run;

import dev.tigris.cluster.run.outputs.OutputNote;
import dev.tigris.cluster.run.protocol.Epoch;
import dev.tigris.cluster.run.protocol.RunId;
import java.io.IOException;
import java.nio.file.Path;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// A worker of a run in a process that a [HostEngine] has started.
///
/// Thread rule: one thread calls [#run]; the others are for any.
public final class EngineWorker {
  private final Worker worker;
  private final Epoch epoch;

  /// The folder for the notes of outputs, if this process does not see the coordinator's.
  private final @Nullable RunFolder own;

  private EngineWorker(Worker worker, Epoch epoch, @Nullable RunFolder own) {
    this.worker = worker;
    this.epoch = epoch;
    this.own = own;
  }

  /// Makes a worker.
  ///
  /// @param worker which it is, from 0
  /// @param host by which the other workers reach this host
  /// @param runs where to make a folder of the run, should this process not see the coordinator's;
  ///     null for the usual place
  /// @param halt ends this process at once: its modules have not ended though they were told to
  /// @throws IOException if the ticket is not whole, or no folder can be made
  public static EngineWorker of(
      EngineTicket ticket, int worker, String host, @Nullable Path runs, Runnable halt)
      throws IOException {
    Map<String, String> facts = ticket.facts();
    facts.put(Network.Engine.NAME, host);
    try {
      RunId run = RunId.parse(Contact.need(facts, EngineTicket.RUN));
      Epoch epoch = new Epoch(run, ticket.attempt());
      Contact contact = Contact.of(facts);
      Path theirs = Path.of(Contact.need(facts, EngineTicket.FOLDER));
      RunFolder own = sees(theirs, facts) ? null : made(facts, run, worker, runs);
      Path notes = own == null ? theirs : own.path();
      String tells = own == null ? "" : host;
      return new EngineWorker(new Worker(epoch, worker, notes, contact, halt, tells), epoch, own);
    } catch (IllegalArgumentException | DateTimeException e) {
      throw new IOException("a fact of the run is wrong: " + e.getMessage(), e);
    }
  }

  /// Returns whether the coordinator's folder is one of this process, too.
  private static boolean sees(Path folder, Map<String, String> facts) throws IOException {
    String token = Contact.need(facts, "token");
    try {
      return token.equals(RunFolder.read(RunFolder.control(folder)).get("token"));
    } catch (IOException | UnsupportedOperationException e) {
      return false;
    }
  }

  private static RunFolder made(
      Map<String, String> facts, RunId run, int worker, @Nullable Path runs) throws IOException {
    String suffix =
        ".%d.%d.%s"
            .formatted(
                ProcessHandle.current().pid(), worker, Contact.need(facts, EngineTicket.ATTEMPT));
    Instant time = Instant.parse(Contact.need(facts, EngineTicket.TIME));
    Map<String, String> told =
        Map.of(
            "program",
            Contact.need(facts, EngineTicket.PROGRAM),
            "coordinator",
            Contact.need(facts, EngineTicket.COORDINATOR)
                + ":"
                + Contact.need(facts, EngineTicket.FOLDER),
            "process",
            String.valueOf(ProcessHandle.current().pid()));
    if (runs != null) {
      return RunFolder.make(runs, run, suffix, time, told);
    }
    try {
      return RunFolder.make(RunFolder.usualRuns(), run, suffix, time, told);
    } catch (IOException e) { // a container's user may have no home
      Path temporary = Path.of(System.getProperty("java.io.tmpdir"), "tigris-runs");
      return RunFolder.make(temporary, run, suffix, time, told);
    }
  }

  /// Works until the coordinator lets it leave, or is gone, or [#leave] is called.
  ///
  /// @throws IOException if the coordinator cannot be reached
  public void run() throws IOException {
    try {
      worker.run();
    } finally {
      giveBack();
    }
  }

  /// What was not prepared is deleted, since it cannot have been decided.
  private void giveBack() throws IOException {
    if (own == null) {
      return;
    }
    try (own) {
      for (OutputNote note : OutputNote.in(own.path())) {
        if (!note.isPrepared()) {
          note.discard();
        }
      }
      if (!own.hasUnfinishedOutputs()) {
        own.over(Map.of("outcome", "over"));
      }
    }
  }

  /// Ends the worker as if the coordinator were gone: the engine takes its process away. It leaves
  /// outputs that are prepared, and deletes others.
  public void leave() {
    worker.leave();
  }

  @Override
  public String toString() {
    return "EngineWorker[%s]".formatted(epoch);
  }
}
