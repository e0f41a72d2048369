package dev.tigris.net.testing;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tigris.memory.Bytes;
import dev.tigris.net.CompletionQueue;
import dev.tigris.net.Descriptor;
import dev.tigris.net.Status;
import dev.tigris.net.Ticket;
import dev.tigris.net.VirtualInterface;
import dev.tigris.net.provider.Staging;
import dev.tigris.testing.Slow;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Where a queue has few links, they move messages by calls of their own, and otherwise by the
/// ring. The contract suite on io_uring connects one pair of links, so here is the part of it where
/// the two differ for links beside others, and what happens when links come to be few or not to be.
@EnabledIf(
    value = "dev.tigris.net.testing.UringTest#isAllowed",
    disabledReason = "io_uring is missing here, or forbidden")
class UringLinksTest {
  @Nested
  class Messages extends MessageContract {
    Messages() {
      super(UringTest.BESIDE_OTHERS);
    }
  }

  @Nested
  class Completions extends CompletionContract {
    Completions() {
      super(UringTest.BESIDE_OTHERS);
    }
  }

  @Nested
  @Slow("the quick tier has the messages and completions of such links")
  class Memory extends MemoryContract {
    Memory() {
      super(UringTest.BESIDE_OTHERS);
    }
  }

  @Nested
  @Slow("the quick tier has the messages and completions of such links")
  class FileMemory extends FileMemoryContract {
    FileMemory() {
      super(UringTest.BESIDE_OTHERS);
    }
  }

  @Nested
  @Slow("the quick tier has the messages and completions of such links")
  class Connections extends UringConnectionContract {
    Connections() {
      super(UringTest.BESIDE_OTHERS);
    }
  }

  @Nested
  class Changes extends FabricContract {
    /// The longest message, beyond what is framed at once and what a socket takes.
    private static final int LONGEST = 3_000_000;

    private static final int POSTED = 8;

    /// How many sends have completed that were polled for.
    private int sent;

    Changes() {
      super(UringTest.URING);
    }

    /// Other links come and go at both sides, at any moment of a stream of messages.
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void keepMessagesInOrder(long seed) {
      SplittableRandom random = new SplittableRandom(seed);
      connect();
      VirtualInterface from = left.link();
      VirtualInterface to = right.link();
      List<Ticket> memory = new ArrayList<>();
      List<Ticket> messages = new ArrayList<>();
      for (int i = 0; i < POSTED; i++) {
        memory.add(right.memory(LONGEST));
        messages.add(left.memory(LONGEST));
      }
      List<VirtualInterface> others = new ArrayList<>();
      for (int round = 0; round < 60; round++) {
        byte[][] contents = new byte[random.nextInt(1, POSTED + 1)][];
        right.link(to);
        left.link(from);
        for (int i = 0; i < contents.length; i++) {
          contents[i] = new byte[length(random)];
          random.nextBytes(contents[i]);
          Side.bytes(messages.get(i)).copyFrom(0, contents[i], 0, contents[i].length);
          left.send(left.range(messages.get(i), 0, contents[i].length));
        }
        int changedAfter = random.nextInt(contents.length);
        for (int i = 0; i < contents.length; i++) {
          right.link(to);
          right.receive(right.range(memory.get(i), 0, LONGEST));
          if (i == changedAfter) {
            change(random, others);
          }
          assertEquals(memory.get(i), arrived(), "seed " + seed + ", round " + round);
          assertEquals(Status.DONE, memory.get(i).status());
          expectContent(contents[i], memory.get(i));
        }
        left.next(contents.length - sent);
        sent = 0;
        for (int i = 0; i < contents.length; i++) {
          assertEquals(Status.DONE, messages.get(i).status());
        }
        right.run(to::checkInvariants);
        left.run(from::checkInvariants);
      }
    }

    /// What completes next at the right side, while the left one sends.
    private Descriptor arrived() {
      long start = System.nanoTime();
      Descriptor next = null;
      while (next == null && System.nanoTime() - start < Side.LONG_NANOS) {
        sent += left.call(left.queue()::poll) == null ? 0 : 1;
        next = right.call(() -> right.queue().await(10_000));
      }
      return next;
    }

    private static int length(SplittableRandom random) {
      return switch (random.nextInt(4)) {
        case 0 -> random.nextInt(100);
        case 1 -> random.nextInt(20_000);
        case 2 -> random.nextInt(200_000);
        default -> random.nextInt(LONGEST);
      };
    }

    private void change(SplittableRandom random, List<VirtualInterface> others) {
      int pairs = random.nextInt(2 * UringTest.FEW);
      for (int there = others.size() / 2; there < pairs; there++) {
        connect();
        others.add(left.link());
        others.add(right.link());
      }
      for (int there = others.size() / 2; there > pairs; there--) {
        left.run(others.removeFirst()::close);
        right.run(others.removeFirst()::close);
      }
    }

    /// These keep what has arrived of their messages, and the kernel has buffers for others still.
    @Test
    void serveOneBesideHundredsWhoseMessagesWait() {
      Bytes message = subject.allocate(2_000_000, "waits").asBytes();
      for (int i = 0; i < 400; i++) {
        connect();
        VirtualInterface from = left.link();
        left.run(
            () -> {
              from.postSend(from.register(message)).orThrow();
              from.ring();
            });
      }
      for (int i = 0; i < 1_000; i++) {
        assertNull(right.call(right.queue()::poll));
        Descriptor _ = left.call(left.queue()::poll); // some may have left as a whole
      }
      connect();
      Ticket memory = right.receive(right.memory(10));
      left.send(left.memory(text("first")));
      expect(right, memory, Status.DONE);
      expectContent(text("first"), memory);
    }

    /// A message goes back and forth on each, so that many arrive at once, for more links than the
    /// kernel has buffers.
    @Test
    void takeMessagesForHundredsWithFewBuffers() {
      int links = 200;
      List<VirtualInterface> here = new ArrayList<>();
      List<VirtualInterface> there = new ArrayList<>();
      long before = directBytes();
      for (int i = 0; i < links; i++) {
        connect();
        right.receive(right.memory(20));
        left.receive(left.memory(20));
        left.send(left.memory(text("ball " + i)));
        here.add(left.link());
        there.add(right.link());
      }
      int each = 500;
      Future<Integer> playing = right.start(() -> sendBack(right.queue(), there, each));
      assertTrue(
          left.call(() -> sendBack(left.queue(), here, each)) >= each * 9 / 10, "one is left out");
      long grown = directBytes() - before;
      assertTrue(get(playing) >= each * 9 / 10, "one is left out");
      long oneForEachEnd = 2L * links * Staging.BYTES;
      assertTrue(grown < 2 * oneForEachEnd, grown + " bytes more are in use");
    }

    /// Takes so many messages for each link, or more for some and fewer for others, and sends each
    /// back; what was sent before is received into again. Returns the fewest that one has had.
    private int sendBack(CompletionQueue queue, List<VirtualInterface> links, int each) {
      IdentityHashMap<VirtualInterface, Integer> received = new IdentityHashMap<>();
      links.forEach(link -> received.put(link, 0));
      for (int left = each * links.size(); left > 0; ) {
        Ticket done = (Ticket) queue.await(Side.LONG_NANOS);
        assertNotNull(done, "a message is lost");
        assertEquals(Status.DONE, done.status());
        if (done.isSend()) {
          done.virtualInterface().postReceive(done.range(0, done.view().capacityBytes())).orThrow();
        } else {
          left--;
          received.merge(done.virtualInterface(), 1, Integer::sum);
          done.virtualInterface().postSend(done.range(0, done.transferredBytes())).orThrow();
        }
      }
      links.forEach(VirtualInterface::ring); // the last were posted since the last wait
      assertEquals(links.size(), received.size());
      return Collections.min(received.values());
    }

    private static long directBytes() {
      return ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class).stream()
          .filter(pool -> pool.getName().equals("direct"))
          .mapToLong(BufferPoolMXBean::getMemoryUsed)
          .sum();
    }

    @Test
    void signalAMessageForALinkThatCameLater() {
      CountDownLatch signalled = new CountDownLatch(1);
      right.run(() -> right.queue().signalOnce(signalled::countDown));
      connect();
      Ticket memory = right.receive(right.memory(10));
      left.send(left.memory(text("first")));
      awaitLatch(signalled);
      expect(right, memory, Status.DONE);
    }

    /// Whatever was received by polling before the signal, a later message is signalled.
    @RepeatedTest(20)
    void signalAMessageBehindOneThatWasPolledFor() {
      connect();
      Ticket memory = right.receive(right.memory(10));
      CountDownLatch signalled = new CountDownLatch(1);
      left.send(left.memory(text("first")));
      right.run(
          () -> {
            right.queue().signalOnce(signalled::countDown);
            Descriptor next = right.queue().poll();
            while (next == null) {
              Thread.onSpinWait();
              next = right.queue().poll();
            }
            assertEquals(memory, next);
            assertNotNull(right.link().postReceive(memory.range(0, 10)));
            right.link().ring();
            assertNull(right.queue().poll());
          });
      left.send(left.memory(text("second")));
      awaitLatch(signalled);
      right.next();
      expectContent(text("second"), memory);
    }

    @Test
    void wakeAThreadThatWaitsForALinkOfThoseThatAreLeft() {
      connect();
      VirtualInterface from = left.link();
      VirtualInterface to = right.link();
      for (int i = 0; i < UringTest.FEW; i++) {
        connect();
      }
      left.run(left.link()::close);
      right.run(right.link()::close);
      left.link(from);
      right.link(to);
      for (int i = 0; i < 3; i++) {
        Ticket memory = right.memory(10);
        right.run(
            () -> {
              to.postReceive(memory).orThrow();
              assertNull(right.queue().await(Side.SHORT_NANOS));
            });
        var next = right.start(() -> right.queue().await(Side.LONG_NANOS));
        left.send(left.memory(text("awake")));
        assertEquals(memory, get(next));
        expectContent(text("awake"), memory);
      }
    }
  }
}
