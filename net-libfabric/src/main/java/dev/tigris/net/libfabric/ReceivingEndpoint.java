package dev.tigris.net.libfabric;

import dev.tigris.net.libfabric.raw.Endpoint;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/// An endpoint, and the buffers that packets arrive in: one channel's, or shared by all channels of
/// a device queue.
///
/// Conserved: buffers that are posted, unposted or held by links = those its channels have asked
/// for + the surplus, which are those of closed channels that have not come back.
final class ReceivingEndpoint {
  final Endpoint endpoint;
  private final DeviceQueue deviceQueue;
  private final @Nullable Channel owner;
  private final ArrayDeque<Buffer> unposted = new ArrayDeque<>();
  private int surplus;

  /// What was posted to the endpoint and is not complete.
  int operationsUnderWay;

  private boolean closed;

  /// @param owner whose packets arrive here; null if that is seen from each packet
  ReceivingEndpoint(DeviceQueue deviceQueue, Endpoint endpoint, @Nullable Channel owner) {
    this.deviceQueue = deviceQueue;
    this.endpoint = endpoint;
    this.owner = owner;
  }

  /// Has more buffers posted, or none where there is no memory for all of them.
  void grow(int buffers) {
    int kept = Math.min(surplus, buffers);
    int taken = 0;
    boolean all = false;
    try {
      for (; taken < buffers - kept; taken++) {
        unposted.add(deviceQueue.packets().take());
      }
      surplus -= kept;
      all = true;
    } finally {
      for (; !all && taken > 0; taken--) {
        deviceQueue.giveBack(unposted.removeLast());
      }
    }
  }

  /// Has fewer buffers posted: some are returned now, and some when something has arrived in them.
  void shrink(int buffers) {
    surplus += buffers;
    while (surplus > 0 && !unposted.isEmpty()) {
      surplus--;
      deviceQueue.giveBack(unposted.remove());
    }
  }

  /// Takes a buffer for the next packet, to be posted.
  void give(Buffer buffer) {
    if (closed) {
      deviceQueue.giveBack(buffer);
    } else if (surplus > 0) {
      surplus--;
      deviceQueue.giveBack(buffer);
    } else {
      unposted.add(buffer);
    }
  }

  /// Posts the buffers that are not, as far as the library takes them.
  ///
  /// @return 0, or what is wrong
  int post() {
    for (Buffer next = unposted.peek(); next != null; next = unposted.peek()) {
      Operation operation = deviceQueue.operations().start(this, owner).receive(next);
      long result =
          endpoint.receive(
              next.address(), next.whole().byteSize(), next.descriptor(), operation.number);
      if (result != 0) {
        deviceQueue.operations().end(operation);
        return result == Endpoint.AGAIN ? 0 : (int) -result;
      }
      unposted.poll();
    }
    return 0;
  }

  /// Whether buffers are to be posted when completions were taken.
  boolean hasUnposted() {
    return !unposted.isEmpty();
  }

  /// After this the library touches nothing that was posted.
  void close() {
    closed = true;
    endpoint.close();
    unposted.forEach(deviceQueue::giveBack);
    unposted.clear();
  }
}
