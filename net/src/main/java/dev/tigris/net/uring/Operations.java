package dev.tigris.net.uring;

import dev.tigris.os.IoUring;
import dev.tigris.os.Ranges;

/// The operations of one socket that are in flight: at most one of each kind, but for those that
/// cancel others. Asked for here, they go to the kernel with the next doorbell of the port.
///
/// What an operation is given comes back with its completions, and says whose it is:
///
/// ```text
///   63          3      0
///   +-----------+------+
///   |   slot    | kind |   slot of the link in its port
///   +-----------+------+
/// ```
///
/// Conserved: operations in flight = sending + receiving + listening + watching + awaiting
/// + cancelling.
final class Operations {
  private static final int KIND_BITS = 3;

  /// What an operation does.
  enum Kind {
    /// Sends what was gathered.
    SEND(0),
    /// Receives once, to memory that it names or into a buffer that the kernel picks.
    RECEIVE(1),
    /// Receives whatever comes, again and again, into buffers that the kernel picks.
    LISTEN(2),
    /// Completes when the peer has closed, or the connection is lost.
    WATCH(3),
    /// Completes when there is something to receive.
    AWAIT(4),
    /// Cancels another one.
    CANCEL(5),
    /// Cancels all.
    CANCEL_ALL(6);

    private final int code;

    Kind(int code) {
      this.code = code;
    }

    private static Kind of(long user) {
      return switch ((int) user & ((1 << KIND_BITS) - 1)) {
        case 0 -> SEND;
        case 1 -> RECEIVE;
        case 2 -> LISTEN;
        case 3 -> WATCH;
        case 4 -> AWAIT;
        case 5 -> CANCEL;
        default -> CANCEL_ALL;
      };
    }
  }

  private final IoUring ring;
  private final long slot;
  private final int fd;

  private int inFlight;
  private boolean sending;
  private boolean receiving;
  private boolean listening;
  private boolean watching;
  private boolean awaiting;
  private int cancelling;

  /// Whether the one that listens is to be cancelled.
  private boolean stopping;

  Operations(IoUring ring, int slot, int fd) {
    this.ring = ring;
    this.slot = slot;
    this.fd = fd;
  }

  /// The slot of the link whose operation was given this.
  static int slotOf(long user) {
    return (int) (user >>> KIND_BITS);
  }

  private long user(Kind kind) {
    return slot << KIND_BITS | kind.code;
  }

  // ---- asking

  /// Sends all of some ranges.
  void send(Ranges from) {
    sending = true;
    inFlight++;
    ring.send(user(Kind.SEND), fd, from);
  }

  /// Fills the only one of some ranges, or less of it if the stream ends.
  void receiveAll(Ranges to) {
    startReceiving();
    ring.receiveAll(user(Kind.RECEIVE), fd, to);
  }

  /// Receives what is there into ranges.
  void receive(Ranges to) {
    startReceiving();
    ring.receive(user(Kind.RECEIVE), fd, to);
  }

  /// Receives what is there into a buffer that the kernel picks: so many bytes at the most.
  void receiveAhead(int bytes) {
    startReceiving();
    ring.receiveAhead(user(Kind.RECEIVE), fd, bytes);
  }

  private void startReceiving() {
    receiving = true;
    inFlight++;
  }

  void listen() {
    listening = true;
    inFlight++;
    ring.receiveAlways(user(Kind.LISTEN), fd);
  }

  void watch() {
    watching = true;
    inFlight++;
    ring.watch(user(Kind.WATCH), fd);
  }

  /// Completes when there is something to receive, or the stream has ended, unless that was asked
  /// for already.
  void await() {
    if (!awaiting) {
      awaiting = true;
      inFlight++;
      ring.await(user(Kind.AWAIT), fd);
    }
  }

  /// Has the one that listens complete, unless that was asked for already.
  void stopListening() {
    if (listening && !stopping) {
      stopping = true;
      startCancelling();
      ring.cancel(user(Kind.CANCEL), user(Kind.LISTEN));
    }
  }

  /// Has the one that receives complete.
  void stopReceiving() {
    startCancelling();
    ring.cancel(user(Kind.CANCEL), user(Kind.RECEIVE));
  }

  /// Has all of them complete.
  void stopAll() {
    startCancelling();
    ring.cancelAll(user(Kind.CANCEL_ALL), fd);
  }

  private void startCancelling() {
    cancelling++;
    inFlight++;
  }

  // ---- completing

  /// An operation has completed, or has come so far; returns what it does.
  ///
  /// @param result how many bytes, or the negative number of an error
  /// @param goesOn whether it is in flight still
  Kind completed(long user, int result, boolean goesOn) {
    Kind kind = Kind.of(user);
    if (goesOn) {
      return kind;
    }
    inFlight--;
    switch (kind) {
      case SEND -> sending = false;
      case RECEIVE -> receiving = false;
      case LISTEN -> {
        listening = false;
        stopping = false;
      }
      case WATCH -> watching = false;
      case AWAIT -> awaiting = false;
      case CANCEL -> {
        cancelling--;
        stopping &= result >= 0; // if it came too late, there may be another attempt
      }
      case CANCEL_ALL -> cancelling--;
    }
    return kind;
  }

  // ---- what there is

  /// Whether none is in flight: the kernel touches no memory of the link any more.
  boolean areNone() {
    return inFlight == 0;
  }

  boolean areMoreThan(int count) {
    return inFlight > count;
  }

  boolean isSending() {
    return sending;
  }

  /// Whether something that arrives, or the end of the stream, will complete an operation.
  boolean isReceiving() {
    return receiving || listening;
  }

  boolean isWatching() {
    return watching;
  }

  void checkInvariants() {
    int known =
        (sending ? 1 : 0)
            + (receiving ? 1 : 0)
            + (listening ? 1 : 0)
            + (watching ? 1 : 0)
            + (awaiting ? 1 : 0)
            + cancelling;
    if (inFlight != known) {
      throw new IllegalStateException(
          inFlight + " operations are in flight, and " + known + " are known");
    }
  }
}
