package dev.tigris.verify.runs;

import dev.tigris.cluster.run.protocol.Epoch;
import dev.tigris.cluster.run.protocol.Failure;
import dev.tigris.cluster.run.protocol.Limits;
import dev.tigris.cluster.run.protocol.Order;
import dev.tigris.cluster.run.protocol.WorkerAct;
import dev.tigris.cluster.run.protocol.WorkerProtocol;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;

/// The process of one worker in one attempt: the shipped state machine, and what does as it says.
final class SimulatedWorker extends SimulatedProcess {
  final Epoch epoch;
  final int index;
  private final WorkerProtocol protocol;
  private final SimulatedDisk disk;
  private boolean running;
  private long cutUntilNanos;

  /// Whether it was paused until its lease ran out, or while it ended its modules: it may run
  /// modules of an old attempt until it has ended them.
  private boolean overslept;

  SimulatedWorker(RunSimulation simulation, Epoch epoch, int index, SimulatedDisk disk) {
    super(simulation);
    this.epoch = epoch;
    this.index = index;
    this.disk = disk;
    this.protocol =
        simulation.parts.worker(epoch, index, "host" + index, simulation.plan.limits(), nowNanos());
  }

  void start() {
    act(protocol.start(nowNanos()));
    beat();
  }

  private void beat() {
    after(
        limits().beatNanos(),
        () -> {
          faults();
          act(protocol.tick(nowNanos()));
          beat();
        });
  }

  private void faults() {
    if (simulation.sites.strikes("worker.kill")) {
      die();
    } else if (simulation.sites.strikes("host.crash")) {
      disk.crash();
      die();
    } else if (simulation.sites.strikes("worker.pause")) {
      pause(simulation.random().nextLong(3 * limits().hangNanos()));
    } else if (simulation.sites.strikes("network.cut")) {
      cutUntilNanos =
          simulation.time.nowNanos() + simulation.random().nextLong(3 * limits().hangNanos());
    } else if (running && simulation.sites.strikes("worker.stream")) {
      lostStream();
    }
  }

  boolean isCut() {
    return simulation.time.nowNanos() < cutUntilNanos;
  }

  /// Ends its faults.
  void heal() {
    cutUntilNanos = 0;
    resume();
  }

  void receive(Order order) {
    now(() -> act(protocol.receive(order, nowNanos())));
  }

  void coordinatorDied() {
    now(() -> act(protocol.coordinatorDied()));
  }

  /// A stream of its modules has broken.
  void lostStream() {
    now(
        () -> {
          protocol.lostStream();
          boolean isModule = simulation.random().nextBoolean();
          act(
              protocol.failed(
                  isModule ? Failure.Kind.MODULE : Failure.Kind.LOST_PEER,
                  RunSimulation.ECHO,
                  nowNanos()));
        });
  }

  void lostStreamIfRunning() {
    if (running) {
      lostStream();
    }
  }

  private void act(List<WorkerAct> acts) {
    protocol.checkInvariants();
    for (WorkerAct act : acts) {
      if (!isAlive()) {
        return;
      }
      switch (act) {
        case WorkerAct.Send(var report) -> simulation.send(this, report);
        case WorkerAct.Describe _ -> work(1, this::describe);
        case WorkerAct.Wire _ -> wire();
        case WorkerAct.Initialize _ -> work(2, this::initialize);
        case WorkerAct.Run _ -> run();
        case WorkerAct.Drain _ -> work(2, this::end);
        case WorkerAct.Prepare _ -> work(2, this::prepare);
        case WorkerAct.Publish _ -> work(1, this::publish);
        case WorkerAct.Stop _ -> stop();
        case WorkerAct.Keep _ -> simulation.kept++;
        case WorkerAct.Leave _ -> die();
      }
    }
  }

  /// Takes up to so many beats.
  private void work(int beats, Runnable then) {
    after(simulation.anyNanos(beats * limits().beatNanos()), then);
  }

  private void describe() {
    Map<String, String> fingerprint =
        simulation.sites.strikes("worker.other") ? Map.of("flow", "b") : RunSimulation.FINGERPRINT;
    act(protocol.described(fingerprint, nowNanos()));
  }

  private void wire() {
    disk.make(epoch);
    work(1, () -> act(protocol.wired(nowNanos())));
  }

  private void initialize() {
    if (simulation.sites.strikes("worker.module")) {
      failModule();
    } else {
      simulation.initialized(this);
      act(protocol.initialized(nowNanos()));
    }
  }

  private void failModule() {
    act(protocol.failed(Failure.Kind.MODULE, RunSimulation.ROOT, nowNanos()));
    simulation.breakStreamsOf(this);
  }

  private void run() {
    simulation.checkInitialized(this);
    running = true;
    changed();
    after(simulation.anyNanos(2 * limits().hangNanos()), this::end);
  }

  private void end() {
    if (!running) {
      return;
    }
    if (simulation.sites.strikes("worker.module")) {
      failModule();
      return;
    }
    running = false;
    changed();
    ByteBuffer results = ByteBuffer.wrap(epoch.toString().getBytes(StandardCharsets.UTF_8));
    act(protocol.ended(results, nowNanos()));
  }

  private void prepare() {
    if (simulation.sites.strikes("disk.prepare") || !disk.prepare(epoch)) {
      act(protocol.failed(Failure.Kind.DISK, "no space", nowNanos()));
    } else {
      act(protocol.prepared(nowNanos()));
    }
  }

  private void publish() {
    act(protocol.published(simulation.name(disk, epoch, index), List.of(), nowNanos()));
  }

  private void stop() {
    after(
        simulation.anyNanos(limits().fenceNanos()),
        () -> {
          running = false;
          overslept = false;
          changed();
          disk.discard(epoch);
          act(protocol.stopped(nowNanos()));
        });
  }

  private Limits limits() {
    return simulation.plan.limits();
  }

  /// Returns whether it runs modules of its attempt, and has no excuse.
  boolean runsModules() {
    return running && isAlive() && !isPaused() && !overslept;
  }

  @Override
  void resumed() {
    List<WorkerAct> acts = protocol.tick(nowNanos());
    overslept = protocol.isStopping();
    changed();
    act(acts);
  }

  @Override
  void changed() {
    simulation.checkRunning(this);
  }

  @Override
  void died() {
    simulation.workerDied(this, protocol.hasLeft());
  }

  @Override
  public String toString() {
    return protocol + (isAlive() ? isPaused() ? " paused" : "" : " dead");
  }
}
