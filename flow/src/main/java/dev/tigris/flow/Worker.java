// Over 400 lines: one state machine, with its steps and each operation on it.
package dev.tigris.flow;

import dev.tigris.flow.FlowEngine.Answer;
import java.nio.channels.ClosedByInterruptException;
import java.util.concurrent.CancellationException;
import java.util.function.BooleanSupplier;
import java.util.function.ObjLongConsumer;
import org.jspecify.annotations.Nullable;

/// Runs one replica of one stage, on a thread of its own: applies the operations on it, finds the
/// input whose turn it is, lets the policy of the outgoing reservoir choose a stream, takes a
/// water, and calls the module (Welsh and Culler, 2000, figure 3).
///
/// ```
///   CREATED --initialize--> READY --start--> WORKING --end of input, or stop--> FINISHING
///      |                      |                 |                                   |
///      '----------------------'-----------------'--- early end, drop, failure ------'--> ENDED
/// ```
///
/// It goes in *steps* ([#step]), each of which makes one call of the module at most. Before each it
/// looks after *events*, if there are any: operations, receivers that have ended, streams that have
/// failed, the end of the whole flow. A step that finds nothing to do says what to wait for. A
/// simulator makes the steps of all modules on one thread, in any order.
///
/// The choice comes before the water is taken, so a module that cannot send leaves its input where
/// it is, and its senders see that. A module with one balanced reservoir waits for it before each
/// call; one with several waits for each when it first asks for it.
final class Worker implements Runnable {
  private static final int CALLS = 0;
  private static final int SERVICE_NANOS = 1;
  private static final int ENDED = 2;
  private static final int COUNTERS = 3;

  /// One call in so many is timed, as long as calls are shorter than [#LONG_CALL_NANOS]; longer
  /// ones all are. Reading the clock twice for each call would cost more than handing over a water.
  private static final int TIMED_EVERY = 16;

  private static final long LONG_CALL_NANOS = 20_000;

  /// Over how many timed calls the service time is averaged.
  private static final int SERVICE_MEMORY = 8;

  private enum State {
    /// Streams are attached. There is no module yet.
    CREATED,
    /// The module has been through its `init`.
    READY,
    /// The module is called.
    WORKING,
    /// The module is to be called once more, for what is left.
    FINISHING,
    /// Nothing happens any more.
    ENDED
  }

  private final LocalRun run;
  private final Flow.Stage stage;
  private final Operation.End end;
  private final Parker parker;
  private final Inlet inlet;
  private final Context context;
  private final RequestQueue requests = new RequestQueue();
  private final Interrupts interrupts = new Interrupts();
  private final Counters counters = new Counters(COUNTERS);

  /// The reservoir that chooses for every call; null if there is not exactly one.
  private final @Nullable Outlet balanced;

  /// Null in an engine without threads.
  private final @Nullable Thread thread;

  private State state = State.CREATED;
  private FlowException.Phase phase = FlowException.Phase.CONSTRUCTOR;
  private @Nullable Operator operator;

  /// How many events had happened when it last looked after them.
  private int seenEvents;

  /// Whether a step is being made on the caller's thread.
  private boolean isStepping;

  /// Whether it was told to stop.
  private boolean isStopped;

  /// Whether it was told to end what comes from outside.
  private boolean haveFeedsEnded;

  /// Whether the next call was begun, and waits for a choice.
  private boolean begun;

  // The condition that the last step waits for.
  private int waitsFor = Parker.OPERATION;
  private Parker.Condition awaited;

  /// A part of the end, which may fail. They are made early: there may be no memory left then.
  private interface Part {
    void run() throws Exception;
  }

  private final Part endStreams = this::endStreams;
  private final Part leaveOutputs;
  private final Part leaveInputs;
  private final Part destroy = () -> module().destroy();

  private final Parker.Condition anyEvent = condition("an operation on stage", () -> false);
  private final Parker.Condition anyInput;
  private final Parker.Condition anyChoice;

  /// Makes a worker.
  ///
  /// @param threads makes its thread, which is not started; null in an engine without threads
  Worker(
      LocalRun run,
      Flow.Stage stage,
      Operation.End end,
      Parker parker,
      Inlet inlet,
      Context context,
      Thread.@Nullable Builder threads) {
    this.run = run;
    this.stage = stage;
    this.end = end;
    this.parker = parker;
    this.inlet = inlet;
    this.context = context;
    this.balanced = context.balanced();
    this.anyInput = condition("input of stage", () -> inlet.ready() != null || inlet.isConcluded());
    this.anyChoice = condition("a choice of stage", () -> canChoose(balanced));
    this.awaited = anyEvent;
    this.leaveOutputs = context::leaveOutputs;
    this.leaveInputs = inlet::leave;
    this.thread = threads == null ? null : threads.unstarted(this);
  }

  private static boolean canChoose(@Nullable Outlet outlet) {
    return outlet != null && outlet.tryChoose();
  }

  /// A condition that also ends when there is an event.
  private Parker.Condition condition(String what, BooleanSupplier met) {
    return new Parker.Condition() {
      @Override
      public boolean isMet() {
        return met.getAsBoolean() || parker.events() != seenEvents;
      }

      @Override
      public String description() {
        return what + " " + stage.name();
      }
    };
  }

  Operation.End end() {
    return end;
  }

  Parker parker() {
    return parker;
  }

  @Nullable Thread thread() {
    return thread;
  }

  // -- For other threads.

  /// Asks for an operation. Answers at once if this has ended.
  void ask(Request request) {
    if (!requests.offer(request)) {
      request.answer(tooLate(request.operation()));
      return;
    }
    boolean isDrop = request.operation() instanceof Operation.Drop;
    if (isDrop) {
      parker.drop(); // not before: it would end by it, and say that it had ended already
    }
    parker.signal();
    if (isDrop) {
      interrupt();
    }
  }

  /// Ends the waits and calls that its thread is in, since the flow is being stopped.
  void stop() {
    parker.stop();
    interrupt();
  }

  private void interrupt() {
    if (thread != null) {
      interrupts.send(thread);
    }
  }

  // -- Its life.

  @Override
  public void run() {
    parker.begin();
    try {
      FileTime.count(parker, this::live);
    } finally {
      leave();
    }
  }

  private void live() {
    while (!isEnded()) {
      step(true);
    }
  }

  private void leave() {
    try {
      run.left(end);
    } finally {
      run.ended();
    }
  }

  /// Makes one step on the caller's thread, in an engine without threads.
  boolean stepAlone() {
    if (isStepping) {
      throw new IllegalStateException(
          "module %s waits in a call: steps of others have to end that".formatted(end));
    }
    isStepping = true;
    parker.begin();
    try {
      parker.move();
      return step(false);
    } finally {
      parker.leave();
      isStepping = false;
      if (isEnded()) {
        leave();
      }
    }
  }

  boolean isEnded() {
    return state == State.ENDED;
  }

  /// Makes one step. Returns false if there is nothing to do but to wait.
  ///
  /// @param waits whether to wait then
  boolean step(boolean waits) {
    try {
      if (!advance()) {
        if (waits) {
          parker.await(waitsFor, awaited);
        }
        return false;
      }
    } catch (EndOfStreamException e) {
      close(); // An early end: no finish.
    } catch (Throwable e) {
      if (!isEchoOfDrop(e)) {
        run.failed(this, phase, e);
      }
      close();
    }
    return true;
  }

  private boolean advance() throws Exception {
    int events = parker.events();
    if (events != seenEvents) {
      seenEvents = events;
      attend();
      return true;
    }
    return switch (state) {
      case WORKING -> stage.isSource() ? produce() : process();
      case FINISHING -> finish();
      case CREATED, READY, ENDED -> mustWait(Parker.OPERATION, anyEvent);
    };
  }

  private boolean mustWait(int what, Parker.Condition condition) {
    waitsFor = what;
    awaited = condition;
    return false;
  }

  private boolean produce() throws Exception {
    Stream out = choose(null);
    if (out == null) {
      return isEnded();
    }
    long started = startClock();
    boolean more;
    parker.beginCall(isLong());
    try {
      more = ((Source) module()).produce(out);
    } finally {
      parker.endCall();
    }
    stopClock(started);
    if (!more) {
      beFinishing();
    }
    return true;
  }

  private boolean process() throws Exception {
    Inlet.Input input = inlet.ready();
    if (input == null) {
      if (!inlet.isConcluded()) {
        return mustWait(Parker.INPUT, anyInput);
      }
      beFinishing();
      return true;
    }
    Stream out = choose(input);
    if (out == null) {
      return isEnded();
    }
    process((Module) module(), input.stream(), out);
    inlet.advance();
    return true;
  }

  private void process(Module module, Stream input, Stream out) throws Exception {
    Water water = input.pollReady();
    if (water == null) {
      return;
    }
    long turn = input.beginTurn();
    try {
      long started = startClock();
      parker.beginCall(isLong());
      try {
        module.process(water, out);
      } finally {
        parker.endCall();
      }
      stopClock(started);
    } finally {
      if (input.isTurn(turn)) {
        water.release();
      }
    }
  }

  private void beFinishing() {
    state = State.FINISHING;
    phase = FlowException.Phase.FINISH;
    begun = false;
  }

  private boolean finish() throws Exception {
    Stream out = choose(null);
    if (out == null) {
      return isEnded();
    }
    parker.beginCall(true);
    try {
      module().finish(out);
    } finally {
      parker.endCall();
    }
    close();
    return true;
  }

  /// Returns the stream for the next call. If it returns null, the step is over: the module has to
  /// wait, or has ended since there will be no stream any more.
  private @Nullable Stream choose(Inlet.@Nullable Input input) {
    if (begun) {
      context.input(input);
    } else {
      context.begin(input);
    }
    Outlet outlet = balanced;
    Stream out;
    if (outlet == null) {
      out = context.fallback();
    } else if (!outlet.tryChoose()) {
      begun = true;
      mustWait(Parker.CREDIT, anyChoice);
      return null;
    } else {
      out = outlet.chosen();
      if (out == null) {
        close();
        return null;
      }
    }
    begun = false;
    return out;
  }

  private Operator module() {
    Operator made = operator;
    if (made == null) {
      throw new IllegalStateException("no module was made");
    }
    return made;
  }

  // -- Events.

  /// Looks after what has happened.
  private void attend() throws Exception {
    if (run.isStopping() || parker.isDropped()) {
      close();
      return;
    }
    for (Request request = requests.take(); request != null; request = requests.take()) {
      apply(request);
      if (isEnded()) {
        return;
      }
    }
    refuseLostPeers();
    boolean putsMore =
        state == State.WORKING || (state == State.FINISHING && stage.isSource() && !isStopped);
    if (putsMore && context.haveAllReceiversEnded()) {
      close();
    }
  }

  /// Applies an operation. One that is not possible now is refused, and changes nothing.
  private void apply(Request request) throws Exception {
    try {
      Answer answer =
          switch (request.operation()) {
            case Operation.AttachInput attach -> attachInput(attach.stream());
            case Operation.AttachOutput attach -> attachOutput(attach.stream());
            case Operation.EndOutput output -> endOutput(output.stream());
            case Operation.SealInputs seal -> sealInputs();
            case Operation.ReserveInputs reserve -> reserveInputs();
            case Operation.RequireSenders require -> requireSenders();
            case Operation.Initialize initialize -> initialize();
            case Operation.Start start -> start();
            case Operation.Stop stop -> stopWorking();
            case Operation.EndFeeds end -> endFeeds();
            case Operation.AttachTap(_, String tap) -> attachTap(run.taps().find(tap));
            case Operation.Drop drop -> {
              parker.drop(); // the caller does it, too, to end a wait or a call
              close();
              yield Answer.APPLIED;
            }
          };
      request.answer(answer);
    } catch (FlowException e) {
      run.failed(e);
      request.answer().completeExceptionally(e);
      close();
    } catch (Refusal e) {
      request.answer().completeExceptionally(new IllegalStateException(e.getMessage()));
    } catch (EndOfStreamException e) {
      request.answer(Answer.APPLIED); // the module has ended in its init
      throw e;
    } catch (Throwable e) {
      request.answer().completeExceptionally(e);
      throw e;
    }
  }

  /// Reports that an operation does not fit the state.
  private static final class Refusal extends RuntimeException {
    private static final long serialVersionUID = 1L;

    Refusal(String why) {
      super(why, null, false, false);
    }
  }

  private Refusal refusal(String what) {
    return new Refusal("module %s of flow %s %s".formatted(end, run.flow().name(), what));
  }

  private Answer attachInput(String name) throws FlowException {
    if (stage.isSource()) {
      throw refusal("is a source, and takes no input " + name);
    }
    if (state == State.FINISHING) {
      run.abandon(name, true);
      return Answer.ENDED; // its input has
    }
    if (inlet.isSealed()) {
      throw refusal(
          "takes no input %s, since its input list is sealed: reserve inputs first"
              .formatted(name));
    }
    StreamTable.Placed placed = run.streams().find(name);
    Stream stream = run.streams().open(placed, true, this::isEchoOfDrop);
    if (stream == null) {
      run.abandon(name, true);
      return Answer.ENDED;
    }
    if (inlet.has(stream)) {
      throw refusal("has the input %s already: attach it once".formatted(name));
    }
    use(stream);
    stream.receiver(parker);
    boolean isFeed = placed.made().use() == Operation.Use.FEED;
    inlet.add(stream, placed.made().from().name(), isFeed);
    if (haveFeedsEnded) {
      inlet.endFeeds();
    }
    return Answer.APPLIED;
  }

  private Answer attachOutput(String name) throws FlowException {
    StreamTable.Placed placed = run.streams().find(name);
    Stream stream = run.streams().open(placed, false, this::isEchoOfDrop);
    if (stream == null) {
      run.abandon(name, false);
      return Answer.ENDED;
    }
    if (context.has(placed.made().reservoir(), stream)) {
      throw refusal("has the output %s already: attach it once".formatted(name));
    }
    use(stream);
    context.attach(placed.made().reservoir(), stream);
    begun = false;
    return stream.isStopped() ? Answer.ENDED : Answer.APPLIED;
  }

  /// Uses what moves the data of a stream.
  private void use(Stream stream) throws FlowException {
    Mover mover = stream.mover();
    if (mover == null) {
      return;
    }
    try {
      parker.use(mover);
    } catch (IllegalArgumentException e) {
      throw FlowException.of(run.flow().name(), end, FlowException.Phase.OPEN, stream.name(), e);
    }
  }

  private Answer endOutput(String name) {
    StreamTable.Placed placed = run.streams().find(name);
    Stream stream = placed.stream();
    if (stream == null || !context.has(placed.made().reservoir(), stream)) {
      throw refusal("has no output %s: attach it first".formatted(name));
    }
    context.end(placed.made().reservoir(), stream);
    begun = false;
    return Answer.APPLIED;
  }

  private Answer sealInputs() {
    if (state == State.FINISHING) {
      return Answer.ENDED; // its input has
    }
    if (inlet.isSealed()) {
      throw refusal("has a sealed input list: seal it once, and once for each reservation");
    }
    inlet.seal();
    return Answer.APPLIED;
  }

  private Answer reserveInputs() {
    if (stage.isSource()) {
      throw refusal("is a source, and has no inputs");
    }
    if (state == State.FINISHING) {
      return Answer.ENDED; // its input has
    }
    inlet.reserve();
    return Answer.APPLIED;
  }

  private Answer initialize() throws Exception {
    if (state != State.CREATED || operator != null) {
      throw refusal("was initialized before");
    }
    phase = FlowException.Phase.CONSTRUCTOR;
    parker.refuseWaits(
        "no water moves before all modules have been through init: wait in process or produce");
    Operator made = make();
    operator = made;
    phase = FlowException.Phase.INIT;
    made.init(context);
    parker.mayWait();
    state = State.READY;
    return Answer.APPLIED;
  }

  private Operator make() {
    Operator made = stage.maker().get();
    if (stage.isSource() ? made instanceof Source : made instanceof Module) {
      return made;
    }
    throw new IllegalStateException(
        "the supplier of stage %s returned %s: it must return a new %s"
            .formatted(stage.name(), made, stage.isSource() ? "Source" : "Module"));
  }

  private Answer start() {
    if (state != State.READY) {
      throw refusal("cannot be started: initialize it first, and start it once");
    }
    state = State.WORKING;
    phase = stage.isSource() ? FlowException.Phase.PRODUCE : FlowException.Phase.PROCESS;
    if (haveFeedsEnded && stage.isSource()) {
      beFinishing();
    }
    return Answer.APPLIED;
  }

  private Answer stopWorking() {
    isStopped = true;
    inlet.stop();
    if (state == State.WORKING) {
      beFinishing();
    } else if (state != State.FINISHING) {
      close();
    }
    return Answer.APPLIED;
  }

  private Answer endFeeds() {
    if (state == State.FINISHING) {
      return Answer.ENDED; // its input has
    }
    haveFeedsEnded = true;
    inlet.endFeeds();
    if (stage.isSource() && state == State.WORKING) {
      beFinishing();
    }
    return Answer.APPLIED;
  }

  private Answer attachTap(@Nullable Tap tap) {
    if (tap == null || tap.isClosed()) {
      return Answer.ENDED; // the tap has
    }
    context.attach(tap.reservoir(), tap.end(end, parker));
    return Answer.APPLIED;
  }

  /// A lost peer is a failure, whether or not anything is waited for from there.
  private void refuseLostPeers() {
    inlet.refuseLostSenders();
    context.refuseLostReceivers();
  }

  /// Ends the streams, so that others can end, and then the operator if there is one.
  private void close() {
    if (state == State.ENDED) {
      return;
    }
    state = State.ENDED;
    quietly(FlowException.Phase.END, endStreams);
    quietly(FlowException.Phase.END, leaveOutputs);
    quietly(FlowException.Phase.END, leaveInputs);
    interrupts.close();
    if (operator != null) {
      quietly(FlowException.Phase.DESTROY, destroy);
      // What destroy has left would cut short what the last thread writes as it closes the streams.
      interrupts.close();
    }
    if (Guest.isOne(stage) && !run.isStopping()) {
      run.streams().dispose(end); // one flow may have thousands of guests
    }
    counters.set(ENDED, 1);
    answerAll();
  }

  private void endStreams() {
    if (!run.isStopping()) {
      context.refuseLostReceivers();
      context.endOutputs();
      inlet.stop();
    }
  }

  private void quietly(FlowException.Phase part, Part body) {
    try {
      body.run();
    } catch (Throwable e) {
      if (!isEchoOfDrop(e)) {
        run.failed(this, part, e);
      }
    }
  }

  /// Returns whether something thrown is only the echo of this module's being dropped. A throwable
  /// of a module is asked for its cause, which may throw.
  private boolean isEchoOfDrop(Throwable thrown) {
    try {
      return parker.isDropped() && (thrown instanceof EndOfStreamException || isEcho(thrown));
    } catch (Throwable _) {
      return false;
    }
  }

  /// Answers what has come too late.
  private void answerAll() {
    requests.close();
    for (Request request = requests.take(); request != null; request = requests.take()) {
      // An operation that has dropped this was applied.
      boolean isApplied = request.operation() instanceof Operation.Drop;
      request.answer(isApplied ? Answer.APPLIED : tooLate(request.operation()));
    }
  }

  /// Does what is left to do for an operation on a module that has ended: a stream that was to be
  /// attached here has an end that nobody will use, and its other end is told.
  private Answer tooLate(Operation.OnModule operation) {
    if (!run.isStopping()) {
      switch (operation) {
        case Operation.AttachInput(_, String stream) -> run.abandon(stream, true);
        case Operation.AttachOutput(_, String stream) -> run.abandon(stream, false);
        default -> {}
      }
    }
    return operation instanceof Operation.RequireSenders ? requireSenders() : Answer.ENDED;
  }

  /// Returns whether each sender was there, or has ended the stream.
  private Answer requireSenders() {
    return inlet.requireSenders() ? Answer.ENDED : Answer.APPLIED;
  }

  /// Ends a worker whose thread never started.
  void neverStarted() {
    close();
    run.ended();
  }

  // -- The clock.

  /// Returns when the call starts, counting only the time that is not spent waiting; 0 if it is not
  /// timed.
  private long startClock() {
    if (thread == null) { // a simulation does not depend on how long it takes
      return 0;
    }
    if (counters.get(CALLS) % TIMED_EVERY != 0 && counters.get(SERVICE_NANOS) < LONG_CALL_NANOS) {
      return 0;
    }
    return System.nanoTime() - parker.waitedNanos();
  }

  /// Returns whether calls take long, or the first one may.
  private boolean isLong() {
    long known = counters.get(SERVICE_NANOS);
    return known == 0 || known >= LONG_CALL_NANOS;
  }

  private void stopClock(long started) {
    counters.add(CALLS, 1);
    if (started != 0) {
      long nanos = Math.max(1, System.nanoTime() - parker.waitedNanos() - started);
      long known = counters.get(SERVICE_NANOS);
      long average = known == 0 ? nanos : known + (nanos - known) / SERVICE_MEMORY;
      counters.set(SERVICE_NANOS, average);
      parker.move(); // or inputs in memory that always have something would keep others waiting
    }
  }

  // -- What others see.

  FlowSnapshot.Replica snapshot() {
    return new FlowSnapshot.Replica(
        stage.name(),
        end.index(),
        counters.get(CALLS),
        counters.get(SERVICE_NANOS),
        parker.waitedNanos(Parker.INPUT),
        parker.waitedNanos(Parker.CREDIT),
        parker.waitedNanos(Parker.FILES),
        counters.get(ENDED) != 0);
  }

  /// Tells for each reservoir how long it has waited for credit of it.
  void eachOutlet(ObjLongConsumer<String> told) {
    context.eachOutlet(told);
  }

  /// Returns whether something thrown is only the echo of the flow's being stopped.
  static boolean isEcho(Throwable thrown) {
    return thrown instanceof CancellationException
        || thrown instanceof InterruptedException
        || thrown instanceof ClosedByInterruptException
        || thrown.getCause() instanceof InterruptedException
        || thrown.getCause() instanceof ClosedByInterruptException;
  }
}
