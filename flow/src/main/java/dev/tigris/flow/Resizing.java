package dev.tigris.flow;

import dev.tigris.flow.FlowEngine.Answer;
import dev.tigris.flow.Operation.End;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// One change of a stage by one replica, while its flow runs: the order of the steps by which a new
/// replica joins, or one leaves. A module that stands for a [Guest] is such a replica, with one
/// stream to the guest. It has no thread, clock or I/O: [#next] tells what to do now, and
/// [#answered] takes what came of it. So it is the same for a flow on threads and for a run on
/// processes, whose coordinator has one.
///
/// ```
///   grow:    ADD -> MEET -> REQUIRE -> RESERVE -> RECEIVE -> JOIN -> OPEN -> DONE
///             |      |        |           |
///             |      +--------+-----------+--> UNDO --> REFUSED   the guest cannot be reached, or
///             |                                                   a receiver finishes already
///             +--------------------------------------> REFUSED    nothing was changed
///   shrink:  CLOSE -> LEAVE -> DONE
/// ```
///
/// A phase begins when each step of the one before was answered. Steps of one phase on different
/// modules may be made in any order, those on one module in theirs.
///
/// Thread rule: one thread at a time.
public final class Resizing {
  /// One operation on one module, in whichever process that is.
  ///
  /// @param number which step of the change, from 0
  /// @param kind the operation
  /// @param module the module
  /// @param link the stream that it attaches or ends; null for other operations
  public record Step(int number, Kind kind, End module, @Nullable Link link) {}

  /// A stream, as both of its ends make it.
  ///
  /// @param reservoir the name of its reservoir
  /// @param from the sending replica
  /// @param to the receiving replica
  /// @param number the number by which waters name it, unique in the flow
  public record Link(String reservoir, End from, End to, int number) {
    /// Returns its name, as [Plan] names streams.
    String name() {
      return Plan.name(reservoir, from, to);
    }
  }

  /// The operations.
  public enum Kind {
    /// Make the module.
    ADD,
    /// Reserve an input of it.
    RESERVE,
    /// Attach an input.
    ATTACH_INPUT,
    /// Attach an output.
    ATTACH_OUTPUT,
    /// Take a reservation back, or seal the inputs of a new module.
    SEAL,
    /// Require its senders.
    REQUIRE,
    /// Initialize it.
    INITIALIZE,
    /// Start it.
    START,
    /// End an output.
    END_OUTPUT,
    /// Drop it.
    DROP
  }

  /// The phases of a change.
  public enum Phase {
    /// The new replica is made.
    ADD,
    /// If it stands for a guest, it gets the stream from or to that.
    MEET,
    /// Before a guest takes anything, those of its program that give are required.
    REQUIRE,
    /// Its receivers are told that an input is to come.
    RESERVE,
    /// They get it.
    RECEIVE,
    /// It gets its inputs and outputs, and starts.
    JOIN,
    /// Its senders get their outputs.
    OPEN,
    /// The senders of a leaving replica end their outputs.
    CLOSE,
    /// It takes what was put before, and ends.
    LEAVE,
    /// The new replica is dropped, since it came too late.
    UNDO,
    /// The change was made.
    DONE,
    /// It was not, and nothing has changed.
    REFUSED
  }

  private final End replica;

  /// The guest that it stands for, which is elsewhere; null if it stands for none.
  private final @Nullable End guest;

  private final boolean grows;
  private final List<Link> inputs = new ArrayList<>();
  private final List<Link> outputs = new ArrayList<>();

  /// The stream from or to the guest.
  private final List<Link> beyond = new ArrayList<>();

  /// The modules that stand for guests which give, if one of the same program takes.
  private final List<End> givers = new ArrayList<>();

  private final List<Step> steps = new ArrayList<>();
  private final Set<Integer> open = new LinkedHashSet<>();
  private final List<Link> reserved = new ArrayList<>();
  private Phase phase;
  private boolean hasEnded;
  private int given;
  private @Nullable String refusal;

  private Resizing(End replica, @Nullable End guest, Phase first) {
    this.replica = replica;
    this.guest = guest;
    this.grows = first == Phase.ADD;
    this.phase = first;
  }

  /// Returns the change by which a replica joins.
  ///
  /// @param team the replicas of all stages that have not ended or begun to leave
  /// @param replica the new one, of a number that none had before
  /// @param firstStream the first of the numbers that no stream of the flow has
  static Resizing growing(Flow flow, Team team, End replica, int firstStream) {
    Resizing made = new Resizing(replica, null, Phase.ADD);
    made.connect(flow, team, firstStream);
    made.begin(Phase.ADD);
    return made;
  }

  /// Returns the change by which a guest joins.
  ///
  /// @param number which of its stage it is, which none was before
  static Resizing growing(Flow flow, Team team, Guest guest, int number, int firstStream) {
    Resizing made = new Resizing(guest.stand(number), guest.elsewhere(number), Phase.ADD);
    made.connect(flow, team, firstStream);
    if (!guest.gives()) {
      made.givers.addAll(team.givers(guest.program()));
    } else if (team.hasTaker(guest.program())) {
      made.givers.add(made.replica);
    }
    made.begin(Phase.ADD);
    return made;
  }

  /// Returns the change by which a replica leaves.
  static Resizing shrinking(Flow flow, Team team, End replica) {
    Resizing made = new Resizing(replica, null, Phase.CLOSE);
    made.connect(flow, team, 0);
    made.begin(Phase.CLOSE);
    return made;
  }

  private void connect(Flow flow, Team team, int firstStream) {
    int number = firstStream;
    for (Flow.Edge edge : flow.edges()) {
      if (edge.to().equals(replica.name())) {
        for (End sender : team.replicas(edge.from())) {
          inputs.add(new Link(edge.name(), sender, replica, number++));
        }
      }
      if (edge.from().equals(replica.name())) {
        for (End receiver : team.replicas(edge.to())) {
          outputs.add(new Link(edge.name(), replica, receiver, number++));
        }
      }
      if (guest != null && isBetween(edge, guest, replica)) {
        beyond.add(new Link(edge.name(), guest, replica, number++));
      }
      if (guest != null && isBetween(edge, replica, guest)) {
        beyond.add(new Link(edge.name(), replica, guest, number++));
      }
    }
  }

  private static boolean isBetween(Flow.Edge edge, End from, End to) {
    return edge.from().equals(from.name()) && edge.to().equals(to.name());
  }

  /// Returns how many numbers of streams it uses.
  int streams() {
    return inputs.size() + outputs.size() + beyond.size();
  }

  private void begin(Phase next) {
    phase = next;
    switch (next) {
      case ADD -> step(Kind.ADD, replica, null);
      case MEET -> beyond.forEach(this::meet);
      case REQUIRE -> givers.forEach(each -> step(Kind.REQUIRE, each, null));
      case RESERVE -> outputs.forEach(link -> step(Kind.RESERVE, link.to(), link));
      case RECEIVE ->
          outputs.forEach(
              link -> {
                step(Kind.ATTACH_INPUT, link.to(), link);
                step(Kind.SEAL, link.to(), null);
              });
      case JOIN -> {
        inputs.forEach(link -> step(Kind.ATTACH_INPUT, replica, link));
        step(Kind.SEAL, replica, null);
        outputs.forEach(link -> step(Kind.ATTACH_OUTPUT, replica, link));
        step(Kind.INITIALIZE, replica, null);
        step(Kind.START, replica, null);
      }
      case OPEN -> inputs.forEach(link -> step(Kind.ATTACH_OUTPUT, link.from(), link));
      case CLOSE -> inputs.forEach(link -> step(Kind.END_OUTPUT, link.from(), link));
      case UNDO -> {
        step(Kind.DROP, replica, null);
        reserved.forEach(link -> step(Kind.SEAL, link.to(), null));
      }
      case LEAVE, DONE, REFUSED -> {}
    }
    if (open.isEmpty()) {
      advance();
    }
  }

  private void meet(Link link) {
    step(link.to().equals(replica) ? Kind.ATTACH_INPUT : Kind.ATTACH_OUTPUT, replica, link);
  }

  private void step(Kind kind, End module, @Nullable Link link) {
    boolean _ = open.add(steps.size());
    steps.add(new Step(steps.size(), kind, module, link));
  }

  /// Returns the steps that were not given out before.
  public List<Step> next() {
    List<Step> fresh = List.copyOf(steps.subList(given, steps.size()));
    given = steps.size();
    return fresh;
  }

  /// Takes the answer to a step. One that was answered before is left as it was.
  public void answered(int number, Answer answer) {
    if (!open.remove(number)) {
      return;
    }
    Step step = steps.get(number);
    if (step.kind() == Kind.ADD && answer == Answer.ENDED) {
      refusal = "the process where %s would be has ended its part".formatted(replica);
    }
    if (phase == Phase.REQUIRE && answer == Answer.ENDED) {
      refusal = "guest %s was lost, which gives: results would be, too".formatted(step.module());
    }
    if (phase == Phase.MEET && answer == Answer.ENDED) {
      refusal = "guest %s cannot be reached".formatted(guest);
    }
    if (step.kind() == Kind.RESERVE && step.link() != null) {
      if (answer == Answer.APPLIED) {
        reserved.add(step.link());
      } else if (refusal == null) {
        refusal = "%s finishes already".formatted(step.module());
      }
    }
    if (open.isEmpty()) {
      advance();
    }
  }

  private void advance() {
    switch (phase) {
      case ADD -> begin(refusal == null ? Phase.MEET : Phase.REFUSED);
      case MEET -> begin(refusal == null ? Phase.REQUIRE : Phase.UNDO);
      case REQUIRE -> begin(refusal == null ? Phase.RESERVE : Phase.UNDO);
      case RESERVE -> begin(refusal == null ? Phase.RECEIVE : Phase.UNDO);
      case RECEIVE -> begin(Phase.JOIN);
      case JOIN -> begin(Phase.OPEN);
      case OPEN -> begin(Phase.DONE);
      case CLOSE -> begin(Phase.LEAVE);
      case LEAVE -> {
        if (hasEnded) {
          begin(Phase.DONE);
        }
      }
      case UNDO -> begin(Phase.REFUSED);
      case DONE, REFUSED -> {}
    }
  }

  /// A replica has ended. It concludes the change by which that one leaves, as soon as the answers
  /// of its senders have come.
  public void ended(End module) {
    if (module.equals(replica)) {
      hasEnded = true;
      if (phase == Phase.LEAVE) {
        begin(Phase.DONE);
      }
    }
  }

  /// Returns the replica that joins or leaves.
  public End replica() {
    return replica;
  }

  /// Returns the guest that it stands for, if that joins; null if it stands for none.
  public @Nullable End guest() {
    return guest;
  }

  /// Returns whether the replica joins.
  public boolean grows() {
    return grows;
  }

  /// Returns the phase.
  public Phase phase() {
    return phase;
  }

  /// Returns whether nothing more is to be done.
  public boolean isOver() {
    return phase == Phase.DONE || phase == Phase.REFUSED;
  }

  /// Returns why it was refused; null if it was not.
  public @Nullable String refusal() {
    return refusal;
  }

  /// Returns the modules that it waits for: each is in a call, or leaves.
  public List<End> waitsFor() {
    return phase == Phase.LEAVE
        ? List.of(replica)
        : open.stream().map(number -> steps.get(number).module()).distinct().toList();
  }

  /// Checks what must always hold.
  void checkInvariants() {
    if (isOver() != (open.isEmpty() && phase != Phase.LEAVE)) {
      throw new IllegalStateException("phase %s waits for %s".formatted(phase, open));
    }
    if ((phase == Phase.REFUSED) != (refusal != null && isOver())) {
      throw new IllegalStateException("phase %s, refusal %s".formatted(phase, refusal));
    }
    if (phase != Phase.UNDO && phase != Phase.REFUSED && reserved.size() > outputs.size()) {
      throw new IllegalStateException("reserved twice");
    }
  }

  @Override
  public String toString() {
    return "%s of %s, waits for %s".formatted(phase, replica, waitsFor());
  }
}
