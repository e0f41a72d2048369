package dev.tigris.cluster.run;

import dev.tigris.cluster.run.protocol.Epoch;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/// Workers in processes of this host, each started as this process was.
///
/// A worker reads its standard input, whose other end this process holds: if this process dies, the
/// worker reads the end of it at once. Signals of the terminal go to this process alone, which then
/// ends its workers: a shell lets them ignore those.
final class ProcessHost implements Host {
  private static final List<String> SHELL =
      List.of("/bin/sh", "-c", "trap '' INT HUP; exec \"$@\"", "sh");

  private static final System.Logger LOG = System.getLogger(ProcessHost.class.getName());
  private static final Duration PATIENCE = Duration.ofSeconds(10);

  /// The time that Java takes at most to note the classes of a process.
  private static final Duration NOTES = Duration.ofMinutes(1);

  private final JavaCommand command;
  private final Path options;
  private final @Nullable AotCache aot;
  private final RunFolder folder;
  private final Deaths deaths;
  private final Map<Epoch, List<Started>> attempts = new HashMap<>();

  /// A process, and the thread that writes down what it prints.
  private record Started(int worker, Process process, LogWriter log) {}

  /// @param options the file with the options of the command
  /// @param aot the AOT cache of the workers, or null
  ProcessHost(
      JavaCommand command, Path options, @Nullable AotCache aot, RunFolder folder, Deaths deaths) {
    this.command = command;
    this.aot = aot;
    this.options = options;
    this.folder = folder;
    this.deaths = deaths;
  }

  @Override
  public void start(Epoch epoch, int count) throws IOException {
    start(epoch, IntStream.range(0, count).boxed().toList());
  }

  /// Starts some workers of an attempt, or none.
  void start(Epoch epoch, List<Integer> workers) throws IOException {
    List<Started> all = attempts.computeIfAbsent(epoch, _ -> new ArrayList<>());
    List<Started> started = new ArrayList<>();
    try {
      for (int worker : workers) {
        Started made = launch(epoch, worker);
        all.add(made);
        started.add(made);
      }
    } catch (IOException | RuntimeException e) {
      stop(epoch);
      throw e;
    }
    started.forEach(each -> watch(epoch, each.worker(), each));
  }

  private Started launch(Epoch epoch, int worker) throws IOException {
    List<String> words = new ArrayList<>(SHELL);
    List<String> java =
        command.words(
            options,
            folder.path().toString(),
            String.valueOf(epoch.attempt()),
            String.valueOf(worker));
    words.addAll(java.subList(0, 2)); // Java, and the options that all have
    words.addAll(aot == null ? List.of() : aot.options(worker));
    words.addAll(java.subList(2, java.size()));
    ProcessBuilder builder = new ProcessBuilder(words).redirectErrorStream(true);
    JavaCommand.clean(builder.environment());
    Process process = builder.start();
    LogWriter log = LogWriter.start(process.getInputStream(), folder.log(worker, epoch.attempt()));
    return new Started(worker, process, log);
  }

  private void watch(Epoch epoch, int worker, Started started) {
    CompletableFuture<?> _ =
        started
            .process()
            .onExit()
            .thenAccept(
                ended -> deaths.died(epoch, worker, message(epoch, worker, started, ended)));
  }

  private String message(Epoch epoch, int worker, Started started, Process ended) {
    int code = ended.exitValue();
    int signal = code - 128;
    String how = signal > 0 && signal < 65 ? "by signal " + signal : "with exit code " + code;
    String last = started.log().lastLine();
    return "worker %d (process %d) has ended %s%s; its output is in %s"
        .formatted(
            worker,
            ended.pid(),
            how,
            last.isEmpty() ? "" : " and printed last: " + last,
            folder.log(worker, epoch.attempt()));
  }

  @Override
  public void kill(Epoch epoch, int worker) {
    for (Started each : attempts.getOrDefault(epoch, List.of())) {
      if (each.worker() == worker) {
        each.process().toHandle().destroyForcibly();
      }
    }
  }

  @Override
  public void stop(Epoch epoch) {
    for (Started each : attempts.getOrDefault(epoch, List.of())) {
      each.process().toHandle().destroyForcibly();
    }
  }

  @Override
  public boolean awaitEnd(Epoch epoch, Duration timeout) throws InterruptedException {
    long end = System.nanoTime() + timeout.toNanos();
    for (Started each : attempts.getOrDefault(epoch, List.of())) {
      if (!each.process().waitFor(Math.max(0, end - System.nanoTime()), TimeUnit.NANOSECONDS)) {
        return false;
      }
    }
    return true;
  }

  @Override
  public void beforeDecision(Epoch epoch) throws IOException {
    folder.refuseClash(epoch);
  }

  @Override
  public List<String> nameFor(Epoch epoch, int worker) {
    return folder.nameFor(epoch, worker);
  }

  /// Tells all workers that their coordinator is gone: they end by themselves.
  void leaveAlone() {
    for (List<Started> each : attempts.values()) {
      for (Started one : each) {
        try {
          one.process().getOutputStream().close();
        } catch (IOException e) {
          // it has ended
        }
      }
    }
  }

  @Override
  public void close() {
    awaitNotes();
    attempts.keySet().forEach(this::stop);
    boolean interrupted = false;
    for (List<Started> each : attempts.values()) {
      for (Started one : each) {
        interrupted |= reap(one);
      }
    }
    attempts.clear();
    if (aot != null) {
      aot.make(command, folder.aotLog());
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  /// Waits until worker 0 has noted its classes for the AOT cache, which it does at its end.
  private void awaitNotes() {
    if (aot == null || aot.isFresh()) {
      return;
    }
    try {
      for (List<Started> each : attempts.values()) {
        if (!each.isEmpty()) {
          boolean _ = each.getFirst().process().waitFor(NOTES.toNanos(), TimeUnit.NANOSECONDS);
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt(); // there is no cache then
    }
  }

  /// Waits for the end of a process that was killed; returns whether the thread was interrupted.
  private static boolean reap(Started started) {
    boolean interrupted = Thread.interrupted();
    try {
      if (started.process().waitFor(PATIENCE.toNanos(), TimeUnit.NANOSECONDS)) {
        started.log().awaitEnd();
      }
      started.process().getOutputStream().close();
    } catch (InterruptedException e) {
      interrupted = true;
    } catch (IOException e) {
      LOG.log(System.Logger.Level.WARNING, "the input of a worker cannot be closed", e);
    }
    return interrupted;
  }
}
