package dev.tigris.verify.endpoints;

import dev.tigris.memory.Bytes;
import dev.tigris.memory.Jbuf;
import dev.tigris.message.Bundle;
import dev.tigris.message.Draft;
import dev.tigris.message.Endpoint;
import dev.tigris.message.ErrorHandler;
import dev.tigris.message.Message;
import dev.tigris.message.MessageException;
import dev.tigris.message.Token;
import dev.tigris.message.channel.EndpointAccess;
import dev.tigris.net.Fabric;
import dev.tigris.verify.endpoints.SentRequest.Answer;
import dev.tigris.verify.endpoints.SentRequest.Kind;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// A process of a simulated run, with all of its lives: it has one endpoint, sends requests to
/// another one, and answers those that come.
final class SimulatedParty {
  static final int TAG = 7;
  static final int PATTERN_BYTES = 32 << 10;
  private static final int BACK = 2;

  private static final int PARTIES = 3;
  private static final int PLACES = 16;

  private final EndpointSimulation simulation;
  private final int index;
  private final String name;
  private final String peer;
  private final Jbuf memory = Jbuf.allocate((1L + PARTIES * PLACES) * PATTERN_BYTES, "simulation");
  private final Bytes pattern;
  private final Bytes segment;
  private final Map<Long, Integer> lastShort = new HashMap<>();
  private final Map<Long, Integer> lastBulk = new HashMap<>();

  /// The requests of this life.
  private final Map<Integer, SentRequest> sent = new HashMap<>();

  private int left;
  private int lives;
  private int sessions;
  private SimulatedNetwork.@Nullable Host host;
  private Turns.@Nullable Turn turn;
  private @Nullable Endpoint endpoint;

  /// The two bundles of a process whose endpoint moves.
  private @Nullable Bundle home;

  private @Nullable Bundle elsewhere;

  /// Where the endpoint goes to; null if it is there.
  private @Nullable Bundle target;

  private int moves;

  SimulatedParty(EndpointSimulation simulation, int index, String name, String peer, int requests) {
    this.simulation = simulation;
    this.index = index;
    this.name = name;
    this.peer = peer;
    this.left = requests;
    Bytes all = memory.asBytes();
    this.pattern = all.slice(0, PATTERN_BYTES);
    this.segment = all.slice(PATTERN_BYTES, all.capacityBytes() - PATTERN_BYTES);
    for (int i = 0; i < PATTERN_BYTES; i++) {
      pattern.set(i, (byte) (i * 31 + i / 251));
    }
  }

  /// Starts a life.
  void start() {
    SimulatedNetwork.Host its = simulation.network.new Host(name);
    host = its;
    lives++;
    turn = simulation.turns.start(name + " " + lives, () -> live(its));
  }

  /// Ends it: its peers find it gone. It starts again after a while.
  void die() {
    SimulatedNetwork.Host its = host;
    Turns.Turn runs = turn;
    if (its == null || runs == null || its.isDead || isMovable()) {
      return;
    }
    its.die();
    forget();
    simulation.turns.kill(runs);
  }

  /// Starts another life, if it has died.
  void startAgain() {
    if (host != null && host.isDead) {
      start();
    }
  }

  /// Does nothing for a while.
  void stop(long nanos) {
    if (turn != null) {
      simulation.turns.stop(turn, nanos);
    }
  }

  /// Gives its memory back, when all is over.
  void free() {
    memory.unreference(Jbuf::free);
  }

  int sessions() {
    return sessions;
  }

  int moves() {
    return moves;
  }

  private boolean isMovable() {
    return simulation.plan.moves() && left == 0 && sessions == 0 && index == 1;
  }

  private void forget() {
    for (SentRequest request : sent.values()) {
      request.isOrphan = true;
    }
    sent.clear();
  }

  private void live(SimulatedNetwork.Host its) {
    try (Fabric fabric = Fabric.open(its);
        Bundle bundle =
            EndpointAccess.ENDPOINTS.open(
                simulation.plan.options(), List.of(fabric), simulation.environment())) {
      try {
        if (isMovable()) {
          serveMoving(bundle);
        } else {
          serve(bundle);
        }
      } catch (Turns.Killed e) {
        its.die(); // also where all are killed
        forget();
      }
    }
  }

  private void serveMoving(Bundle bundle) {
    home = bundle;
    Endpoint _ = endpoint(bundle);
    String _ = bundle.listen("simulated", name);
    Turns.Turn _ = simulation.turns.start(name + " elsewhere", this::serveElsewhere);
    awaitAndMove(bundle);
  }

  /// The other thread of a process whose endpoint moves.
  private void serveElsewhere() {
    SimulatedNetwork.Host its = Objects.requireNonNull(host);
    try (Fabric fabric = Fabric.open(its);
        Bundle bundle =
            EndpointAccess.ENDPOINTS.open(
                simulation.plan.options(), List.of(fabric), simulation.environment())) {
      elsewhere = bundle;
      String _ = bundle.listen("simulated", name + " elsewhere");
      awaitAndMove(bundle);
    }
  }

  private void awaitAndMove(Bundle bundle) {
    while (!simulation.isOver()) {
      boolean _ = bundle.await(Duration.ofMillis(2));
      EndpointAccess.ENDPOINTS.checkInvariants(bundle);
      Endpoint its = endpoint;
      if (its == null || !bundle.equals(its.bundle()) || simulation.isOver()) {
        continue;
      }
      if (bundle.equals(target)) {
        target = null;
      }
      Bundle other = bundle.equals(home) ? elsewhere : home;
      if (target == null && other != null && simulation.chance.nextInt(10) == 0) {
        moves++;
        target = other;
        its.moveTo(other);
      }
    }
  }

  private Endpoint endpoint(Bundle bundle) {
    Endpoint made = bundle.endpoint(name, TAG);
    endpoint = made;
    made.segment(segment);
    made.handler(BACK, (token, message) -> checked(() -> replied(message)));
    for (Answer answer : Answer.values()) {
      if (answer != Answer.ABSENCE) {
        made.handler(answer.handler, (token, message) -> checked(() -> run(token, message)));
      }
    }
    made.errorHandler(new Errors());
    return made;
  }

  private void serve(Bundle bundle) {
    Endpoint made = endpoint(bundle);
    String _ = bundle.listen("simulated", name);
    while (!simulation.isOver()) {
      if (!made.isMapped(0)) {
        map(made);
      } else if (left > 0) {
        left--;
        send(made);
      } else {
        boolean _ = bundle.await(Duration.ofMillis(5));
      }
      if (simulation.chance.nextInt(50) == 0) {
        boolean _ = made.drain(Duration.ofMillis(20));
      }
      if (simulation.chance.nextInt(8) == 0) {
        boolean _ = bundle.await(Duration.ofNanos(simulation.chance.nextInt(200_000)));
      }
      EndpointAccess.ENDPOINTS.checkInvariants(bundle);
    }
    made.close();
  }

  private void map(Endpoint from) {
    try {
      from.map(0, "simulated", peer, peer, TAG, Duration.ofMillis(500));
      sessions++;
    } catch (MessageException e) {
      boolean _ = from.bundle().await(Duration.ofMillis(5));
    }
  }

  private void send(Endpoint from) {
    Kind kind = Kind.ALL.get(simulation.chance.nextInt(Kind.ALL.size()));
    Answer answer = Answer.ALL.get(simulation.chance.nextInt(Answer.ALL.size()));
    int most = kind == Kind.SHORT ? 0 : simulation.mostBytes(kind);
    int length = most == 0 ? 0 : simulation.chance.nextInt(most + 1);
    int offset = simulation.chance.nextInt(PATTERN_BYTES - length + 1);
    SentRequest request = simulation.request(kind, answer, offset, length);
    sent.put(request.id, request);
    int handler = answer.handler;
    long[] words = {request.id, sessions};
    switch (kind) {
      case SHORT -> from.request(0, handler, words[0], words[1]);
      case MEDIUM -> from.request(0, handler, words, pattern, offset, length);
      case PREPARED -> {
        try (Draft draft = from.prepare(0, handler, 2, length)) {
          draft.word(0, words[0]).word(1, words[1]);
          if (length > 0) {
            pattern.copyTo(offset, draft.payload(), 0, length);
          }
          draft.commit(length);
        } catch (MessageException e) { // nothing was sent, and nothing comes back
          sent.remove(request.id);
          request.isOrphan = true;
        }
      }
      case BULK -> from.bulk(0, handler, words, pattern, offset, length, request::isFreed);
      case BULK_INTO -> {
        long place = (long) place() * PATTERN_BYTES;
        from.bulkInto(0, handler, words, pattern, offset, length, place, request::isFreed);
      }
    }
  }

  /// Ends the run if a handler finds a promise broken: an endpoint goes on after that.
  private void checked(Runnable handler) {
    try {
      handler.run();
    } catch (AssertionError e) {
      simulation.turns.fail(e);
      throw e;
    }
  }

  /// Where transfers of this session arrive, in the segment of the peer: of each sender elsewhere.
  private int place() {
    return index * PLACES + sessions % PLACES;
  }

  /// The handler of all requests.
  private void run(Token token, Message message) {
    SentRequest request = simulation.find(message.word(0));
    request.runs();
    Map<Long, Integer> last = request.isBulk() ? lastBulk : lastShort;
    Integer before = last.put(token.session(), request.id);
    request.require(before == null || before < request.id, "it runs after request " + before);
    request.require(message.payloadBytes() == request.length, "its payload has another length");
    if (request.kind == Kind.BULK_INTO) {
      requirePattern(request, segment, message.place());
    } else {
      for (int i = 0; i < request.length; i++) {
        requireByte(request, i, message.getByte(i));
      }
    }
    switch (request.answer) {
      case NONE, ABSENCE -> {}
      case SHORT -> token.reply(BACK, request.id);
      case MEDIUM -> {
        int length = Math.min(request.length, simulation.plan.options().replyBytes());
        token.reply(BACK, new long[] {request.id}, pattern, request.offset, length);
      }
      case BULK ->
          token.bulk(
              BACK,
              new long[] {request.id},
              pattern,
              request.offset,
              request.length,
              () -> request.require(++request.repliesFreed == 1, "its reply's memory comes twice"));
      case FAILURE -> throw new SentRequest.AskedFor();
    }
  }

  private void requirePattern(SentRequest request, Bytes bytes, long at) {
    for (int i = 0; i < request.length; i++) {
      requireByte(request, i, bytes.get(at + i));
    }
  }

  private void requireByte(SentRequest request, int index, byte value) {
    if (value != pattern.get(request.offset + index)) {
      request.require(false, "byte %d is another".formatted(index));
    }
  }

  private void replied(Message message) {
    SentRequest request = simulation.find(message.word(0));
    if (request.isOrphan) {
      return; // this process is about to end
    }
    request.require(sent.containsKey(request.id), "its reply comes to another process");
    request.isReplied();
    for (int i = 0; i < message.payloadBytes(); i++) {
      requireByte(request, i, message.getByte(i));
    }
  }

  private final class Errors implements ErrorHandler {
    @Override
    public void undelivered(Returned returned) {
      if (!returned.isReply()) {
        SentRequest request = simulation.find(returned.words().getFirst());
        if (!request.isOrphan) {
          request.comesBack(returned.reason());
          simulation.returned++;
        }
      }
    }

    @Override
    public void lost(int entry, String why) {
      if (why.startsWith("it sends") || why.startsWith("its ") || why.startsWith("it acknow")) {
        simulation.turns.fail(new AssertionError("%s lost a peer: %s".formatted(name, why)));
      }
      if (entry == 0) {
        for (SentRequest request : sent.values()) {
          request.isCutOff = true;
        }
      }
    }
  }

  /// Whether nothing more is to come of what it has sent, and its credits are back.
  boolean isSettled() {
    Endpoint its = endpoint;
    if (isMovable()) {
      return true;
    }
    if (left > 0 || its == null || !its.isMapped(0)) {
      return false;
    }
    for (SentRequest request : sent.values()) {
      if (!request.isSettled()) {
        return false;
      }
    }
    return EndpointAccess.ENDPOINTS.channel(its, 0).session().outstanding() == 0;
  }

  @Override
  public String toString() {
    List<SentRequest> open = sent.values().stream().filter(each -> !each.isSettled()).toList();
    return "%s: %d to be sent, open %s, %s".formatted(name, left, open, endpoint);
  }
}
