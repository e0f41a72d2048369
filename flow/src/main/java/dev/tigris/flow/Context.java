package dev.tigris.flow;

import java.util.List;
import java.util.function.ObjLongConsumer;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/// The view of the flow that a worker gives its module: its place, its streams, and the choices
/// made for it.
final class Context implements ModuleContext {
  private final LocalRun run;
  private final Flow.Stage stage;
  private final int replica;
  private final Parker parker;
  private final Inlet inlet;
  private final List<Outlet> outlets;
  private final RandomGenerator random;
  private final ModuleResults results;
  private Inlet.@Nullable Input input;

  /// Refuses every water.
  private final Stream closed;

  /// The outgoing stream that a module gets where no reservoir chooses for every call.
  private Stream fallback;

  Context(
      LocalRun run,
      Flow.Stage stage,
      int replica,
      Parker parker,
      Inlet inlet,
      List<Outlet> outlets,
      RandomGenerator random) {
    this.run = run;
    this.stage = stage;
    this.replica = replica;
    this.parker = parker;
    this.inlet = inlet;
    this.outlets = List.copyOf(outlets);
    this.random = random;
    this.results = run.results(new Operation.End(stage.name(), replica));
    this.closed = new ClosedStream(stage.name() + "[" + replica + "]->", advice());
    this.fallback = closed;
  }

  // -- For the worker.

  /// Begins a new call, for which nothing is chosen; `of` is where its water comes from, which
  /// [#input(Inlet.Input)] may change until then.
  void begin(Inlet.@Nullable Input of) {
    input = of;
    for (int i = 0; i < outlets.size(); i++) { // an iterator would be an object for each call
      outlets.get(i).begin();
    }
  }

  /// The one reservoir that chooses for every call; null if there is not exactly one.
  @Nullable Outlet balanced() {
    return outlets.size() == 1 && !outlets.getFirst().isRouted() ? outlets.getFirst() : null;
  }

  /// Sets where the water of the call that was begun comes from.
  void input(Inlet.@Nullable Input of) {
    input = of;
  }

  /// Returns the outgoing stream that a module gets where no such reservoir exists.
  Stream fallback() {
    return fallback;
  }

  /// Adds a stream to the outputs.
  void attach(String reservoir, Stream stream) {
    Outlet outlet = outlet(reservoir);
    outlet.add(stream);
    stream.sender(parker, outlet);
    findFallback();
  }

  private void findFallback() {
    boolean isOnlyOne = outlets.size() == 1 && outlets.getFirst().routes() == 1;
    fallback = isOnlyOne ? outlets.getFirst().route(0) : closed;
  }

  /// Copies what is put on a reservoir to a tap.
  void attach(String reservoir, TapEnd tap) {
    outlet(reservoir).add(tap);
  }

  /// Returns whether a stream is among the outputs.
  boolean has(String reservoir, Stream stream) {
    return outlet(reservoir).has(stream);
  }

  /// Ends one of the outputs.
  void end(String reservoir, Stream stream) {
    outlet(reservoir).end(stream);
    findFallback();
  }

  private String advice() {
    if (outlets.isEmpty()) {
      return "stage " + stage.name() + " has no reservoir to put waters in: connect it or drain it";
    }
    if (outlets.size() == 1) {
      return "the reservoir of stage " + stage.name() + " is routed: put on context.route(index)";
    }
    return "stage %s has %d reservoirs: put on context.output(name), or route(name, index)"
        .formatted(stage.name(), outlets.size());
  }

  /// Waits until a stream is chosen for this call. Returns null if the policy, or every receiver,
  /// has declared the end.
  @Nullable Stream awaitChoice(Outlet outlet) {
    if (!outlet.tryChoose()) {
      outlet.beginWait(parker);
      try {
        parker.await(Parker.CREDIT, outlet);
      } finally {
        outlet.endWait(parker);
      }
    }
    return outlet.chosen();
  }

  /// Tells for each reservoir how long the sender has waited for credit of it. Any thread.
  void eachOutlet(ObjLongConsumer<String> told) {
    for (Outlet outlet : outlets) {
      boolean isOnlyOne = outlets.size() == 1;
      told.accept(
          outlet.name(),
          isOnlyOne ? parker.waitedNanos(Parker.CREDIT) : outlet.waitedNanos(parker));
    }
  }

  /// Returns whether there are receivers, and all of them have ended.
  boolean haveAllReceiversEnded() {
    return !outlets.isEmpty() && outlets.stream().noneMatch(Outlet::isAnyOpen);
  }

  /// Refuses to go on without a receiver that is lost.
  void refuseLostReceivers() {
    outlets.forEach(Outlet::refuseLostReceivers);
  }

  /// Leaves all outgoing streams.
  void leaveOutputs() {
    outlets.forEach(Outlet::leave);
  }

  /// Ends all outgoing streams.
  void endOutputs() {
    outlets.forEach(Outlet::end);
  }

  // -- For the module.

  @Override
  public String flow() {
    return run.flow().name();
  }

  @Override
  public String stage() {
    return stage.name();
  }

  @Override
  public int replica() {
    return replica;
  }

  @Override
  public int replicas() {
    return stage.replicas();
  }

  @Override
  public String from() {
    return current().from();
  }

  @Override
  public Stream input() {
    return current().stream();
  }

  private Inlet.Input current() {
    Inlet.Input current = input;
    if (current == null) {
      throw new IllegalStateException(
          "from() and input() are only for process(): no input water is being processed now");
    }
    return current;
  }

  @Override
  public List<Stream> inputs() {
    return inlet.streams();
  }

  @Override
  public List<Stream> inputs(String from) {
    List<Stream> streams = inlet.streams(from);
    if (streams.isEmpty()) {
      throw new IllegalArgumentException(
          "stage %s has no input from %s, only from %s"
              .formatted(stage.name(), from, inlet.names()));
    }
    return streams;
  }

  @Override
  public List<String> inputNames() {
    return inlet.names();
  }

  @Override
  public List<String> outputNames() {
    return names();
  }

  @Override
  public Stream output(String reservoir) {
    Outlet outlet = outlet(reservoir);
    if (outlet.isRouted()) {
      throw new IllegalArgumentException(
          "reservoir %s of stage %s is routed: use route(\"%s\", index)"
              .formatted(reservoir, stage.name(), reservoir));
    }
    Stream stream = awaitChoice(outlet);
    if (stream != null) {
      return stream;
    }
    if (outlet.isAnyOpen()) {
      throw new EndOfStreamException(
          "the policy of reservoir " + reservoir + " has declared the end");
    }
    return outlet.route(0);
  }

  @Override
  public Stream route(int index) {
    return only().route(index);
  }

  @Override
  public Stream route(String reservoir, int index) {
    return outlet(reservoir).route(index);
  }

  @Override
  public int routes() {
    return only().routes();
  }

  @Override
  public int routes(String reservoir) {
    return outlet(reservoir).routes();
  }

  @Override
  public boolean isStopping() {
    return run.isStopping() || parker.isDropped();
  }

  @Override
  public RandomGenerator random() {
    return random;
  }

  @Override
  public ModuleResults results() {
    return results;
  }

  private Outlet only() {
    if (outlets.size() != 1) {
      throw new IllegalStateException(
          "stage %s has %d reservoirs: name one of %s"
              .formatted(stage.name(), outlets.size(), names()));
    }
    return outlets.getFirst();
  }

  private Outlet outlet(String reservoir) {
    for (Outlet outlet : outlets) {
      if (outlet.name().equals(reservoir)) {
        return outlet;
      }
    }
    throw new IllegalArgumentException(
        "stage %s has no reservoir %s, only %s".formatted(stage.name(), reservoir, names()));
  }

  private List<String> names() {
    return outlets.stream().map(Outlet::name).toList();
  }
}
