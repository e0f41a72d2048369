package dev.tigris.cluster.run;

import dev.tigris.testing.process.Child;
import dev.tigris.testing.process.Jvm;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/// An engine of hosts whose workers are plain JVMs, or threads of this one.
final class PlainEngine implements HostEngine {
  private final int workers;
  private final Optional<Door> door;
  private final boolean isThreads;

  /// What becomes of a ticket on its way.
  private final UnaryOperator<EngineTicket> way;

  /// Where workers that see no folder of the run make their own.
  private final @Nullable Path own;

  /// The processes of the last attempt.
  final List<Child> children = new ArrayList<>();

  PlainEngine(
      int workers,
      Optional<Door> door,
      boolean isThreads,
      UnaryOperator<EngineTicket> way,
      @Nullable Path own) {
    this.workers = workers;
    this.door = door;
    this.isThreads = isThreads;
    this.way = way;
    this.own = own;
  }

  static PlainEngine threads(int workers) {
    return new PlainEngine(workers, Optional.empty(), true, UnaryOperator.identity(), null);
  }

  static PlainEngine processes(int workers) {
    return new PlainEngine(workers, Optional.empty(), false, UnaryOperator.identity(), null);
  }

  @Override
  public String name() {
    return "a plain engine";
  }

  @Override
  public int workers() {
    return workers;
  }

  @Override
  public int processors() {
    return workers;
  }

  @Override
  public Optional<Door> door() {
    return door;
  }

  @Override
  public void check() throws IOException {
    if (workers > 4) {
      throw new IOException("a plain engine has 4 slots, and not " + workers);
    }
  }

  @Override
  public Gang start(EngineTicket ticket, Ended ended) {
    EngineTicket brought = way.apply(ticket);
    children.clear();
    CountDownLatch living = new CountDownLatch(workers);
    List<Child> gang = new ArrayList<>();
    for (int worker = 0; worker < workers; worker++) {
      int index = worker;
      Thread made = isThreads ? thread(brought, index, living, ended) : null;
      if (made == null) {
        Child child = Jvm.of(EngineProcess.class).quick().command(String.valueOf(index)).start();
        child.say(Base64.getEncoder().encodeToString(brought.bytes()));
        gang.add(child);
        CompletableFuture<Void> _ =
            child.handle().onExit().thenRun(() -> gone(index, living, ended));
      } else {
        made.start();
      }
    }
    children.addAll(gang);
    return new Started(gang, living);
  }

  private static void gone(int worker, CountDownLatch living, Ended ended) {
    living.countDown();
    ended.ended(worker, "worker %d is gone".formatted(worker));
  }

  private Thread thread(EngineTicket ticket, int worker, CountDownLatch living, Ended ended) {
    return Thread.ofPlatform()
        .name("plain-engine-" + worker)
        .unstarted(
            () -> {
              try {
                EngineWorker.of(ticket, worker, "127.0.0.1", own, () -> {}).run();
              } catch (IOException e) {
                // the engine says that it is gone
              } finally {
                gone(worker, living, ended);
              }
            });
  }

  private record Started(List<Child> gang, CountDownLatch living) implements Gang {
    @Override
    public void kill(int worker) {
      if (!gang.isEmpty()) {
        gang.get(worker).beginToKill();
      }
    }

    @Override
    public void stop() {
      gang.forEach(Child::beginToKill);
    }

    @Override
    public boolean awaitEnd(Duration timeout) throws InterruptedException {
      return living.await(timeout.toNanos(), TimeUnit.NANOSECONDS);
    }
  }
}
