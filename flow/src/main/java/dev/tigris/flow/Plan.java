package dev.tigris.flow;

import dev.tigris.flow.Operation.AttachInput;
import dev.tigris.flow.Operation.AttachOutput;
import dev.tigris.flow.Operation.CreateModule;
import dev.tigris.flow.Operation.CreateStream;
import dev.tigris.flow.Operation.End;
import dev.tigris.flow.Operation.Initialize;
import dev.tigris.flow.Operation.SealInputs;
import dev.tigris.flow.Operation.Start;
import dev.tigris.flow.Operation.Use;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;

/// The operations that grow a whole flow. Those of a step may be applied in any order, as long as
/// the operations on one module keep theirs. A step begins when all of the one before have been
/// applied: so all streams are open before a module is made, and no water moves before all modules
/// have been through `init`.
///
/// ```
///   1  create all modules and streams
///   2  attach the streams, seal the input lists
///   3  initialize all modules
///   4  start them
/// ```
///
/// @param steps the operations, step by step
record Plan(List<List<Operation>> steps) {
  /// Makes the plan of a flow: a stream from every replica of a reservoir's upstream stage to every
  /// replica of its downstream stage, and one for each feed and drain.
  static Plan of(Flow flow) {
    return new Maker(flow).make();
  }

  /// Applies the first step, and each further one on the thread that has applied the last operation
  /// of the step before. None begins once the flow is being stopped.
  void applyTo(LocalRun run) {
    apply(run, 0);
  }

  private void apply(LocalRun run, int number) {
    if (number == steps.size() || run.isStopping()) {
      return;
    }
    List<Operation> step = steps.get(number);
    var left = new AtomicInteger(step.size());
    for (Operation operation : step) {
      CompletableFuture<?> _ =
          run.apply(operation)
              .whenComplete(
                  (answer, thrown) -> {
                    // An operation that fails has failed the flow, so that no step follows.
                    if (thrown == null && left.decrementAndGet() == 0) {
                      goOn(run, number + 1);
                    }
                  });
    }
  }

  private void goOn(LocalRun run, int number) {
    try {
      apply(run, number);
    } catch (Throwable e) { // such as no memory: nobody waits for this step but the flow
      run.failed(e);
    }
  }

  private static final class Maker {
    private final Flow flow;
    private final List<Operation> create = new ArrayList<>();
    private final List<Operation> attach = new ArrayList<>();
    private final List<Operation> initialize = new ArrayList<>();
    private final List<Operation> start = new ArrayList<>();
    private int streams;

    Maker(Flow flow) {
      this.flow = flow;
    }

    Plan make() {
      for (Flow.Stage stage : flow.stages()) {
        for (int i = 0; i < stage.replicas(); i++) {
          End module = new End(stage.name(), i);
          create.add(new CreateModule(module));
          initialize.add(new Initialize(module));
          start.add(new Start(module));
        }
      }
      flow.edges().forEach(this::connect);
      flow.feeds().forEach(this::feed);
      flow.drains().forEach(this::drain);
      for (Flow.Stage stage : flow.stages()) {
        for (int i = 0; i < stage.replicas(); i++) {
          attach.add(new SealInputs(new End(stage.name(), i)));
        }
      }
      return new Plan(List.of(create, attach, initialize, start));
    }

    private int replicas(String stage) {
      Flow.Stage found = flow.stage(stage);
      if (found == null) {
        throw new IllegalStateException("no stage " + stage);
      }
      return found.replicas();
    }

    private void connect(Flow.Edge edge) {
      for (int from = 0; from < replicas(edge.from()); from++) {
        for (int to = 0; to < replicas(edge.to()); to++) {
          End sender = new End(edge.from(), from);
          End receiver = new End(edge.to(), to);
          String name = sender + "->" + receiver;
          if (!edge.name().equals(edge.to())) {
            name = name + ":" + edge.name();
          }
          Reservoir reservoir = edge.reservoir();
          create.add(
              new CreateStream(
                  name,
                  streams++,
                  Use.RESERVOIR,
                  edge.name(),
                  sender,
                  receiver,
                  reservoir.kind(),
                  reservoir.window()));
          attach.add(new AttachOutput(sender, name));
          attach.add(new AttachInput(receiver, name));
        }
      }
    }

    private void feed(Flow.Feed feed) {
      int replicas = replicas(feed.stage());
      List<StreamKind> kinds = feed.group().kinds(replicas);
      for (int i = 0; i < kinds.size(); i++) {
        End from = new End(feed.name(), i);
        End receiver = new End(feed.stage(), i % replicas);
        String name = from + "->" + receiver;
        create.add(
            new CreateStream(
                name,
                streams++,
                Use.FEED,
                feed.name(),
                from,
                receiver,
                kinds.get(i),
                Reservoir.DEFAULT_WINDOW));
        attach.add(new AttachInput(receiver, name));
      }
    }

    private void drain(Flow.Drain drain) {
      int replicas = replicas(drain.stage());
      List<StreamKind> kinds = drain.group().kinds(replicas);
      for (int i = 0; i < kinds.size(); i++) {
        End sender = new End(drain.stage(), i % replicas);
        End to = new End(drain.name(), i);
        String name = sender + "->" + to;
        create.add(
            new CreateStream(
                name,
                streams++,
                Use.DRAIN,
                drain.name(),
                sender,
                to,
                kinds.get(i),
                drain.reservoir().window()));
        attach.add(new AttachOutput(sender, name));
      }
    }
  }
}
