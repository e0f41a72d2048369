// Over 400 lines: the calls under way share one table, and one thread.
package dev.tigris.message.call;

import static dev.tigris.message.channel.EndpointAccess.ENDPOINTS;

import dev.tigris.memory.MemoryBudgetException;
import dev.tigris.message.Bundle;
import dev.tigris.message.Endpoint;
import dev.tigris.message.ErrorHandler;
import dev.tigris.message.Message;
import dev.tigris.message.Token;
import dev.tigris.message.call.ServiceModel.MethodModel;
import dev.tigris.message.channel.Channel;
import dev.tigris.net.Fabric;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/// A client: its calls, its servers, and the thread that sends and receives for all callers, unless
/// the caller does that itself.
///
/// ```text
///   start --> commands --> waiting --> live, unsent --> live, sent --> over
///   (callers' threads)     no place    no server,       reply, deadline,
///                                      no credit        cancel, loss
/// ```
///
/// Places are numbers of calls in the table; a call has the number of its place in the low bits of
/// its id. So at most `mostCalls` are live, and that bounds the queue `unsent`.
///
/// Conserved: places = free + live.
final class ClientHub implements AutoCloseable {
  private static final int PLACE_BITS = 16;
  private static final int PLACE_MASK = (1 << PLACE_BITS) - 1;
  private static final long LONGEST_WAIT_NANOS = 1_000_000_000;
  private static final long DESCRIBE_NANOS = 1_000_000_000;
  private static final int SPINS = 200;
  private static final long SEEN_NANOS = 10_000_000;
  private static final int POLLS_BETWEEN_CLOCKS = 64;

  /// Tries are a tenth of the calls, and this many more.
  private static final int MOST_BUDGET = 10;

  private static final EnumSet<Bundle.Event> ALL_EVENTS = EnumSet.allOf(Bundle.Event.class);

  private static final String NO_MEMORY =
      "the method ran, and this process has no memory for its result of %d bytes: release others";

  private final CallOptions options;
  private final CallBuffers buffers = new CallBuffers("calls");
  private final Counters counters = new Counters();
  private final Interceptors interceptors;
  private final Choices choices = new Choices();
  private final RandomGenerator random = RandomGenerator.getDefault();
  private final Completions completions = new Completions();
  private final String servers;
  private final HubThread thread;
  private @Nullable Invocation reusable;

  // ---- the client's thread
  private final Bundle bundle;
  private final Endpoint endpoint;
  private final List<Remote> remotes = new ArrayList<>();
  private final @Nullable Invocation[] places;
  private final int[] free;
  private int freeCount;
  private long generation;
  private final ArrayDeque<Invocation> waiting = new ArrayDeque<>();
  private final ArrayDeque<Invocation> unsent = new ArrayDeque<>();
  private final ArrayDeque<Note> notes = new ArrayDeque<>();

  /// No live or waiting call ends before this.
  private long earliest;

  private boolean hasEarliest;
  private double budget = MOST_BUDGET;
  private int lastRemote = -1;
  private long seenAt = System.nanoTime() - SEEN_NANOS;
  private boolean isClosed;

  /// A cancellation or a grant that waits for a credit.
  private record Note(Remote remote, int handler, long call, long more) {}

  /// Where a server is.
  private record Place(String name, String address) {
    static List<Place> parse(String servers) {
      List<Place> places = new ArrayList<>();
      for (String server : servers.split(",", -1)) {
        int at = server.indexOf('@');
        if (at <= 0 || at == server.length() - 1) {
          throw new IllegalArgumentException(
              "a server is NAME@ADDRESS, such as orders@host:7400, and not '%s'".formatted(server));
        }
        places.add(new Place(server.substring(0, at).trim(), server.substring(at + 1).trim()));
      }
      return places;
    }
  }

  private ClientHub(Fabric fabric, String servers, CallOptions options) {
    this.options = options;
    this.interceptors = new Interceptors(options.interceptors());
    this.servers = servers;
    List<Place> all = Place.parse(servers);
    this.places = new @Nullable Invocation[options.mostCalls()];
    this.free = new int[options.mostCalls()];
    for (int i = 0; i < free.length; i++) {
      free[i] = free.length - 1 - i;
    }
    this.freeCount = free.length;
    this.bundle = Bundle.open(options.messages(), List.of(fabric));
    this.thread =
        new HubThread(options.callerPolls() ? null : Thread.currentThread(), bundle::wake);
    bundle.mask(ALL_EVENTS);
    this.endpoint = bundle.endpoint("client", options.tag());
    endpoint.handler(Frames.REPLY, this::replied);
    endpoint.handler(Frames.ITEM, this::arrived);
    endpoint.handler(Frames.LEAVING, this::leaving);
    endpoint.errorHandler(new Returns());
    Incoming.accept(endpoint, buffers, options.messages().bulkBytes());
    ENDPOINTS.refusals(endpoint, this::refused);
    for (Place place : all) {
      remotes.add(
          new Remote(
              remotes.size(),
              endpoint,
              fabric.provider(),
              place.name(),
              place.address(),
              options.tag()));
    }
  }

  /// Connects to the servers, on a thread of the client's or on this one.
  ///
  /// @throws CallException if none is reached in time
  static ClientHub open(Fabric fabric, String servers, CallOptions options) {
    List<Place> _ = Place.parse(servers);
    Supplier<ClientHub> opening =
        () -> {
          ClientHub hub = new ClientHub(fabric, servers, options);
          hub.connectFirst();
          return hub;
        };
    return options.callerPolls()
        ? opening.get()
        : HubThread.start(
            Thread.ofPlatform().daemon().name("tigris-calls " + servers),
            opening,
            hub -> hub.thread.serve(hub::step, hub::closeNow));
  }

  CallOptions options() {
    return options;
  }

  CallBuffers buffers() {
    return buffers;
  }

  Counters counters() {
    return counters;
  }

  boolean callerPolls() {
    return thread.isOfCallers();
  }

  Completions completions() {
    return completions;
  }

  /// Returns what the servers serve that are connected.
  List<Signature> methods() {
    CompletableFuture<List<Signature>> told = new CompletableFuture<>();
    thread.command(
        () ->
            told.complete(
                remotes.stream()
                    .filter(Remote::isReady)
                    .flatMap(remote -> remote.methods().values().stream())
                    .distinct()
                    .toList()));
    return told.join();
  }

  // ---- callers' threads

  /// Begins a call.
  ///
  /// @param limitNanos how long it may take; 0 for what the options say
  Invocation begin(MethodModel model, long limitNanos) {
    Invocation known = reusable;
    Invocation call =
        known == null ? new Invocation(this, model, callerPolls()) : taken(known, model);
    call.limitNanos = limitNanos > 0 ? limitNanos : options.deadline().toNanos();
    return call;
  }

  private Invocation taken(Invocation known, MethodModel model) {
    reusable = null;
    return known.reuse(model);
  }

  /// Starts a call whose payload is there.
  void start(Invocation call) {
    ServerCall serving = options.inheritsDeadline() ? ServerCall.current() : null;
    call.startedAt = System.nanoTime();
    long deadline = call.startedAt + call.limitNanos;
    call.deadline =
        serving != null && serving.deadline() - deadline < 0 ? serving.deadline() : deadline;
    counters.started();
    call.event = CallEvents.made();
    if (interceptors.areThere() && !isLetBegin(call)) {
      return;
    }
    if (callerPolls()) {
      admit(call);
    } else {
      thread.command(() -> admit(call));
    }
  }

  /// Whether all interceptors let a call begin. Otherwise it is over.
  private boolean isLetBegin(Invocation call) {
    try {
      while (call.begun < interceptors.count()) {
        interceptors.before(call.begun, call);
        call.begun++;
      }
      return true;
    } catch (RuntimeException | Error e) {
      buffers.give(call.argument);
      call.argument = null;
      Status status = e instanceof CallException its ? its.status() : Status.UNKNOWN;
      String text = e instanceof CallException its ? its.text() : e.toString();
      thread.command(() -> call.end(status, text, 0, null, 0));
      return false;
    }
  }

  /// A call is over, and its caller does not know yet.
  void over(Invocation call) {
    if (call.signature().id() == Signature.DESCRIBE) {
      return;
    }
    counters.ended(call.status(), call.resultBytes());
    counters.took(System.nanoTime() - call.startedAt);
    CallEvents.over(call.event, call);
    interceptors.after(call.begun, call);
  }

  /// Gives a call up whose caller waits no more.
  void cancel(Invocation call) {
    thread.command(
        () -> {
          if (call.isLive || waiting.remove(call)) {
            giveUp(call, Status.CANCELLED, "the caller has given it up");
          }
        });
  }

  void grant(Invocation call, int more) {
    thread.command(
        () -> {
          Remote remote = call.remote;
          if (call.isLive && remote != null) {
            note(new Note(remote, Frames.GRANT, call.id, more));
          }
        });
  }

  /// Sends and receives until a call is over: where the caller polls.
  void pollUntilOver(Invocation call) {
    int spins = 0;
    int polls = 0;
    while (!call.isOver()) {
      if (bundle.poll() > 0) {
        spins = 0;
        if (++polls % POLLS_BETWEEN_CLOCKS == 0) {
          sweepIfDue(System.nanoTime()); // a server that goes on sending does not hold it up
        }
      } else if (Thread.currentThread().isInterrupted()) {
        cancel(call); // which ends it; waits would not be ones
      } else if (spins++ > SPINS) {
        step();
      }
    }
    reusable = call;
    if (!waiting.isEmpty() || !unsent.isEmpty() || !notes.isEmpty()) {
      step();
    }
  }

  /// Sends and receives once, and waits for that.
  void poll() {
    step();
  }

  // ---- the client's thread

  private void step() {
    thread.runCommands();
    while (freeCount > 0 && !waiting.isEmpty()) {
      admit(waiting.remove());
    }
    for (int left = unsent.size(); left > 0; left--) {
      Invocation call = unsent.remove();
      if (call.isLive && call.remote == null) {
        dispatch(call);
      }
    }
    for (int left = notes.size(); left > 0; left--) {
      Note next = notes.remove();
      if (!sent(next)) {
        notes.add(next); // its server takes nothing at present: others may
      }
    }
    long now = System.nanoTime();
    sweepIfDue(now);
    if (now - seenAt >= SEEN_NANOS) {
      see(now);
    }
    long wait = Math.min(LONGEST_WAIT_NANOS, connectAgain(now));
    wait = Math.min(wait, completions.start(now));
    if (hasEarliest) {
      wait = Math.min(wait, earliest - now);
    }
    if (thread.mayWait()) {
      boolean _ = bundle.await(Duration.ofNanos(Math.max(0, wait)));
    }
  }

  /// Counts what statistics tell of this moment.
  private void see(long now) {
    seenAt = now;
    long inUse = 0;
    for (Remote remote : remotes) {
      inUse += remote.isMapped() ? remote.channel().session().outstanding() : 0;
    }
    counters.seen(inUse, (long) unsent.size() + notes.size() + waiting.size());
  }

  private void admit(Invocation call) {
    if (thread.isClosing()) {
      finish(call, Status.UNAVAILABLE, "the client is closed", 0, null, 0);
      return;
    }
    noteDeadline(call.deadline);
    if (freeCount == 0) {
      if (waiting.size() >= options.mostCalls()) {
        finish(
            call,
            Status.RESOURCE_EXHAUSTED,
            "%d calls are under way, and as many wait: raise CallOptions.mostCalls, or call less"
                .formatted(options.mostCalls()),
            0,
            null,
            0);
        return;
      }
      waiting.add(call);
      return;
    }
    int place = free[--freeCount];
    places[place] = call;
    call.id = ++generation << PLACE_BITS | place;
    call.isLive = true;
    budget = Math.min(MOST_BUDGET, budget + 0.1);
    dispatch(call);
  }

  private void noteDeadline(long deadline) {
    if (!hasEarliest || deadline - earliest < 0) {
      earliest = deadline;
      hasEarliest = true;
    }
  }

  /// Sends a call, or leaves it in the queue.
  private void dispatch(Invocation call) {
    long now = System.nanoTime();
    if (call.deadline - now <= 0) {
      checkDeadline(call, now);
      return;
    }
    Remote remote = choose(now);
    if (remote == null && areAllLeaving()) {
      finish(
          call,
          Status.UNAVAILABLE,
          "the server is leaving, and there is no other; the method did not run",
          0,
          null,
          0);
      return;
    }
    if (remote == null) {
      unsent.add(call);
      return;
    }
    RemoteMethod method = remote.method(call.model());
    String refusal = method.refusal();
    if (refusal != null) {
      finish(call, Status.UNIMPLEMENTED, refusal, 0, null, 0);
    } else if (!put(call, remote, method, now)) {
      unsent.add(call);
    }
  }

  private boolean areAllLeaving() {
    for (Remote remote : remotes) {
      if (!remote.isLeaving()) {
        return false;
      }
    }
    return true;
  }

  /// The server that the policy chooses, of those that are connected and not leaving; null if there
  /// is none.
  private @Nullable Remote choose(long now) {
    choices.now = now;
    boolean isAnyOpen = false;
    for (int i = 0; i < remotes.size(); i++) {
      isAnyOpen |= choices.isOpen(i);
    }
    if (!isAnyOpen) {
      return null;
    }
    int chosen;
    try {
      chosen = options.policy().choose(choices, random);
      if (chosen == CallPolicy.WAIT) {
        return null;
      }
    } catch (RuntimeException | Error e) { // it is the program's: calls go on
      chosen = CallPolicy.WAIT;
    }
    if (chosen < 0 || chosen >= remotes.size() || !choices.isOpen(chosen)) {
      chosen = FewestCalls.FEWEST_CALLS.choose(choices, random);
    }
    lastRemote = chosen;
    return remotes.get(chosen);
  }

  /// What a policy sees of the servers.
  private final class Choices implements ServersView {
    private long now;

    @Override
    public int servers() {
      return remotes.size();
    }

    @Override
    public boolean isOpen(int server) {
      Remote remote = remotes.get(server);
      return remote.isReady() && !remote.isLeaving();
    }

    @Override
    public int credits(int server) {
      long inUse = isOpen(server) ? remotes.get(server).channel().session().outstanding() : 0;
      return isOpen(server) ? (int) Math.max(0, options.messages().credits() - inUse) : 0;
    }

    @Override
    public int outstanding(int server) {
      return remotes.get(server).load(now);
    }

    @Override
    public long serviceNanos(int server) {
      return remotes.get(server).serviceNanos();
    }

    @Override
    public int last() {
      return lastRemote;
    }
  }

  private boolean put(Invocation call, Remote remote, RemoteMethod method, long now) {
    Channel channel = remote.channel();
    long[] words = call.words;
    CallBuffer payload = call.argument;
    CallBuffer converted = null;
    long length = call.argumentBytes;
    int count = call.wordCount();
    if (payload != null && method.converts()) {
      words = words.clone();
      try {
        converted =
            Payload.convert(
                buffers,
                payload,
                call.signature().parameters(),
                method.argumentsTo(),
                words,
                Invocation.HEAD);
      } catch (RuntimeException e) {
        finish(call, Status.INVALID_ARGUMENT, String.valueOf(e.getMessage()), 0, null, 0);
        return true;
      }
      length = 0;
      for (int i = Invocation.HEAD; i < count; i++) {
        boolean hasBytes = call.signature().parameters().get(i - Invocation.HEAD).kind().hasBytes();
        length += hasBytes && words[i] > 0 ? Payload.aligned(words[i]) : 0;
      }
      payload = converted;
    }
    words[0] = method.id();
    words[1] = call.id;
    words[2] = call.deadline - now;
    words[3] = call.stream() == null ? 0 : options.window();
    boolean isSent =
        Outgoing.send(endpoint, channel, Frames.CALL, words, count, payload, length, buffers, null);
    buffers.give(converted);
    if (isSent) {
      call.remote = remote;
      call.answeredBy = method;
      call.attempts++;
      call.sentAt = now;
      remote.outstanding++;
      counters.sent(length);
    }
    return isSent;
  }

  private @Nullable Invocation live(long id) {
    int place = (int) (id & PLACE_MASK);
    Invocation call = place < places.length ? places[place] : null;
    return call != null && call.id == id ? call : null;
  }

  /// Returns the call that a message is for; null if it is over, or another server has it.
  private @Nullable Invocation live(Token token, long id) {
    Invocation call = live(id);
    Remote remote = call == null ? null : call.remote;
    return remote != null && remote.isMapped() && remote.channel() == ENDPOINTS.channel(token)
        ? call
        : null;
  }

  /// Ends a call with a status of this side, and tells the server if it has the call.
  private void giveUp(Invocation call, Status status, String why) {
    Remote remote = call.remote;
    if (remote != null) {
      note(new Note(remote, Frames.CANCEL, call.id, 0));
    }
    finish(call, status, why, 0, null, 0);
  }

  private void note(Note note) {
    notes.add(note); // a handler cannot send
  }

  /// Whether it is sent, or cannot be any more.
  private boolean sent(Note note) {
    return !note.remote.isMapped()
        || Outgoing.send(endpoint, note.remote.channel(), note.handler, note.call, note.more);
  }

  /// Ends a call, whichever way: it leaves the table, and its buffers are given back.
  private void finish(
      Invocation call,
      Status status,
      @Nullable String text,
      long word,
      @Nullable CallBuffer result,
      long bytes) {
    Remote server = call.remote;
    if (server != null) {
      server.served(System.nanoTime(), call.sentAt, status);
    }
    leave(call);
    if (call.isLive) {
      call.isLive = false;
      int place = (int) (call.id & PLACE_MASK);
      places[place] = null;
      free[freeCount++] = place;
    }
    CallBuffer argument = call.argument;
    call.argument = null;
    buffers.give(argument);
    call.end(status, text, word, result, bytes);
  }

  /// Its server does not have it any more.
  private void leave(Invocation call) {
    Remote remote = call.remote;
    if (remote != null) {
      remote.outstanding--;
      call.remote = null;
    }
  }

  private void sweepIfDue(long now) {
    if (hasEarliest && now - earliest >= 0) {
      sweep(now);
    }
  }

  /// Ends the calls whose time is over, and finds out when the next one's is.
  private void sweep(long now) {
    hasEarliest = false;
    for (Invocation call : places) {
      if (call != null) {
        checkDeadline(call, now);
      }
    }
    for (Iterator<Invocation> i = waiting.iterator(); i.hasNext(); ) {
      Invocation call = i.next();
      if (call.deadline - now <= 0) {
        i.remove();
      }
      checkDeadline(call, now);
    }
  }

  private void checkDeadline(Invocation call, long now) {
    if (call.deadline - now > 0) {
      noteDeadline(call.deadline);
      return;
    }
    String last = remotes.size() == 1 ? remotes.getFirst().lastFailure() : null;
    giveUp(
        call,
        Status.DEADLINE_EXCEEDED,
        call.remote != null
            ? "no reply in time"
            : "it was not sent in time%s".formatted(last == null ? "" : ": " + last));
  }

  /// A try of a call has failed. It is tried again, if that cannot run the method twice for a call
  /// that must run once, and the budget allows it.
  private void retry(Invocation call, boolean mayHaveRun, Status status, String why) {
    Remote remote = call.remote;
    long now = System.nanoTime();
    boolean isAllowed =
        (!mayHaveRun || call.signature().isIdempotent())
            && call.stream() == null
            && call.signature().id() != Signature.DESCRIBE
            && call.deadline - now > 0
            && budget >= 1;
    if (!isAllowed) {
      finish(call, status, why, 0, null, 0);
      return;
    }
    if (remote != null) {
      remote.served(now, call.sentAt, status);
    }
    budget--;
    counters.retried();
    leave(call);
    unsent.add(call);
  }

  // ---- what arrives

  private void replied(Token token, Message message) {
    if (message.words() != 3) {
      return;
    }
    Invocation call = live(token, message.word(0));
    if (call == null) {
      return; // it is over
    }
    long code = message.word(1);
    Status known = Status.of(code & ~Frames.NOT_RUN);
    Status status = known == null ? Status.UNKNOWN : known;
    long bytes = message.payloadBytes();
    if (status == Status.OK) {
      ClientStream<?> stream = call.stream();
      if (stream != null && message.word(2) < 0) {
        finish(call, Status.INTERNAL, "the stream says that it has less than none", 0, null, 0);
        return;
      }
      if (stream != null && !stream.hasAll(message.word(2))) {
        call.streamTotal = message.word(2);
        return;
      }
      CallBuffer result;
      try {
        result = stream == null ? Incoming.take(message, buffers) : null;
      } catch (MemoryBudgetException e) {
        finish(call, Status.RESOURCE_EXHAUSTED, NO_MEMORY.formatted(bytes), 0, null, 0);
        return;
      }
      finish(call, status, null, message.word(2), result, bytes);
      return;
    }
    String text =
        bytes > Frames.MOST_COPIED ? "" : new String(message.array(), StandardCharsets.UTF_8);
    boolean isRefusal = (code & Frames.NOT_RUN) != 0;
    if (isRefusal && (status == Status.UNAVAILABLE || status == Status.RESOURCE_EXHAUSTED)) {
      retry(call, false, status, text);
    } else if (status == Status.UNAVAILABLE) {
      retry(call, true, status, text);
    } else {
      finish(call, status, text, 0, null, 0);
    }
  }

  private void arrived(Token token, Message message) {
    Invocation call = message.words() == 3 ? live(token, message.word(0)) : null;
    ClientStream<?> stream = call == null ? null : call.stream();
    if (call == null || stream == null) {
      return;
    }
    CallBuffer item;
    try {
      item = Incoming.take(message, buffers);
    } catch (MemoryBudgetException e) {
      long bytes = message.payloadBytes();
      giveUp(call, Status.RESOURCE_EXHAUSTED, NO_MEMORY.formatted(bytes));
      return;
    }
    if (item == null) {
      return;
    }
    if (!stream.arrived(message.word(1), item, message.word(2))) {
      giveUp(call, Status.INTERNAL, "the server sends more than was asked for");
    } else if (call.streamTotal >= 0 && stream.hasAll(call.streamTotal)) {
      finish(call, Status.OK, null, call.streamTotal, null, 0);
    }
  }

  /// A long result, or an item, found no memory here. It goes back to the server, which does not
  /// call again.
  private void refused(Token token, Message message) {
    Invocation call = message.words() == 3 ? live(token, message.word(0)) : null;
    if (call != null) {
      long most = options.messages().bulkBytes();
      long bytes = message.payloadBytes();
      giveUp(
          call,
          Status.RESOURCE_EXHAUSTED,
          bytes > most
              ? "the method ran, and its result has %d bytes, where this client takes %d: see Options.bulkBytes"
                  .formatted(bytes, most)
              : NO_MEMORY.formatted(bytes));
    }
  }

  private void leaving(Token token, Message message) {
    for (Remote remote : remotes) {
      if (remote.isMapped() && remote.channel().id() == token.session()) {
        remote.leave();
      }
    }
  }

  /// Hears of what could not be delivered.
  private final class Returns implements ErrorHandler {
    @Override
    public void undelivered(Returned message) {
      Invocation call =
          message.handler() == Frames.CALL && message.words().size() > 1
              ? live(message.words().get(1))
              : null;
      if (call == null) {
        return;
      }
      switch (message.reason()) {
        case NOT_DELIVERED ->
            retry(call, false, Status.UNAVAILABLE, "the server was lost; the method did not run");
        case MAY_HAVE_RUN ->
            retry(call, true, Status.UNAVAILABLE, "the server was lost; the method may have run");
        case TOO_LONG ->
            finish(
                call,
                Status.RESOURCE_EXHAUSTED,
                "the server takes no argument of %d bytes: see its Options.bulkBytes"
                    .formatted(message.payloadBytes()),
                0,
                null,
                0);
        case NO_HANDLER, HANDLER_FAILED ->
            finish(call, Status.INTERNAL, "the server has " + message.reason(), 0, null, 0);
      }
    }

    @Override
    public void lost(int entry, String why) {
      if (entry < 0 || entry >= remotes.size()) {
        return;
      }
      Remote remote = remotes.get(entry);
      remote.lost(why, System.nanoTime());
      for (Invocation call : places) {
        if (call != null && call.remote == remote) {
          retry(
              call,
              true,
              Status.UNAVAILABLE,
              "the server was lost, %s; the method may have run".formatted(why));
        }
      }
    }
  }

  // ---- connecting

  private void connectFirst() {
    long start = System.nanoTime();
    long limit = options.connecting().toNanos();
    try {
      int untried = remotes.size();
      for (Remote remote : remotes) {
        long left = limit - (System.nanoTime() - start);
        connect(remote, Math.max(1, left / untried--)); // one that is silent leaves the others time
      }
      if (remotes.stream().noneMatch(Remote::isReady)) {
        throw new CallException(
            Status.UNAVAILABLE,
            "no server can be reached: %s"
                .formatted(
                    String.join(
                        "; ",
                        remotes.stream()
                            .map(each -> String.valueOf(each.lastFailure()))
                            .toList())));
      }
    } catch (RuntimeException | Error e) {
      closeNow();
      throw e;
    }
  }

  private void connect(Remote remote, long nanos) {
    long start = System.nanoTime();
    if (!remote.map(Duration.ofNanos(nanos))) {
      return;
    }
    Invocation asked = ask(remote, start + nanos);
    while (asked != null
        && !asked.isOver()
        && System.nanoTime() - start < nanos
        && remote.isMapped()) {
      boolean _ = bundle.await(Duration.ofNanos(Math.max(1, nanos - (System.nanoTime() - start))));
    }
    if (asked != null && !asked.isOver()) {
      giveUp(asked, Status.DEADLINE_EXCEEDED, "it does not say what it serves");
    }
    hear(remote);
  }

  /// Asks a server that is connected what it serves.
  ///
  /// @return null if there is no room for the question: then the connection is given up
  private @Nullable Invocation ask(Remote remote, long deadline) {
    if (freeCount == 0) {
      remote.failed("no place is free to ask it what it serves");
      return null;
    }
    Invocation asked = new Invocation(this, Description.METHOD, true);
    asked.deadline = deadline;
    int place = free[--freeCount];
    places[place] = asked;
    asked.id = ++generation << PLACE_BITS | place;
    asked.isLive = true;
    noteDeadline(deadline);
    RemoteMethod method = new RemoteMethod(Signature.DESCRIBE, List.of(), null, null);
    if (!put(asked, remote, method, System.nanoTime())) {
      finish(asked, Status.UNAVAILABLE, "it takes no message", 0, null, 0);
    }
    remote.asked = asked;
    return asked;
  }

  /// Takes what a server says of itself, if that is there.
  private void hear(Remote remote) {
    Invocation asked = remote.asked;
    if (asked == null || !asked.isOver()) {
      return;
    }
    remote.asked = null;
    try {
      if (asked.status() != Status.OK) {
        throw asked.failure();
      }
      remote.described(Description.parse(asked.description()));
    } catch (RuntimeException e) { // what it says may be anything
      remote.failed("%s: %s".formatted(remote, e.getMessage()));
    }
  }

  /// Connects again to servers that were lost, without waiting for one that does not answer: other
  /// servers have calls. Returns how long it is until the next try.
  private long connectAgain(long now) {
    long next = Long.MAX_VALUE;
    for (Remote remote : remotes) {
      if (remote.isReady() && !remote.isLeaving()) {
        continue;
      }
      if (remote.isReady() && remote.outstanding > 0) {
        continue; // it finishes what it has
      }
      if (remote.asked != null) {
        hear(remote);
      } else if (remote.retryAt() - now <= 0) {
        if (remote.isMapped()) {
          remote.failed("it is leaving");
        } else if (remote.mapIfThere()) {
          Invocation _ = ask(remote, System.nanoTime() + DESCRIBE_NANOS);
        }
      }
      if (!remote.isReady() && !remote.isConnecting()) {
        next = Math.min(next, Math.max(1, remote.retryAt() - System.nanoTime()));
      }
    }
    return next;
  }

  // ---- closing

  /// Ends all calls, and closes the connections.
  @Override
  public void close() {
    thread.close(this::closeNow);
  }

  private void closeNow() {
    if (isClosed) {
      return;
    }
    isClosed = true;
    thread.runCommands();
    for (Invocation call : places) {
      if (call != null) {
        finish(call, Status.CANCELLED, "the client was closed", 0, null, 0);
      }
    }
    while (!waiting.isEmpty()) {
      finish(waiting.remove(), Status.CANCELLED, "the client was closed", 0, null, 0);
    }
    completions.close();
    bundle.close();
    buffers.close();
  }

  /// Throws if places do not add up: for tests, on any thread.
  void checkInvariants() {
    CompletableFuture<String> counted = new CompletableFuture<>();
    thread.command(() -> counted.complete(wrongCounts()));
    String wrong = counted.join();
    if (!wrong.isEmpty()) {
      throw new IllegalStateException(wrong);
    }
  }

  private String wrongCounts() {
    int live = 0;
    for (Invocation call : places) {
      live += call == null ? 0 : 1;
    }
    int outstanding = remotes.stream().mapToInt(remote -> remote.outstanding).sum();
    return live + freeCount == places.length && outstanding >= 0 && outstanding <= live
        ? ""
        : "%d places: %d are free, %d are live, and servers have %d"
            .formatted(places.length, freeCount, live, outstanding);
  }

  @Override
  public String toString() {
    return servers;
  }
}
