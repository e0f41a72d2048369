package dev.tigris.verify.simulator;

import dev.tigris.net.provider.Transfer;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/// A message on a [Wire]: a copy of it, or one that is lent. A lent message lies in the memory of
/// its sender until it is taken, as a long one does over `shm`. The receiver copies it out of there
/// then, so a sender that has used the memory again is found out.
final class WireMessage {
  /// The sender has closed in order.
  static final WireMessage END = new WireMessage(null);

  private byte[] content = {};

  /// Null once the sender may use its memory again.
  private @Nullable Transfer lent;

  private WireMessage(@Nullable Transfer lent) {
    this.lent = lent;
  }

  /// Copies a message.
  static WireMessage copyOf(Transfer message) {
    WireMessage made = lend(message);
    made.settle();
    return made;
  }

  /// Lends a message, which stays posted until [#isSettled].
  static WireMessage lend(Transfer message) {
    return new WireMessage(message);
  }

  /// Whether nothing of it lies in the memory of its sender.
  boolean isSettled() {
    return lent == null;
  }

  /// Copies what lies in the memory of its sender at this moment: its receiver takes it, or the
  /// connection ends first.
  void settle() {
    Transfer message = lent;
    if (message != null) {
      byte[] copy = new byte[(int) message.bytes()];
      message.copyTo(MemorySegment.ofArray(copy), 0, 0, copy.length);
      content = copy;
      lent = null;
    }
  }

  int bytes() {
    Transfer message = lent;
    return message == null ? content.length : (int) message.bytes();
  }

  /// The bytes of a message that is settled.
  MemorySegment content() {
    return MemorySegment.ofArray(content);
  }
}
