package dev.tigris.verify.simulator;

import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/// One direction of a connection: the messages that were sent and not taken.
///
/// ```
/// sent = taken + delivered + undelivered + lost
/// ```
final class Wire {
  /// So many messages lie on it at most. It is less than a window of some streams.
  private static final int MOST = 6;

  private final Wires wires;
  private final ArrayDeque<WireMessage> messages = new ArrayDeque<>();
  private int delivered;
  private boolean isCut;
  private boolean isLeft;
  private boolean isRead;

  Wire(Wires wires) {
    this.wires = wires;
  }

  boolean hasRoom() {
    return messages.size() < MOST;
  }

  boolean hasUndelivered() {
    return delivered < messages.size();
  }

  boolean isCut() {
    return isCut;
  }

  /// Takes a message to its end, unless that reads no more.
  void send(WireMessage message) {
    if (!isCut && !isLeft) {
      messages.add(message);
      wires.moved();
      if (!wires.holds()) {
        delivered++;
      }
    } else {
      message.settle(); // or its sender would wait
    }
  }

  /// Brings the next message to its end.
  void deliver() {
    delivered++;
    wires.moved();
  }

  /// Returns the next message that was delivered, which stays here; null if there is none.
  @Nullable WireMessage first() {
    return delivered == 0 ? null : messages.peek();
  }

  /// Whether its end has ever taken a message.
  boolean hasBeenRead() {
    return isRead;
  }

  void take() {
    isRead = true;
    messages.remove().settle();
    delivered--;
    wires.moved();
  }

  /// Breaks the connection: what was not delivered is lost. What was is copied, if it was lent: its
  /// sender gets the memory back.
  void cut() {
    if (!isCut) {
      isCut = true;
      while (hasUndelivered()) {
        messages.removeLast();
      }
      messages.forEach(WireMessage::settle);
      wires.moved();
    }
  }

  /// Its end reads no more.
  void leave() {
    isLeft = true;
    messages.clear();
    delivered = 0;
    wires.moved();
  }
}
