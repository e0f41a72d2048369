package dev.tigris.verify.runs;

import dev.tigris.cluster.run.protocol.CoordinatorAct;
import dev.tigris.cluster.run.protocol.CoordinatorProtocol;
import dev.tigris.cluster.run.protocol.Epoch;
import dev.tigris.cluster.run.protocol.Outcome;
import dev.tigris.cluster.run.protocol.Report;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The coordinator's process: the shipped state machine, and what does as it says.
final class SimulatedCoordinator extends SimulatedProcess {
  private final CoordinatorProtocol protocol;
  private @Nullable Outcome outcome;

  SimulatedCoordinator(RunSimulation simulation) {
    super(simulation);
    this.protocol =
        simulation.parts.coordinator(
            RunSimulation.RUN, simulation.plan.limits(), RunSimulation.FINGERPRINT);
  }

  void start() {
    act(protocol.start(nowNanos()));
    beat();
  }

  @Nullable Outcome outcome() {
    return outcome;
  }

  private void beat() {
    after(
        simulation.plan.limits().beatNanos(),
        () -> {
          if (simulation.sites.strikes("coordinator.kill")) {
            die();
            return;
          }
          if (simulation.sites.strikes("coordinator.pause")) {
            pause(simulation.random().nextLong(3 * simulation.plan.limits().hangNanos()));
          }
          if (simulation.sites.strikes("user.cancel")) {
            act(protocol.cancel("the user has cancelled", nowNanos()));
          }
          if (simulation.sites.strikes("user.drain")) {
            simulation.drained(protocol.epoch(), protocol.phase());
            act(protocol.drain(nowNanos()));
          }
          act(protocol.tick(nowNanos()));
          beat();
        });
  }

  void receive(Report report) {
    now(
        () -> {
          simulation.heard(report, protocol.epoch());
          act(protocol.receive(report, nowNanos()));
        });
  }

  void workerDied(Epoch epoch, int worker) {
    now(() -> act(protocol.died(epoch, worker, "process ended", nowNanos())));
  }

  private void act(List<CoordinatorAct> acts) {
    protocol.checkInvariants();
    for (CoordinatorAct act : acts) {
      if (!isAlive()) {
        return;
      }
      switch (act) {
        case CoordinatorAct.StartWorkers(Epoch epoch, _) -> startWorkers(epoch);
        case CoordinatorAct.Send(int worker, var order) -> simulation.send(worker, order);
        case CoordinatorAct.Kill(Epoch epoch, int worker) -> simulation.kill(epoch, worker);
        case CoordinatorAct.StopWorkers(Epoch epoch) -> simulation.stopWorkers(epoch);
        case CoordinatorAct.Decide(Epoch epoch) ->
            after(
                simulation.random().nextLong(simulation.plan.limits().beatNanos()),
                () -> decide(epoch));
        case CoordinatorAct.NameFor(Epoch epoch, int worker) ->
            after(
                simulation.random().nextLong(simulation.plan.limits().beatNanos()),
                () ->
                    act(
                        protocol.named(
                            epoch, worker, simulation.nameFor(epoch, worker), nowNanos())));
        case CoordinatorAct.Over(Outcome how) -> {
          outcome = how;
          simulation.checkOutcome(how);
        }
      }
    }
  }

  private void startWorkers(Epoch epoch) {
    simulation.checkRetry(epoch);
    if (simulation.sites.strikes("host.start")) {
      after(
          simulation.plan.limits().beatNanos(),
          () -> act(protocol.startFailed(epoch, "no host", nowNanos())));
    } else {
      simulation.startWorkers(epoch);
    }
  }

  /// Writes the decision, and may die before, in and after that.
  private void decide(Epoch epoch) {
    simulation.checkVotes(epoch);
    if (simulation.sites.strikes("decide.kill.before")) {
      die();
    } else if (simulation.sites.strikes("decide.fail.before")) {
      act(protocol.notDecided(epoch, true, "no space", nowNanos()));
    } else if (simulation.sites.strikes("decide.fail.in")) {
      simulation.writeDecision(epoch, false);
      act(protocol.notDecided(epoch, false, "the folder cannot be synced", nowNanos()));
    } else if (simulation.sites.strikes("decide.kill.in")) {
      simulation.writeDecision(epoch, false);
      die();
    } else {
      simulation.writeDecision(epoch, true);
      if (simulation.sites.strikes("decide.kill.after")) {
        die();
      } else {
        act(protocol.decided(epoch, nowNanos()));
      }
    }
  }

  @Override
  void resumed() {
    act(protocol.tick(nowNanos()));
  }

  @Override
  void changed() {}

  @Override
  void died() {
    simulation.coordinatorDied();
  }

  @Override
  public String toString() {
    return protocol + (isAlive() ? isPaused() ? " paused" : "" : " dead");
  }
}
