// Over 400 lines: a side sends, receives, restarts and stops, all upon one session and its history.
package dev.tigris.verify.model;

import dev.tigris.message.protocol.Session;
import dev.tigris.verify.model.ModelPacket.Kind;
import dev.tigris.verify.model.ModelPacket.Message;
import dev.tigris.verify.model.ModelPacket.MessageKind;
import dev.tigris.verify.model.SessionModel.Fate;
import dev.tigris.verify.model.SessionModel.History;
import dev.tigris.verify.model.SessionModel.Request;
import dev.tigris.verify.model.VirtualNetwork.Connection;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/// One side of the model: what an endpoint is to a session, with messages that are objects. It
/// restarts, by which it forgets its session, and stops, by which it hears of everything later.
final class ModelSide implements VirtualNetwork.Receiver<ModelPacket> {
  private static final long TURN_NANOS = 100_000;
  private static final int MOST_MESSAGES = 3;

  /// How many packets leave in a turn at the most: the room of a connection.
  private static final int ROOM = 64;

  final History sent;
  private final SessionModel model;
  private final boolean connects;
  private final SplittableRandom random;

  private @Nullable Session session;
  private long sessionId;
  private @Nullable Connection<ModelPacket> connection;
  private final ArrayDeque<List<Message>> requests = new ArrayDeque<>();
  private final ArrayDeque<List<Message>> replies = new ArrayDeque<>();
  private final Map<Long, List<Message>> kept = new HashMap<>();
  private int nextRequest;

  /// Of all requests before this one nothing more is to come.
  private int settled;

  private boolean isStopped;
  private final List<Runnable> later = new ArrayList<>();
  private long wakeAt = Long.MAX_VALUE;

  ModelSide(SessionModel model, String name, boolean connects) {
    this.model = model;
    this.connects = connects;
    this.sent = new History(name);
    this.random = new SplittableRandom(model.plan.seed() * 2 + (connects ? 1 : 0));
  }

  private long now() {
    return model.time.nowNanos();
  }

  void start() {
    model.time.after(random.nextLong(TURN_NANOS), this::turn);
  }

  boolean isOver() {
    while (settled < nextRequest) {
      Request request = sent.requests.get(settled);
      if (request == null || !SessionModel.isSettled(request)) {
        return false;
      }
      settled++;
    }
    return nextRequest == model.plan.requests();
  }

  void count() {
    Session counted = session;
    if (counted != null) {
      model.resent += counted.resentCount();
      model.negatives += counted.negativeCount();
      session = null;
    }
  }

  void check() {
    Session checked = session;
    if (checked != null) {
      checked.checkInvariants();
      int unacknowledged = 0;
      for (List<Message> packet : kept.values()) {
        unacknowledged += count(packet);
      }
      for (List<Message> packet : replies) {
        unacknowledged += count(packet);
      }
      require(
          unacknowledged <= checked.settings().credits(),
          "%d replies have no room".formatted(unacknowledged));
    }
  }

  private static int count(List<Message> packet) {
    return (int) packet.stream().filter(each -> each.kind() == MessageKind.REPLY).count();
  }

  private static void require(boolean condition, String message) {
    if (!condition) {
      throw new AssertionError(message);
    }
  }

  // ---- what the program does

  private void turn() {
    model.time.after(1 + random.nextLong(TURN_NANOS), this::turn);
    if (isStopped) {
      return;
    }
    if (model.sites.strikes("side.restart")) {
      restart();
    }
    if (model.sites.strikes("side.stop")) {
      stop();
      return;
    }
    if (session == null && connects) {
      session = new Session(model.plan.settings(), now());
      sessionId = ++model.sessions;
    }
    connectIfNeeded();
    int wanted = random.nextInt(6);
    for (int i = 0; i < wanted; i++) {
      request();
    }
    pump();
  }

  private void connectIfNeeded() {
    Session its = session;
    if (connects && its != null && its.state() == Session.State.DETACHED) {
      connection = model.network.connect(this, model.accepting);
      its.attach(now());
    }
  }

  private void request() {
    Session its = session;
    if (its == null || !its.hasCredit() || nextRequest == model.plan.requests()) {
      return;
    }
    its.requested();
    Request request = new Request(nextRequest++, random.nextBoolean());
    sent.requests.put(request.id, request);
    boolean isFragment = !request.wantsReply && random.nextInt(3) == 0;
    append(requests, new Message(isFragment ? MessageKind.FRAGMENT : MessageKind.REQUEST, request));
  }

  private void append(ArrayDeque<List<Message>> packets, Message message) {
    if (packets.isEmpty() || packets.getLast().size() == MOST_MESSAGES || random.nextInt(3) == 0) {
      packets.add(new ArrayList<>());
    }
    packets.getLast().add(message);
  }

  private void restart() {
    for (Request request : sent.requests.values()) {
      if (request.fate == Fate.UNKNOWN) {
        request.fate = Fate.SENDER_DIED;
      }
      request.isCutOff = true;
    }
    Connection<ModelPacket> old = connection;
    if (old != null) {
      old.cut();
    }
    connection = null;
    forgetSession();
  }

  private void forgetSession() {
    count();
    session = null;
    requests.clear();
    replies.clear();
    kept.clear();
  }

  private void stop() {
    isStopped = true;
    model.time.after(random.nextLong(2 * model.plan.settings().patienceNanos()), this::resume);
  }

  private void resume() {
    isStopped = false;
    List<Runnable> missed = List.copyOf(later);
    later.clear();
    missed.forEach(Runnable::run);
    pump();
  }

  // ---- what is to be sent

  private void pump() {
    Session its = session;
    if (its == null) {
      return;
    }
    if (its.tick(now())) {
      ended();
      return;
    }
    boolean isFull = false;
    for (int room = ROOM; room > 0; room--) {
      Connection<ModelPacket> open = connection;
      isFull = open == null || !open.isOpen() || model.sites.strikes("side.full");
      if (isFull || open == null) {
        break;
      }
      Session.Duty duty = its.duty(now(), !requests.isEmpty() || !replies.isEmpty());
      if (duty == Session.Duty.NOTHING) {
        break;
      }
      open.send(this, packet(its, duty));
    }
    long soonest = now() + (isFull ? SessionModel.TRIP_NANOS : 0);
    long deadline = Math.max(soonest, its.deadline(now()));
    if (deadline < wakeAt) {
      wakeAt = deadline;
      model.time.after(deadline - now(), () -> wake(deadline));
    }
  }

  private void wake(long at) {
    if (at == wakeAt) {
      wakeAt = Long.MAX_VALUE;
    }
    if (!isStopped) {
      connectIfNeeded();
      pump();
    }
  }

  private ModelPacket packet(Session its, Session.Duty duty) {
    return switch (duty) {
      case GREET -> control(its, Kind.GREETING, 0);
      case WELCOME -> control(its, Kind.WELCOME, 0);
      case LACK -> control(its, Kind.LACK, its.expected());
      case ACKNOWLEDGE -> control(its, Kind.ACKNOWLEDGEMENT, 0);
      case RESEND -> {
        long number = its.nextResend();
        its.resent(now());
        List<Message> messages = kept.get(number);
        require(messages != null, "packet %d is to be sent again, and is gone".formatted(number));
        yield data(its, number, messages == null ? List.of() : messages);
      }
      case SEND -> {
        List<Message> messages = replies.isEmpty() ? requests.remove() : replies.remove();
        long number = its.number(now());
        kept.put(number, messages);
        yield data(its, number, messages);
      }
      case NOTHING -> throw new AssertionError("there is nothing to send");
    };
  }

  private ModelPacket control(Session its, Kind kind, long number) {
    return new ModelPacket(
        kind,
        sessionId,
        its.epoch(),
        its.isFresh(),
        number,
        its.acknowledge(),
        its.silent(),
        List.of());
  }

  private ModelPacket data(Session its, long number, List<Message> messages) {
    return new ModelPacket(
        Kind.DATA,
        sessionId,
        its.epoch(),
        false,
        number,
        its.acknowledge(),
        its.silent(),
        List.copyOf(messages));
  }

  // ---- what arrives

  @Override
  public void arrived(Connection<ModelPacket> from, ModelPacket packet, boolean damaged) {
    if (isStopped) {
      later.add(() -> arrived(from, packet, damaged));
      return;
    }
    if (damaged || !from.isOpen()) {
      return;
    }
    if (packet.kind() == Kind.GREETING) {
      greeted(from, packet);
    }
    Session its = session;
    if (its != null && from.equals(connection) && packet.session() == sessionId) {
      take(its, packet);
    }
    pump();
  }

  private void greeted(Connection<ModelPacket> from, ModelPacket packet) {
    Session its = session;
    if (its == null || packet.session() != sessionId) {
      if (!packet.fresh()) {
        from.send(
            this,
            new ModelPacket(
                Kind.UNKNOWN_SESSION, packet.session(), packet.epoch(), false, 0, 0, 0, List.of()));
        return;
      }
      if (its != null) {
        its.end(Session.End.FORGOTTEN); // the peer has begun anew
        ended();
      }
      its = new Session(model.plan.settings(), now());
      session = its;
      sessionId = packet.session();
    } else if (!from.equals(connection)) {
      Connection<ModelPacket> old = connection;
      if (old != null) {
        old.cut();
      }
      its.detached(now());
    }
    connection = from;
    require(
        its.greeted(packet.epoch(), packet.acknowledged(), packet.silent(), now()),
        "a greeting cannot be");
    letGo(its);
  }

  private void take(Session its, ModelPacket packet) {
    switch (packet.kind()) {
      case GREETING -> {}
      case WELCOME ->
          require(
              its.welcomed(packet.epoch(), packet.acknowledged(), packet.silent(), now()),
              "no such welcome");
      case UNKNOWN_SESSION -> {
        if (packet.epoch() == its.epoch()) {
          its.end(Session.End.FORGOTTEN);
          ended();
          return;
        }
      }
      case DATA, ACKNOWLEDGEMENT, LACK -> {
        require(
            its.acknowledged(packet.epoch(), packet.acknowledged(), packet.silent(), now()),
            "an acknowledgement cannot be: " + packet);
        if (packet.kind() == Kind.LACK) {
          require(its.lacks(packet.epoch(), packet.number(), now()), "no such lack: " + packet);
        }
      }
    }
    letGo(its);
    if (packet.kind() == Kind.DATA) {
      Session.Verdict verdict = its.arrived(packet.epoch(), packet.number(), now());
      require(verdict != Session.Verdict.BREACH, "a breach: " + packet);
      if (verdict == Session.Verdict.NEXT) {
        packet.messages().forEach(message -> handle(its, message));
        its.taken(now());
      }
    }
  }

  /// Lets go of what is acknowledged.
  private void letGo(Session its) {
    for (Iterator<Map.Entry<Long, List<Message>>> all = kept.entrySet().iterator();
        all.hasNext(); ) {
      Map.Entry<Long, List<Message>> entry = all.next();
      if (its.settings().numbers().distance(its.base(), entry.getKey()) < 0) {
        for (Message message : entry.getValue()) {
          if (message.kind() != MessageKind.REPLY) {
            settle(message.request(), Fate.ACKNOWLEDGED);
          }
        }
        all.remove();
      }
    }
  }

  private static void settle(Request request, Fate fate) {
    require(request.fate == Fate.UNKNOWN, "%s becomes %s".formatted(request, fate));
    require(fate != Fate.ACKNOWLEDGED || request.ran == 1, request + " is acknowledged");
    request.fate = fate;
  }

  private void handle(Session its, Message message) {
    Request request = message.request();
    if (message.kind() == MessageKind.REPLY) {
      require(its.tookReply(), "a reply without a request: " + request);
      request.replies++;
      require(request.replies == 1, request + " got a reply too many");
      return;
    }
    require(its.tookRequest(), "a request without credit: " + request);
    History peers = connects ? model.accepting.sent : model.connecting.sent;
    require(request.id > peers.lastRan, request + " runs after " + peers.lastRan);
    require(request.fate != Fate.NOT_DELIVERED, request + " runs");
    peers.lastRan = request.id;
    request.ran++;
    if (request.wantsReply) {
      its.replied();
      append(replies, new Message(MessageKind.REPLY, request));
    } else {
      its.wasSilent();
    }
  }

  @Override
  public void ended(Connection<ModelPacket> from) {
    if (isStopped) {
      later.add(() -> ended(from));
      return;
    }
    Session its = session;
    if (its != null && from.equals(connection)) {
      its.detached(now());
      connection = null;
      pump();
    }
  }

  /// The session has ended: what cannot be delivered comes back.
  private void ended() {
    for (List<Message> packet : kept.values()) {
      giveBack(packet, Fate.MAY_HAVE_RUN);
    }
    for (List<Message> packet : requests) {
      giveBack(packet, Fate.NOT_DELIVERED);
    }
    sent.requests.values().forEach(request -> request.isCutOff = true);
    Connection<ModelPacket> old = connection;
    if (old != null) {
      old.cut();
    }
    connection = null;
    forgetSession();
  }

  private static void giveBack(List<Message> packet, Fate fate) {
    for (Message message : packet) {
      if (message.kind() != MessageKind.REPLY) {
        settle(message.request(), fate);
      }
    }
  }

  @Override
  public String toString() {
    return "%s: %s, %d of %d requests, %d kept, %d and %d wait"
        .formatted(
            sent.name,
            session,
            nextRequest,
            model.plan.requests(),
            kept.size(),
            requests.size(),
            replies.size());
  }
}
