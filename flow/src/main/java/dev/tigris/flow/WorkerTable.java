package dev.tigris.flow;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/// The workers of a flow in this process, each made with all that belongs to a replica of its
/// stage.
///
/// Thread rule: any thread, but [#add] is called by one at a time.
final class WorkerTable {
  private final LocalRun run;
  private final long seed;

  /// Lets other modules go on while one waits, in an engine without threads.
  private final @Nullable Runnable others;

  private final List<Worker> all = new CopyOnWriteArrayList<>();
  private final Map<Operation.End, Worker> byEnd = new ConcurrentHashMap<>();

  WorkerTable(LocalRun run, Flow flow, @Nullable Runnable others) {
    this.run = run;
    this.seed = flow.seed();
    this.others = others;
  }

  /// Returns whether each module has a thread of its own.
  boolean haveThreads() {
    return others == null;
  }

  int count() {
    return all.size();
  }

  Worker get(int index) {
    return all.get(index);
  }

  List<Worker> list() {
    return all;
  }

  boolean has(Operation.End module) {
    return byEnd.containsKey(module);
  }

  Worker find(Operation.End module) {
    Worker found = byEnd.get(module);
    if (found == null) {
      throw new IllegalArgumentException(
          "flow %s has no module %s here: create it first".formatted(run.flow().name(), module));
    }
    return found;
  }

  /// Returns the stage of a module that is to be made.
  Flow.Stage stageOfNew(Operation.End module) {
    Flow flow = run.flow();
    Flow.Stage stage = flow.stage(module.name());
    if (stage == null || module.index() < 0) {
      throw new IllegalArgumentException(
          "flow %s has no stage for module %s".formatted(flow.name(), module));
    }
    if (byEnd.containsKey(module)) {
      throw new IllegalArgumentException(
          "flow %s has a module %s already".formatted(flow.name(), module));
    }
    return stage;
  }

  /// Makes a worker, whose thread is not started.
  Worker add(Flow.Stage stage, Operation.End module) {
    Parker parker = new Parker(this::isModule, others);
    Flow flow = run.flow();
    List<Outlet> outlets = new ArrayList<>();
    Set<String> names = new HashSet<>();
    for (Flow.Edge edge : flow.edges()) {
      if (edge.from().equals(stage.name()) && names.add(edge.name())) { // once, if guests share it
        outlets.add(outlet(module, edge.name(), edge.reservoir()));
      }
    }
    for (Flow.Drain drain : flow.drains()) {
      if (drain.stage().equals(stage.name())) {
        outlets.add(outlet(module, drain.name(), drain.reservoir()));
      }
    }
    Inlet inlet = new Inlet(stage.inputs(), random(module, "inputs"));
    Context context =
        new Context(run, stage, module.index(), parker, inlet, outlets, random(module, "module"));
    Thread.Builder threads =
        others != null
            ? null
            : Thread.ofPlatform()
                .name("tigris-" + flow.name() + "-" + module.name() + "-" + module.index())
                .daemon(false);
    Worker worker = new Worker(run, stage, module, parker, inlet, context, threads);
    all.add(worker);
    byEnd.put(module, worker);
    return worker;
  }

  private Outlet outlet(Operation.End module, String name, Reservoir reservoir) {
    return new Outlet(name, reservoir, random(module, "reservoir " + name));
  }

  /// Returns random numbers that follow from the seed and from what they are for, in whichever
  /// process and order modules are created.
  private SplittableRandom random(Operation.End module, String use) {
    long mixed = seed;
    for (int part : new int[] {module.name().hashCode(), module.index(), use.hashCode()}) {
      mixed = mixed * 0x9e3779b97f4a7c15L + part;
    }
    return new SplittableRandom(mixed).split();
  }

  /// Returns whether a thread is a module's of this flow.
  boolean isModule(Thread thread) {
    for (Worker worker : all) {
      if (thread.equals(worker.thread())) {
        return true;
      }
    }
    return false;
  }

  /// Waits for all threads to be over.
  void join() throws InterruptedException {
    for (Worker worker : all) {
      Thread thread = worker.thread();
      if (thread != null) {
        thread.join();
      }
    }
  }
}
