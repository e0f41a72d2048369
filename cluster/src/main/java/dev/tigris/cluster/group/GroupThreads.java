package dev.tigris.cluster.group;

import dev.tigris.cluster.Exchange;
import dev.tigris.cluster.Mesh;
import dev.tigris.cluster.Reach;
import dev.tigris.cluster.StreamOptions;
import dev.tigris.flow.ModuleResults;
import dev.tigris.net.Fabric;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/// The members of a group that are threads of this JVM: all of them, for tests and for programs of
/// one process, or those of one process of several. Their messages go through a provider, as those
/// of processes do. The first failure here is what all of them throw, since the others may follow
/// from it.
///
/// ```java
/// GroupThreads.run(4, "shm", group -> group.barrier());
/// ```
///
/// Thread rule: any thread; each member is run by one.
public final class GroupThreads implements AutoCloseable {
  private final Exchange exchange;
  private final List<Reach> members;
  private final boolean isWhole;
  private final AtomicReference<@Nullable Throwable> first = new AtomicReference<>();

  /// Makes a group.
  ///
  /// @param fabric carries the messages, and outlives the group
  /// @param address where the members listen, in the fabric's own form, with any port
  public GroupThreads(int size, Fabric fabric, String address) {
    if (size < 1) {
      throw new IllegalArgumentException("a group of %d members: it has 1 or more".formatted(size));
    }
    this.exchange = new Exchange(0, 0, StreamOptions.DEFAULT);
    String _ = exchange.listen(fabric, address);
    this.members = Collections.nCopies(size, exchange.reach());
    this.isWhole = true;
  }

  /// Makes the part of a group that is in this process.
  ///
  /// @param exchange of this process, which outlives the group
  /// @param members where the process of each member listens
  public GroupThreads(Exchange exchange, List<Reach> members) {
    this.exchange = exchange;
    this.members = List.copyOf(members);
    this.isWhole = false;
  }

  /// Runs all members on threads of their own, over a provider of this host, and waits for them.
  ///
  /// @param provider its name: `shm`, `tcp` or `uring`
  /// @throws Exception what the first member that has failed has thrown
  public static void run(int size, String provider, Group.Body body) throws Exception {
    try (Fabric fabric = Fabric.open(provider)) {
      run(size, fabric, provider.equals("shm") ? "*" : "127.0.0.1:0", body);
    }
  }

  /// Runs all members on threads of their own, and waits for them.
  ///
  /// @throws Exception what the first member that has failed has thrown
  public static void run(int size, Fabric fabric, String address, Group.Body body)
      throws Exception {
    try (GroupThreads group = new GroupThreads(size, fabric, address)) {
      List<Thread> threads = new ArrayList<>();
      for (int i = 0; i < size; i++) {
        int rank = i;
        threads.add(
            Thread.ofPlatform()
                .name("tigris-member-" + rank)
                .start(() -> group.runRecorded(rank, body)));
      }
      try {
        for (Thread thread : threads) {
          thread.join();
        }
      } catch (InterruptedException e) {
        threads.forEach(Thread::interrupt);
        throw e;
      }
      group.rethrow();
    }
  }

  private void runRecorded(int rank, Group.Body body) {
    try {
      member(rank, null, body);
    } catch (Throwable e) { // the first one is thrown to the caller
      failed(e);
    }
  }

  private void failed(Throwable e) {
    boolean _ = first.compareAndSet(null, e);
  }

  private void rethrow() throws Exception {
    switch (first.get()) {
      case null -> {}
      case Error e -> throw e;
      case Exception e -> throw e;
      case Throwable e -> throw new IllegalStateException(e);
    }
  }

  /// Runs one member on the calling thread, until all members have ended.
  ///
  /// @param results where it tells results; null if nowhere
  /// @throws Exception what the first member that has failed has thrown
  public void member(int rank, @Nullable ModuleResults results, Group.Body body) throws Exception {
    try {
      Mesh mesh = exchange.mesh("group", rank, members, Group.lanes());
      Group.run(mesh, results, body, this::failed);
    } catch (GroupException | IOException e) {
      failed(e);
      rethrow(); // it may follow from the failure of another member
    }
  }

  @Override
  public void close() {
    if (isWhole) {
      exchange.close();
    }
  }

  @Override
  public String toString() {
    return "GroupThreads[%d]".formatted(members.size());
  }
}
