package dev.tigris.verify.runs;

import java.util.ArrayDeque;

/// A process: it lives, stops and dies, and has a clock of its own.
abstract class SimulatedProcess {
  private static final double SLOWEST = 0.9951;
  private static final double FASTEST = 1.0049;

  final RunSimulation simulation;
  private final double rate;
  private final long offsetNanos;
  private final ArrayDeque<Runnable> later = new ArrayDeque<>();
  private boolean dead;
  private boolean paused;

  SimulatedProcess(RunSimulation simulation) {
    this.simulation = simulation;
    // Two clocks run apart by a hundredth at most.
    this.rate = simulation.random().nextBoolean() ? SLOWEST : FASTEST;
    this.offsetNanos = simulation.random().nextLong(-1L << 40, 1L << 40);
  }

  /// What its clock says.
  final long nowNanos() {
    return offsetNanos + (long) (rate * simulation.time.nowNanos());
  }

  final boolean isAlive() {
    return !dead;
  }

  final boolean isPaused() {
    return paused;
  }

  /// Lets something happen in it after a while: later if it is paused, and never if it is dead.
  final void after(long nanos, Runnable action) {
    simulation.time.after(nanos, () -> now(action));
  }

  final void now(Runnable action) {
    if (dead) {
      return;
    }
    if (paused) {
      later.add(action);
    } else {
      action.run();
    }
  }

  final void pause(long nanos) {
    if (!dead && !paused) {
      paused = true;
      changed();
      simulation.time.after(nanos, this::resume);
    }
  }

  /// Goes on. A real process sees to its clock first, too.
  final void resume() {
    if (dead || !paused) {
      return;
    }
    paused = false;
    resumed();
    while (!paused && !dead && !later.isEmpty()) {
      later.removeFirst().run();
    }
  }

  final void die() {
    if (!dead) {
      dead = true;
      later.clear();
      changed();
      died();
    }
  }

  /// Hears that it goes on after a pause.
  abstract void resumed();

  /// Hears that it is dead.
  abstract void died();

  /// Hears that it is paused or dead.
  abstract void changed();
}
