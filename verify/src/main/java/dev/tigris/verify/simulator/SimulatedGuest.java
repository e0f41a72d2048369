package dev.tigris.verify.simulator;

import dev.tigris.flow.Flow;
import dev.tigris.flow.FlowPart;
import dev.tigris.flow.Guest;
import dev.tigris.flow.Operation.End;
import dev.tigris.flow.SteppedEngine;
import dev.tigris.flow.StreamKind;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// A second program that takes part in a simulated flow: an engine of its own, with one module.
///
/// ```
///    reads ==> works.taken --bridge--> helps --bridge--> ends.given ==> ends
/// ```
///
/// It asks to give first, and to take when its module first looks for a water. It may never come
/// after it has asked, or not be reached.
///
/// Thread rule: one thread.
final class SimulatedGuest {
  private static final int MOST_WINDOW = 5;

  private final SteppedEngine host;
  private final EngineModules modules;
  private final Guest takes;
  private final Guest gives;
  private final SimulatedBridge taken;
  private final SimulatedBridge given;
  private final boolean isUnreachable;
  private final Consumer<End> whileWaiting;
  private final CompletableFuture<Void> mayGive;
  private @Nullable CompletableFuture<Void> mayTake;
  private @Nullable SteppedEngine own;
  private boolean isGone;
  private boolean isWaiting;

  /// @param host the flow in which it takes part
  /// @param number of the guest
  /// @param whileWaiting lets others go on while a module waits
  SimulatedGuest(
      SteppedEngine host,
      EngineModules modules,
      int number,
      SplittableRandom random,
      Consumer<End> whileWaiting) {
    this.whileWaiting = whileWaiting;
    this.host = host;
    this.modules = modules;
    takes = new Guest("works", false, number, 2L * number);
    gives = new Guest("ends", true, number, 2L * number + 1);
    isUnreachable = random.nextInt(8) == 0;
    taken =
        new SimulatedBridge(
            "taken" + number + "->helps" + number,
            random.nextInt(1, MOST_WINDOW),
            modules.cut(),
            false,
            new SimulatedBridge.Guest() {
              @Override
              public void look() {
                take();
              }

              @Override
              public void askEnd() {
                leave();
              }

              @Override
              public void ended() {
                modules.mayEnd("taken" + number);
              }

              @Override
              public void await() {
                awaitOthers(new End(takes.stand(), number));
              }
            });
    given =
        new SimulatedBridge(
            "helps" + number + "->given",
            random.nextInt(1, MOST_WINDOW),
            modules.cut(),
            true,
            () -> awaitOthers(new End("helps", number)));
    mayGive = host.engine().join(gives, part(gives));
  }

  /// The streams between the flow and the guest.
  private FlowPart part(Guest guest) {
    return new FlowPart() {
      @Override
      public boolean isHere(End replica) {
        return !replica.name().equals(guest.elsewhere());
      }

      @Override
      public StreamKind kind(Link link) {
        if (guest.gives()) {
          modules.mayEnd(link.to().toString());
          return given;
        }
        if (isUnreachable) {
          return place -> {
            SimulatedWire ended = new SimulatedWire(place);
            ended.stop();
            return ended;
          };
        }
        return taken;
      }
    };
  }

  /// Lets others go on while a module waits in the end of its stream. They do so on a thread of
  /// their own: what has its own thread must not use both ends of a stream.
  private void awaitOthers(End module) {
    var task = new FutureTask<>(() -> whileWaiting.accept(module), null);
    Thread _ = Thread.ofVirtual().name("others").start(task);
    try {
      task.get();
    } catch (ExecutionException e) {
      throw new AssertionError(e.getCause());
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  private void take() {
    CompletableFuture<Void> answer = host.engine().join(takes, part(takes));
    mayTake = answer;
    CompletableFuture<?> _ =
        answer.whenComplete(
            (nothing, thrown) -> {
              if (thrown != null) {
                taken.refuse();
              }
            });
  }

  private void leave() {
    CompletableFuture<Void> _ = host.engine().leave(takes);
  }

  /// Begins when it may give, if it has not gone meanwhile.
  ///
  /// @param isLost whether the stream by which it gives is lost before
  /// @param goes whether it has gone
  void begin(boolean isLost, boolean goes) {
    if (own != null || isGone || !mayGive.isDone() || mayGive.isCompletedExceptionally()) {
      return;
    }
    if (isLost || goes) {
      given.miss();
    }
    if (goes) {
      isGone = true;
      return;
    }
    Flow flow =
        Flow.named("guest")
            .stage("helps", modules::work)
            .feed("helps", taken)
            .drain("helps", given)
            .build();
    SteppedEngine made = SteppedEngine.of(flow);
    made.whenWaiting(whileWaiting);
    own = made;
    made.start();
  }

  /// Makes a step of its module, if there is one.
  void step() {
    SteppedEngine its = own;
    if (its != null) {
      isWaiting = true; // if it is asked while it does
      for (End module : its.modules()) {
        boolean _ = its.step(module);
      }
      isWaiting = false;
    }
  }

  /// Returns whether its module is in a call.
  boolean isWaiting() {
    return isWaiting;
  }

  void drain() {
    SteppedEngine its = own;
    if (its != null) {
      its.engine().drain();
    }
  }

  /// Returns whether nothing of it goes on.
  boolean isOver() {
    SteppedEngine its = own;
    return its == null
        ? isGone || (mayGive.isDone() && mayGive.isCompletedExceptionally())
        : its.engine().isDone();
  }

  /// Returns whether it took part.
  boolean hasTakenPart() {
    CompletableFuture<Void> its = mayTake;
    return its != null && its.isDone() && !its.isCompletedExceptionally();
  }

  /// Checks how it has ended, and gives back what it has.
  void conclude() {
    SteppedEngine its = own;
    if (its != null) {
      modules.checkOutcomeOfGuest(its.engine());
    }
    taken.free();
    given.free();
  }
}
