package dev.tigris.cluster;

import java.util.ArrayDeque;

/// The sender's half of the protocol: what may be sent next, in numbers alone. It has no clock, no
/// thread and no I/O, so that tests drive it together with [ReceiverProtocol] in any order.
///
/// ```
///   acknowledged           head            announced        accepted
///        |   on their way    |  large, and    |  waiting       |
///        |   or in hands     |  announced     |                |
///
///   acknowledged <= head <= announced <= accepted <= acknowledged + window
/// ```
///
/// **Receives.** Message `n` arrives in receive `n` of the other end. Receives have the usual size,
/// but for those that were granted. So the sender knows the size of each, as long as it has not
/// gone past a granted one that it does not know of yet. It never does, by three rules:
///
/// 1. A water is announced only if each water before it was sent, or is large and announced. So
///    nothing but announcements, fillers and granted waters is sent while one is announced.
/// 2. A filler is sent only if the grants of all announced waters are known.
/// 3. The receiver grants a water at once, before it tells that it has finished others.
///
/// *Why.* As the announcement of a water arrives, the receiver has `slots - held` receives of the
/// usual size before the granted one, `held` of them being in use by waters that it has not
/// finished. Until the sender hears of the grant, it sends announcements only, one for each of
/// `window - held - 1` other waters at most, since it hears of nothing that is finished later. And
/// `slots` is more than `window`.
///
/// Thread rule: the sender's.
final class SenderProtocol {
  /// The next thing to do.
  enum Step {
    /// Nothing, until a water is put or a message arrives.
    NOTHING,
    /// Send the water [#head] in a receive of the usual size.
    WATER,
    /// Announce the water [#announced].
    ANNOUNCE,
    /// Send the water [#head], whose receive is the next one.
    GRANTED,
    /// Send a filler.
    FILLER,
    /// Send the end.
    END
  }

  private final int window;
  private final int slotBytes;

  /// By water, modulo the window: its size.
  private final int[] sizes;

  private long accepted;
  private long head;
  private long announced;
  private long acknowledged;
  private long messages;
  private final ArrayDeque<Long> grants = new ArrayDeque<>();
  private long granted;
  private boolean isEnding;
  private boolean isEnded;
  private boolean isStopped;
  private boolean isOver;
  private long controls;
  private long taken;

  /// How many large waters were sent.
  private long sentGranted;

  /// How many large waters were announced.
  private long announcements;

  SenderProtocol(int window, int slotBytes) {
    this.window = window;
    this.slotBytes = slotBytes;
    this.sizes = new int[window];
  }

  /// Takes a water over.
  void accept(int size) {
    if (accepted - acknowledged == window) {
      throw new IllegalStateException("there is no credit for another water");
    }
    sizes[(int) (accepted % window)] = size;
    accepted++;
  }

  /// No water is accepted any more.
  void end() {
    isEnding = true;
  }

  Step next() {
    if (isStopped) {
      return isEnded ? Step.NOTHING : Step.END;
    }
    if (head == accepted) {
      return isEnding && !isEnded ? Step.END : Step.NOTHING;
    }
    if (!isLarge(head)) {
      return Step.WATER;
    }
    boolean isUnknown = announcements > granted;
    if (grants.isEmpty()) {
      return hasToAnnounce() ? Step.ANNOUNCE : Step.NOTHING;
    }
    if (messages == grants.getFirst()) {
      return Step.GRANTED;
    }
    if (hasToAnnounce()) {
      return Step.ANNOUNCE;
    }
    return isUnknown ? Step.NOTHING : Step.FILLER;
  }

  private boolean hasToAnnounce() {
    return announced < accepted && isLarge(announced);
  }

  private boolean isLarge(long water) {
    return size(water) > slotBytes;
  }

  /// Returns the size of a water that was accepted and not acknowledged.
  int size(long water) {
    return sizes[(int) (water % window)];
  }

  /// Returns the number of the next water to be sent.
  long head() {
    return head;
  }

  /// Returns the number of the next water to be announced, if it is large.
  long announced() {
    return announced;
  }

  /// Notes that the head was put into a message. Several may be put into one.
  void tookHead() {
    if (isLarge(head)) {
      grants.removeFirst();
      sentGranted++;
    }
    head++;
    announced = Math.max(announced, head);
  }

  /// Notes that the next water was announced.
  void tookAnnouncement() {
    announced++;
    announcements++;
  }

  /// Notes that the end was sent.
  void tookEnd() {
    isEnded = true;
  }

  /// Returns the number of a message that is sent now.
  long message() {
    return messages++;
  }

  /// Takes a message of the receiver. Returns whether it has changed anything for the program: some
  /// credit, or the stream is stopped or over.
  boolean receive(Kind kind, long message, long finished, long operand) {
    if (message != controls) {
      throw new ProtocolException(
          "message %d of the receiver came in place of %d".formatted(message, controls));
    }
    controls++;
    if (isOver) {
      throw new ProtocolException("a message of kind %s came after the last one".formatted(kind));
    }
    return switch (kind) {
      case ACK -> acknowledge(finished);
      case GRANT -> grant(finished, operand);
      case STOP -> stop(finished, operand);
      case FINAL -> beOver(finished, operand);
      default ->
          throw new ProtocolException("a receiver sent a message of kind %s".formatted(kind));
    };
  }

  private boolean acknowledge(long finished) {
    if (finished < acknowledged || finished > head) {
      throw new ProtocolException(
          "the receiver says that it has finished %d waters, after %d, of %d that were sent"
              .formatted(finished, acknowledged, head));
    }
    boolean isNew = finished > acknowledged;
    acknowledged = finished;
    return isNew;
  }

  private boolean grant(long finished, long receive) {
    if (granted == announcements || (receive < messages && !isStopped)) {
      throw new ProtocolException(
          "the receiver has granted receive %d to a water that was not announced, or too late"
              .formatted(receive));
    }
    granted++;
    grants.addLast(receive);
    return acknowledge(finished);
  }

  private boolean stop(long finished, long took) {
    boolean _ = acknowledge(finished);
    if (isStopped || took < finished || took > head) {
      throw new ProtocolException(
          "the receiver stops after %d waters, of %d that were sent".formatted(took, head));
    }
    isStopped = true;
    taken = took;
    return true;
  }

  private boolean beOver(long finished, long took) {
    boolean _ = acknowledge(finished);
    long expected = isStopped ? taken : accepted;
    if (!isEnded || took != expected || finished != expected) {
      throw new ProtocolException(
          "the receiver leaves after %d waters, %d of them finished, in place of %d"
              .formatted(took, finished, expected));
    }
    isOver = true;
    return true;
  }

  /// Returns how many waters were accepted and are not finished, as far as is known.
  int outstanding() {
    return (int) (accepted - acknowledged);
  }

  long accepted() {
    return accepted;
  }

  long acknowledged() {
    return acknowledged;
  }

  /// Returns how many waters the receiver has taken that has stopped.
  long taken() {
    return taken;
  }

  boolean isStopped() {
    return isStopped;
  }

  boolean isEnded() {
    return isEnded;
  }

  /// Returns whether the receiver has confirmed the end: nothing is left to be done.
  boolean isOver() {
    return isOver;
  }

  void checkInvariants() {
    boolean ordered =
        acknowledged <= head
            && head <= announced
            && announced <= accepted
            && accepted - acknowledged <= window;
    if (!ordered || sentGranted > granted || granted > announcements) {
      throw new IllegalStateException(
          "acknowledged %d, head %d, announced %d, accepted %d; %d announced, %d granted, %d sent"
              .formatted(
                  acknowledged, head, announced, accepted, announcements, granted, sentGranted));
    }
  }
}
