package dev.tigris.os;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.BitSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// What the rings promise, with the kernel as the other side.
@Timeout(30)
@EnabledIf(value = "isAllowed", disabledReason = "io_uring is missing here, or forbidden")
class IoUringTest {
  static boolean isAllowed() {
    try {
      new IoUring(IoUring.Polling.NONE, null).close();
      return true;
    } catch (SystemException e) {
      return false;
    }
  }

  private static void next(IoUring ring) {
    while (!ring.next()) {
      ring.submitAndWait();
    }
  }

  @ParameterizedTest
  @EnumSource
  void losesNoCompletionWhenThereIsNoRoomForIt(IoUring.Polling polling) throws Exception {
    int operations = 10_000; // the ring of completions has 4,096 places
    try (IoUring ring = new IoUring(polling, null)) {
      for (int i = 1; i <= operations; i++) {
        ring.cancel(i, Long.MAX_VALUE); // there is nothing to cancel
      }
      ring.submit();
      BitSet completed = new BitSet();
      for (int i = 0; i < operations; i++) {
        next(ring);
        assertEquals(-2, ring.result());
        assertFalse(completed.get((int) ring.userData()));
        completed.set((int) ring.userData());
        if (ring.hasDeferredWork()) {
          ring.collect();
        }
      }
      assertEquals(operations, completed.cardinality());
      assertFalse(ring.next());
    }
  }

  @ParameterizedTest
  @EnumSource
  void tellsWhichBufferWasFilledAndStopsWhenThereIsNone(IoUring.Polling polling) throws Exception {
    InetSocketAddress any = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    try (Arena arena = Arena.ofShared();
        IoUring ring = new IoUring(polling, null);
        TcpSocket server = TcpSocket.listen(any, 1);
        TcpSocket sender = TcpSocket.connect(server.localAddress(), 1_000_000_000L);
        TcpSocket receiver = server.accept()) {
      MemorySegment[] buffers = new MemorySegment[3];
      for (int i = 0; i < buffers.length; i++) {
        buffers[i] = arena.allocate(8);
        ring.provide(40_000 + i, buffers[i]);
      }
      MemorySegment message = arena.allocate(32);
      for (int i = 0; i < 4; i++) {
        message.setAtIndex(ValueLayout.JAVA_LONG, i, 100 + i);
      }
      ring.receiveAlways(1, receiver.file().number());
      Ranges ranges = new Ranges();
      ranges.add(message, 0, 16);
      ranges.add(message, 16, 16);
      ring.send(2, sender.file().number(), ranges);
      int filled = 0;
      boolean goesOn = true;
      while (goesOn) {
        next(ring);
        if (ring.userData() == 2) {
          assertEquals(32, ring.result());
          assertEquals(-1, ring.buffer());
        } else if (ring.result() == IoUring.NO_BUFFERS) {
          goesOn = ring.goesOn();
        } else {
          assertEquals(8, ring.result());
          assertEquals(40_000 + filled, ring.buffer());
          assertEquals(100 + filled, buffers[filled].get(ValueLayout.JAVA_LONG, 0));
          assertTrue(ring.goesOn());
          filled++;
        }
      }
      assertEquals(3, filled);
    }
  }

  @Test
  void goesOnWithWhatAThreadHasAskedForWhenItEndsIfTheKernelPolls() throws Exception {
    InetSocketAddress any = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    try (Arena arena = Arena.ofShared();
        IoUring ring = new IoUring(IoUring.Polling.BY_THE_KERNEL, null);
        TcpSocket server = TcpSocket.listen(any, 1);
        TcpSocket sender = TcpSocket.connect(server.localAddress(), 1_000_000_000L);
        TcpSocket receiver = server.accept()) {
      MemorySegment memory = arena.allocate(8);
      Ranges to = new Ranges();
      to.add(memory, 0, 8);
      Thread asking =
          Thread.ofPlatform()
              .start(
                  () -> {
                    ring.receiveAll(1, receiver.file().number(), to);
                    ring.submit();
                  });
      asking.join();
      assertEquals(8, sender.send(ByteBuffer.wrap(new byte[] {1, 2, 3, 4, 5, 6, 7, 8})));
      next(ring);
      assertEquals(8, ring.result());
      assertEquals(8, memory.get(ValueLayout.JAVA_BYTE, 7));
    }
  }

  @Test
  void sharesTheThreadThatPollsAsLongAsThereIsARing() throws Exception {
    IoUring first = new IoUring(IoUring.Polling.BY_THE_KERNEL, null);
    try (IoUring second = new IoUring(IoUring.Polling.BY_THE_KERNEL, first)) {
      assertEquals("polled by the kernel", first.mode());
      assertEquals("polled by the kernel, with others", second.mode());
      first.close();
      second.cancel(1, Long.MAX_VALUE);
      next(second);
      assertEquals(1, second.userData());
      try (IoUring third = new IoUring(IoUring.Polling.BY_THE_KERNEL, first)) {
        assertEquals("polled by the kernel", third.mode());
      }
    }
  }

  @Test
  void refusesAKernelThatLacksAFeatureOrAnOperation() throws Exception {
    try (Arena arena = Arena.ofConfined()) {
      IoUringSetup setup = IoUringSetup.make(arena, IoUring.Polling.NONE, null);
      try (OpenFile _ = setup.file()) {
        setup.requireFeatures();
        setup.requireOperations(0); // nothing, which all know
        SystemException unknown =
            assertThrows(SystemException.class, () -> setup.requireOperations(0, 63));
        assertEquals(SystemException.NO_SUCH_CALL, unknown.error());
        assertTrue(unknown.getMessage().contains("operation 63"), unknown.getMessage());
        for (int feature : new int[] {0, 1, 2, 5}) {
          MemorySegment older = arena.allocate(120, 8).copyFrom(setup.parameters());
          int all = older.get(ValueLayout.JAVA_INT, 20);
          older.set(ValueLayout.JAVA_INT, 20, all & ~(1 << feature));
          IoUringSetup lacking = new IoUringSetup(setup.file(), older, "older");
          SystemException refusal =
              assertThrows(SystemException.class, lacking::requireFeatures, "feature " + feature);
          assertEquals(SystemException.NO_SUCH_CALL, refusal.error());
        }
      }
    }
  }

  @Test
  void hasItsRingOfBuffersWherePagesOfAnySizeBegin() throws Exception {
    try (IoUring first = new IoUring(IoUring.Polling.NONE, null);
        IoUring second = new IoUring(IoUring.Polling.NONE, null)) {
      assertEquals(0, first.buffersAddress() % (64 << 10));
      assertEquals(0, second.buffersAddress() % (64 << 10));
    }
  }
}
