package dev.tigris.cluster;

import java.util.ArrayDeque;

/// The receiver's half of the protocol, in numbers alone: see [SenderProtocol].
///
/// ```
///   finished        taken        arrived
///      |  in hands    |  waiting    |           arrived - acknowledged <= window
///
///   acknowledged <= finished <= taken <= arrived
/// ```
///
/// Waters finish in any order; `finished` only counts them.
///
/// Thread rule: the receiver's.
final class ReceiverProtocol {
  /// A receive that is larger than usual.
  private record Grant(long receive, long water, int size) {}

  /// How many receives of the usual size there are: one for each water of the window, since all may
  /// be in use; one for the end, and one so that a filler, an announcement or a farewell is never
  /// behind a receive that is in use.
  static int slots(int window) {
    return window + 2;
  }

  private final int window;
  private final int slotBytes;
  private final ArrayDeque<Grant> grants = new ArrayDeque<>();
  private long posted;
  private long messages;
  private long arrived;
  private long announced;
  private long taken;
  private long finished;
  private long acknowledged;
  private boolean hasEnded;
  private boolean isStopped;
  private boolean isOver;
  private long controls;

  /// Begins after the greeting, which was message 0, in receive 0.
  ReceiverProtocol(int window, int slotBytes) {
    this.window = window;
    this.slotBytes = slotBytes;
    this.posted = 1;
    this.messages = 1;
  }

  /// Notes that a receive of the usual size was posted.
  void postedSlot() {
    posted++;
  }

  /// Notes that a receive for an announced water was posted, and returns its number.
  long postedGrant(long water, int size) {
    grants.addLast(new Grant(posted, water, size));
    return posted++;
  }

  /// Takes a message of the sender. The caller does what it asks for afterwards.
  ///
  /// @param payload how many bytes follow the header
  void receive(Kind kind, long message, long water, int count, int payload, long operand) {
    if (message != messages) {
      throw new ProtocolException(
          "message %d of the sender came in place of %d: messages were lost, doubled or reordered"
              .formatted(message, messages));
    }
    if (hasEnded) {
      throw new ProtocolException("a message of kind %s came after the end".formatted(kind));
    }
    Grant grant = grants.peekFirst();
    boolean isGranted = grant != null && grant.receive == message;
    if (isGranted != (kind == Kind.GRANTED) && !(isGranted && isStopped && kind == Kind.END)) {
      throw new ProtocolException(
          "a message of kind %s came in receive %d, which is %s"
              .formatted(kind, message, isGranted ? "granted to a water" : "granted to no water"));
    }
    messages++;
    switch (kind) {
      case BATCH, WATER -> arrive(water, kind == Kind.WATER ? 1 : count, payload);
      case GRANTED -> arriveGranted(grants.removeFirst(), water, payload);
      case ANNOUNCE -> announce(water, operand);
      case FILLER -> {}
      case END -> end(water);
      default -> throw new ProtocolException("a sender sent a message of kind %s".formatted(kind));
    }
  }

  private void arrive(long water, int count, int payload) {
    if (water != arrived || announced > arrived || count < 1 || payload > slotBytes) {
      throw new ProtocolException(
          "%d waters from number %d came, in %d bytes, in place of number %d"
              .formatted(count, water, payload, arrived));
    }
    arrived += count;
    announced = arrived;
    refuseBeyondWindow();
  }

  private void arriveGranted(Grant grant, long water, int payload) {
    if (water != grant.water || water != arrived || payload != grant.size) {
      throw new ProtocolException(
          "water %d of %d bytes came in place of water %d of %d bytes"
              .formatted(water, payload, grant.water, grant.size));
    }
    arrived++;
  }

  private void announce(long water, long size) {
    if (water != announced || size <= slotBytes || size > Integer.MAX_VALUE) {
      throw new ProtocolException(
          "water %d of %d bytes was announced in place of water %d, of more than %d bytes"
              .formatted(water, size, announced, slotBytes));
    }
    announced++;
    refuseBeyondWindow();
  }

  private void refuseBeyondWindow() {
    if (announced - acknowledged > window && !isStopped) {
      throw new ProtocolException(
          "the sender has sent %d waters that are not acknowledged, in a window of %d"
              .formatted(announced - acknowledged, window));
    }
  }

  private void end(long waters) {
    if (!isStopped && waters != arrived) {
      throw new ProtocolException(
          "the sender ends after %d waters, but %d came".formatted(waters, arrived));
    }
    hasEnded = true;
  }

  /// Returns whether no water has come, nor the end.
  boolean isUnused() {
    return arrived == 0 && announced == 0 && !hasEnded;
  }

  void take() {
    taken++;
  }

  void finish() {
    finished++;
  }

  /// Returns how many waters are finished and were not told to be so.
  long unacknowledged() {
    return finished - acknowledged;
  }

  /// Notes that the receiver takes nothing more.
  void stop() {
    isStopped = true;
  }

  /// Returns the number of a message that is sent now.
  ///
  /// @param told how many waters it says are finished
  long message(Kind kind, long told) {
    acknowledged = told;
    if (kind == Kind.FINAL) {
      isOver = true;
    }
    return controls++;
  }

  /// Returns whether nothing is left but to tell so: the end was heard, and all that was taken is
  /// finished.
  boolean isFinal() {
    return hasEnded && !isOver && finished == taken && (isStopped || taken == arrived);
  }

  boolean hasEnded() {
    return hasEnded;
  }

  boolean isStopped() {
    return isStopped;
  }

  /// Returns whether the last message was sent.
  boolean isOver() {
    return isOver;
  }

  long arrived() {
    return arrived;
  }

  long taken() {
    return taken;
  }

  long finished() {
    return finished;
  }

  void checkInvariants() {
    boolean ordered =
        acknowledged <= finished && finished <= taken && taken <= arrived && arrived <= announced;
    if (!ordered || messages > posted) {
      throw new IllegalStateException(
          "acknowledged %d, finished %d, taken %d, arrived %d, announced %d; %d messages, %d posted"
              .formatted(acknowledged, finished, taken, arrived, announced, messages, posted));
    }
  }
}
