package dev.tigris.cluster.run;

import dev.tigris.cluster.run.protocol.Epoch;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/// Workers on threads of this JVM, each of which does all that one in a process of its own does: a
/// rehearsal of a run, for Java to note the classes. A thread cannot be ended by force, so nothing
/// but what is known to end belongs into a rehearsal.
final class RehearsalHost implements Host {
  private final RunFolder folder;
  private final Deaths deaths;
  private final List<Thread> threads = new ArrayList<>();

  RehearsalHost(RunFolder folder, Deaths deaths) {
    this.folder = folder;
    this.deaths = deaths;
  }

  @Override
  public void start(Epoch epoch, int count) throws IOException {
    Contact contact = Contact.of(RunFolder.read(RunFolder.control(folder.path())));
    for (int worker = 0; worker < count; worker++) {
      int index = worker;
      Worker made = new Worker(epoch, index, folder.path(), contact, () -> {});
      threads.add(
          Thread.ofPlatform().name("tigris-rehearsal").start(() -> work(made, epoch, index)));
    }
  }

  private void work(Worker worker, Epoch epoch, int index) {
    String how = "worker %d has ended".formatted(index);
    try {
      worker.run();
    } catch (IOException | RuntimeException | Error e) {
      how = "worker %d has failed: %s".formatted(index, e);
    } finally {
      deaths.died(epoch, index, how);
    }
  }

  @Override
  public void kill(Epoch epoch, int worker) {
    // its lease runs out
  }

  @Override
  public void stop(Epoch epoch) {
    // its lease runs out
  }

  @Override
  public boolean awaitEnd(Epoch epoch, Duration timeout) throws InterruptedException {
    for (Thread each : threads) {
      if (!each.join(timeout)) {
        return false;
      }
    }
    return true;
  }

  @Override
  public void beforeDecision(Epoch epoch) throws IOException {
    folder.refuseClash(epoch);
  }

  @Override
  public List<String> nameFor(Epoch epoch, int worker) {
    return folder.nameFor(epoch, worker);
  }

  @Override
  public void close() {
    try {
      for (Thread each : threads) {
        each.join();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
