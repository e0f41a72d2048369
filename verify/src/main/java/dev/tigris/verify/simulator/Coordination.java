package dev.tigris.verify.simulator;

import dev.tigris.flow.FlowEngine.Answer;
import dev.tigris.flow.Operation;
import dev.tigris.flow.Operation.End;
import dev.tigris.flow.Resizing;
import dev.tigris.flow.Resizing.Link;
import dev.tigris.flow.Team;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/// The coordinator of a simulated run on processes, which resizes its stages: the order of steps
/// that ships, each of which travels for any time, and so does its answer.
///
/// Thread rule: the director's.
final class Coordination {
  /// The most replicas of a stage.
  private static final int MOST = 4;

  /// The processes, and the streams between them.
  interface Processes {
    /// Returns the process of a module.
    Member find(End module);

    /// Makes one for a module that joins.
    Member add(End module);

    /// Returns the operation that makes an end of a stream.
    Operation end(Link link, boolean isReceiving);

    /// Returns whether the process of a module has ended badly, so that a step there may fail.
    boolean mayFail(End module);
  }

  private record Pending(
      Resizing change, int number, End module, CompletableFuture<Answer> answer) {}

  private final Processes processes;
  private final Team team;
  private final EngineModules modules;
  private final SplittableRandom random;

  /// The steps on their way. A module takes its steps in their order.
  private final List<Resizing.Step> flights = new ArrayList<>();

  private final List<Pending> pending = new ArrayList<>();
  private final Set<End> told = new HashSet<>();
  private int resized;
  private int refused;

  Coordination(Processes processes, Team team, EngineModules modules, SplittableRandom random) {
    this.processes = processes;
    this.team = team;
    this.modules = modules;
    this.random = random;
  }

  int resized() {
    return resized;
  }

  int refused() {
    return refused;
  }

  /// Asks for another number of replicas of a stage, which may be refused.
  void resize(String stage) {
    int count = random.nextInt(1, MOST + 1);
    List<End> its = team.replicas(stage);
    boolean isFree = team.change() == null;
    if (team.resize(stage, count) != null) {
      refused++;
      return;
    }
    if (!isFree) {
      throw modules.violated("two changes at a time");
    }
    if (team.change() == null) {
      return; // it has so many
    }
    for (End each : its.subList(Math.min(count, its.size()), its.size())) {
      modules.mayLeave(each);
    }
    sendFresh();
  }

  private void sendFresh() {
    for (Resizing change = team.change(); change != null; change = team.change()) {
      flights.addAll(change.next());
      if (!change.isOver()) {
        return;
      }
      if (team.settle()) {
        if (team.refused() == null) {
          resized++;
        } else {
          refused++;
        }
        return;
      }
    }
  }

  /// Lets one step arrive, or one answer, or tells of the end of a module. Returns whether there
  /// was anything on its way.
  boolean goOn(List<Member> members) {
    return switch (random.nextInt(3)) {
      case 0 -> arrive() || hear() || tell(members);
      case 1 -> hear() || tell(members) || arrive();
      default -> tell(members) || arrive() || hear();
    };
  }

  private boolean arrive() {
    if (flights.isEmpty()) {
      return false;
    }
    End module = flights.get(random.nextInt(flights.size())).module();
    Resizing.Step first =
        flights.stream().filter(each -> each.module().equals(module)).findFirst().orElseThrow();
    boolean _ = flights.remove(first);
    Resizing change = Objects.requireNonNull(team.change());
    pending.add(new Pending(change, first.number(), module, make(first)));
    return true;
  }

  private CompletableFuture<Answer> make(Resizing.Step step) {
    End module = step.module();
    if (step.kind() == Resizing.Kind.ADD) {
      Member added = processes.add(module);
      CompletableFuture<Answer> answer = added.answer(new Operation.CreateModule(module));
      added.seal();
      return answer;
    }
    Member member = processes.find(module);
    Link link = step.link();
    return switch (step.kind()) {
      case RESERVE -> member.answer(new Operation.ReserveInputs(module));
      case SEAL -> member.answer(new Operation.SealInputs(module));
      case REQUIRE -> member.answer(new Operation.RequireSenders(module));
      case INITIALIZE -> member.answer(new Operation.Initialize(module));
      case START -> member.answer(new Operation.Start(module));
      case DROP -> {
        modules.mayEnd(module);
        yield member.answer(new Operation.Drop(module));
      }
      case END_OUTPUT -> member.answer(new Operation.EndOutput(module, name(link)));
      case ATTACH_INPUT -> {
        member.ask(processes.end(Objects.requireNonNull(link), true));
        yield member.answer(new Operation.AttachInput(module, name(link)));
      }
      case ATTACH_OUTPUT -> {
        member.ask(processes.end(Objects.requireNonNull(link), false));
        yield member.answer(new Operation.AttachOutput(module, name(link)));
      }
      case ADD -> throw new IllegalStateException("it was made above");
    };
  }

  private static String name(@Nullable Link link) {
    Link its = Objects.requireNonNull(link);
    return its.from() + "->" + its.to();
  }

  private boolean hear() {
    for (Iterator<Pending> all = pending.iterator(); all.hasNext(); ) {
      Pending each = all.next();
      if (each.answer().isDone() && random.nextInt(3) > 0) {
        all.remove();
        if (each.answer().isCompletedExceptionally()) {
          if (!processes.mayFail(each.module())) {
            throw modules.violated("a step fails: " + each.answer().handle((_, e) -> e).join());
          }
          return true; // and the run ends
        }
        each.change().answered(each.number(), each.answer().join());
        sendFresh();
        return true;
      }
    }
    return pending.stream().anyMatch(each -> each.answer().isDone());
  }

  private boolean tell(List<Member> members) {
    for (Member each : members) {
      if (each.hasEnded() && told.add(each.module)) {
        team.ended(each.module);
        sendFresh();
        return true;
      }
    }
    return false;
  }
}
