package dev.tigris.bench.group;

import dev.tigris.bench.WrongResultException;
import dev.tigris.net.Attributes;
import dev.tigris.net.CompletionQueue;
import dev.tigris.net.ConnectionRequest;
import dev.tigris.net.Fabric;
import dev.tigris.net.Listener;
import dev.tigris.net.VirtualInterface;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/// The papers' pMM on a ring of nodes, which are threads here (Chang, *Safe and Explicit Memory
/// Management*, section 3.3): each column of A is a message of its own. The kernel is the paper's
/// plain loop, so that the ways of passing messages are compared, and not kernels.
///
/// @param way how messages are passed
/// @param nodes how many
/// @param size of the square matrices, a multiple of the number of nodes
record Ring(Way way, int nodes, int size) {
  static final Duration PATIENCE = Duration.ofSeconds(30);
  private static final String PROVIDER = "shm";

  /// The paper's ways.
  enum Way {
    /// Level II: registered buffers.
    JBUFS("jbufs"),
    /// Level I: arrays are copied, and received into posted ones.
    COPY_ASYNC("copy-async"),
    /// Level I: arrays are copied, and each message is received into a new one.
    COPY_ALLOC("copy-alloc");

    private final String title;

    Way(String title) {
      this.title = title;
    }

    /// Returns the paper's name of it.
    String title() {
      return title;
    }
  }

  /// Multiplies so many times, and returns the nanoseconds that it took.
  ///
  /// @param computes whether it multiplies, or passes blocks only
  long nanos(int count, boolean computes) throws ExecutionException, InterruptedException {
    List<CompletableFuture<String>> addresses = new ArrayList<>();
    for (int i = 0; i < nodes; i++) {
      addresses.add(new CompletableFuture<>());
    }
    CyclicBarrier barrier = new CyclicBarrier(nodes);
    try (ExecutorService threads = Executors.newFixedThreadPool(nodes)) {
      List<Future<Long>> all = new ArrayList<>();
      for (int i = 0; i < nodes; i++) {
        int self = i;
        all.add(
            threads.submit(
                () -> {
                  try {
                    return node(self, addresses, barrier, count, computes);
                  } catch (Throwable e) {
                    barrier.reset(); // so that no other node waits for this one
                    throw e;
                  }
                }));
      }
      for (Future<Long> each : all) {
        Long _ = each.get();
      }
      return all.getFirst().get();
    }
  }

  /// Runs one node. The first connects before it accepts, and all others accept first. At level I,
  /// an array's interface has a queue of its own.
  private long node(
      int self,
      List<CompletableFuture<String>> addresses,
      CyclicBarrier barrier,
      int count,
      boolean computes)
      throws Exception {
    Attributes attributes =
        Attributes.DEFAULT.withDepths(Math.max(1, size / nodes), Math.max(1, size / nodes));
    try (Fabric fabric = Fabric.open(PROVIDER);
        CompletionQueue out = fabric.completionQueue();
        CompletionQueue in = way == Way.JBUFS ? out : fabric.completionQueue();
        Listener listener = fabric.listen("*")) {
      addresses.get(self).complete(listener.address());
      if (nodes == 1) {
        return run(RingNode.of(this, self, null, null), barrier, count, computes);
      }
      VirtualInterface right = self == 0 ? connect(fabric, out, attributes, addresses, 1) : null;
      VirtualInterface left;
      try (ConnectionRequest request = listener.next(PATIENCE)) {
        if (request == null) {
          throw new IllegalStateException("the node to the left does not connect");
        }
        left = request.accept(in, attributes);
      }
      if (right == null) {
        right = connect(fabric, out, attributes, addresses, (self + 1) % nodes);
      }
      try (RingNode node =
          RingNode.of(this, self, new RingNode.Link(left, in), new RingNode.Link(right, out))) {
        return run(node, barrier, count, computes);
      }
    }
  }

  private static VirtualInterface connect(
      Fabric fabric,
      CompletionQueue queue,
      Attributes attributes,
      List<CompletableFuture<String>> addresses,
      int node) {
    return fabric.connect(addresses.get(node).join(), 0, queue, attributes, PATIENCE).get();
  }

  private long run(RingNode node, CyclicBarrier barrier, int count, boolean computes)
      throws Exception {
    int _ = barrier.await();
    long begun = System.nanoTime();
    for (int i = 0; i < count; i++) {
      node.goRound(computes);
    }
    int _ = barrier.await();
    long nanos = System.nanoTime() - begun;
    node.check(computes ? count : 0);
    return nanos;
  }

  /// Returns what a node's block of A has in a row.
  static double element(int row, int owner) {
    return row + 1 + owner;
  }

  /// Requires what a column of C has after so many products.
  void check(double[] c, int column, int count) {
    int columns = size / nodes;
    for (int row = 0; row < size; row++) {
      double sum = 0;
      for (int owner = 0; owner < nodes; owner++) {
        sum += columns * element(row, owner);
      }
      WrongResultException.check(
          way.title(), Math.round(count * sum * (column + 1)), Math.round(c[row]));
    }
  }
}
