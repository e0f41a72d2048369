package dev.tigris.message.channel;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.SplittableRandom;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Frames lie inside of the queue's memory, wherever its end comes.
class SendQueueTest {
  private static final int CAPACITY = 2048;

  private static void add(SendQueue queue, int frameBytes, long number) {
    while (!queue.hasRoom(frameBytes)) {
      queue.release();
    }
    long at = queue.begin(frameBytes);
    assertTrue(at >= 0 && at + frameBytes <= CAPACITY, "%d bytes at %d".formatted(frameBytes, at));
    queue.bytes.setInt(at + frameBytes - 4, 1);
    Packet _ = queue.finish(frameBytes);
    queue.sent(number);
    queue.checkInvariants();
  }

  /// Packets that end exactly where the memory ends.
  @ParameterizedTest
  @ValueSource(ints = {16, 80, 208})
  void goesOnAtTheBeginning(int frameBytes) {
    SendQueue queue = new SendQueue(CAPACITY, 512, 64, "test", false);
    for (int i = 0; i < 200; i++) {
      add(queue, frameBytes, i);
    }
    queue.close();
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5})
  void staysInsideOfItsMemory(long seed) {
    SendQueue queue = new SendQueue(CAPACITY, 512, 64, "test", false);
    SplittableRandom random = new SplittableRandom(seed);
    for (int i = 0; i < 2000; i++) {
      add(queue, 16 * random.nextInt(1, 29), i);
    }
    queue.close();
  }
}
