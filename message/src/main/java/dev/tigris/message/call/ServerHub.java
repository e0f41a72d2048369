// Over 400 lines: the calls of all clients share one thread, its queue and its bounds.
package dev.tigris.message.call;

import static dev.tigris.message.channel.EndpointAccess.ENDPOINTS;

import dev.tigris.memory.Bytes;
import dev.tigris.memory.MemoryBudgetException;
import dev.tigris.message.Bundle;
import dev.tigris.message.Endpoint;
import dev.tigris.message.ErrorHandler;
import dev.tigris.message.Message;
import dev.tigris.message.Token;
import dev.tigris.message.channel.BulkSend;
import dev.tigris.message.channel.Channel;
import dev.tigris.net.Fabric;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.IdentityHashMap;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/// A server: its clients and their calls, and the thread that receives and sends.
///
/// ```text
///   CALL --> runs in the handler --> reply of the message
///     '----> queued --> running on a thread of its own --> done --> reply, as a request
/// ```
///
/// Conserved: places taken = queued + running + done, until the memory of the reply is free, and
/// that is at most `mostRunning + mostQueued`. A client that does not acknowledge long replies has
/// the server hold no more than that. No client has all places, nor all threads for methods, where
/// there are more than a few ([Places]); of the calls that wait, those of one client run in their
/// order, and clients take turns.
final class ServerHub {
  private static final System.Logger LOG = System.getLogger(ServerHub.class.getName());
  private static final long SEEN_NANOS = 100_000_000;
  private static final long HEALTH_CODE = healthCode();
  private static final Duration LONGEST_WAIT = Duration.ofSeconds(1);
  private static final EnumSet<Bundle.Event> ALL_EVENTS = EnumSet.allOf(Bundle.Event.class);

  private final ServerOptions options;
  private final CallBuffers buffers = new CallBuffers("calls");
  private final Counters counters = new Counters();
  private final Interceptors interceptors;
  private final ServerHealth health;
  private final HubThread thread;

  // ---- the server's thread
  private final Bundle bundle;
  private final Endpoint endpoint;

  /// That one, and the one of any name.
  private final List<Endpoint> receiving = new ArrayList<>();

  private final String address;
  private final MethodTable methods;

  /// Answers while the server leaves, too.
  private final @Nullable ServerMethod healthCode;

  private final List<ServerMethod> served;
  private final byte[] description;
  private final IdentityHashMap<Channel, ServerSession> sessions = new IdentityHashMap<>();

  /// Sessions with calls that wait for a thread. They take turns.
  private final ArrayDeque<ServerSession> ready = new ArrayDeque<>();

  /// Sessions with messages that wait for credits: one that reads nothing holds up no other.
  private final ArrayDeque<ServerSession> blocked = new ArrayDeque<>();
  private final ServerCall here = new ServerCall(this);
  private final long[] replyWords = new long[3];
  private final Places admitted;
  private final Places running;
  private long earliest;
  private boolean hasEarliest;
  private boolean isLeaving;
  private long seenAt = System.nanoTime() - SEEN_NANOS;
  private @Nullable CompletableFuture<Void> drained;

  /// A message that waits for a credit: the reply of a call, or an item of its stream.
  ///
  /// @param number of the item; -1 for the reply
  record Outbound(ServerCall call, long number, @Nullable CallBuffer item) {}

  private ServerHub(
      Fabric fabric, String name, String where, ServerOptions options, List<Implementation> all) {
    this.options = options;
    this.admitted = new Places((long) options.mostRunning() + options.mostQueued());
    this.running = new Places(options.mostRunning());
    this.interceptors = new Interceptors(options.interceptors());
    this.health =
        new ServerHealth(
            all.stream().map(each -> each.service().name()).toList(),
            Math.max(1, options.mostRunning() / 4));
    List<Implementation> served = new ArrayList<>(all);
    served.add(Calls.service(Health.class, health.service()).inHandler());
    List<ServerMethod> its = new ArrayList<>();
    List<Signature> signatures = new ArrayList<>();
    for (Implementation one : served) {
      one.service().methods().forEach(model -> its.add(ServerMethod.of(model, one)));
      one.service().methods().forEach(model -> signatures.add(model.signature()));
    }
    this.served = List.copyOf(its);
    this.methods = new MethodTable(this.served);
    this.healthCode = methods.find(HEALTH_CODE);
    this.description = new Description(signatures).toBytes();
    this.bundle = Bundle.open(options.messages(), List.of(fabric));
    this.thread = new HubThread(Thread.currentThread(), bundle::wake);
    try {
      bundle.mask(ALL_EVENTS);
      this.endpoint = bundle.endpoint(name, options.tag());
      receive(endpoint);
      if (!name.equals(CallServer.ANY_NAME)) {
        receive(bundle.endpoint(CallServer.ANY_NAME, options.tag()));
      }
      this.address = bundle.listen(fabric.provider(), where);
    } catch (RuntimeException | Error e) {
      bundle.close();
      throw e;
    }
  }

  private void receive(Endpoint at) {
    at.handler(Frames.CALL, this::called);
    at.handler(Frames.CANCEL, this::cancelled);
    at.handler(Frames.GRANT, this::granted);
    at.errorHandler(new Losses());
    Incoming.accept(at, buffers, options.messages().bulkBytes());
    receiving.add(at);
  }

  private boolean areDrained() {
    boolean are = true;
    for (Endpoint each : receiving) {
      are &= each.drain(Duration.ZERO);
    }
    return are;
  }

  private static long healthCode() {
    return ServiceModel.of(Health.class).methods().stream()
        .map(ServiceModel.MethodModel::signature)
        .filter(each -> each.name().equals("code"))
        .findFirst()
        .orElseThrow()
        .id();
  }

  /// Starts a server, on a thread of its own.
  static ServerHub open(
      Fabric fabric, String name, String where, ServerOptions options, List<Implementation> all) {
    return HubThread.start(
        Thread.ofPlatform().name("tigris-calls " + name),
        () -> new ServerHub(fabric, name, where, options, all),
        hub -> hub.thread.serve(hub::step, hub::closeNow));
  }

  ServerOptions options() {
    return options;
  }

  CallBuffers buffers() {
    return buffers;
  }

  Counters counters() {
    return counters;
  }

  Interceptors interceptors() {
    return interceptors;
  }

  ServerHealth health() {
    return health;
  }

  String address() {
    return address;
  }

  void log(ServerCall call, Throwable failure) {
    try {
      LOG.log(System.Logger.Level.WARNING, "%s has failed".formatted(call), failure);
    } catch (RuntimeException | Error e) { // an exception prints itself, and may fail in that
      LOG.log(System.Logger.Level.WARNING, "{0} has failed", call);
    }
  }

  // ---- any thread

  /// A method on a thread of its own has ended.
  void done(ServerCall call) {
    thread.command(() -> ended(call));
  }

  void sendItem(ServerCall call, long number, CallBuffer item) {
    thread.command(() -> send(new Outbound(call, number, item)));
  }

  /// Refuses new calls from now on, tells the clients, and completes when all others are over.
  CompletableFuture<Void> drain() {
    thread.requireElsewhere("draining");
    CompletableFuture<Void> over = new CompletableFuture<>();
    thread.command(
        () -> {
          if (thread.isClosing()) {
            over.complete(null); // the clients have been told, and all calls have ended
            return;
          }
          CompletableFuture<Void> known = drained;
          if (known != null) {
            CompletableFuture<Void> _ = known.thenRun(() -> over.complete(null));
            return;
          }
          drained = over;
          isLeaving = true;
          health.leave();
          for (ServerSession session : sessions.values()) {
            if (Outgoing.isOpen(session.channel)) {
              // One without a credit finds out by a refusal.
              boolean _ = Outgoing.send(endpoint, session.channel, Frames.LEAVING, 0, 0);
            }
          }
        });
    return over;
  }

  void close() {
    thread.close(() -> {});
  }

  // ---- the server's thread

  private void step() {
    thread.runCommands();
    for (int left = blocked.size(); left > 0; left--) {
      ServerSession session = blocked.remove();
      if (!isSent(session.outbound)) {
        blocked.add(session);
      }
    }
    startQueued();
    CompletableFuture<Void> draining = drained;
    if (draining != null && admitted.areAllFree() && areDrained()) {
      draining.complete(null);
    }
    long now = System.nanoTime();
    if (hasEarliest && now - earliest >= 0) {
      sweep(now);
    }
    if (now - seenAt >= SEEN_NANOS) {
      see(now);
    }
    if (thread.mayWait()) {
      // Calls that run in the handler leave no deadline: then nothing is allocated.
      boolean _ = bundle.await(hasEarliest ? until(earliest - now) : LONGEST_WAIT);
    }
  }

  /// Starts calls that wait, one of each client in turn, while there are threads for them.
  private void startQueued() {
    for (int inVain = 0; inVain < ready.size() && !running.areAllTaken(); ) {
      ServerSession session = ready.remove();
      if (session.queued.isEmpty()) { // they were cancelled
        session.isReady = false;
        continue;
      }
      if (running.mayTake(session.running)) {
        running.take();
        session.running++;
        session.queued.remove().start();
        inVain = 0;
      } else {
        inVain++;
      }
      ready.add(session);
    }
  }

  /// Counts what statistics tell of this moment.
  private void see(long now) {
    seenAt = now;
    long inUse = 0;
    long waiting = 0;
    for (ServerSession session : sessions.values()) {
      inUse += session.channel.session().outstanding();
      waiting += session.outbound.size();
    }
    counters.seen(inUse, waiting);
  }

  private static Duration until(long nanos) {
    return Duration.ofNanos(Math.clamp(nanos, 0, LONGEST_WAIT.toNanos()));
  }

  private void called(Token token, Message message) {
    if (message.words() < Invocation.HEAD) {
      return;
    }
    try {
      take(token, message);
    } catch (MemoryBudgetException e) { // of the arguments, or of a reply that was not sent
      counters.refused();
      counters.ended(Status.RESOURCE_EXHAUSTED, 0);
      replyWords[0] = message.word(1);
      replyWords[1] = Status.RESOURCE_EXHAUSTED.code() | Frames.NOT_RUN;
      replyWords[2] = 0;
      token.reply(Frames.REPLY, replyWords, null, 0, 0);
    }
  }

  private void take(Token token, Message message) {
    long now = System.nanoTime();
    counters.started();
    Channel channel = ENDPOINTS.channel(token);
    ServerSession session = sessions.get(channel);
    if (session == null) {
      session = new ServerSession(channel);
      sessions.put(channel, session);
    }
    long id = message.word(1);
    if (message.word(0) == Signature.DESCRIBE) {
      describe(token, id);
      return;
    }
    ServerMethod method = methods.find(message.word(0));
    if (method == null) {
      refuse(token, id, Status.UNIMPLEMENTED, "the server has no such method any more");
    } else if (isLeaving && method != healthCode) {
      refuse(token, id, Status.UNAVAILABLE, "the server is leaving; the method did not run");
    } else if (message.word(2) <= 0) {
      refuse(token, id, Status.DEADLINE_EXCEEDED, "the time was over before it arrived");
    } else if (session.wasCancelled(id)) {
      counters.ended(Status.CANCELLED, 0);
    } else if (method.runsInHandler()) {
      runHere(token, message, session, method, now);
    } else {
      admit(token, message, session, method, now);
    }
  }

  private void refuse(Token token, long id, Status status, String why) {
    counters.refused();
    counters.ended(status, 0);
    byte[] text = why.getBytes(StandardCharsets.UTF_8);
    replyBytes(token, id, status.code() | Frames.NOT_RUN, text);
  }

  private void replyBytes(Token token, long id, long status, byte[] all) {
    CallBuffer buffer = buffers.take(all.length);
    try {
      buffer.bytes.copyFrom(0, all, 0, all.length);
      replyHere(token, ENDPOINTS.channel(token), id, status, all.length, buffer, all.length);
    } finally {
      buffers.give(buffer);
    }
  }

  private void describe(Token token, long id) {
    if (isLeaving) {
      refuse(token, id, Status.UNAVAILABLE, "the server is leaving");
      return;
    }
    replyBytes(token, id, Status.OK.code(), description);
    counters.ended(Status.OK, 0);
  }

  /// Replies while the handler of the request runs.
  private void replyHere(
      Token token,
      Channel channel,
      long id,
      long status,
      long word,
      @Nullable CallBuffer payload,
      long bytes) {
    if (payload == null || bytes <= channel.mostReplyPayload()) {
      replyWords[0] = id;
      replyWords[1] = status;
      replyWords[2] = word;
      Bytes from = payload == null ? null : payload.bytes;
      token.reply(Frames.REPLY, replyWords, from, 0, (int) bytes);
      return;
    }
    buffers.hold(payload);
    channel.send(
        new BulkSend(
            payload.bytes,
            0,
            bytes,
            true,
            Frames.REPLY,
            new long[] {id, status, word},
            -1,
            channel.replyingTo(),
            () -> buffers.give(payload)));
  }

  /// Runs a method at once. Its arguments are copied to the memory of the method, which is used for
  /// the next call again.
  private void runHere(
      Token token, Message message, ServerSession session, ServerMethod method, long now) {
    ServerCall call = here;
    readWords(message, call);
    call.begin(session, method, now);
    long bytes = message.payloadBytes();
    call.requestBytes = bytes;
    if (bytes > 0) {
      call.request = arguments(message, method, bytes);
    }
    if (call.isWhole(message.words())) {
      call.runHere();
    } else {
      call.fail(Status.INVALID_ARGUMENT, "the lengths of the arguments are wrong", false);
    }
    CallBuffer request = call.request;
    if (request != null && request != method.arguments) {
      if (!call.isRetained()) {
        buffers.give(request);
      }
    } else if (request != null && call.isRetained()) {
      method.arguments = null;
    }
    replyHere(
        token, session.channel, call.id(), code(call), call.word(), call.reply, call.replyBytes());
    buffers.give(call.reply);
    call.reply = null;
    call.request = null;
    counters.sent(call.replyBytes());
    call.over(call.status());
  }

  private static long code(ServerCall call) {
    return call.status().code() | (call.hasRun() ? 0 : Frames.NOT_RUN);
  }

  private CallBuffer arguments(Message message, ServerMethod method, long bytes) {
    if (ENDPOINTS.target(message) != null || bytes > Frames.MOST_COPIED) {
      CallBuffer taken = Incoming.take(message, buffers);
      if (taken != null) {
        return taken;
      }
    }
    CallBuffer its = method.arguments;
    if (its == null) {
      its = buffers.take(Frames.MOST_COPIED);
      method.arguments = its;
    }
    message.copyTo(0, its.bytes, 0, bytes);
    return its;
  }

  private static void readWords(Message message, ServerCall call) {
    int count = Math.min(message.words(), call.words.length);
    for (int i = 0; i < count; i++) {
      call.words[i] = message.word(i);
    }
  }

  private void admit(
      Token token, Message message, ServerSession session, ServerMethod method, long now) {
    long id = message.word(1);
    if (!admitted.mayTake(session.places)) {
      refuse(
          token,
          id,
          Status.RESOURCE_EXHAUSTED,
          "the server is busy: %s, %d by this client; the method did not run"
              .formatted(admitted, session.places));
      return;
    }
    ServerCall call = new ServerCall(this);
    readWords(message, call);
    call.begin(session, method, now);
    call.requestBytes = message.payloadBytes();
    if (!call.isWhole(message.words())) {
      refuse(token, id, Status.INVALID_ARGUMENT, "the lengths of the arguments are wrong");
      return;
    }
    if (session.find(id) != null) {
      refuse(token, id, Status.INVALID_ARGUMENT, "a call of this number is under way");
      return;
    }
    call.request = Incoming.take(message, buffers);
    session.add(call); // the last step: nothing fails that would leave it there
    admitted.take();
    session.places++;
    session.queued.add(call);
    if (!session.isReady) {
      session.isReady = true;
      ready.add(session);
    }
    if (!hasEarliest || call.deadline() - earliest < 0) {
      earliest = call.deadline();
      hasEarliest = true;
    }
  }

  private void cancelled(Token token, Message message) {
    ServerSession session = sessions.get(ENDPOINTS.channel(token));
    if (session == null || message.words() == 0) {
      return;
    }
    ServerCall call = session.find(message.word(0));
    if (call == null) {
      session.cancelled(message.word(0));
    } else {
      abandon(call, Status.CANCELLED);
    }
  }

  private void granted(Token token, Message message) {
    ServerSession session = sessions.get(ENDPOINTS.channel(token));
    ServerCall call = session == null || message.words() < 2 ? null : session.find(message.word(0));
    if (call != null) {
      call.grant(message.word(1));
    }
  }

  /// The client of a call waits no more. One that runs is over when its method has ended.
  private void abandon(ServerCall call, Status status) {
    call.session().remove(call);
    call.cancel();
    if (call.session().queued.remove(call)) {
      buffers.give(call.request);
      placeLeft(call.session());
      call.over(status);
    }
  }

  /// A method has ended that ran on a thread of its own.
  private void ended(ServerCall call) {
    running.giveBack();
    call.session().running--;
    if (!call.isRetained()) {
      buffers.give(call.request);
    }
    call.request = null;
    send(new Outbound(call, -1, null));
  }

  private void send(Outbound message) {
    ServerSession session = message.call.session();
    if (!session.outbound.isEmpty()) {
      session.outbound.add(message);
    } else if (!isSent(message)) {
      session.outbound.add(message);
      blocked.add(session);
    }
  }

  private boolean isSent(ArrayDeque<Outbound> messages) {
    while (!messages.isEmpty() && isSent(messages.peek())) {
      messages.remove();
    }
    return messages.isEmpty();
  }

  /// Whether it is sent, or not wanted any more.
  private boolean isSent(Outbound message) {
    ServerCall call = message.call;
    Channel channel = call.session().channel;
    boolean isWanted =
        !thread.isClosing() && Outgoing.isOpen(channel) && call.session().find(call.id()) == call;
    CallBuffer payload = message.number < 0 ? call.reply : message.item;
    long bytes =
        message.number < 0 || payload == null ? call.replyBytes() : payload.container.usedBytes();
    Runnable whenFree = message.number < 0 ? () -> placeLeft(call.session()) : call::itemLeft;
    if (isWanted) {
      replyWords[0] = call.id();
      replyWords[1] = message.number < 0 ? code(call) : message.number;
      replyWords[2] = message.number < 0 ? call.word() : bytes;
      int handler = message.number < 0 ? Frames.REPLY : Frames.ITEM;
      if (!Outgoing.send(
          endpoint, channel, handler, replyWords, 3, payload, bytes, buffers, whenFree)) {
        return false;
      }
      counters.sent(bytes);
    } else {
      whenFree.run();
    }
    buffers.give(payload);
    if (message.number < 0) {
      call.reply = null;
      call.session().remove(call);
      call.over(isWanted ? call.status() : Status.CANCELLED);
    }
    return true;
  }

  /// The memory of a reply is free, or there is none.
  private void placeLeft(ServerSession session) {
    admitted.giveBack();
    session.places--;
  }

  private void sweep(long now) {
    hasEarliest = false;
    for (ServerSession session : sessions.values()) {
      for (ServerCall call : session.calls()) {
        if (call.deadline() - now <= 0) {
          abandon(call, Status.DEADLINE_EXCEEDED);
        } else if (!hasEarliest || call.deadline() - earliest < 0) {
          earliest = call.deadline();
          hasEarliest = true;
        }
      }
    }
  }

  /// Hears of clients that are lost.
  private final class Losses implements ErrorHandler {
    @Override
    public void undelivered(Returned message) {} // the client is lost, which is told, too

    @Override
    public void lost(int entry, String why) {
      for (Iterator<ServerSession> i = sessions.values().iterator(); i.hasNext(); ) {
        ServerSession session = i.next();
        if (!Outgoing.isOpen(session.channel)) {
          i.remove();
          for (ServerCall call : session.calls()) {
            abandon(call, Status.CANCELLED);
          }
        }
      }
    }
  }

  private void closeNow() {
    for (ServerSession session : sessions.values()) {
      for (ServerCall call : session.calls()) {
        abandon(call, Status.CANCELLED);
      }
    }
    bundle.close();
    thread.runCommands();
    for (ServerSession session : blocked) {
      boolean _ = isSent(session.outbound);
    }
    blocked.clear();
    for (ServerMethod method : served) {
      buffers.give(method.arguments);
      method.arguments = null;
    }
    buffers.close();
    CompletableFuture<Void> draining = drained;
    if (draining != null) {
      draining.complete(null);
    }
  }

  /// Returns how many buffers methods keep for their next call: they are not out.
  int keptByMethods() {
    return (int) served.stream().filter(method -> method.arguments != null).count();
  }

  @Override
  public String toString() {
    return "%s@%s".formatted(endpoint.name(), address);
  }
}
