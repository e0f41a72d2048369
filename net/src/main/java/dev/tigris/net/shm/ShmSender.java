package dev.tigris.net.shm;

import dev.tigris.net.provider.SendQueue;
import dev.tigris.net.provider.Transfer;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// The sending half of a link: writes what is posted to the ring. A long message in memory that is
/// lent ([Loan]) has one slot there, and waits until the peer has copied it; what was written
/// behind it waits with it, so that sends complete in their order.
///
/// ```text
///   sends      [ handed over: the first is lent, and not taken | posted ]
/// ```
final class ShmSender {
  /// How many parts to write before others get their turn: half a ring.
  private static final int MOST_PARTS = Ring.SLOTS / 2;

  private final ShmPort port;
  private final RingWriter ring;
  private final SendQueue sends;
  private int handedOver;
  private long written;

  ShmSender(ShmPort port, RingWriter ring, SendQueue sends) {
    this.port = port;
    this.ring = ring;
    this.sends = sends;
  }

  /// Writes a message before which none waits, if it is a short one for which there is room, and
  /// nothing can go wrong with that.
  ///
  /// @return whether it has, and has completed it
  boolean sendAtOnce(Transfer message) {
    if (message.bytes() >= Loan.LEAST_BYTES || message.isMapped() || !ring.write(message)) {
      return false;
    }
    sends.sent(message);
    return true;
  }

  /// Writes what there is room for.
  void send() {
    for (int parts = 0; parts < MOST_PARTS; parts++) {
      completeTaken();
      Transfer next = sends.peek(handedOver);
      if (next == null || !write(next)) {
        return;
      }
    }
  }

  /// Whether something was written since this was asked last: the peer may have to be woken, and
  /// there may be something to [#fetch].
  boolean hasWritten() {
    long now = ring.used();
    if (written == now) {
      return false;
    }
    written = now;
    if (ring.mayFetch()) {
      port.mayFetch();
    }
    return true;
  }

  /// Completes what was written and has waited for lent memory to be copied.
  void completeTaken() {
    while (handedOver > 0) {
      Transfer first = Objects.requireNonNull(sends.peek());
      if (!ring.hasTaken(first)) {
        return;
      }
      handedOver--;
      sends.sent();
    }
  }

  /// Writes what can be written of the first message that is not handed over; returns whether that
  /// was anything.
  private boolean write(Transfer next) {
    Loan loan = next.bytes() < Loan.LEAST_BYTES ? null : loan(next);
    if (loan != null) {
      if (!ring.lend(next, loan.number())) {
        return false;
      }
      handedOver++;
      port.moving();
      return true;
    }
    if (!ring.write(next)) {
      return false;
    }
    if (next.progress() < next.bytes()) {
      port.moving();
    } else if (handedOver == 0) {
      sends.sent();
    } else {
      handedOver++;
    }
    return true;
  }

  private static @Nullable Loan loan(Transfer message) {
    return message.registration() instanceof LentRegion(Loan loan, var _) ? loan : null;
  }

  /// Does what makes the next message faster; returns whether there is more of that.
  boolean fetch() {
    return ring.fetch();
  }

  /// Whether something waits for room, and there is some. Any thread, as of the ring.
  boolean hasWork() {
    return !sends.isEmpty() && ring.seesMoreRoom();
  }

  /// Writes what ends the messages; all of them were.
  void sayGoodbye() {
    ring.writeGoodbye();
  }

  /// Takes the memory of messages back that the peer has not copied.
  void withdraw() {
    ring.withdraw();
  }

  void checkInvariants() {
    ring.checkInvariants();
    if (handedOver > sends.size()) {
      throw new IllegalStateException("more handed over than posted");
    }
  }
}
