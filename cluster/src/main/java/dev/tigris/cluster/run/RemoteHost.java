package dev.tigris.cluster.run;

import dev.tigris.cluster.run.host.HostAddress;
import dev.tigris.cluster.run.host.HostClient;
import dev.tigris.cluster.run.host.HostMessage.Kind;
import dev.tigris.cluster.run.host.HostRefusedException;
import dev.tigris.cluster.run.protocol.Epoch;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/// Workers in processes of several hosts. On each host a [HostWorker] starts them, each in a JVM of
/// its own, and ends them when its connection to this process has ended.
///
/// A host's worker has a folder of the run of its own, with the notes of outputs. So what needs
/// those is asked of it.
final class RemoteHost implements Host {
  /// How long a worker that was ended may take to listen again.
  private static final Duration AGAIN = Duration.ofSeconds(15);

  private static final Duration PATIENCE = Duration.ofSeconds(5);

  /// A host that is busy takes a while for its first process.
  private static final Duration START = Duration.ofSeconds(20);
  private static final long LOOK_MILLIS = 10;
  private static final System.Logger LOG = System.getLogger(RemoteHost.class.getName());

  private final HostLinks links;
  private final Launch launch;
  private final RunFolder folder;
  private final Deaths deaths;
  private final Duration patience;

  /// The connections on which the run was opened.
  private final Set<HostClient> opened = new HashSet<>();

  /// A process, by its attempt and its worker.
  private record Started(int attempt, int worker) {}

  /// The processes that were started and have not ended.
  private final Map<Started, HostClient> alive = new ConcurrentHashMap<>();

  RemoteHost(HostLinks links, Launch launch, RunFolder folder, Deaths deaths) {
    this.links = links;
    this.launch = launch;
    this.folder = folder;
    this.deaths = deaths;
    // All other workers wait meanwhile, and have to be answered within the hang limit.
    Duration part = Duration.ofNanos(launch.limits().hangNanos() / 2);
    this.patience = part.compareTo(PATIENCE) < 0 ? part : PATIENCE;
  }

  @Override
  public void start(Epoch epoch, int count) throws IOException {
    try {
      links.connect(epoch.attempt() == 1 ? Duration.ZERO : AGAIN);
      for (HostClient client : links.all()) {
        if (!opened.contains(client)) {
          open(client, epoch);
        }
      }
      List<CompletableFuture<?>> started = new ArrayList<>();
      for (int worker = 0; worker < count; worker++) {
        started.add(begin(epoch, worker));
      }
      CompletableFuture.allOf(started.toArray(CompletableFuture[]::new)).join();
    } catch (CompletionException e) {
      stop(epoch);
      if (e.getCause() instanceof StartException unstarted) {
        throw unstarted.why;
      }
      throw e;
    } catch (IOException | RuntimeException e) {
      stop(epoch);
      throw e;
    }
  }

  private void open(HostClient client, Epoch epoch) throws IOException {
    client.listen(new Heard());
    Map<String, String> facts = RunFolder.read(RunFolder.control(folder.path()));
    facts.computeIfPresent(Contact.ADDRESS, (name, listening) -> at(client.localHost(), listening));
    HostAddress its = client.address();
    facts.put(HostedRun.HOST, its.host());
    facts.put(HostedRun.PROCESSES, String.valueOf(links.countAt(its)));
    facts.put(HostedRun.ATTEMPT, String.valueOf(epoch.attempt()));
    facts.put(HostedRun.TIME, launch.arguments().time().toString());
    facts.put(HostedRun.FOLDER, folder.path().toString());
    facts.put(HostedRun.PROGRAM, launch.program());
    List<String> texts = new ArrayList<>();
    facts.forEach(
        (name, value) -> {
          texts.add(name);
          texts.add(value);
        });
    List<String> _ = client.ask(Kind.OPEN, START, texts);
    opened.add(client);
  }

  private static String at(String host, String listening) {
    int port = HostAddress.parse(listening).port();
    return new HostAddress(host, port).toString();
  }

  private CompletableFuture<?> begin(Epoch epoch, int worker) throws IOException {
    HostClient client = links.of(worker);
    Started process = new Started(epoch.attempt(), worker);
    alive.put(process, client);
    return CompletableFuture.runAsync(
        () -> {
          try {
            List<String> _ = client.ask(Kind.START, START, texts(epoch, worker));
          } catch (IOException e) {
            alive.remove(process);
            throw new StartException(e);
          }
        },
        task -> Thread.ofVirtual().start(task));
  }

  private static List<String> texts(Epoch epoch, int worker) {
    return List.of(String.valueOf(epoch.attempt()), String.valueOf(worker));
  }

  private final class Heard implements HostClient.Endings {
    @Override
    public void ended(int attempt, int worker, String message) {
      boolean _ = alive.remove(new Started(attempt, worker)) != null;
      deaths.died(new Epoch(launch.run(), attempt), worker, message);
    }

    @Override
    public void lost(HostClient client, String message) {
      for (Map.Entry<Started, HostClient> each : alive.entrySet()) {
        if (each.getValue().equals(client)) {
          Epoch epoch = new Epoch(launch.run(), each.getKey().attempt());
          deaths.lost(epoch, each.getKey().worker(), message);
        }
      }
    }
  }

  @Override
  public void kill(Epoch epoch, int worker) {
    try {
      var _ = links.of(worker).send(Kind.KILL, texts(epoch, worker));
    } catch (IOException e) {
      LOG.log(System.Logger.Level.DEBUG, "worker {0} is not killed: {1}", worker, e.getMessage());
    }
  }

  @Override
  public void stop(Epoch epoch) {
    for (HostClient client : opened) {
      try {
        var _ = client.send(Kind.STOP, List.of(String.valueOf(epoch.attempt())));
      } catch (IOException e) { // its processes end, since the connection has
        LOG.log(System.Logger.Level.DEBUG, "processes are not stopped: {0}", e.getMessage());
      }
    }
  }

  @Override
  public boolean awaitEnd(Epoch epoch, Duration timeout) throws InterruptedException {
    long end = System.nanoTime() + timeout.toNanos();
    while (hasLiving(epoch)) {
      if (System.nanoTime() - end >= 0) {
        return false;
      }
      TimeUnit.MILLISECONDS.sleep(LOOK_MILLIS);
    }
    return true;
  }

  /// Returns whether a process may live whose end would be told.
  private boolean hasLiving(Epoch epoch) {
    alive.values().removeIf(client -> !client.isOpen());
    return alive.keySet().stream().anyMatch(each -> each.attempt() == epoch.attempt());
  }

  @Override
  public void beforeDecision(Epoch epoch) throws IOException {
    Map<String, Integer> seen = new HashMap<>();
    List<RunFolder.Elsewhere> all = new ArrayList<>();
    for (HostClient client : current()) {
      List<String> texts = outputs(client, epoch);
      String host = client.address().toString();
      for (int i = 0; i + 2 < texts.size(); i += 3) {
        int worker = Integer.parseInt(texts.get(i));
        String target = texts.get(i + 2);
        Integer other = seen.putIfAbsent(client.address().host() + " " + target, worker);
        if (other != null) {
          throw new IOException(
              "workers %d and %d both write %s on %s: give one of them another name"
                  .formatted(other, worker, target, client.address().host()));
        }
        all.add(new RunFolder.Elsewhere(host, worker, Path.of(texts.get(i + 1)), Path.of(target)));
      }
    }
    folder.elsewhere(epoch, all);
  }

  /// Returns the connections to all hosts, as they are in this attempt.
  private Set<HostClient> current() throws LostException {
    Set<HostClient> all = new LinkedHashSet<>();
    try {
      for (int worker = 0; worker < links.count(); worker++) {
        all.add(links.of(worker));
      }
    } catch (IOException e) {
      throw new LostException(e);
    }
    return all;
  }

  private List<String> outputs(HostClient client, Epoch epoch) throws IOException {
    try {
      return client.ask(Kind.OUTPUTS, patience, List.of(String.valueOf(epoch.attempt())));
    } catch (HostRefusedException e) {
      throw e;
    } catch (IOException e) {
      throw new LostException(e);
    }
  }

  @Override
  public List<String> nameFor(Epoch epoch, int worker) {
    try {
      return links.of(worker).ask(Kind.NAME, patience, texts(epoch, worker));
    } catch (IOException e) {
      List<String> unnamed = new ArrayList<>();
      for (RunFolder.Elsewhere each : folder.elsewhere()) {
        if (each.worker() == worker) {
          unnamed.add(
              "%s of %s is whole and may have no name yet: run 'tigris recover %s --publish %d' on that host (%s)"
                  .formatted(
                      each.target(),
                      links.address(worker),
                      launch.run(),
                      epoch.attempt(),
                      e.getMessage()));
        }
      }
      return unnamed;
    }
  }

  @Override
  public void close() {
    List<CompletableFuture<?>> all = new ArrayList<>();
    for (HostClient client : opened) {
      all.add(
          CompletableFuture.runAsync(
              () -> {
                try {
                  List<String> _ = client.ask(Kind.OVER, PATIENCE, List.of());
                } catch (IOException e) {
                  // it ends what it has when the connection ends
                }
              },
              task -> Thread.ofVirtual().start(task)));
    }
    CompletableFuture.allOf(all.toArray(CompletableFuture[]::new)).join();
    links.close();
  }

  /// Carries a failure out of a thread.
  private static final class StartException extends RuntimeException {
    private static final long serialVersionUID = 1;
    private final IOException why;

    StartException(IOException why) {
      super(why);
      this.why = why;
    }
  }
}
