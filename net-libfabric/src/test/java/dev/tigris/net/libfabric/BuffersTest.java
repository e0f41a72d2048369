package dev.tigris.net.libfabric;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;

import dev.tigris.net.provider.SpareBuffers;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class BuffersTest {
  private static final int AT_A_TIME = 8;

  /// That are not registered, so that they need no device.
  private final Buffers buffers = new Buffers(null, false, 8, 64, AT_A_TIME, 0);

  private final List<Buffer> taken = new ArrayList<>();

  @AfterEach
  void close() {
    buffers.checkInvariants();
    buffers.close();
  }

  private void take(int count) {
    for (int i = 0; i < count; i++) {
      taken.add(buffers.take());
      buffers.checkInvariants();
    }
  }

  private void giveBack(int count) {
    for (int i = 0; i < count; i++) {
      buffers.giveBack(taken.removeLast());
      buffers.checkInvariants();
    }
  }

  private void lookAfter(int periods) {
    buffers.look(periods * SpareBuffers.PERIOD_NANOS);
    buffers.checkInvariants();
  }

  @Test
  void lieApartAndLeaveRoomForWhatPrecedesAPacket() {
    take(3 * AT_A_TIME);
    Set<Long> addresses = new HashSet<>();
    for (Buffer each : taken) {
      assertEquals(8 + 64, each.whole().byteSize());
      assertEquals(each.address() + 8, each.memory().address());
      each.whole().fill((byte) addresses.size());
      addresses.add(each.address());
    }
    assertEquals(taken.size(), addresses.size());
    for (int i = 0; i < taken.size(); i++) {
      assertEquals(i, taken.get(i).whole().get(java.lang.foreign.ValueLayout.JAVA_BYTE, 71));
    }
  }

  @Test
  void areUsedAgain() {
    take(1);
    Buffer first = taken.getFirst();
    giveBack(1);
    assertSame(first, buffers.take());
    assertEquals(AT_A_TIME, buffers.count());
  }

  @Test
  void areLetGoWhenTheyWereNotNeededForAWhile() {
    take(100 * AT_A_TIME);
    assertEquals(100 * AT_A_TIME, buffers.count());
    lookAfter(1);
    giveBack(99 * AT_A_TIME);
    lookAfter(2);
    assertEquals(100 * AT_A_TIME, buffers.count()); // they were needed when the period began
    lookAfter(3);
    assertEquals(2 * AT_A_TIME, buffers.count()); // those in use, and some that are spare
    take(3 * AT_A_TIME);
    assertEquals(4 * AT_A_TIME, buffers.count());
  }

  @Test
  void stayWhileOneOfTheirSlabIsInUse() {
    take(10 * AT_A_TIME);
    Buffer held = taken.removeLast();
    giveBack(10 * AT_A_TIME - 1);
    lookAfter(1);
    lookAfter(2);
    assertEquals(2 * AT_A_TIME, buffers.count());
    held.whole().fill((byte) 1);
    buffers.giveBack(held);
  }

  @Test
  void addUpWhateverIsDone() {
    long seed = System.nanoTime();
    SplittableRandom random = new SplittableRandom(seed);
    for (int step = 1; step <= 2_000; step++) {
      switch (random.nextInt(3)) {
        case 0 -> take(random.nextInt(30));
        case 1 -> giveBack(random.nextInt(taken.size() + 1));
        default -> lookAfter(step);
      }
      int atLeast = Math.ceilDiv(taken.size(), AT_A_TIME) * AT_A_TIME;
      int count = buffers.count();
      assertEquals(Math.max(count, atLeast), count, "seed " + seed);
    }
  }
}
