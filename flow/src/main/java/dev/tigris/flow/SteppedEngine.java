package dev.tigris.flow;

import java.util.List;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// An engine without threads, for simulators: all modules run on the thread that calls [#step], one
/// step at a time, in the order that the caller chooses. The modules, streams, policies and
/// operations are those of any other engine.
///
/// Where a module would wait in the middle of a call, the engine calls what [#whenWaiting] has set,
/// until the wait is over: that makes steps of other modules, or applies operations.
///
/// Thread rule: one thread.
public final class SteppedEngine {
  private final LocalRun run;
  private Consumer<Operation.End> whenWaiting =
      module -> {
        throw new IllegalStateException(
            "module %s waits in a call, and nothing else goes on: set whenWaiting"
                .formatted(module));
      };

  /// The worker whose step is being made.
  private @Nullable Worker current;

  private SteppedEngine(Flow flow, @Nullable OutputOwner owner) {
    this.run = new LocalRun(flow, this::letOthersGoOn, owner);
  }

  /// Returns an engine for a flow, without a module yet.
  public static SteppedEngine of(Flow flow) {
    return new SteppedEngine(flow, null);
  }

  /// Returns an engine whose outputs wait for [#publish], as in one process of several: until then
  /// it takes operations, also when its modules have ended.
  public static SteppedEngine held(Flow flow, OutputOwner owner) {
    return new SteppedEngine(flow, owner);
  }

  /// Gives the outputs of a held engine their names, as [HeldEngine#publish] does.
  public void publish() throws FlowException {
    run.publish();
  }

  /// Returns the engine to apply operations to. Operations on a module are applied by its steps.
  public FlowEngine engine() {
    return run;
  }

  /// Applies the operations of the whole flow, as [Flow#start] does.
  public void start() {
    LocalRun _ = run.apply(Plan.of(run.flow()));
  }

  /// Applies the operations of a part of the flow, as [Flow#start(FlowPart)] does.
  void start(FlowPart part) {
    LocalRun _ = run.apply(Plan.of(run.flow(), part));
  }

  /// Sets what is called while a module waits in a call; it is told which.
  public void whenWaiting(Consumer<Operation.End> others) {
    whenWaiting = others;
  }

  /// Sets what runs a task that waits for another process, beside the modules. Such a task tells
  /// the end of a stream there that the end here has ended before it was used. Without this call,
  /// the task runs in the step or operation that it comes from. To be called before any operation.
  public void whenApart(Executor tasks) {
    run.runApart(tasks);
  }

  /// Returns the modules that have not ended, in the order in which they were created.
  public List<Operation.End> modules() {
    return run.workers().list().stream()
        .filter(worker -> !worker.isEnded())
        .map(Worker::end)
        .toList();
  }

  /// Makes one step of a module: looks after what has happened to it, or calls it once. Returns
  /// whether there was something to do; if not, it would wait.
  ///
  /// @throws IllegalArgumentException if there is no such module
  /// @throws IllegalStateException if a step of that module is being made
  public boolean step(Operation.End module) {
    Worker worker = run.workers().find(module);
    if (worker.isEnded()) {
      return false;
    }
    Worker before = current;
    current = worker;
    try {
      return worker.stepAlone();
    } finally {
      current = before;
    }
  }

  private void letOthersGoOn() {
    Worker waiting = current;
    if (waiting == null) {
      throw new IllegalStateException("a wait outside of any step");
    }
    whenWaiting.accept(waiting.end());
  }
}
