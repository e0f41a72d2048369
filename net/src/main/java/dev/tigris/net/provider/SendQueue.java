package dev.tigris.net.provider;

import dev.tigris.net.Status;

/// The posted sends of a link that are not complete. A provider takes them from the head, moves
/// them in order, and calls [#sent].
public final class SendQueue extends TransferQueue {
  private long messages;
  private long bytes;

  /// Makes one with room for `depth`.
  SendQueue(int depth) {
    super(depth);
  }

  /// The message at the head is sent, or what else is there was done: its memory may be used again,
  /// and it cannot get lost unless the link breaks.
  public void sent() {
    sent(take());
  }

  /// Completes a message that never was in the queue.
  public void sent(Transfer message) {
    long size = message.bytes();
    if (message.remote() == Transfer.Remote.NONE) {
      messages++;
      bytes += size;
    }
    message.complete(Status.DONE, size);
  }

  /// How many messages were sent.
  long messages() {
    return messages;
  }

  /// How many bytes they had.
  long bytes() {
    return bytes;
  }
}
