package dev.tigris.message.protocol;

/// Counts the pieces of bulk transfers that go in one direction, at one of the two sides. The
/// pieces of a session are numbered from 0 on, in the order in which their transfers were offered,
/// so a count says which ones.
///
/// ```text
///   sender      taken <= sent <= granted <= offered
///   receiver    taken <= granted <= offered,   granted - taken <= MOST
/// ```
///
/// *Granted* are the pieces for which the receiver has posted their own memory on the interface for
/// bulk transfers of this connection. Nothing but granted pieces travels on it, in their order, so
/// each finds the memory that was posted for it. *Taken* are the pieces that are there. When that
/// interface is lost, what was granted and not taken is granted again on the next one.
///
/// A transfer that is refused, or is empty, needs no memory: the receiver skips its pieces in their
/// turn, when all that it has granted is taken. So the sender, which hears of both counts at once,
/// never sends one of them.
///
/// Thread rule: one thread.
public final class Pieces {
  /// How many may be granted and not taken.
  public static final int MOST = 8;

  private long offered;
  private long granted;
  private long sent;
  private long taken;

  /// Makes counts of nothing.
  public Pieces() {}

  /// Another transfer was offered, of so many pieces.
  ///
  /// @return the number of its first piece
  public long offer(long count) {
    require(count > 0, "a transfer has a piece at least");
    long first = offered;
    offered += count;
    return first;
  }

  /// Returns how many pieces were offered.
  public long offered() {
    return offered;
  }

  /// Returns how many are taken: the number of the first that is not.
  public long taken() {
    return taken;
  }

  /// Returns how many are granted: the number of the first that is not.
  public long granted() {
    return granted;
  }

  /// Returns how many are sent: the number of the first that is not.
  public long sent() {
    return sent;
  }

  // ---- the sender

  /// The receiver tells its counts.
  ///
  /// @param isCurrent whether they are of the interface that this side has now: else the grants are
  ///     of one that is lost
  /// @return false if they cannot be
  public boolean told(long itsGranted, long itsTaken, boolean isCurrent) {
    if (itsTaken < 0
        || itsTaken > itsGranted
        || itsGranted > offered
        || itsGranted - itsTaken > MOST) {
      return false;
    }
    taken = Math.max(taken, itsTaken);
    granted = Math.max(granted, isCurrent ? Math.max(itsGranted, taken) : taken);
    sent = Math.max(sent, taken);
    return true;
  }

  /// Whether a piece can be sent: the one with the number [#sent].
  public boolean maySend() {
    return sent < granted;
  }

  /// That piece is sent.
  public void send() {
    require(maySend(), "the piece was not granted");
    sent++;
  }

  // ---- the receiver

  /// Whether a piece can be granted: the one with the number [#granted].
  public boolean mayGrant() {
    return granted < offered && granted - taken < MOST;
  }

  /// Memory is posted for that piece.
  public void grant() {
    require(mayGrant(), "too many pieces are granted, or none is offered");
    granted++;
  }

  /// Whether all that was granted is taken.
  public boolean isQuiet() {
    return granted == taken;
  }

  /// The oldest piece that was granted is there.
  public void take() {
    require(taken < granted, "the piece was not granted");
    taken++;
  }

  /// The next pieces are not wanted.
  public void skip(long count) {
    require(isQuiet() && count <= offered - granted, "pieces are skipped in their turn");
    granted += count;
    taken += count;
  }

  // ---- both

  /// The interface for bulk transfers is lost.
  public void detached() {
    granted = taken;
    sent = taken;
  }

  /// Throws if the counts do not add up: for tests.
  public void checkInvariants() {
    require(
        0 <= taken && taken <= granted && granted <= offered && sent <= granted,
        "pieces do not add up");
    require(granted - taken <= MOST, "too many pieces are granted");
  }

  private void require(boolean condition, String otherwise) {
    if (!condition) {
      throw new IllegalStateException(otherwise + ": " + this);
    }
  }

  @Override
  public String toString() {
    return "Pieces[%d taken, %d sent, %d granted, %d offered]"
        .formatted(taken, sent, granted, offered);
  }
}
