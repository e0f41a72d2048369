package dev.tigris.net.libfabric;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tigris.memory.Bytes;
import dev.tigris.memory.Jbuf;
import dev.tigris.net.Attributes;
import dev.tigris.net.CompletionQueue;
import dev.tigris.net.ConnectionRequest;
import dev.tigris.net.Descriptor;
import dev.tigris.net.Fabric;
import dev.tigris.net.InterfaceState;
import dev.tigris.net.Listener;
import dev.tigris.net.Status;
import dev.tigris.net.Ticket;
import dev.tigris.net.VirtualInterface;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.function.BooleanSupplier;

/// Somebody who does nothing wrong, and is connected to the same queue as peers that do: it sends
/// messages there, and has them sent back.
final class Bystander {
  private static final Duration PATIENCE = Duration.ofSeconds(20);

  private Bystander() {}

  /// Sends messages there and back until it is enough; returns the longest time that one took.
  ///
  /// @param connected counts down when it is connected
  static long longestRoundTripNanos(
      Fabric fabric, String address, CountDownLatch connected, BooleanSupplier isEnough) {
    try (CompletionQueue queue = fabric.completionQueue();
        VirtualInterface peer =
            fabric.connect(address, 1, queue, Attributes.DEFAULT, PATIENCE).get()) {
      Bytes bytes = Jbuf.allocate(200, "bystander").asBytes();
      Ticket question = peer.register(bytes).range(0, 100);
      Ticket answer = peer.register(bytes).range(100, 100);
      long begin = System.nanoTime();
      long longest = 0;
      connected.countDown();
      while (!isEnough.getAsBoolean()) {
        long start = System.nanoTime();
        assertTrue(start - begin < PATIENCE.toNanos(), "it is not enough in time");
        peer.postReceive(answer).orThrow();
        peer.postSend(question).orThrow();
        for (int i = 0; i < 2; i++) {
          Descriptor done = queue.await(PATIENCE);
          assertNotNull(done, "no answer");
          assertEquals(Status.DONE, done.status());
        }
        longest = Math.max(longest, System.nanoTime() - start);
      }
      peer.deregister(question);
      peer.deregister(answer);
      return longest;
    }
  }

  /// Accepts it, and then everybody else who comes, on one queue, and sends it back what it sends,
  /// until it closes.
  ///
  /// @param others counts down with each other one that was accepted
  /// @return what has become of the others, in the order of their requests
  static List<String> serve(
      Fabric fabric, Listener listener, Attributes attributes, CountDownLatch others) {
    try (CompletionQueue queue = fabric.completionQueue()) {
      ConnectionRequest request = listener.next(PATIENCE);
      assertNotNull(request, "nobody asked");
      VirtualInterface bystander = request.accept(queue, attributes);
      Ticket memory = bystander.register(Jbuf.allocate(100, "bystander").asBytes());
      bystander.postReceive(memory).orThrow();
      List<VirtualInterface> accepted = new ArrayList<>();
      while (bystander.state() == InterfaceState.CONNECTED) {
        ConnectionRequest next = listener.next(Duration.ZERO);
        if (next != null) {
          accepted.add(next.accept(queue, attributes));
          others.countDown();
        }
        if (queue.await(1_000_000) == memory && memory.status() == Status.DONE) {
          if (memory.isSend()) {
            bystander.postReceive(memory).orThrow();
          } else {
            bystander.postSend(memory).orThrow();
          }
        }
      }
      assertEquals(InterfaceState.ENDED, bystander.state());
      return accepted.stream().map(each -> each.state() + " " + each.failure()).toList();
    }
  }
}
