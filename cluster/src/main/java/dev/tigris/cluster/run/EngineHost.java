package dev.tigris.cluster.run;

import dev.tigris.cluster.run.host.HostAddress;
import dev.tigris.cluster.run.host.RunKey;
import dev.tigris.cluster.run.protocol.Epoch;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/// Workers in processes that a [HostEngine] starts.
///
/// A worker that sees the folder of the run writes the notes of its outputs there. Others have a
/// folder of their own, and tell their outputs with their vote.
final class EngineHost implements Host {
  private static final System.Logger LOG = System.getLogger(EngineHost.class.getName());
  private static final Duration PATIENCE = Duration.ofSeconds(10);

  private final HostEngine engine;
  private final Launch launch;
  private final RunFolder folder;
  private final Deaths deaths;
  private final Map<Epoch, HostEngine.Gang> gangs = new HashMap<>();

  /// The outputs of the workers that do not see the folder, by attempt and worker.
  private final Map<Epoch, Map<Integer, List<RunFolder.Elsewhere>>> told = new HashMap<>();

  EngineHost(HostEngine engine, Launch launch, RunFolder folder, Deaths deaths) {
    this.engine = engine;
    this.launch = launch;
    this.folder = folder;
    this.deaths = deaths;
  }

  @Override
  public void start(Epoch epoch, int count) throws IOException {
    Map<String, String> facts = RunFolder.read(RunFolder.control(folder.path()));
    facts.put(EngineTicket.ATTEMPT, String.valueOf(epoch.attempt()));
    facts.put(EngineTicket.FOLDER, folder.path().toString());
    facts.put(EngineTicket.TIME, launch.arguments().time().toString());
    facts.put(EngineTicket.PROGRAM, launch.program());
    facts.put(Contact.SHIPPED, launch.program());
    facts.put(
        EngineTicket.COORDINATOR, engine.door().map(HostEngine.Door::host).orElse("localhost"));
    gangs.put(epoch, engine.start(new EngineTicket(facts), ended(epoch)));
  }

  private HostEngine.Ended ended(Epoch epoch) {
    return new HostEngine.Ended() {
      @Override
      public void ended(int worker, String message) {
        deaths.died(epoch, worker, message);
      }

      @Override
      public void refused(String message) {
        deaths.refused(epoch, message);
      }
    };
  }

  @Override
  public void kill(Epoch epoch, int worker) {
    HostEngine.Gang gang = gangs.get(epoch);
    if (gang != null) {
      gang.kill(worker);
    }
  }

  @Override
  public void stop(Epoch epoch) {
    HostEngine.Gang gang = gangs.get(epoch);
    if (gang != null) {
      gang.stop();
    }
  }

  @Override
  public boolean awaitEnd(Epoch epoch, Duration timeout) throws InterruptedException {
    HostEngine.Gang gang = gangs.get(epoch);
    return gang == null || gang.awaitEnd(timeout);
  }

  @Override
  public void prepared(Epoch epoch, int worker, List<String> outputs) {
    List<RunFolder.Elsewhere> all = new ArrayList<>();
    for (int i = 0; i + 2 < outputs.size(); i += 3) {
      Path temporary = Path.of(outputs.get(i + 1));
      all.add(
          new RunFolder.Elsewhere(outputs.get(i), worker, temporary, Path.of(outputs.get(i + 2))));
    }
    told.computeIfAbsent(epoch, _ -> new HashMap<>()).put(worker, all);
  }

  @Override
  public void beforeDecision(Epoch epoch) throws IOException {
    folder.refuseClash(epoch);
    Map<String, Integer> seen = new HashMap<>();
    List<RunFolder.Elsewhere> all = new ArrayList<>();
    told.getOrDefault(epoch, Map.of()).values().forEach(all::addAll);
    for (RunFolder.Elsewhere each : all) {
      Integer other = seen.putIfAbsent(each.host() + " " + each.target(), each.worker());
      if (other != null) {
        throw new IOException(
            "workers %d and %d both write %s on %s: give one of them another name"
                .formatted(other, each.worker(), each.target(), each.host()));
      }
    }
    folder.elsewhere(epoch, all);
  }

  @Override
  public List<String> nameFor(Epoch epoch, int worker) {
    List<String> unnamed = new ArrayList<>(folder.nameFor(epoch, worker));
    for (RunFolder.Elsewhere each :
        told.getOrDefault(epoch, Map.of()).getOrDefault(worker, List.of())) {
      unnamed.add(
          "%s is whole as %s on %s, and may have no name yet: run 'tigris recover %s --publish %d' on that host"
              .formatted(
                  each.target(), each.temporary(), each.host(), launch.run(), epoch.attempt()));
    }
    return unnamed;
  }

  @Override
  public void close() {
    gangs.values().forEach(HostEngine.Gang::leave);
    try {
      for (var each : gangs.entrySet()) {
        if (!each.getValue().awaitEnd(PATIENCE)) {
          LOG.log(
              System.Logger.Level.WARNING,
              "workers of {0} have not ended within {1} s of {2}",
              each.getKey(),
              PATIENCE.toSeconds(),
              engine.name());
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /// Returns what carries the messages of a run to and from its coordinator.
  ///
  /// @throws IOException if there cannot be a key
  static Network network(HostEngine engine) throws IOException {
    HostEngine.Door door = engine.door().orElse(null);
    if (door == null) {
      return Network.OneHost.best();
    }
    return new Network.Engine(
        new HostAddress(Network.Hosts.ANY, door.port()).toString(),
        door.host(),
        door.isPrivate() ? RunKey.make() : null);
  }
}
