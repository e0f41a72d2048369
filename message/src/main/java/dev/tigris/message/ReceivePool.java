package dev.tigris.message;

import dev.tigris.memory.Bytes;
import dev.tigris.memory.Jbuf;
import dev.tigris.message.channel.BulkTarget;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/// The buffers that an endpoint was supplied with for bulk transfers (Chang 1999, section 3.4.2).
///
/// ```text
///   free --take--> referenced --done--> to-be-unreferenced --the collector's proof--> free
/// ```
///
/// Conserved: free + referenced + to-be-unreferenced = supplied.
///
/// When at most a quarter is free, a collection is asked for, by a thread of its own, one at a
/// time: the thread that polls does not wait for it. If that reclaims nothing, because handlers
/// keep their views, it is asked for again only after as many transfers as there are buffers.
///
/// Thread rule: the thread of the bundle takes; the collector's callback gives back.
final class ReceivePool {
  private final ConcurrentLinkedQueue<Jbuf> free = new ConcurrentLinkedQueue<>();
  private final AtomicInteger freeCount = new AtomicInteger();
  private final AtomicInteger reclaimed = new AtomicInteger();
  private final AtomicBoolean isCollecting = new AtomicBoolean();
  private int supplied;

  /// How many transfers pass before the next collection, after one that reclaimed nothing.
  private int pause;

  private int reclaimedBefore;

  void add(List<Jbuf> buffers) {
    for (Jbuf buffer : buffers) {
      supplied++;
      put(buffer);
    }
  }

  int free() {
    return freeCount.get();
  }

  private void put(Jbuf buffer) {
    free.add(buffer);
    freeCount.incrementAndGet();
  }

  /// Takes a buffer of this length; null if none is free that is large enough.
  @Nullable BulkTarget take(long bytes) {
    if (bytes == 0) {
      return null;
    }
    Jbuf buffer = null;
    for (int tries = freeCount.get(); buffer == null && tries > 0; tries--) {
      Jbuf next = free.poll();
      if (next == null) {
        break;
      }
      if (next.capacityBytes() >= bytes) {
        freeCount.decrementAndGet();
        buffer = next;
      } else {
        free.add(next);
      }
    }
    if (freeCount.get() <= supplied / 4) {
      askForCollection();
    }
    if (buffer == null) {
      return null;
    }
    Jbuf taken = buffer;
    Bytes view = taken.asBytes();
    return BulkTarget.bytes(view, 0, () -> taken.unreference(this::verified));
  }

  private void verified(Jbuf buffer) {
    reclaimed.incrementAndGet();
    put(buffer);
  }

  private void askForCollection() {
    if (pause > 0) {
      pause--;
      return;
    }
    int now = reclaimed.get();
    pause = now == reclaimedBefore ? supplied : 0;
    reclaimedBefore = now;
    if (isCollecting.compareAndSet(false, true)) {
      Thread.ofVirtual()
          .name("tigris-message-collect")
          .start(
              () -> {
                System.gc();
                isCollecting.set(false);
              });
    }
  }
}
