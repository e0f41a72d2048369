// Over 400 lines: what happens to the processes, by chance and in each order, and what must hold.
package dev.tigris.verify.simulator;

import dev.tigris.flow.Flow;
import dev.tigris.flow.FlowException;
import dev.tigris.flow.FlowSnapshot;
import dev.tigris.flow.Operation;
import dev.tigris.flow.Operation.End;
import dev.tigris.flow.Operation.Use;
import dev.tigris.flow.Reservoir;
import dev.tigris.flow.Resizing;
import dev.tigris.flow.StreamCounters;
import dev.tigris.flow.StreamKind;
import dev.tigris.flow.Tap;
import dev.tigris.flow.Team;
import dev.tigris.flow.policy.InputPolicy;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// A simulation of a flow over several processes, each of which has one module: the engines,
/// streams, exchanges and virtual interfaces that ship, in any order.
///
/// ```
///   reads [0..] ==> works [0..] ==> ends [0..]      each in a process of its own
/// ```
///
/// Operations attach both ends of each stream, seal, start, end outputs, stop and drop, in any
/// order. Modules fail, flows are cancelled, processes are killed, connections break, and messages
/// are late, or lie in the memory of their senders until they are taken. Afterwards the rest of the
/// operations is applied, and all processes must come to an end. [EngineModules] checks on the way
/// that each water comes once and in the order of its stream, and that a module finishes only if
/// each of its senders has ended. Here is checked that a sender that ends well has lost nothing,
/// and that no process fails without a cause.
///
/// Runs that *grow* have a [Coordination] besides, which resizes stages by new processes, and taps.
public final class ProcessesSimulation {
  /// A water in a batch, one that goes alone, and one that is announced.
  private static final int[] SIZES = {EngineModules.BYTES, 3000, 5000};

  private static final int MOST_ROUNDS = 20_000;

  /// How many rounds without a move say that nothing moves.
  private static final int QUIET = 3;

  /// The outcome of a simulation that has kept all promises.
  ///
  /// @param states how many processes ended in each way
  /// @param killed how many were killed
  /// @param collected how many waters reached their end
  /// @param ended how many operations came too late
  /// @param resized how many changes of stages were made
  /// @param copies how many waters the readers of taps have taken
  public record Result(
      Map<FlowSnapshot.State, Integer> states,
      int killed,
      long collected,
      long ended,
      int resized,
      long copies) {
    /// A result with its own map.
    public Result {
      states = Map.copyOf(states);
    }
  }

  private record Joined(String name, Member from, Member to) {}

  private record Script(Member of, ArrayDeque<Operation> operations) {}

  private final SplittableRandom random;
  private final EngineModules modules;
  private final Wires wires;
  private final List<Member> members = new ArrayList<>();
  private final List<Joined> streams = new ArrayList<>();
  private final List<Script> scripts = new ArrayList<>();

  /// The processes whose modules were dropped since they had no receiver.
  private final Set<Member> dropped = new HashSet<>();

  /// Whether anything has happened after which a flow may fail.
  private boolean isTroubled;

  private final Flow flow;

  /// Resizes stages; null in runs that do not grow.
  private @Nullable Coordination coordination;

  private final List<TapLedger> taps = new ArrayList<>();

  /// The process of each tap.
  private final List<Member> tapped = new ArrayList<>();

  /// Whether all processes were told that the run has ended well.
  private boolean isPublished;

  private ProcessesSimulation(
      long seed, boolean holds, boolean lends, boolean grows, int reads, int works, int ends) {
    random = new SplittableRandom(seed);
    modules = new EngineModules(random.split(), SIZES);
    wires = new Wires(holds, lends);
    List<String> stages = works == 0 ? List.of("reads", "ends") : EngineSimulation.STAGES;
    flow = flow(seed, reads, works, ends);
    for (String stage : stages) {
      int replicas =
          switch (stage) {
            case "reads" -> reads;
            case "works" -> works;
            default -> ends;
          };
      for (int i = 0; i < replicas; i++) {
        Member member = new Member(wires, flow, new End(stage, i), grows);
        members.add(member);
        member.ask(new Operation.CreateModule(member.module));
      }
    }
    for (int i = 0; i + 1 < stages.size(); i++) {
      for (Member from : of(stages.get(i))) {
        for (Member to : of(stages.get(i + 1))) {
          join(from, to);
        }
      }
    }
  }

  private Flow flow(long seed, int reads, int works, int ends) {
    Flow.Builder builder =
        Flow.named("simulated")
            .seed(seed)
            .source("reads", modules::read, reads)
            .reservoir(random.nextBoolean() ? Reservoir.lottery() : Reservoir.leastOutstanding());
    if (works > 0) {
      builder =
          builder
              .stage("works", modules::work, works)
              .inputs(random.nextBoolean() ? InputPolicy.roundRobin() : InputPolicy.oldestFirst())
              .reservoir(Reservoir.roundRobin());
    }
    return builder.stage("ends", modules::end, ends).build();
  }

  private List<Member> of(String stage) {
    return members.stream().filter(member -> member.module.name().equals(stage)).toList();
  }

  private void join(Member from, Member to) {
    String name = from.module + "->" + to.module;
    int window = random.nextInt(1, 5);
    Joined made = new Joined(name, from, to);
    int number = streams.size();
    from.ask(create(made, number, Use.OUTBOUND, from.sending(name, to), window));
    to.ask(create(made, number, Use.INBOUND, to.receiving(name), window));
    streams.add(made);
  }

  private static Operation create(Joined stream, int number, Use use, StreamKind kind, int window) {
    End from = stream.from().module;
    End to = stream.to().module;
    return new Operation.CreateStream(
        stream.name(), number, use, to.name(), from, to, kind, window);
  }

  // -- In an order that follows from a seed.

  /// Runs a simulation of several processes, chosen by chance.
  ///
  /// @throws AssertionError if a promise was broken
  public static Result run(long seed) {
    return direct(() -> runHere(seed));
  }

  /// Runs a simulation on a virtual thread, as its actors are: to hand the turn over is then no
  /// business of the operating system.
  private static Result direct(Supplier<Result> simulation) {
    var task = new FutureTask<>(simulation::get);
    Thread.ofVirtual().name("director").start(task);
    try {
      return task.get();
    } catch (ExecutionException e) {
      Throwable cause = Objects.requireNonNull(e.getCause());
      throw new AssertionError(cause.getMessage(), cause);
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  private static Result runHere(long seed) {
    SplittableRandom shape = new SplittableRandom(~seed);
    var made =
        new ProcessesSimulation(
            seed,
            shape.nextInt(3) > 0,
            new SplittableRandom(seed).nextBoolean(),
            false,
            shape.nextInt(1, 3),
            shape.nextInt(3) > 0 ? 0 : shape.nextInt(1, 3),
            shape.nextInt(1, 3));
    return made.run(made::actByChance);
  }

  private Result run(Runnable acts) {
    try {
      acts.run();
      comeToTheEnd();
      return conclude();
    } finally {
      members.forEach(Member::close);
    }
  }

  private void actByChance() {
    for (Member member : members) {
      write(member);
    }
    int troubles = random.nextInt(4);
    for (int turns = random.nextInt(400); turns > 0; turns--) {
      if (troubles > 0 && random.nextInt(50) == 0) {
        troubles--;
        trouble(any(members));
      }
      if (!scripts.isEmpty() && random.nextInt(4) == 0) {
        follow(any(scripts));
      } else if (wires.holds() && random.nextBoolean()) {
        List<Wire> waiting = wires.waiting();
        if (!waiting.isEmpty()) {
          any(waiting).deliver();
        }
      } else {
        boolean _ = any(members).step();
      }
    }
  }

  private <T> T any(List<T> list) {
    return list.get(random.nextInt(list.size()));
  }

  /// Writes the scripts of a process, whose operations a coordinator may ask for in several orders.
  private void write(Member member) {
    List<Operation> attach = new ArrayList<>();
    for (Joined stream : streams) {
      if (stream.from() == member) { // a process is itself
        attach.add(new Operation.AttachOutput(member.module, stream.name()));
      } else if (stream.to() == member) {
        attach.add(new Operation.AttachInput(member.module, stream.name()));
      }
    }
    List<Operation> life =
        List.of(new Operation.Initialize(member.module), new Operation.Start(member.module));
    Operation seal = new Operation.SealInputs(member.module);
    ArrayDeque<Operation> script = new ArrayDeque<>();
    switch (random.nextInt(3)) {
      case 0 -> {
        script.addAll(attach);
        script.add(seal);
        script.addAll(life);
      }
      case 1 -> {
        script.addAll(life);
        script.addAll(attach);
        script.add(seal);
      }
      default -> { // at once
        scripts.add(new Script(member, new ArrayDeque<>(life)));
        script.addAll(attach);
        script.add(seal);
      }
    }
    scripts.add(new Script(member, script));
  }

  private void follow(Script script) {
    Operation next = script.operations().pollFirst();
    if (next == null) {
      boolean _ = scripts.remove(script);
    } else {
      ask(script.of(), next);
    }
  }

  private void ask(Member member, Operation operation) {
    if (Asked.mayEndOutputs(operation)) {
      modules.mayEnd(member.module);
    }
    member.ask(operation);
  }

  private void trouble(Member at) {
    switch (random.nextInt(8)) {
      case 0 -> happen(Event.FAIL, at);
      case 1 -> happen(Event.KILL, at);
      case 2 -> happen(Event.CANCEL, at);
      case 3 -> happen(Event.CUT, at);
      case 4 -> happen(Event.END_EARLY, at);
      case 5 -> happen(Event.STOP, at);
      case 6 -> happen(Event.DROP, at);
      default -> happen(Event.END_OUTPUT, at);
    }
  }

  /// An event in the life of a process.
  public enum Event {
    /// Nothing does.
    NOTHING,
    /// Its module ends one of its outputs, if it has one.
    END_OUTPUT,
    /// Its module is stopped.
    STOP,
    /// Its module is dropped.
    DROP,
    /// Its module ends in its next call.
    END_EARLY,
    /// Its module fails in its next call.
    FAIL,
    /// Its flow is cancelled.
    CANCEL,
    /// It is killed.
    KILL,
    /// One of its connections breaks.
    CUT
  }

  private void happen(Event event, Member to) {
    switch (event) {
      case NOTHING -> {}
      case END_OUTPUT ->
          streams.stream()
              .filter(stream -> stream.from() == to && counters(to, stream.name()).isPresent())
              .findFirst()
              .ifPresent(stream -> ask(to, new Operation.EndOutput(to.module, stream.name())));
      case STOP -> ask(to, new Operation.Stop(to.module));
      case DROP -> ask(to, new Operation.Drop(to.module));
      case END_EARLY -> modules.endEarly(to.module.name());
      case FAIL -> {
        isTroubled = true;
        modules.fail(to.module.name());
      }
      case CANCEL -> {
        isTroubled = true;
        to.cancel();
      }
      case KILL -> {
        isTroubled = true;
        to.kill();
      }
      case CUT -> {
        isTroubled = true;
        to.host.cutOne();
      }
    }
  }

  // -- Runs that grow.

  /// Runs a simulation of a run whose stages are resized and tapped, in an order chosen by chance.
  ///
  /// @throws AssertionError if a promise was broken
  public static Result grow(long seed) {
    return direct(
        () -> {
          SplittableRandom shape = new SplittableRandom(~seed);
          boolean holds = shape.nextInt(3) > 0;
          var made = new ProcessesSimulation(seed, holds, shape.nextBoolean(), true, 1, 1, 1);
          return made.run(made::growByChance);
        });
  }

  /// Makes the processes of modules that join.
  private final class Joining implements Coordination.Processes {
    @Override
    public Member find(End module) {
      return members.stream().filter(each -> each.module.equals(module)).findFirst().orElseThrow();
    }

    @Override
    public Member add(End module) {
      Member member = new Member(wires, flow, module, true);
      members.add(member);
      return member;
    }

    @Override
    public Operation end(Resizing.Link link, boolean isReceiving) {
      Member from = find(link.from());
      Member to = find(link.to());
      String name = from.module + "->" + to.module;
      Joined made = new Joined(name, from, to);
      if (!streams.contains(made)) {
        streams.add(made);
      }
      int window = 1 + link.number() % 4;
      return isReceiving
          ? create(made, link.number(), Use.INBOUND, to.receiving(name), window)
          : create(made, link.number(), Use.OUTBOUND, from.sending(name, to), window);
    }

    @Override
    public boolean mayFail(End module) {
      return find(module).isBad();
    }
  }

  private void growByChance() {
    for (Member member : members) {
      write(member);
    }
    while (!scripts.isEmpty()) {
      follow(scripts.getFirst());
    }
    members.forEach(Member::seal);
    Coordination made = new Coordination(new Joining(), new Team(flow), modules, random.split());
    coordination = made;
    int troubles = random.nextInt(3);
    for (int turns = random.nextInt(100, 600); turns > 0; turns--) {
      switch (random.nextInt(40)) {
        case 0, 1 -> made.resize(random.nextBoolean() ? "works" : "ends");
        case 2 -> tap(any(members));
        case 3 -> closeOne();
        case 4 -> {
          if (troubles > 0 && random.nextInt(4) == 0) {
            troubles--;
            trouble(any(members));
          }
        }
        case 5, 6, 7, 8 -> readTaps();
        case 9, 10, 11, 12, 13, 14 -> made.goOn(members);
        default -> stepOne();
      }
    }
  }

  private void stepOne() {
    List<Wire> waiting = wires.waiting();
    if (!waiting.isEmpty() && random.nextBoolean()) {
      any(waiting).deliver();
    } else {
      boolean _ = any(members).step();
    }
  }

  private void tap(Member member) {
    if (member.isOver() || member.module.name().equals("ends")) {
      return;
    }
    boolean blocks = random.nextBoolean();
    Tap.Terms terms =
        new Tap.Terms(
            random.nextInt(EngineModules.BYTES, 4000),
            random.nextInt(1, 5),
            blocks,
            !blocks && random.nextBoolean());
    String reservoir = member.module.name().equals("reads") ? "works" : "ends";
    TapLedger made = new TapLedger(modules, reservoir, terms, false);
    taps.add(made);
    tapped.add(member);
    member.tap(made.tap);
  }

  private void closeOne() {
    if (!taps.isEmpty()) {
      any(taps).close();
    }
  }

  /// Returns whether there was a copy.
  private boolean readTaps() {
    boolean hasRead = false;
    for (TapLedger each : taps) {
      each.tap.grant(1);
      hasRead |= each.read();
    }
    return hasRead;
  }

  /// Lets a step of a change, an answer or a copy go on. Once a process has failed, the coordinator
  /// ends the others.
  private boolean coordinate() {
    Coordination its = coordination;
    if (its == null) {
      return false;
    }
    boolean hasRead = readTaps();
    boolean hasMoved = its.goOn(members) || hasRead;
    if (!isPublished && members.stream().allMatch(each -> each.hasEnded() && !each.isBad())) {
      isPublished = true;
      members.forEach(Member::publish);
      return true;
    }
    if (!hasMoved && members.stream().anyMatch(each -> each.isOver() && !each.isWell())) {
      for (Member each : members) {
        if (!each.isOver() && !each.isCancelled()) {
          each.cancel();
          hasMoved = true;
        }
      }
    }
    return hasMoved;
  }

  private void checkTaps() {
    for (int i = 0; i < taps.size(); i++) {
      while (taps.get(i).read()) {}
      if (!tapped.get(i).isKilled()) {
        taps.get(i).check(tapped.get(i).isWell(), 0);
      }
    }
  }

  // -- In one of all orders.

  /// An order of the operations of a sender and a receiver.
  ///
  /// @param turns bit by bit, whether the sender's next operation comes, or the receiver's
  /// @param pauses bit by bit, whether both processes go on for a while after an operation
  /// @param atSender the last of the sender's operations
  /// @param atReceiver the last of the receiver's
  public record Order(int turns, int pauses, Event atSender, Event atReceiver) {
    static final int SENDERS = 3;
    static final int RECEIVERS = 4;

    /// How many operations there are.
    public static final int LENGTH = SENDERS + RECEIVERS;

    private long seed() {
      return Objects.hash(turns, pauses, atSender.name(), atReceiver.name());
    }

    /// Long messages are lent in half of the orders, and in each with other pauses.
    private boolean lends() {
      return Integer.bitCount(turns + pauses) % 2 != 0;
    }

    /// Returns whether the bits of `turns` make an order.
    public static boolean isOrder(int turns) {
      return turns >> LENGTH == 0 && Integer.bitCount(turns) == SENDERS;
    }
  }

  private static final int PAUSE_ROUNDS = 4;

  /// Runs the operations of a sender and a receiver in an order: each attaches its stream and is
  /// started, the receiver is sealed, and something happens to each.
  ///
  /// @throws AssertionError if a promise was broken
  public static Result run(Order order) {
    return direct(
        () -> {
          var made = new ProcessesSimulation(order.seed(), false, order.lends(), false, 1, 0, 1);
          return made.run(() -> made.act(order));
        });
  }

  private void act(Order order) {
    Member sender = members.getFirst();
    Member receiver = members.getLast();
    String stream = streams.getFirst().name();
    ArrayDeque<Runnable> sends = new ArrayDeque<>();
    sends.add(() -> ask(sender, new Operation.AttachOutput(sender.module, stream)));
    sends.add(() -> begin(sender));
    sends.add(() -> happen(order.atSender(), sender));
    ArrayDeque<Runnable> receives = new ArrayDeque<>();
    receives.add(() -> ask(receiver, new Operation.AttachInput(receiver.module, stream)));
    receives.add(() -> ask(receiver, new Operation.SealInputs(receiver.module)));
    receives.add(() -> begin(receiver));
    receives.add(() -> happen(order.atReceiver(), receiver));
    for (int i = 0; i < Order.LENGTH; i++) {
      ((order.turns() >> i & 1) != 0 ? sends : receives).removeFirst().run();
      if ((order.pauses() >> i & 1) != 0) {
        for (int round = 0; round < PAUSE_ROUNDS; round++) {
          boolean _ = sender.step();
          boolean _ = receiver.step();
        }
      }
    }
  }

  private void begin(Member member) {
    ask(member, new Operation.Initialize(member.module));
    ask(member, new Operation.Start(member.module));
  }

  // -- The end.

  private void comeToTheEnd() {
    while (!scripts.isEmpty()) {
      follow(scripts.getFirst());
    }
    members.forEach(Member::seal);
    int quiet = 0;
    for (int round = 0; !members.stream().allMatch(Member::isOver); round++) {
      if (round > MOST_ROUNDS) {
        throw modules.violated("no end after %d rounds: %s".formatted(round, members));
      }
      long before = wires.moves();
      boolean hasMoved = false;
      for (Wire wire : wires.waiting()) {
        wire.deliver();
      }
      for (Member member : List.copyOf(members)) {
        hasMoved |= member.step();
      }
      hasMoved |= coordinate();
      quiet = hasMoved || wires.moves() > before ? 0 : quiet + 1;
      if (quiet > QUIET) {
        quiet = 0;
        helpOne();
      }
    }
  }

  /// Ends a wait that only an operation ends, or patience.
  private void helpOne() {
    for (Member member : members) {
      if (!member.isOver() && isAlone(member) && dropped.add(member)) {
        ask(member, new Operation.Drop(member.module));
        return;
      }
    }
    for (Joined stream : streams) {
      if (!wires.wereConnected(stream.from().module.toString(), stream.to().module.toString())) {
        Member left = waitsInVain(stream.from(), stream.to());
        if (left != null) {
          left.cancel();
          return;
        }
      }
    }
    throw modules.violated("nothing moves: %s".formatted(members));
  }

  /// Returns whether a module has left all of its receivers, and waits for others.
  private boolean isAlone(Member member) {
    return streams.stream().anyMatch(stream -> stream.from() == member) && member.hasNoReceiver();
  }

  /// Returns the process that waits for one which ended badly before both were connected.
  private static @Nullable Member waitsInVain(Member one, Member other) {
    if (!one.isOver() && other.isOver() && !other.isWell()) {
      return one;
    }
    return !other.isOver() && one.isOver() && !one.isWell() ? other : null;
  }

  private Result conclude() {
    Map<FlowSnapshot.State, Integer> states = new HashMap<>();
    long ended = 0;
    int killed = 0;
    for (Member member : members) {
      ended += member.ended();
      if (member.isKilled()) {
        killed++;
      } else {
        states.merge(member.snapshot().state(), 1, Integer::sum);
        checkOutcome(member);
      }
    }
    checkCounters();
    checkTaps();
    modules.checkViolations();
    return new Result(
        states,
        killed,
        modules.collected(),
        ended,
        coordination == null ? 0 : coordination.resized(),
        taps.stream().mapToLong(TapLedger::copies).sum());
  }

  private void checkOutcome(Member member) {
    switch (member.snapshot().state()) {
      case DONE -> {}
      case FAILED -> {
        FlowException failure = member.failure();
        if (!isTroubled) {
          throw new AssertionError(member + " has failed without a cause", failure);
        }
        modules.checkCauseBetweenProcesses(failure);
      }
      case CANCELLED -> {
        if (!member.isCancelled()) {
          throw new AssertionError(member + " was cancelled, and was not asked to");
        }
      }
      case RUNNING -> throw new AssertionError(member + " is over, and still running");
    }
  }

  /// A sender that has ended well knows what has become of each water.
  private void checkCounters() {
    long discarded = 0;
    for (Joined stream : streams) {
      StreamCounters sent = counters(stream.from(), stream.name()).orElse(null);
      if (sent == null) {
        continue; // the run has ended before that end was made
      }
      discarded += sent.discards().onTheirWay() + sent.discards().afterTheEnd();
      if (stream.from().isWell()) {
        long taken = counters(stream.to(), stream.name()).map(StreamCounters::taken).orElse(0L);
        modules.check(stream.name(), sent, taken);
      }
    }
    if (members.stream().allMatch(Member::isWell)) {
      modules.checkAll(discarded);
    }
  }

  private static Optional<StreamCounters> counters(Member member, String stream) {
    return member.snapshot().streams().stream()
        .filter(channel -> channel.name().equals(stream))
        .map(FlowSnapshot.Channel::counters)
        .findFirst();
  }
}
