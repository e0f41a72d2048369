// Over 400 lines: sending, receiving, greeting and the timers of a session share its numbers.
package dev.tigris.message.protocol;

import org.jspecify.annotations.Nullable;

/// One side of a session between two endpoints: numbers packets, keeps the credits, and decides
/// what is acknowledged, sent again and given up. A session outlives its connections: one that is
/// made again goes on at the number that each side expects.
///
/// ```text
///              attach               welcomed                      end
///   DETACHED ----------> GREETING ------------> OPEN ---------------------+
///      ^ |                  |                    |  ^                     v
///      | |                  v detached           |  | greeted           ENDED
///      | +------------------+--------------------+--+                     ^
///      |                       greeted           |                        |
///      +-----------------------------------------+      end, patience     |
///      |                 detached                                         |
///      +------------------------------------------------------------------+
/// ```
///
/// The side that has mapped the other connects, and greets; the other side answers.
///
/// ```text
///   numbers given to packets
///   ----------+------------------------------+------------------->
///             base                           next
///     acknowledged | under way: kept, and sent again on demand
///
///   numbers taken from the peer
///   ----------------------+-------------------------------------->
///     handlers have run   expected: the only number that is taken
/// ```
///
/// *Credits.* A request takes a credit. The credit is given back by the reply, or by the count of
/// requests that were over without one (*silent*), which every packet carries. So
///
/// ```text
///   requests sent - replies taken - silent requests known of <= credits
/// ```
///
/// *There is always room for a reply.* The packet with request number `q` acknowledges all `r`
/// replies that its sender has counted, and was sent when `q - r - s <= credits`, with `s` silent
/// requests known of. Before `q` the peer has sent `q - 1 - s'` replies, with `s' >= s`, and `r` of
/// them are acknowledged: so at most `credits - 1` are under way. A handler therefore never waits
/// for room, a request is never held up, and what arrives is worked off in the order of its
/// numbers: neither side can wait for the other for ever, even if both flood each other.
///
/// *Packets under way.* Each has a request or a reply at least. Requests of a packet that the peer
/// is working on may be over before it is acknowledged, so that one packet more can be under way
/// than there are credits; likewise for replies ([Settings#mostPackets]).
///
/// Thread rule: one thread.
public final class Session {
  /// The result of a question for a number, where there is none.
  public static final long NONE = Long.MIN_VALUE;

  /// A peer that talks is not given up before this side has looked so often.
  private static final int LEAST_LOOKS = 8;

  /// Where a session is.
  public enum State {
    /// There is no connection.
    DETACHED,
    /// There is a connection, and the peer has not answered the greeting.
    GREETING,
    /// Packets can be sent and taken.
    OPEN,
    /// It is over.
    ENDED
  }

  /// The fates of a packet that has arrived.
  public enum Verdict {
    /// It is the next one: its messages are worked off, and then [#taken] is called.
    NEXT,
    /// It was taken before.
    DUPLICATE,
    /// One before it is missing.
    GAP,
    /// It belongs to another connection, or comes before the greeting is over.
    ALIEN,
    /// It says what cannot be: the peer does not keep to the protocol.
    BREACH
  }

  /// The things to be sent next.
  public enum Duty {
    /// A greeting, with [#epoch] and [#acknowledge].
    GREET,
    /// The answer to a greeting, with the same.
    WELCOME,
    /// The packet [#nextResend] once more; then [#resent] is called.
    RESEND,
    /// A negative acknowledgement of the number [#expected].
    LACK,
    /// The packet that waits, with a [#number].
    SEND,
    /// An acknowledgement.
    ACKNOWLEDGE,
    /// Nothing, until something arrives or [#deadline] is over.
    NOTHING
  }

  /// The ways in which a session ends.
  public enum End {
    /// One of the sides has closed it.
    CLOSED,
    /// The peer has not been heard of for too long.
    UNREACHABLE,
    /// The peer does not know the session: its process has started anew, or has given it up.
    FORGOTTEN,
    /// The peer does not keep to the protocol.
    BREACH
  }

  private Settings settings;
  private final Numbers numbers;
  private int mostPackets;

  /// How many packets, or messages, are acknowledged by a packet of its own.
  private int quarterOfPackets;

  private int quarterOfCredits;
  private final RoundTrips trips;
  private State state = State.DETACHED;
  private @Nullable End end;

  // Connections
  private int epoch;
  private boolean wasOpen;
  private boolean greetingDue;
  private long greetedAt;
  private boolean welcomeDue;

  // Packets to the peer
  private long next;
  private long base;
  private long resend;
  private long resendEnd;
  private boolean recovering;
  private long recoveryEnd;
  private long answerSince;
  private long negativeNumber;
  private long negativeAt;
  private boolean hadNegative;
  private boolean isTiming;
  private long timedNumber;
  private long timedAt;
  private long heardAt;

  /// For how long the peer has acknowledged nothing of what is under way, and until when that was
  /// counted.
  private long unansweredNanos;

  private long unansweredUntil;

  /// Whether something is under way since the last [#tick]. The patience begins there: the time at
  /// which a packet is sent may be that of the poll before.
  private boolean startsToWait;

  // Packets from the peer
  private long expected;
  private int takenPackets;
  private int takenMessages;
  private boolean acknowledgeNow;
  private boolean hasTaken;
  private long takenAt;
  private boolean negativeDue;
  private long gapNumber;
  private long gapAt;
  private boolean hadGap;

  // Credits
  private long requestsSent;
  private long repliesTaken;
  private long silentKnown;
  private long requestsTaken;
  private long repliesSent;
  private long silent;
  private boolean expectsMore;

  // Statistics
  private long resent;
  private long duplicates;
  private long gaps;
  private long negativesSent;

  /// Makes one that has no connection.
  public Session(Settings settings, long now) {
    this.settings = settings;
    this.numbers = settings.numbers();
    bound();
    this.trips = new RoundTrips(settings.leastResendNanos(), settings.mostResendNanos());
    this.next = settings.first();
    this.base = next;
    this.resend = next;
    this.resendEnd = next;
    this.expected = settings.first();
    this.heardAt = now;
  }

  /// Both sides have agreed on how many credits they have, and whether connections are reliable,
  /// before the first packet.
  public void agree(int credits, boolean reliable) {
    require(isFresh() && next == base && requestsSent == 0, "credits change after a request");
    settings = settings.agreed(credits, reliable);
    bound();
  }

  private void bound() {
    mostPackets = settings.mostPackets();
    quarterOfPackets = Math.max(1, mostPackets / 4);
    quarterOfCredits = Math.max(1, settings.credits() / 4);
  }

  // ---- connections

  /// There is a connection to the peer: greets it.
  ///
  /// @return the number of the connection
  public int attach(long now) {
    require(state == State.DETACHED, "it has a connection, or has ended");
    state = State.GREETING;
    epoch++;
    greetingDue = true;
    return epoch;
  }

  private boolean takeGreeting(long now) {
    boolean due = state == State.GREETING && (greetingDue || now - greetedAt >= trips.waitNanos());
    if (due) {
      if (!greetingDue) {
        trips.backOff();
      }
      greetingDue = false;
      greetedAt = now;
    }
    return due;
  }

  /// The peer has answered the greeting.
  ///
  /// @param its the number of the connection
  /// @param wanted the number that the peer expects next
  /// @param silentCount the count of silent requests
  /// @return false if the answer cannot be: the session is to be ended
  public boolean welcomed(int its, long wanted, long silentCount, long now) {
    if (state != State.GREETING || its != epoch) {
      return true; // one that was repeated
    }
    return open(wanted, silentCount, now);
  }

  /// The peer greets this side.
  ///
  /// @param its the number of the connection
  /// @param wanted the number that the peer expects next
  /// @param silentCount the count of silent requests
  /// @return false if the greeting cannot be: the session is to be ended
  public boolean greeted(int its, long wanted, long silentCount, long now) {
    if (state == State.ENDED || its - epoch < 0) {
      return true; // one that comes too late
    }
    welcomeDue = true;
    if (its == epoch && state == State.OPEN) {
      return true; // it was repeated, because the answer was lost
    }
    epoch = its;
    return open(wanted, silentCount, now);
  }

  /// Whether the next duty is to answer a greeting.
  public boolean isWelcomeDue() {
    return welcomeDue && state == State.OPEN;
  }

  private boolean takeWelcome() {
    boolean due = welcomeDue && state == State.OPEN;
    welcomeDue = false;
    return due;
  }

  private boolean open(long wanted, long silentCount, long now) {
    long accepted = numbers.distance(base, wanted);
    if (!numbers.isNumber(wanted) || accepted < 0 || accepted > underWay()) {
      return false;
    }
    if (!wereSilent(silentCount)) {
      return false;
    }
    state = State.OPEN;
    wasOpen = true;
    heardAt = now;
    unansweredNanos = 0;
    forget(wanted, now);
    trips.restore();
    resend = base;
    resendEnd = next;
    recovering = false;
    hadNegative = false;
    hadGap = false;
    negativeDue = false;
    isTiming = false;
    answerSince = now;
    return true;
  }

  /// The connection is over. What is under way is kept for the next one.
  public void detached(long now) {
    if (state != State.ENDED) {
      if (state == State.OPEN) {
        heardAt = now; // an attempt that came to nothing does not begin the patience anew
      }
      state = State.DETACHED;
      welcomeDue = false;
      greetingDue = false;
    }
  }

  /// Ends the session. What is under way may have arrived.
  public void end(End how) {
    if (state != State.ENDED) {
      state = State.ENDED;
      end = how;
    }
  }

  // ---- credits

  /// Whether a request, or a fragment, may be sent now.
  public boolean hasCredit() {
    return state != State.ENDED && outstanding() < settings.credits();
  }

  /// Returns how many requests are not known to be over.
  public long outstanding() {
    return requestsSent - repliesTaken - silentKnown;
  }

  /// A request was put into a packet, or a fragment.
  ///
  /// @return its number among the requests, from 1 on
  public long requested() {
    require(hasCredit(), "there is no credit for a request");
    return ++requestsSent;
  }

  /// Returns the number that the next request will have.
  public long nextRequest() {
    return requestsSent + 1;
  }

  /// A request of the peer is over, and was not replied to.
  public void wasSilent() {
    silent++;
    takenMessages++;
    requireOver();
  }

  /// A reply was put into a packet.
  public void replied() {
    repliesSent++;
    requireOver();
  }

  private void requireOver() {
    require(silent + repliesSent <= requestsTaken, "more requests are over than were taken");
  }

  /// A request of the peer is worked off.
  ///
  /// @return whether the peer had the credit for it
  public boolean tookRequest() {
    requestsTaken++;
    return requestsTaken - repliesSent - silent <= settings.credits();
  }

  /// A reply of the peer is worked off.
  ///
  /// @return whether there was a request that it can be for
  public boolean tookReply() {
    if (outstanding() == 0) {
      return false;
    }
    repliesTaken++;
    takenMessages++;
    return true;
  }

  /// The peer is at work: something of it has arrived elsewhere, or was taken.
  public void heard(long now) {
    heardAt = now;
  }

  /// Says whether more is expected of the peer, as the rest of a transfer: then it may not be
  /// silent
  /// for longer than the patience.
  public void expectsMore(boolean more, long now) {
    if (more && !expectsMore && !isWaiting()) {
      heardAt = now;
    }
    expectsMore = more;
  }

  // ---- packets to the peer

  /// Returns what is to be sent now. The caller sends it, and asks again. It has room for a packet.
  ///
  /// @param hasPacket whether a packet waits that has no number
  public Duty duty(long now, boolean hasPacket) {
    if (takeGreeting(now)) {
      return Duty.GREET;
    }
    if (state != State.OPEN) {
      return Duty.NOTHING;
    }
    if (takeWelcome()) {
      return Duty.WELCOME;
    }
    if (resend != resendEnd) {
      return Duty.RESEND;
    }
    if (takeNegative()) {
      return Duty.LACK;
    }
    if (hasPacket && canNumber()) {
      return Duty.SEND;
    }
    return isAcknowledgementDue(now) ? Duty.ACKNOWLEDGE : Duty.NOTHING;
  }

  /// Whether a packet can be given a number and sent now.
  public boolean canNumber() {
    return state == State.OPEN && underWay() < mostPackets && resend == resendEnd;
  }

  /// Gives a packet the next number; it is sent now, with [#acknowledge] and [#silent].
  public long number(long now) {
    require(canNumber(), "no packet can be sent now");
    long number = next;
    if (base == next) {
      answerSince = now;
      heardAt = now;
      unansweredNanos = 0;
      startsToWait = true;
    }
    next = numbers.plus(next, 1);
    resend = next;
    resendEnd = next;
    if (!isTiming) {
      isTiming = true;
      timedNumber = number;
      timedAt = now;
    }
    return number;
  }

  /// Returns how many packets are under way.
  public int underWay() {
    return (int) numbers.distance(base, next);
  }

  /// Returns the oldest number that is under way, or the next one.
  public long base() {
    return base;
  }

  /// Returns the number of the packet that is to be sent again now, or [#NONE].
  public long nextResend() {
    return state != State.OPEN || resend == resendEnd ? NONE : resend;
  }

  /// That packet was sent again.
  public void resent(long now) {
    resend = numbers.plus(resend, 1);
    isTiming = false; // Karn's rule
    answerSince = now;
    resent++;
  }

  /// Returns the number for the acknowledgement that a packet carries: all before it are taken. The
  /// packet is sent now.
  public long acknowledge() {
    takenPackets = 0;
    takenMessages = 0;
    acknowledgeNow = false;
    hasTaken = false;
    return expected;
  }

  /// Returns the count of silent requests that a packet carries.
  public long silent() {
    return numbers.plus(0, silent);
  }

  /// Whether an acknowledgement is to be sent now in a packet of its own.
  public boolean isAcknowledgementDue(long now) {
    return state == State.OPEN
        && (acknowledgeNow
            || takenPackets >= quarterOfPackets
            || takenMessages >= quarterOfCredits
            || (hasTaken && now - takenAt >= settings.acknowledgeNanos()));
  }

  /// Whether there is something to acknowledge: for a caller that is about to wait.
  public boolean hasUnacknowledged() {
    return state == State.OPEN && hasTaken;
  }

  private boolean takeNegative() {
    if (!negativeDue || state != State.OPEN) {
      return false;
    }
    negativeDue = false;
    negativesSent++;
    return true;
  }

  // ---- packets from the peer

  /// Whether a packet belongs to this connection and may be looked into.
  public boolean isOurs(int its) {
    return state == State.OPEN && its == epoch;
  }

  /// A numbered packet has arrived. Its acknowledgement is handed in before, by [#acknowledged].
  public Verdict arrived(int its, long number, long now) {
    if (!isOurs(its)) {
      return Verdict.ALIEN;
    }
    if (!numbers.isNumber(number)) {
      return Verdict.BREACH;
    }
    heardAt = now;
    long ahead = numbers.distance(expected, number);
    if (ahead == 0) {
      return Verdict.NEXT;
    }
    if (ahead < 0) {
      duplicates++;
      acknowledgeNow = true; // the one before may be lost
      return Verdict.DUPLICATE;
    }
    if (ahead > mostPackets) {
      return Verdict.BREACH;
    }
    gaps++;
    if (!hadGap || gapNumber != expected || now - gapAt >= trips.tripNanos()) {
      hadGap = true;
      gapNumber = expected;
      gapAt = now;
      negativeDue = true;
    }
    return Verdict.GAP;
  }

  /// The messages of the packet that was the next one are worked off.
  public void taken(long now) {
    expected = numbers.plus(expected, 1);
    takenPackets++;
    if (!hasTaken) {
      hasTaken = true;
      takenAt = now;
    }
    negativeDue = false;
  }

  /// A packet has arrived with an acknowledgement and a count of silent requests.
  ///
  /// @return false if it says what cannot be
  public boolean acknowledged(int its, long number, long silentCount, long now) {
    if (!isOurs(its)) {
      return true;
    }
    if (!numbers.isNumber(number) || !wereSilent(silentCount)) {
      return false;
    }
    heardAt = now;
    long accepted = numbers.distance(base, number);
    if (accepted > underWay()) {
      return false;
    }
    if (accepted > 0) {
      forget(number, now);
      trips.restore();
      answerSince = now;
      if (recovering) {
        recover();
      }
    }
    return true;
  }

  private boolean wereSilent(long count) {
    long more = numbers.distance(numbers.plus(0, silentKnown), count);
    if (!numbers.isNumber(count) || more > outstanding()) {
      return false;
    }
    silentKnown += Math.max(0, more);
    return true;
  }

  /// After a time-out, one packet was sent again. The peer has answered: what it lacks follows.
  private void recover() {
    recovering = false;
    if (numbers.distance(base, recoveryEnd) > 0) {
      resend = base;
      resendEnd = next;
    }
  }

  private void forget(long number, long now) {
    if (isTiming && numbers.distance(timedNumber, number) > 0) {
      trips.sample(now - timedAt);
      isTiming = false;
    }
    if (base != number) {
      unansweredNanos = 0;
    }
    base = number;
    if (numbers.distance(resend, base) > 0) {
      resend = base;
    }
    if (numbers.distance(resendEnd, base) > 0) {
      resendEnd = base;
    }
  }

  /// The peer lacks a number, and has taken all before it.
  ///
  /// @return false if it says what cannot be
  public boolean lacks(int its, long number, long now) {
    if (!isOurs(its)) {
      return true;
    }
    long ahead = numbers.distance(base, number);
    if (!numbers.isNumber(number) || ahead > underWay()) {
      return false;
    }
    heardAt = now;
    if (ahead < 0) {
      return true; // an old one
    }
    boolean wasRecovering = recovering;
    recovering = false;
    forget(number, now);
    boolean isRepeated =
        hadNegative && negativeNumber == number && now - negativeAt < trips.tripNanos();
    if (number != next && (!isRepeated || wasRecovering)) {
      hadNegative = true;
      negativeNumber = number;
      negativeAt = now;
      resend = number;
      resendEnd = next;
    }
    return true;
  }

  // ---- time

  /// Does what time asks for; called when [#deadline] is over, or more often.
  ///
  /// @return whether the session has ended by that
  public boolean tick(long now) {
    if (state == State.ENDED) {
      return false;
    }
    if (startsToWait) {
      startsToWait = false;
      heardAt = now;
      unansweredNanos = 0;
    }
    long patience = settings.patienceNanos();
    if ((isWaiting() && now - heardAt >= patience) || isUnanswered(now, patience)) {
      end(End.UNREACHABLE);
      return true;
    }
    if (isResendTimed() && now - answerSince >= trips.waitNanos()) {
      trips.backOff();
      answerSince = now;
      recovering = true;
      recoveryEnd = next;
      resend = base;
      resendEnd = numbers.plus(base, 1);
      isTiming = false;
    }
    return false;
  }

  /// Whether the peer was heard of within the patience.
  public boolean isHeardOf(long now) {
    return now - heardAt < settings.patienceNanos();
  }

  /// Whether something is expected of the peer. A session without a connection waits for one.
  private boolean isWaiting() {
    return state != State.OPEN || base != next || expectsMore;
  }

  /// Whether a peer that talks has acknowledged nothing for longer than that. It holds the memory
  /// of what is under way. Each look counts for little, as it may be this side that was stopped.
  /// Where packets may be lost, the peer may have none to acknowledge.
  private boolean isUnanswered(long now, long patience) {
    long step = Math.max(1, patience / LEAST_LOOKS);
    if (mayBeUnanswered()) {
      unansweredNanos += Math.clamp(now - unansweredUntil, 0, step);
    } else {
      unansweredNanos = 0;
    }
    unansweredUntil = now;
    return unansweredNanos >= patience + step;
  }

  private boolean mayBeUnanswered() {
    return state == State.OPEN && settings.reliable() && base != next;
  }

  private boolean isResendTimed() {
    return state == State.OPEN && !settings.reliable() && base != next && resend == resendEnd;
  }

  /// Returns when [#tick] or [#duty] will have something to do, if nothing arrives before: a time,
  /// or `Long.MAX_VALUE`.
  public long deadline(long now) {
    if (state == State.ENDED) {
      return Long.MAX_VALUE;
    }
    long left = Long.MAX_VALUE;
    if (isWaiting()) {
      left = Math.min(left, heardAt + settings.patienceNanos() - now);
    }
    if (mayBeUnanswered()) {
      left = Math.min(left, Math.max(1, settings.patienceNanos() / LEAST_LOOKS));
    }
    if (isResendTimed()) {
      left = Math.min(left, answerSince + trips.waitNanos() - now);
    }
    if (state == State.GREETING) {
      left = Math.min(left, greetingDue ? 0 : greetedAt + trips.waitNanos() - now);
    }
    if (state == State.OPEN && hasTaken) {
      left = Math.min(left, takenAt + settings.acknowledgeNanos() - now);
    }
    return left == Long.MAX_VALUE ? left : now + Math.max(0, left);
  }

  // ---- what there is to know

  /// Returns where the session is.
  public State state() {
    return state;
  }

  /// Returns how it has ended; null if it has not.
  public @Nullable End end() {
    return end;
  }

  /// Returns the number of the connection.
  public int epoch() {
    return epoch;
  }

  /// Whether the peer has never answered: then it may not know the session, and nothing was sent.
  public boolean isFresh() {
    return !wasOpen;
  }

  /// Returns the settings.
  public Settings settings() {
    return settings;
  }

  /// Returns the number that is expected next.
  public long expected() {
    return expected;
  }

  /// Returns how many requests of the peer were taken.
  public long requestsTaken() {
    return requestsTaken;
  }

  /// Returns how many requests were put into packets.
  public long requestsSent() {
    return requestsSent;
  }

  /// Returns the last count of silent requests that the peer has told.
  public long silentKnown() {
    return numbers.plus(0, silentKnown);
  }

  /// Returns how many requests of the peer are not over.
  public long open() {
    return requestsTaken - repliesSent - silent;
  }

  /// Returns how many packets were sent again.
  public long resentCount() {
    return resent;
  }

  /// Returns how many packets came that had been taken before.
  public long duplicateCount() {
    return duplicates;
  }

  /// Returns how many packets came before one that was missing.
  public long gapCount() {
    return gaps;
  }

  /// Returns how many negative acknowledgements were sent.
  public long negativeCount() {
    return negativesSent;
  }

  /// Throws if the counts do not add up: for tests, after each step.
  ///
  /// @throws IllegalStateException with what does not
  public void checkInvariants() {
    require(
        underWay() >= 0 && underWay() <= mostPackets, "the packets under way exceed the window");
    require(outstanding() >= 0 && outstanding() <= settings.credits(), "credits do not add up");
    require(
        numbers.distance(base, resend) >= 0
            && numbers.distance(resend, resendEnd) >= 0
            && numbers.distance(resendEnd, next) >= 0,
        "packets to be sent again are not under way");
    require(open() >= 0, "more requests are over than were taken");
    require((state == State.ENDED) == (end != null), "it has ended for no reason, or has not");
  }

  private void require(boolean condition, String otherwise) {
    if (!condition) {
      throw new IllegalStateException(otherwise + ": " + this);
    }
  }

  @Override
  public String toString() {
    return "Session[%s, epoch %d, %d..%d under way, expects %d, %d requests out]"
        .formatted(state, epoch, base, next, expected, outstanding());
  }
}
