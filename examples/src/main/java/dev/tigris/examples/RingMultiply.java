package dev.tigris.examples;

import dev.tigris.memory.Doubles;
import dev.tigris.memory.Jbuf;
import dev.tigris.net.Attributes;
import dev.tigris.net.CompletionQueue;
import dev.tigris.net.ConnectionRequest;
import dev.tigris.net.Descriptor;
import dev.tigris.net.Fabric;
import dev.tigris.net.Listener;
import dev.tigris.net.Status;
import dev.tigris.net.Ticket;
import dev.tigris.net.VirtualInterface;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/// Multiplies matrices in parallel, C = A B, as pMM does (Chang, *Safe and Explicit Memory
/// Management*, 1999, section 3.3). Blocks of columns of all three are spread over nodes. A node
/// needs its own columns of B and all blocks of A, which go round a ring of virtual interfaces.
/// While a node multiplies by one block, it sends that block on and receives the next. It sends the
/// memory that it multiplies, without a copy.
///
/// ```sh
/// ./tigris example RingMultiply shm 2
/// ```
///
/// ```
///            A0 begins at node 0, A1 at node 1, ...; each step moves all to the right
///
///   +---> node 0 ---> node 1 ---> node 2 ---> node 3 ---+
///   |                                                   |
///   +---------------------------------------------------+
/// ```
///
/// The nodes are threads here. They share no memory but the operands, so that they could be
/// processes.
public final class RingMultiply {
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  private final String provider;
  private final int size;
  private final int columns;
  private final double[] a;
  private final double[] b;
  private final double[] c;
  private final List<CompletableFuture<String>> addresses = new ArrayList<>();

  private RingMultiply(String provider, int nodes, int size, double[] a, double[] b) {
    this.provider = provider;
    this.size = size;
    this.columns = size / nodes;
    this.a = a;
    this.b = b;
    this.c = new double[size * size];
    for (int node = 0; node < nodes; node++) {
      addresses.add(new CompletableFuture<>());
    }
  }

  /// Multiplies two square matrices of `size` rows, column after column.
  ///
  /// @param provider of the nodes' interfaces, which listens at `127.0.0.1:0`
  /// @param nodes the number of nodes, a divisor of `size`
  /// @throws ExecutionException if a node fails
  /// @throws InterruptedException if the calling thread is interrupted
  public static double[] product(String provider, int nodes, int size, double[] a, double[] b)
      throws ExecutionException, InterruptedException {
    if (nodes < 1 || size % nodes != 0) {
      throw new IllegalArgumentException(
          "%d columns cannot be divided among %d nodes: choose a divisor".formatted(size, nodes));
    }
    RingMultiply multiply = new RingMultiply(provider, nodes, size, a, b);
    try (ExecutorService threads = Executors.newFixedThreadPool(nodes)) {
      List<Future<?>> all = new ArrayList<>();
      for (int node = 0; node < nodes; node++) {
        int number = node;
        all.add(threads.submit(() -> multiply.node(number)));
      }
      for (Future<?> node : all) {
        node.get();
      }
    }
    return multiply.c;
  }

  /// Multiplies matrices of 720 rows, over the provider and the number of nodes in the arguments.
  public static void main(String[] arguments) throws ExecutionException, InterruptedException {
    String provider = arguments.length > 0 ? arguments[0] : "tcp";
    int nodes = arguments.length > 1 ? Integer.parseInt(arguments[1]) : 2;
    int size = 720;
    double[] ones = new double[size * size];
    Arrays.fill(ones, 1);
    long start = System.nanoTime();
    double[] product = product(provider, nodes, size, ones, ones);
    double seconds = (System.nanoTime() - start) / 1e9;
    System.out.printf(
        Locale.ROOT,
        "%d nodes over %s: every element is %.0f, %.2f GFLOP/s%n",
        nodes,
        provider,
        product[0],
        2.0 * size * size * size / seconds / 1e9);
  }

  /// Runs one node. The first connects before it accepts, and all others accept first, so that they
  /// do not wait for one another.
  private void node(int node) {
    int nodes = addresses.size();
    try (Fabric fabric = Fabric.open(provider);
        CompletionQueue queue = fabric.completionQueue();
        Listener listener = fabric.listen("127.0.0.1:0")) {
      addresses.get(node).complete(listener.address());
      if (nodes == 1) {
        multiply(block(node), 0, 0);
        return;
      }
      VirtualInterface right = node == 0 ? connect(fabric, queue, 1) : null;
      VirtualInterface left = accept(listener, queue);
      if (right == null) {
        right = connect(fabric, queue, (node + 1) % nodes);
      }
      goRound(node, left, right, queue);
      left.close();
      right.close();
    }
  }

  private VirtualInterface connect(Fabric fabric, CompletionQueue queue, int node) {
    String address = addresses.get(node).join();
    return fabric.connect(address, node, queue, Attributes.DEFAULT, PATIENCE).get();
  }

  private static VirtualInterface accept(Listener listener, CompletionQueue queue) {
    try (ConnectionRequest request = listener.next(PATIENCE)) {
      if (request == null) {
        throw new IllegalStateException("the node to the left does not connect");
      }
      return request.accept(queue, Attributes.DEFAULT);
    }
  }

  /// A node's own columns of A.
  private Doubles block(int node) {
    Doubles block = Jbuf.allocate((long) size * columns * Double.BYTES).asDoubles();
    block.copyFrom(0, a, node * columns * size, columns * size);
    return block;
  }

  /// Multiplies by each block of A that comes by. There are two buffers: one is multiplied by and
  /// sent, into the other the next block arrives.
  private void goRound(
      int node, VirtualInterface left, VirtualInterface right, CompletionQueue queue) {
    int nodes = addresses.size();
    Doubles[] blocks = {block(node), block(node)};
    Ticket[] sends = {right.register(blocks[0]), right.register(blocks[1])};
    Ticket[] receives = {left.register(blocks[0]), left.register(blocks[1])};
    for (int step = 0; step < nodes; step++) {
      int here = step % 2;
      boolean isLast = step == nodes - 1;
      if (!isLast) {
        left.postReceive(receives[1 - here]).orThrow();
        right.postSend(sends[here]).orThrow();
        right.ring(); // so that it is on its way while we multiply
      }
      multiply(blocks[here], (node - step + nodes) % nodes, node);
      if (!isLast) {
        complete(queue);
        complete(queue);
      }
    }
    for (int i = 0; i < 2; i++) {
      right.deregister(sends[i]);
      left.deregister(receives[i]);
    }
  }

  private static void complete(CompletionQueue queue) {
    Descriptor done = queue.await(PATIENCE);
    if (done == null || done.status() != Status.DONE) {
      throw new IllegalStateException(
          done == null
              ? "no block arrives: the left neighbour may be gone"
              : "a neighbour is gone");
    }
  }

  /// Adds the product of a block of A and the part of B that belongs to it to a node's columns of C
  /// (a block gaxpy).
  private void multiply(Doubles block, int from, int node) {
    for (int column = node * columns; column < (node + 1) * columns; column++) {
      for (int k = 0; k < columns; k++) {
        double factor = b[column * size + from * columns + k];
        for (int row = 0; row < size; row++) {
          c[column * size + row] += block.get((long) k * size + row) * factor;
        }
      }
    }
  }
}
