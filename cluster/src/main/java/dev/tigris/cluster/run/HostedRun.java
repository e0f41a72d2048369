package dev.tigris.cluster.run;

import dev.tigris.cluster.run.host.HostKey;
import dev.tigris.cluster.run.outputs.OutputNote;
import dev.tigris.cluster.run.protocol.Epoch;
import dev.tigris.cluster.run.protocol.RunId;
import dev.tigris.os.UnnamedOutput;
import java.io.IOException;
import java.nio.file.Path;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/// One run on a host that is not its coordinator's: its folder, and its processes.
///
/// Thread rule: one thread at a time.
final class HostedRun implements AutoCloseable {
  // Facts of a run that its coordinator tells, besides those of its file `control`.
  static final String HOST = "host";
  static final String PROCESSES = "processes";
  static final String ATTEMPT = "attempt";
  static final String TIME = "time";
  static final String FOLDER = "folder";
  static final String PROGRAM = "program";

  /// How long processes may take to end by themselves, when their coordinator is gone.
  private static final Duration ALONE = Duration.ofMinutes(1);

  private static final Duration KILLED = Duration.ofSeconds(10);

  private final RunId run;
  private final int workers;
  private final RunFolder folder;
  private final ProcessHost processes;

  /// The last attempt of which a process was started.
  private int lastAttempt;

  /// The workers that were started in that attempt.
  private final Set<Integer> started = new HashSet<>();

  private boolean isOver;

  /// @param workers how many the run has, on all hosts
  private HostedRun(RunId run, int workers, RunFolder folder, ProcessHost processes) {
    this.run = run;
    this.workers = workers;
    this.folder = folder;
    this.processes = processes;
  }

  /// Makes the folder of a run.
  ///
  /// @param facts what the coordinator has told
  /// @param coordinator the host of the coordinator
  /// @param place what the worker is: tells its folder from those of others
  /// @throws IOException if a fact is missing or wrong, or the folder cannot be made
  static HostedRun open(
      Map<String, String> facts, String coordinator, Place place, Host.Deaths deaths)
      throws IOException {
    try {
      RunId run = RunId.parse(Contact.need(facts, "run"));
      int attempt = Integer.parseInt(Contact.need(facts, ATTEMPT));
      int count = Integer.parseInt(Contact.need(facts, PROCESSES));
      Map<String, String> control = new TreeMap<>(facts);
      control.keySet().retainAll(Contact.TOLD); // it chooses no other line of a file here
      control.putAll(
          Contact.ofHost(place.key(), place.bound(), Contact.need(facts, HOST), place.code()));
      Contact contact = Contact.of(control);
      RunFolder folder =
          RunFolder.make(
              place.runs(),
              run,
              ".%d.%d".formatted(place.port(), attempt),
              Instant.parse(Contact.need(facts, TIME)),
              Map.of(
                  "program",
                  Contact.need(facts, PROGRAM),
                  "coordinator",
                  coordinator + ":" + Contact.need(facts, FOLDER),
                  "process",
                  String.valueOf(ProcessHandle.current().pid())));
      try {
        folder.control(control);
        CodePath path = CodePath.ofThisProcess().with(place.code());
        JavaCommand command = JavaCommand.ofThisProcess(Math.max(1, count), path, false);
        Path options = folder.options(command);
        return new HostedRun(
            run,
            contact.limits().workers(),
            folder,
            new ProcessHost(command, options, null, folder, deaths));
      } catch (IOException | RuntimeException e) {
        folder.close();
        throw e;
      }
    } catch (IllegalArgumentException | DateTimeException e) {
      throw new IOException("a fact of the run is wrong: " + e.getMessage(), e);
    }
  }

  /// What all runs of a worker have in common.
  ///
  /// @param key of this host
  /// @param bound the address to listen at, without a port
  /// @param port of the worker
  /// @param runs the folder of all runs
  /// @param code the program's jars and folders
  record Place(HostKey key, String bound, int port, Path runs, List<Path> code) {
    Place {
      code = List.copyOf(code);
    }
  }

  /// Returns pairs of name and value as facts.
  static Map<String, String> facts(List<String> texts) throws IOException {
    if (texts.size() % 2 != 0) {
      throw new IOException("the last fact of the run has no value");
    }
    Map<String, String> facts = new TreeMap<>();
    for (int i = 0; i < texts.size(); i += 2) {
      facts.put(texts.get(i), texts.get(i + 1));
    }
    return facts;
  }

  RunId run() {
    return run;
  }

  /// Returns whether the coordinator has said that the run is over.
  boolean isOver() {
    return isOver;
  }

  Path folder() {
    return folder.path();
  }

  /// Starts the process of a worker.
  void start(int attempt, int worker) throws IOException {
    if (attempt < lastAttempt) {
      throw new IOException(
          "attempt %d is over: attempt %d has begun".formatted(attempt, lastAttempt));
    }
    started.removeIf(_ -> attempt > lastAttempt);
    if (worker < 0 || worker >= workers || !started.add(worker)) {
      throw new IOException(
          "worker %d of attempt %d: there are %d, from 0, and each is started once"
              .formatted(worker, attempt, workers));
    }
    lastAttempt = attempt;
    processes.start(new Epoch(run, attempt), List.of(worker));
  }

  void kill(int attempt, int worker) {
    processes.kill(new Epoch(run, attempt), worker);
  }

  /// Ends the processes of an attempt that was given up, and deletes their outputs.
  void stop(int attempt) throws IOException, InterruptedException {
    Epoch epoch = new Epoch(run, attempt);
    processes.stop(epoch);
    if (processes.awaitEnd(epoch, KILLED)) {
      folder.discard(epoch);
    }
  }

  /// Returns worker, temporary name and target of each output of an attempt.
  List<String> outputs(int attempt) throws IOException {
    List<String> texts = new ArrayList<>();
    for (OutputNote note : OutputNote.in(folder.path())) {
      if (note.epoch().attempt() == attempt) {
        for (UnnamedOutput output : note.outputs()) {
          texts.add(String.valueOf(note.worker()));
          texts.add(output.temporary().toString());
          texts.add(output.target().toString());
        }
      }
    }
    return texts;
  }

  /// Gives the outputs of a worker their names; returns what to tell about those that have none.
  List<String> name(int attempt, int worker) {
    return folder.nameFor(new Epoch(run, attempt), worker);
  }

  /// Ends all processes by force: the coordinator has said that the run is over.
  void over() {
    isOver = true;
    processes.close();
  }

  /// Waits for the end of all processes, and gives the folder back. A process whose coordinator has
  /// gone ends by itself: one that has voted keeps its outputs, and one that was told to name them
  /// does. What was not prepared is deleted, since it cannot have been decided.
  @Override
  public void close() {
    try (folder) {
      if (!isOver) {
        processes.leaveAlone();
        awaitAll();
        processes.close();
      }
      for (OutputNote note : OutputNote.in(folder.path())) {
        if (!note.isPrepared()) {
          note.discard();
        }
      }
      if (!folder.hasUnfinishedOutputs()) {
        folder.over(Map.of("outcome", isOver ? "over" : "the coordinator has gone"));
      }
    } catch (IOException e) {
      // what is left is found by `tigris recover`
    }
  }

  private void awaitAll() {
    try {
      for (int attempt = 1; attempt <= lastAttempt; attempt++) {
        boolean _ = processes.awaitEnd(new Epoch(run, attempt), ALONE);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /// Returns whether outputs are left to recovery.
  boolean hasUnfinishedOutputs() {
    try {
      return folder.hasUnfinishedOutputs();
    } catch (IOException e) {
      return true;
    }
  }
}
