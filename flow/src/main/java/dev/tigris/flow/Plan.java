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
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

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
/// A part of a flow has the operations on its own modules. Other processes are not waited for,
/// except by [FlowPart#joined] before step 3 and by [FlowPart#initialized] before step 4.
///
/// @param steps the operations, step by step
/// @param part what is here of the flow
record Plan(List<List<Operation>> steps, FlowPart part) {
  // The steps before which other processes may be waited for.
  private static final int INITIALIZE = 2;
  private static final int START = 3;

  /// All of a flow.
  static final FlowPart WHOLE =
      new FlowPart() {
        @Override
        public boolean isHere(End replica) {
          return true;
        }

        @Override
        public StreamKind kind(Link link) {
          throw new IllegalStateException("both ends of " + link + " are here");
        }
      };

  /// Makes the plan of a flow: a stream from every replica of a reservoir's upstream stage to every
  /// replica of its downstream stage, and one for each feed and drain.
  static Plan of(Flow flow) {
    return of(flow, WHOLE);
  }

  /// Makes the plan of the part of a flow that is here. Names and numbers are those that the whole
  /// flow has.
  static Plan of(Flow flow, FlowPart part) {
    return new Maker(flow, part).make();
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
      switch (number) {
        case INITIALIZE -> applyAfter(part.joined(), run, number);
        case START -> applyAfter(part.initialized(), run, number);
        default -> apply(run, number);
      }
    } catch (Throwable e) { // such as no memory: nobody waits for this step but the flow
      run.failed(e);
    }
  }

  private void applyAfter(CompletionStage<Void> others, LocalRun run, int number) {
    CompletionStage<?> _ = others.whenComplete((answer, thrown) -> applyAfter(thrown, run, number));
  }

  private void applyAfter(@Nullable Throwable thrown, LocalRun run, int number) {
    try {
      if (thrown == null) {
        apply(run, number);
      } else {
        run.failed(thrown);
      }
    } catch (Throwable e) {
      run.failed(e);
    }
  }

  /// Returns the name of a stream of a reservoir.
  static String name(String reservoir, End from, End to) {
    String name = from + "->" + to;
    return reservoir.equals(to.name()) ? name : name + ":" + reservoir;
  }

  /// Returns how many streams a whole flow begins with.
  static int streams(Flow flow) {
    Maker maker = new Maker(flow, WHOLE);
    Plan _ = maker.make();
    return maker.streams;
  }

  /// Returns the operation that makes a stream of a reservoir, as the process of a part has it.
  ///
  /// @throws IllegalArgumentException if the reservoir has streams of a kind that cannot join two
  ///     processes
  static CreateStream stream(Flow flow, FlowPart part, Flow.Edge edge, Resizing.Link link) {
    boolean sends = part.isHere(link.from());
    boolean receives = part.isHere(link.to());
    Reservoir reservoir = edge.reservoir();
    int window = reservoir.window();
    StreamKind kind = reservoir.kind();
    Use use = Use.RESERVOIR;
    if (!sends || !receives) {
      use = sends ? Use.OUTBOUND : Use.INBOUND;
      if (kind instanceof WindowedKind(StreamKind inner, int its)) {
        kind = inner;
        window = its;
      }
      refuseOwnKind(flow, edge, kind);
      kind = part.kind(new FlowPart.Link(link.name(), link.from(), link.to()));
    }
    return new CreateStream(
        link.name(), link.number(), use, edge.name(), link.from(), link.to(), kind, window);
  }

  private static void refuseOwnKind(Flow flow, Flow.Edge edge, StreamKind kind) {
    if (!kind.equals(StreamKind.memory())) {
      throw new IllegalArgumentException(
          "reservoir %s of flow %s has streams of the kind %s, which cannot join two processes: place stages %s and %s in one process, or leave out withKind"
              .formatted(edge.name(), flow.name(), kind.description(), edge.from(), edge.to()));
    }
  }

  private static final class Maker {
    private final Flow flow;
    private final FlowPart part;
    private final List<Operation> create = new ArrayList<>();
    private final List<Operation> attach = new ArrayList<>();
    private final List<Operation> initialize = new ArrayList<>();
    private final List<Operation> start = new ArrayList<>();

    /// How many streams the whole flow has, as far as it was looked at.
    private int streams;

    Maker(Flow flow, FlowPart part) {
      this.flow = flow;
      this.part = part;
    }

    Plan make() {
      List<End> modules = new ArrayList<>();
      for (Flow.Stage stage : flow.stages()) {
        List<End> here =
            IntStream.range(0, stage.replicas())
                .mapToObj(replica -> new End(stage.name(), replica))
                .filter(part::isHere)
                .toList();
        refuseTornGroup(stage, here.size());
        modules.addAll(here);
      }
      for (End module : modules) {
        create.add(new CreateModule(module));
        initialize.add(new Initialize(module));
        start.add(new Start(module));
      }
      flow.edges().forEach(this::connect);
      flow.feeds().forEach(this::feed);
      flow.drains().forEach(this::drain);
      for (End module : modules) {
        attach.add(new SealInputs(module));
      }
      return new Plan(List.of(create, attach, initialize, start), part);
    }

    private void refuseTornGroup(Flow.Stage stage, int here) {
      if (here > 0 && here < stage.replicas() && flow.staysTogether(stage.name())) {
        throw new IllegalArgumentException(
            "stage %s of flow %s has a feed or drain that its replicas share, and only %d of %d are in this process: place all of them in one"
                .formatted(stage.name(), flow.name(), here, stage.replicas()));
      }
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
          connect(edge, new End(edge.from(), from), new End(edge.to(), to), streams++);
        }
      }
    }

    private void connect(Flow.Edge edge, End sender, End receiver, int number) {
      boolean sends = part.isHere(sender);
      boolean receives = part.isHere(receiver);
      if (!sends && !receives) {
        return;
      }
      CreateStream made =
          stream(flow, part, edge, new Resizing.Link(edge.name(), sender, receiver, number));
      String name = made.name();
      create.add(made);
      if (sends) {
        attach.add(new AttachOutput(sender, name));
      }
      if (receives) {
        attach.add(new AttachInput(receiver, name));
      }
    }

    private void feed(Flow.Feed feed) {
      int replicas = replicas(feed.stage());
      List<StreamKind> kinds = feed.group().kinds(replicas);
      for (int i = 0; i < kinds.size(); i++) {
        End from = new End(feed.name(), i);
        End receiver = new End(feed.stage(), i % replicas);
        String name = from + "->" + receiver;
        int number = streams++;
        if (!part.isHere(receiver)) {
          continue;
        }
        create.add(
            new CreateStream(
                name,
                number,
                Use.FEED,
                feed.name(),
                from,
                receiver,
                outward(kinds.get(i)),
                Reservoir.DEFAULT_WINDOW));
        attach.add(new AttachInput(receiver, name));
      }
    }

    private StreamKind outward(StreamKind kind) {
      return kind instanceof WindowedKind(StreamKind inner, int window)
          ? new WindowedKind(part.outward(inner), window)
          : part.outward(kind);
    }

    private void drain(Flow.Drain drain) {
      int replicas = replicas(drain.stage());
      List<StreamKind> kinds = drain.group().kinds(replicas);
      for (int i = 0; i < kinds.size(); i++) {
        End sender = new End(drain.stage(), i % replicas);
        End to = new End(drain.name(), i);
        String name = sender + "->" + to;
        int number = streams++;
        if (!part.isHere(sender)) {
          continue;
        }
        create.add(
            new CreateStream(
                name,
                number,
                Use.DRAIN,
                drain.name(),
                sender,
                to,
                outward(kinds.get(i)),
                drain.reservoir().window()));
        attach.add(new AttachOutput(sender, name));
      }
    }
  }
}
