// Over 400 lines: both ends of a stream, the rules that can be left out, and all that must hold.
package dev.tigris.cluster;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// Both halves of the protocol, the messages and receives between them, and the modules at the
/// ends. Each step is chosen from outside, so that a test can make them in any order. What the page
/// of the protocol promises is checked at each step.
///
/// One rule may be left out, as a bug would: then a test has to find it.
final class ProtocolWorld {
  static final int SLOT_BYTES = 100;
  private static final int SMALL = 30;
  private static final int LARGE = 150;

  /// What may happen next.
  enum Act {
    PUT_SMALL,
    PUT_LARGE,
    SEND,
    SEND_TOGETHER,
    DELIVER_FORTH,
    DELIVER_BACK,
    TAKE,
    FINISH_FIRST,
    FINISH_LAST,
    TELL,
    STOP,
    END,
    FAIL,
    CUT
  }

  /// The rules of the protocol, each of which can be left out.
  enum Rule {
    /// A water is announced only if each before it was sent, or is large and announced.
    ANNOUNCES_IN_ORDER,
    /// A filler is sent only if the grants of all announced waters are known.
    FILLS_WHEN_ALL_IS_KNOWN,
    /// The receiver grants before it tells that it has finished others.
    GRANTS_AT_ONCE,
    /// A grant tells only what was finished when the receive was posted.
    GRANTS_TELL_WHAT_WAS_FINISHED_BEFORE,
    /// There is a receive more than the window.
    A_RECEIVE_FOR_THE_END,
    /// A water's receive is posted again before its credit is told.
    RECEIVE_BEFORE_CREDIT,
    /// A water that is larger than a slot is announced.
    LARGE_ONES_ARE_ANNOUNCED,
    /// Only finished waters are acknowledged.
    ACKNOWLEDGES_WHAT_IS_FINISHED,
    /// A failing flow sends no end.
    FAILURE_IS_NO_END,
    /// A connection that ends before the end fails the receiver.
    LOSS_IS_NO_END,
    /// The sender is over when the last message came, and not before.
    WAITS_FOR_THE_LAST_WORD,
    /// The last message says that all that was taken is finished.
    LAST_WORD_WHEN_ALL_IS_FINISHED,
    /// A receiver that has stopped takes nothing more.
    TAKES_NOTHING_AFTER_A_STOP,
    /// A sender answers a stop with the end.
    A_STOP_IS_ANSWERED,
    /// Messages arrive in the order of their numbers.
    MESSAGES_STAY_IN_ORDER
  }

  record Message(Kind kind, long number, long water, int count, int payload, long operand) {}

  final int window;
  private final @Nullable Rule without;
  private final SenderProtocol sender;
  private final ReceiverProtocol receiver;
  private final int slots;
  private final ArrayDeque<Message> forth = new ArrayDeque<>();
  private final ArrayDeque<Message> back = new ArrayDeque<>();
  private final ArrayDeque<Message> grants = new ArrayDeque<>();

  /// The grants that the sender knows of and has not used.
  private final ArrayDeque<Long> heard = new ArrayDeque<>();

  private long announcements;
  private long grantsHeard;

  /// The sizes of the posted receives.
  private final ArrayDeque<Integer> posted = new ArrayDeque<>();

  /// The sizes of the receives of the waters that arrived, 0 if they came in batches.
  private final ArrayDeque<Integer> arrived = new ArrayDeque<>();

  private final List<Integer> inHands = new ArrayList<>();

  /// How many receives are to be posted late, which a broken variant does.
  private int late;

  private final List<Integer> put = new ArrayList<>();
  private boolean isEnding;
  private boolean hasFailed;
  private boolean isCut;
  private boolean isStopped;
  private boolean hasSaidStop;
  private long sent;
  private long seen;
  private long told;

  ProtocolWorld(int window, @Nullable Rule without) {
    this.window = window;
    this.without = without;
    sender = new SenderProtocol(window, SLOT_BYTES);
    receiver = new ReceiverProtocol(window, SLOT_BYTES);
    slots = lacks(Rule.A_RECEIVE_FOR_THE_END) ? window : ReceiverProtocol.slots(window);
    require(number() == 0, "the greeting is message 0");
    for (int i = 0; i < slots; i++) {
      post();
    }
  }

  private boolean lacks(Rule rule) {
    return without == rule;
  }

  /// Formats nothing unless it fails: it is called millions of times.
  @SuppressWarnings("AnnotateFormatMethod") // its annotation is not among our libraries
  private static void require(boolean holds, String what, @Nullable Object... values) {
    if (!holds) {
      throw new AssertionError(what.formatted(values));
    }
  }

  private void post() {
    posted.addLast(SLOT_BYTES);
    receiver.postedSlot();
  }

  private long number() {
    sent++;
    return sender.message();
  }

  /// How many waters were put.
  int put() {
    return put.size();
  }

  /// Whether both ends agree that nothing is left, or the connection has ended.
  boolean isOver() {
    return isCut || (isSenderOver() && receiver.isOver());
  }

  private boolean isSenderOver() {
    return sender.isOver() || (lacks(Rule.WAITS_FOR_THE_LAST_WORD) && sender.isEnded());
  }

  /// Returns what may be done now.
  Set<Act> possible() {
    Set<Act> acts = EnumSet.noneOf(Act.class);
    if (isCut) {
      return acts;
    }
    boolean puts = !isEnding && !sender.isStopped() && sender.outstanding() < window;
    add(acts, puts, Act.PUT_SMALL);
    add(acts, puts, Act.PUT_LARGE);
    add(acts, step() != SenderProtocol.Step.NOTHING, Act.SEND);
    add(acts, step() == SenderProtocol.Step.WATER, Act.SEND_TOGETHER);
    add(acts, !forth.isEmpty(), Act.DELIVER_FORTH);
    add(acts, !back.isEmpty(), Act.DELIVER_BACK);
    add(acts, !arrived.isEmpty(), Act.TAKE);
    add(acts, !inHands.isEmpty(), Act.FINISH_FIRST);
    add(acts, inHands.size() > 1, Act.FINISH_LAST);
    add(acts, hasToTell(), Act.TELL);
    add(acts, !isStopped && !receiver.isOver(), Act.STOP);
    add(acts, !isEnding, Act.END);
    add(acts, !isEnding, Act.FAIL);
    acts.add(Act.CUT);
    return acts;
  }

  private static void add(Set<Act> acts, boolean isPossible, Act act) {
    if (isPossible) {
      acts.add(act);
    }
  }

  /// Does one thing, which is possible.
  void act(Act act) {
    switch (act) {
      case PUT_SMALL -> put(SMALL);
      case PUT_LARGE -> put(LARGE + put.size() % 3);
      case SEND -> send(1);
      case SEND_TOGETHER -> send(window);
      case DELIVER_FORTH -> deliverForth();
      case DELIVER_BACK -> deliverBack();
      case TAKE -> take();
      case FINISH_FIRST -> finish(0);
      case FINISH_LAST -> finish(inHands.size() - 1);
      case TELL -> tell();
      case STOP -> stop();
      case END -> end();
      case FAIL -> fail();
      case CUT -> cut();
    }
    check();
  }

  private void check() {
    sender.checkInvariants();
    receiver.checkInvariants();
    require(
        sender.acknowledged() <= receiver.finished(),
        "the sender believes that %d waters are finished, and %d are",
        sender.acknowledged(),
        receiver.finished());
    long usual = inUse(posted);
    long held = inUse(arrived) + inUse(inHands);
    require(
        usual + held + late == slots,
        "%d receives are posted and %d held, of %d",
        usual,
        held,
        slots);
    require(
        isCut || forth.isEmpty() || !posted.isEmpty(),
        "message %s waits for a module",
        forth.peekFirst());
    if (isSenderOver() && !isStopped) {
      require(
          receiver.finished() == put.size(),
          "the sender has ended well after %d waters, of which %d are finished",
          put.size(),
          receiver.finished());
    }
    if (receiver.hasEnded() && !isStopped) {
      require(isEnding && !hasFailed, "the sender has not ended, but its receiver has seen an end");
      require(seen == put.size(), "%d waters of %d came", seen, put.size());
    }
  }

  private static long inUse(Iterable<Integer> rooms) {
    long count = 0;
    for (int room : rooms) {
      count += room == SLOT_BYTES ? 1 : 0;
    }
    return count;
  }

  private void put(int size) {
    sender.accept(size);
    put.add(size);
  }

  /// What the sender does next. A variant decides otherwise.
  private SenderProtocol.Step step() {
    SenderProtocol.Step step = sender.next();
    boolean isLarge = !sender.isStopped() && sender.head() < put.size() && isLarge(sender.head());
    if (lacks(Rule.FILLS_WHEN_ALL_IS_KNOWN)
        && step == SenderProtocol.Step.NOTHING
        && isLarge
        && !heard.isEmpty()) {
      return SenderProtocol.Step.FILLER;
    }
    if (lacks(Rule.LARGE_ONES_ARE_ANNOUNCED)
        && step == SenderProtocol.Step.ANNOUNCE
        && sender.announced() == sender.head()) {
      return SenderProtocol.Step.WATER;
    }
    if (lacks(Rule.A_STOP_IS_ANSWERED) && sender.isStopped()) {
      return SenderProtocol.Step.NOTHING;
    }
    return step;
  }

  private boolean isLarge(long water) {
    return sender.size(water) > SLOT_BYTES;
  }

  private void send(int most) {
    switch (step()) {
      case NOTHING -> throw new IllegalStateException("there is nothing to send");
      case WATER -> sendWaters(most);
      case GRANTED -> {
        long water = sender.head();
        int size = sender.size(water);
        sender.tookHead();
        heard.removeFirst();
        forth.add(new Message(Kind.GRANTED, number(), water, 1, size, 0));
      }
      case ANNOUNCE -> announce(sender.announced());
      case FILLER -> forth.add(new Message(Kind.FILLER, number(), 0, 0, 0, 0));
      case END -> {
        forth.add(new Message(Kind.END, number(), sender.head(), 0, 0, 0));
        sender.tookEnd();
      }
    }
  }

  private void announce(long water) {
    forth.add(new Message(Kind.ANNOUNCE, number(), water, 0, 0, sender.size(water)));
    sender.tookAnnouncement();
    announcements++;
  }

  private void sendWaters(int most) {
    long first = sender.head();
    if (lacks(Rule.ANNOUNCES_IN_ORDER)) {
      for (long water = first; water < put.size(); water++) {
        if (isLarge(water)) {
          announce(water);
          return;
        }
      }
    }
    if (isLarge(first)) { // of a variant that announces nothing
      forth.add(new Message(Kind.WATER, number(), first, 1, sender.size(first), 0));
      sender.tookAnnouncement();
      return;
    }
    int count = 0;
    int payload = 0;
    do {
      payload += sender.size(sender.head());
      sender.tookHead();
      count++;
    } while (count < most
        && sender.next() == SenderProtocol.Step.WATER
        && payload + sender.size(sender.head()) <= SLOT_BYTES);
    Kind kind = most == 1 ? Kind.WATER : Kind.BATCH;
    forth.add(new Message(kind, number(), first, count, payload, 0));
  }

  private void deliverForth() {
    boolean swaps = lacks(Rule.MESSAGES_STAY_IN_ORDER) && forth.size() > 1;
    Message next = swaps ? forth.removeLast() : forth.removeFirst();
    int room = posted.removeFirst();
    require(next.payload <= room, "%s came in %d bytes", next, room);
    receiver.receive(next.kind, next.number, next.water, next.count, next.payload, next.operand);
    switch (next.kind) {
      case BATCH -> {
        for (int i = 0; i < next.count; i++) {
          arrive(next.water + i, 0);
        }
        post();
      }
      case WATER -> arrive(next.water, SLOT_BYTES);
      case GRANTED -> arrive(next.water, next.payload);
      case ANNOUNCE -> {
        post();
        int size = (int) next.operand;
        posted.addLast(size);
        long receive = receiver.postedGrant(next.water, size);
        grants.add(new Message(Kind.GRANT, 0, receiver.finished(), 0, 0, receive));
      }
      default -> {
        if (room == SLOT_BYTES) {
          post();
        }
      }
    }
  }

  private void arrive(long water, int room) {
    require(seen == water, "water %d came in place of %d", water, seen);
    seen++;
    if (!isStopped || lacks(Rule.TAKES_NOTHING_AFTER_A_STOP)) {
      arrived.add(room);
    } else if (room == SLOT_BYTES) {
      post();
    }
  }

  private void deliverBack() {
    Message next = back.removeFirst();
    boolean _ = sender.receive(next.kind, next.number, next.water, next.operand);
    if (next.kind == Kind.GRANT) {
      heard.add(next.operand);
      grantsHeard++;
    }
  }

  private void take() {
    postLate();
    receiver.take();
    inHands.add(arrived.removeFirst());
  }

  private void finish(int index) {
    int room = inHands.remove(/* index */ index);
    if (room == SLOT_BYTES) {
      if (lacks(Rule.RECEIVE_BEFORE_CREDIT)) {
        late++;
      } else {
        post();
      }
    }
    receiver.finish();
  }

  private void stop() {
    isStopped = true;
    receiver.stop();
    if (!lacks(Rule.TAKES_NOTHING_AFTER_A_STOP)) {
      while (!arrived.isEmpty()) {
        if (arrived.removeFirst() == SLOT_BYTES) {
          post();
        }
      }
    }
  }

  private void end() {
    isEnding = true;
    sender.end();
  }

  private void fail() {
    hasFailed = true;
    if (lacks(Rule.FAILURE_IS_NO_END)) {
      end();
    } else {
      cut();
    }
  }

  /// The connection ends. What was under way is lost.
  private void cut() {
    isCut = true;
    forth.clear();
    boolean isWell = receiver.hasEnded() || receiver.isStopped() || lacks(Rule.LOSS_IS_NO_END);
    if (isWell && !isStopped) { // so its module is told of the end
      require(seen == put.size() && isEnding, "a lost sender looks like the end of its stream");
    }
  }

  private boolean isFinal() {
    return receiver.isFinal()
        || (lacks(Rule.LAST_WORD_WHEN_ALL_IS_FINISHED)
            && receiver.hasEnded()
            && !receiver.isOver());
  }

  private boolean hasToTell() {
    return !grants.isEmpty()
        || (isStopped && !hasSaidStop && !receiver.isOver())
        || isFinal()
        || told() > told;
  }

  /// How many waters the receiver would acknowledge now.
  private long told() {
    return lacks(Rule.ACKNOWLEDGES_WHAT_IS_FINISHED) ? receiver.taken() : receiver.finished();
  }

  private void tell() {
    boolean grantsLast = lacks(Rule.GRANTS_AT_ONCE) && told() > told;
    if (!grants.isEmpty() && !grantsLast) {
      Message grant = grants.removeFirst();
      long finished =
          lacks(Rule.GRANTS_TELL_WHAT_WAS_FINISHED_BEFORE)
              ? receiver.finished()
              : Math.max(told, grant.water);
      told = finished;
      long number = receiver.message(Kind.GRANT, finished);
      back.add(new Message(Kind.GRANT, number, finished, 0, 0, grant.operand));
    } else if (isStopped && !hasSaidStop) {
      hasSaidStop = true;
      say(Kind.STOP);
    } else if (isFinal()) {
      say(Kind.FINAL);
    } else {
      say(Kind.ACK);
    }
  }

  private void postLate() {
    while (late > 0) {
      late--;
      post();
    }
  }

  private void say(Kind kind) {
    told = told();
    long number = receiver.message(kind, told);
    back.add(new Message(kind, number, told, 0, 0, receiver.taken()));
  }

  /// Returns all that decides what can happen from here.
  String state() {
    return window
        + " "
        + put.size()
        + " "
        + put.subList((int) sender.acknowledged(), put.size())
        + " "
        + sender.head()
        + " "
        + sender.announced()
        + " "
        + sender.acknowledged()
        + " "
        + sent
        + " "
        + heard
        + " "
        + (announcements - grantsHeard)
        + " "
        + flags()
        + " "
        + receiver.arrived()
        + " "
        + receiver.taken()
        + " "
        + receiver.finished()
        + " "
        + told
        + " "
        + sender.taken()
        + posted
        + arrived
        + inHands
        + forth
        + back
        + grants;
  }

  private int flags() {
    boolean[] all = {
      isEnding,
      hasFailed,
      isCut,
      isStopped,
      hasSaidStop,
      sender.isEnded(),
      sender.isStopped(),
      sender.isOver(),
      receiver.hasEnded(),
      receiver.isOver()
    };
    int flags = 0;
    for (boolean flag : all) {
      flags = flags << 1 | (flag ? 1 : 0);
    }
    return flags;
  }

  @Override
  public String toString() {
    return "window " + state();
  }
}
