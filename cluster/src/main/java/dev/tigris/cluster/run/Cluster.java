// Over 400 lines: each method is a way to describe or start a run, with its rules.
package dev.tigris.cluster.run;

import dev.tigris.cluster.group.GroupProgram;
import dev.tigris.cluster.run.outputs.RunRecord;
import dev.tigris.cluster.run.protocol.Limits;
import dev.tigris.cluster.run.protocol.RunId;
import dev.tigris.flow.Flow;
import dev.tigris.flow.FlowRun;
import java.io.IOException;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// Where programs run: on threads of this JVM, or on several processes of this host or of others.
/// It is an immutable description, and its `with...` methods return changed copies.
///
/// ```java
/// Results results = Cluster.processes(4).start(Totals.class, "trades.csv").await();
/// System.out.println(results.numbers());
/// ```
///
/// **Processes** are started as this one was: with its class path or module path, agents, system
/// properties and JVM options. The processors, the heap and the memory of Jbufs are divided among
/// them. What they print goes to files in the folder of the run. They end with the run, and with
/// this process.
///
/// **Attempts.** If a process dies, hangs, or cannot be reached, the attempt is given up in all of
/// them, and the run is tried again from its beginning, as often as [#withAttempts] says. A module
/// that throws ends the run.
///
/// Thread rule: any thread.
public final class Cluster {
  private static final System.Logger LOG = System.getLogger(Cluster.class.getName());
  private static final int MOST_PROCESSES = 1000;
  private static final int HOSTS_ATTEMPTS = 3;
  private static final Duration USUAL_HANG = Duration.ofSeconds(10);
  private static final Duration BEAT = Duration.ofMillis(250);

  /// Attempts end within two seconds, of which the coordinator needs a little.
  private static final Duration FENCE = Duration.ofMillis(1800);

  private static final int MOST_ATTEMPTS = 1000;
  private static final Duration JOIN = Duration.ofSeconds(60);
  private static final SecureRandom SECRETS = new SecureRandom();

  /// The number of processes; 0 for threads.
  private final int processes;

  private final int attempts;
  private final Duration hang;
  private final @Nullable Long seed;
  private final Path runs;
  private final ProgramCode code;

  /// The hosts of the processes; null if they are on this one.
  private final @Nullable ClusterHosts hosts;

  /// Whether runs have folders. Those on processes always do.
  private final boolean hasFolder;

  /// The system that starts the processes; null if this one does, or the workers of the hosts.
  private final @Nullable HostEngine engine;

  private Cluster(
      int processes,
      int attempts,
      Duration hang,
      @Nullable Long seed,
      Path runs,
      ProgramCode code,
      @Nullable ClusterHosts hosts,
      boolean hasFolder,
      @Nullable HostEngine engine) {
    this.processes = processes;
    this.attempts = attempts;
    this.hang = hang;
    this.seed = seed;
    this.runs = runs;
    this.code = code;
    this.hosts = hosts;
    this.hasFolder = hasFolder;
    this.engine = engine;
  }

  /// Returns a cluster that runs programs on threads of this JVM.
  public static Cluster threads() {
    return new Cluster(
        0,
        1,
        USUAL_HANG,
        null,
        RunFolder.usualRuns(),
        ProgramCode.OF_THIS_PROCESS,
        null,
        false,
        null);
  }

  /// Returns a cluster of so many processes on this host, which does not try a run again.
  ///
  /// @throws IllegalArgumentException if the number is not between 1 and 1000
  public static Cluster processes(int count) {
    if (count < 1 || count > MOST_PROCESSES) {
      throw new IllegalArgumentException(
          "%d processes: a run has 1 to %d".formatted(count, MOST_PROCESSES));
    }
    return new Cluster(
        count,
        1,
        USUAL_HANG,
        null,
        RunFolder.usualRuns(),
        ProgramCode.OF_THIS_PROCESS,
        null,
        true,
        null);
  }

  /// Returns a cluster of processes on several hosts, which tries a run three times at most. A
  /// worker has to listen on each host: `tigris worker` starts one, or [HostWorker]. The program's
  /// code has to lie there. TLS joins the hosts.
  ///
  /// ```java
  /// Cluster hosts = Cluster.hosts(Path.of("hosts"), Path.of("coordinator.key"));
  /// Results results = hosts.start(Totals.class, "trades.csv").await();
  /// ```
  ///
  /// @param file one `HOST:PORT` a line; a host that is named twice has two processes
  /// @param key the file with this coordinator's key
  /// @throws IOException if the file has another line, or the key cannot be used
  public static Cluster hosts(Path file, Path key) throws IOException {
    ClusterHosts named = ClusterHosts.of(file, key);
    int lines = named.lines().size();
    if (lines > MOST_PROCESSES) {
      throw new IOException(
          "%s has %d lines: a run has at most %d processes".formatted(file, lines, MOST_PROCESSES));
    }
    return new Cluster(
        lines,
        HOSTS_ATTEMPTS,
        USUAL_HANG,
        null,
        RunFolder.usualRuns(),
        ProgramCode.OF_THIS_PROCESS,
        named,
        true,
        null);
  }

  /// Returns a cluster of processes that an engine starts, which tries a run three times at most.
  ///
  /// @throws IllegalArgumentException if it has not 1 to 1000 workers
  public static Cluster on(HostEngine engine) {
    int workers = engine.workers();
    if (workers < 1 || workers > MOST_PROCESSES) {
      throw new IllegalArgumentException(
          "%d workers of %s: a run has 1 to %d".formatted(workers, engine.name(), MOST_PROCESSES));
    }
    return new Cluster(
        workers,
        HOSTS_ATTEMPTS,
        USUAL_HANG,
        null,
        RunFolder.usualRuns(),
        ProgramCode.OF_THIS_PROCESS,
        null,
        true,
        engine);
  }

  /// Returns a copy that tries a run so many times at most, when processes are lost.
  ///
  /// @throws IllegalArgumentException if the number is not between 1 and 1000
  public Cluster withAttempts(int count) {
    if (count < 1 || count > MOST_ATTEMPTS) {
      throw new IllegalArgumentException(
          "%d attempts: a run has 1 to %d".formatted(count, MOST_ATTEMPTS));
    }
    return new Cluster(processes, count, hang, seed, runs, code, hosts, hasFolder, engine);
  }

  /// Returns a copy that gives up a process that has not answered for so long. It is 10 seconds
  /// otherwise.
  ///
  /// @throws IllegalArgumentException if it is less than a second, or more than a day
  public Cluster withHangLimit(Duration longest) {
    if (longest.compareTo(Duration.ofSeconds(1)) < 0 || longest.compareTo(Duration.ofDays(1)) > 0) {
      throw new IllegalArgumentException(
          "a hang limit of %s: it must be between a second and a day".formatted(longest));
    }
    return new Cluster(processes, attempts, longest, seed, runs, code, hosts, hasFolder, engine);
  }

  /// Returns a copy whose runs have this [seed][Arguments#seed].
  public Cluster withSeed(long number) {
    return new Cluster(processes, attempts, hang, number, runs, code, hosts, hasFolder, engine);
  }

  /// Returns a copy that keeps the folders of its runs in this one. They are in `tigris/runs` in
  /// XDG_STATE_HOME otherwise, or in `~/.local/state`. The folders of the last 20 runs that are
  /// over are kept.
  public Cluster withRuns(Path folder) {
    return new Cluster(
        processes, attempts, hang, seed, folder.toAbsolutePath(), code, hosts, hasFolder, engine);
  }

  /// Returns a copy whose runs have a folder on threads, too. It tells others of this user what
  /// runs, and how it has ended.
  public Cluster withFolder() {
    return new Cluster(processes, attempts, hang, seed, runs, code, hosts, true, engine);
  }

  /// Returns a copy whose programs come from more jars and folders than the class path of this
  /// process. The heap of each worker has the size that a JVM takes by default, divided by their
  /// number: this process is not of the program's kind.
  ///
  /// @param path jars and folders, which follow the class path of this process
  public Cluster withCode(List<Path> path) {
    return new Cluster(
        processes, attempts, hang, seed, runs, code.from(path), hosts, hasFolder, engine);
  }

  /// Returns a copy whose processes start from an AOT cache: Java's file of classes that are loaded
  /// and linked ahead of time. If it is not there, or is older than the code, the next run that
  /// ends well makes it, which takes some seconds more at its end. All entries of the class path
  /// have to be jars.
  ///
  /// @param file the cache, for this program's class path and this release of Java
  /// @throws IllegalArgumentException if the processes are on several hosts, each of which would
  ///     need a cache of its own
  public Cluster withAotCache(Path file) {
    if (hosts != null || engine != null) {
      throw new IllegalArgumentException(
          "an AOT cache, %s: runs on several hosts use none".formatted(file));
    }
    return new Cluster(
        processes, attempts, hang, seed, runs, code.withCache(file), null, hasFolder, null);
  }

  /// Returns a copy whose processes on this host get options of Java, which follow those of this
  /// process, and come before those that this cluster gives already. A short run, for example, is
  /// quicker without the optimizing compiler (`-XX:TieredStopAtLevel=1`). Workers of other hosts
  /// choose their own.
  public Cluster withJvmOptions(List<String> options) {
    return new Cluster(
        processes, attempts, hang, seed, runs, code.withOptions(options), hosts, hasFolder, engine);
  }

  /// Returns a cluster of two processes, both of which are this one: it goes through all that a run
  /// on processes does. A training run with it makes an AOT cache for coordinators and workers that
  /// share one. A program that does not end by itself does not end.
  public static Cluster rehearsal() {
    return new Cluster(
        2, 1, USUAL_HANG, null, RunFolder.usualRuns(), ProgramCode.REHEARSED, null, true, null);
  }

  /// Returns whether programs run on threads of this JVM.
  public boolean isThreads() {
    return processes == 0;
  }

  /// Returns for each process where the worker of its host listens, as `HOST:PORT`: none if all are
  /// on this host.
  public List<String> hosts() {
    ClusterHosts known = hosts;
    return known == null ? List.of() : known.lines().stream().map(String::valueOf).toList();
  }

  /// Returns how many processes run a program: 1 on threads.
  public int workers() {
    return Math.max(1, processes);
  }

  /// Returns the system that starts the processes; empty if this process does, or the workers of
  /// the hosts.
  public Optional<HostEngine> engine() {
    return Optional.ofNullable(engine);
  }

  /// Starts a program. The run goes on when this returns.
  ///
  /// @param words its [arguments][Arguments#words]
  /// @throws RunException if the program cannot describe its flow, the folder of the run cannot be
  ///     made, or a host cannot be reached or has other code
  /// @throws IllegalArgumentException if another process could not find the class by its name
  public ClusterRun start(Class<? extends FlowProgram> program, String... words)
      throws RunException {
    Programs.requireNamed(program);
    return start(program, arguments -> described(program, arguments), words);
  }

  /// Starts a program as a [group][dev.tigris.cluster.group.Group], one member in each process. The
  /// run goes on when this returns.
  ///
  /// ```java
  /// Results results = Cluster.processes(4).group(Pi.class, "1000000").await();
  /// ```
  ///
  /// @param words its [arguments][Arguments#words]
  /// @throws RunException if the folder of the run cannot be made, or a host cannot be reached or
  ///     has other code
  /// @throws IllegalArgumentException if another process could not find the class by its name
  public ClusterRun group(Class<? extends GroupProgram> program, String... words)
      throws RunException {
    return group(workers(), program, words);
  }

  /// Starts a program as a group of so many members, which are dealt to the processes in turn. On
  /// threads, each member has one.
  ///
  /// @param members how many, from 1 to 1000
  /// @param words its [arguments][Arguments#words]
  /// @throws RunException as the other method does
  /// @throws IllegalArgumentException if the number is out of range, or another process could not
  ///     find the class by its name
  public ClusterRun group(int members, Class<? extends GroupProgram> program, String... words)
      throws RunException {
    Programs.requireNamed(program);
    if (members < 1 || members > MOST_PROCESSES) {
      throw new IllegalArgumentException(
          "%d members: a group has 1 to %d".formatted(members, MOST_PROCESSES));
    }
    String[] all = GroupFlow.words(program, members, words);
    return start(
        GroupFlow.class,
        arguments -> described(GroupFlow.class, new GroupFlow(program), arguments),
        all);
  }

  /// Describes the flow of a program.
  private interface Describing {
    Described describe(Arguments arguments) throws RunException;
  }

  private ClusterRun start(
      Class<? extends FlowProgram> program, Describing describing, String... words)
      throws RunException {
    requireEngine();
    HostLinks links = hosts == null ? null : hosts.connect(code);
    boolean isStarted = false;
    try {
      Arguments looking = looking(links, words);
      Described described = describing.describe(looking);
      if (processes == 0) {
        return onThreads(program, looking.settled(), described);
      }
      ClusterRun run = started(program, looking.settled(), described, links);
      isStarted = true;
      if (program != GroupFlow.class) { // a group's program knows that it is in several processes
        Thread.ofVirtual().name("tigris-run-warnings").start(() -> warn(program));
      }
      return run;
    } catch (IOException e) {
      throw new RunException(
          RunException.Kind.START,
          0,
          "the folder of the run cannot be made in %s: %s".formatted(runs, e),
          e);
    } finally {
      if (links != null && !isStarted) {
        links.close();
      }
    }
  }

  private ClusterRun onThreads(
      Class<? extends FlowProgram> program, Arguments settled, Described described)
      throws IOException {
    Flow flow = described.flow().seededOr(settled.seed());
    if (!hasFolder) {
      return ThreadsRun.of(described, flow.start(), null);
    }
    RunId run = new RunId(SECRETS.nextLong(), SECRETS.nextLong());
    RunFolder folder = RunFolder.make(runs, run, settled.time(), facts(program, settled));
    try {
      FlowRun started = flow.start();
      return ThreadsRun.of(described, started, ThreadsFolder.watch(started, folder));
    } catch (RuntimeException | Error e) {
      notStarted(folder, e);
      throw e;
    }
  }

  private static void notStarted(RunFolder folder, Throwable why) throws IOException {
    try (folder) {
      folder.over(Map.of(RunRecord.OUTCOME, "not started: " + why));
    }
  }

  /// Returns what the folder of a run tells of it.
  private Map<String, String> facts(Class<? extends FlowProgram> program, Arguments settled) {
    return Map.of(
        "program", program.getName(),
        "arguments", String.join(" ", settled.words()),
        "processes", String.valueOf(processes),
        "process", String.valueOf(ProcessHandle.current().pid()));
  }

  private static void warn(Class<? extends FlowProgram> program) {
    for (String warning : SharedState.warnings(program)) {
      LOG.log(System.Logger.Level.WARNING, "{0}: {1}", program.getName(), warning);
    }
  }

  private void requireEngine() throws RunException {
    if (engine != null) {
      try {
        engine.check();
      } catch (IOException e) {
        throw new RunException(RunException.Kind.START, 0, String.valueOf(e.getMessage()), e);
      }
    }
  }

  private Arguments looking(@Nullable HostLinks links, String... words) {
    int here =
        engine != null
            ? engine.processors()
            : links == null ? Runtime.getRuntime().availableProcessors() : links.processors();
    return Arguments.looking(
        List.of(words),
        Math.max(1, processes),
        Math.max(processes, here),
        Objects.requireNonNullElseGet(seed, SECRETS::nextLong),
        Instant.now(),
        links == null ? new FilePlaces.OneHost(workers()) : links);
  }

  /// Returns what a run of a program would do, and starts none. A second JVM describes the flow as
  /// well, whose language, time zone, processors and hash codes are others: so a description is
  /// found that depends on them.
  ///
  /// @throws RunException if the program cannot describe its flow, or the two descriptions differ
  /// @throws IllegalArgumentException if another process could not find the class by its name
  public RunPlan plan(Class<? extends FlowProgram> program, String... words) throws RunException {
    Programs.requireNamed(program);
    Arguments looking;
    Described described;
    try (HostLinks links = hosts == null ? null : hosts.connect(code)) {
      looking = looking(links, words);
      described = described(program, looking);
    }
    CodePath path = CodePath.ofThisProcess().with(code.path());
    Arguments settled = looking.settled();
    try {
      Fingerprint here = Fingerprint.ofCode(path).with(settled, described);
      String difference = here.difference(Comparison.elsewhere(path, program.getName(), settled));
      if (difference != null) {
        throw new RunException(
            RunException.Kind.DIFFERENCE,
            0,
            "%s describes another flow in another process: %s"
                .formatted(program.getName(), difference),
            null);
      }
    } catch (IOException e) {
      throw new RunException(
          RunException.Kind.PROGRAM,
          0,
          "%s cannot describe its flow in another process: %s"
              .formatted(program.getName(), e.getMessage()),
          e);
    }
    return new RunPlan(
        described.graph(), workers(), described.places(), SharedState.warnings(program));
  }

  private static Described described(Class<? extends FlowProgram> program, Arguments arguments)
      throws RunException {
    try {
      return Programs.describe(program, arguments);
    } catch (Exception e) {
      throw undescribed(program, e);
    }
  }

  private static Described described(
      Class<? extends FlowProgram> program, FlowProgram made, Arguments arguments)
      throws RunException {
    try {
      return Described.of(made, arguments);
    } catch (Exception e) {
      throw undescribed(program, e);
    }
  }

  /// A program may ask the hosts, and wrap up that one does not answer.
  private static RunException undescribed(Class<?> program, Exception thrown) {
    for (Throwable each : RemoteException.causes(thrown)) {
      if (each instanceof Host.LostException lost) {
        return new RunException(
            RunException.Kind.START, 0, String.valueOf(lost.getMessage()), thrown);
      }
    }
    return new RunException(
        RunException.Kind.PROGRAM,
        0,
        "%s cannot describe its flow: %s".formatted(program.getName(), thrown),
        thrown);
  }

  /// @param links the connections to the hosts; null for this one
  private ClusterRun started(
      Class<? extends FlowProgram> program,
      Arguments settled,
      Described described,
      @Nullable HostLinks links)
      throws IOException {
    RunId run = new RunId(SECRETS.nextLong(), SECRETS.nextLong());
    Limits limits =
        new Limits(
            processes,
            attempts,
            Math.min(BEAT.toNanos(), hang.toNanos() / 4),
            hang.toNanos(),
            FENCE.toNanos(),
            JOIN.toNanos());
    CodePath path = CodePath.ofThisProcess().with(code.path());
    Launch launch =
        new Launch(
            run,
            SECRETS.nextLong(),
            SECRETS.nextLong(),
            program.getName(),
            settled,
            described,
            engine != null
                ? Fingerprint.ofShipped(program)
                : links == null
                    ? Fingerprint.ofCode(path)
                    : Fingerprint.ofContent(ClusterHosts.code(code)),
            limits);
    RunFolder folder = RunFolder.make(runs, run, settled.time(), facts(program, settled));
    try {
      return ProcessesRun.start(
          new Coordinator(launch, folder, network(), host(launch, folder, links)), folder.path());
    } catch (IOException | RuntimeException | Error e) {
      notStarted(folder, e);
      throw e;
    }
  }

  private Network network() throws IOException {
    if (engine != null) {
      return EngineHost.network(engine);
    }
    return hosts == null ? Network.OneHost.best() : hosts.network();
  }

  /// Returns what starts the workers.
  private Function<Host.Deaths, Host> host(
      Launch launch, RunFolder folder, @Nullable HostLinks links) throws IOException {
    HostEngine starts = engine;
    if (starts != null) {
      return deaths -> new EngineHost(starts, launch, folder, deaths);
    }
    if (links != null) {
      return deaths -> new RemoteHost(links, launch, folder, deaths);
    }
    if (code.isRehearsal()) {
      return deaths -> new RehearsalHost(folder, deaths);
    }
    CodePath path = CodePath.ofThisProcess().with(code.path());
    Path cache = code.cache();
    JavaCommand own = JavaCommand.ofThisProcess(processes, path, code.dividesHeap());
    JavaCommand command = (cache == null ? own : own.withoutAotCache()).with(code.options());
    Path options = folder.options(command);
    AotCache aot = cache == null ? null : AotCache.of(cache, path);
    return deaths -> new ProcessHost(command, options, aot, folder, deaths);
  }

  @Override
  public String toString() {
    if (engine != null) {
      return "Cluster[%d workers of %s]".formatted(processes, engine.name());
    }
    return processes == 0
        ? "Cluster[threads]"
        : "Cluster[%d processes%s]".formatted(processes, hosts == null ? "" : " on hosts");
  }
}
