// Over 400 lines: polling, waiting, mapping and accepting share the queue and its thread.
package dev.tigris.message;

import dev.tigris.message.Endpoint.Peer;
import dev.tigris.message.line.Greeting;
import dev.tigris.message.line.Line;
import dev.tigris.message.line.Switchboard;
import dev.tigris.message.line.Wire;
import dev.tigris.message.protocol.Numbers;
import dev.tigris.message.protocol.Session;
import dev.tigris.message.protocol.Settings;
import dev.tigris.net.Attributes;
import dev.tigris.net.CompletionQueue;
import dev.tigris.net.Connection;
import dev.tigris.net.ConnectionRequest;
import dev.tigris.net.Delivery;
import dev.tigris.net.Descriptor;
import dev.tigris.net.Fabric;
import dev.tigris.net.NetException;
import dev.tigris.net.Status;
import dev.tigris.net.VirtualInterface;
import dev.tigris.os.CheckReturnValue;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.jspecify.annotations.Nullable;

/// Endpoints that are serviced together, one message after the other: only one handler of a bundle
/// runs at a time.
///
/// Messages move, and handlers run, while its thread polls or waits ([#poll], [#await]), or waits
/// for a credit in a request. Nothing moves behind its back.
///
/// Thread rule: the thread that made it, except for [#wake], [#adopt] and what says so.
public final class Bundle implements AutoCloseable {
  /// The tag of connections that carry active messages.
  private static final long CONNECTION_TAG = 0x5449_4752_4953_414dL; // "TIGRISAM"

  private static final int POLLS_BETWEEN_CLOCKS = 64;
  private static final int MOST_COMPLETIONS = 256;
  private static final int MOST_SESSIONS = 1 << 16;

  private static final long MILLI_NANOS = 1_000_000;
  private static final long ACKNOWLEDGE_NANOS = MILLI_NANOS;
  private static final long LEAST_RESEND_NANOS = 10 * MILLI_NANOS;
  private static final long MOST_RESEND_NANOS = 1_000 * MILLI_NANOS;
  private static final long GREETING_NANOS = 5_000 * MILLI_NANOS;
  private static final long FIRST_ATTEMPT_NANOS = 20 * MILLI_NANOS;
  private static final long LONGEST_ATTEMPT_NANOS = 1_000 * MILLI_NANOS;

  /// The events that a wait can be for (AM-II's event masks).
  public enum Event {
    /// A handler has run.
    MESSAGE,
    /// A peer has acknowledged something: there may be credits.
    ACKNOWLEDGED,
    /// A message came back, a peer was lost, or memory of a bulk transfer is free.
    NOTICE
  }

  private final Options options;
  private final Map<String, Fabric> fabrics = new LinkedHashMap<>();
  private final List<Fabric> owned = new ArrayList<>();
  private final CompletionQueue queue;
  private final Thread owner = Thread.currentThread();
  private final Attributes attributes;
  private final Settings settings;
  private final SecureRandom random = new SecureRandom();
  private final Switchboard switchboard;
  private final List<Door> doors = new ArrayList<>();
  private final ConcurrentLinkedQueue<ConnectionRequest> knocks = new ConcurrentLinkedQueue<>();
  private final ConcurrentLinkedQueue<Endpoint> newcomers = new ConcurrentLinkedQueue<>();
  private final Map<String, Endpoint> endpoints = new HashMap<>();
  private final List<Wire> strangers = new ArrayList<>();
  private final ArrayDeque<Line> touched = new ArrayDeque<>();
  private final ArrayDeque<Runnable> notices = new ArrayDeque<>();
  private final Map<Line, Attempt> attempts = new HashMap<>();
  private Set<Event> mask = EnumSet.of(Event.MESSAGE, Event.NOTICE);
  private @Nullable String refusal;
  private boolean isHandling;
  private boolean isClosed;
  private long handled;
  private long acknowledged;
  private long noticed;
  private int idlePolls;
  private volatile boolean isWoken;

  /// When a lost connection is tried to be made again.
  private static final class Attempt {
    long atNanos;
    long waitNanos = FIRST_ATTEMPT_NANOS;

    Attempt(long atNanos) {
      this.atNanos = atNanos;
    }
  }

  private Bundle(Options options, List<Fabric> carriers, boolean owns) {
    if (carriers.isEmpty()) {
      throw new IllegalArgumentException("name a provider, such as \"tcp\": none was given");
    }
    this.options = options;
    this.switchboard = new Switchboard(new Porter(), options.lossy());
    this.settings =
        new Settings(
            new Numbers(Long.SIZE),
            0,
            options.credits(),
            !options.lossy(),
            ACKNOWLEDGE_NANOS,
            LEAST_RESEND_NANOS,
            MOST_RESEND_NANOS,
            nanos(options.patience()));
    int packetBytes = Line.packetBytes(options.payloadBytes());
    this.attributes =
        Wire.attributes(packetBytes, settings.mostPackets(), options.receives())
            .withDelivery(options.lossy() ? Delivery.UNRELIABLE : Delivery.RELIABLE);
    CompletionQueue made = carriers.getFirst().completionQueue();
    for (Fabric fabric : carriers) {
      if (fabrics.putIfAbsent(fabric.provider(), fabric) != null) {
        throw new IllegalArgumentException(fabric.provider() + " is named twice");
      }
      if (fabric != carriers.getFirst()) {
        fabric.attach(made);
      }
    }
    if (owns) {
      owned.addAll(carriers);
    }
    this.queue = made;
  }

  /// Opens a bundle for the calling thread, over providers of these names.
  ///
  /// @throws dev.tigris.net.NetException if one cannot be used here, with the reason
  public static Bundle open(Options options, String... providers) {
    List<Fabric> opened = new ArrayList<>();
    try {
      for (String provider : providers) {
        opened.add(Fabric.open(provider));
      }
      return new Bundle(options, opened, true);
    } catch (RuntimeException e) {
      opened.forEach(Fabric::close);
      throw e;
    }
  }

  /// Opens a bundle for the calling thread, over fabrics that the caller has opened, such as with
  /// [Fabric#openTls], and closes after the bundle.
  public static Bundle open(Options options, List<Fabric> fabrics) {
    return new Bundle(options, fabrics, false);
  }

  /// Returns the options.
  public Options options() {
    return options;
  }

  /// Makes an endpoint.
  ///
  /// @param tag that peers have to know
  /// @throws IllegalArgumentException if the bundle has one of this name
  public Endpoint endpoint(String name, long tag) {
    requireOwner();
    requireOpen();
    Endpoint made = new Endpoint(this, name, tag);
    if (endpoints.putIfAbsent(name, made) != null) {
      throw new IllegalArgumentException("the bundle has an endpoint '%s' already".formatted(name));
    }
    return made;
  }

  /// Listens for peers, over one of the bundle's providers.
  ///
  /// @return the address that peers map
  /// @throws dev.tigris.net.NetException if that is not possible
  /// @throws IllegalArgumentException if the bundle has no such provider
  public String listen(String provider, String address) {
    requireOwner();
    requireOpen();
    Door door = new Door(fabric(provider).listen(address), CONNECTION_TAG, knocks, this::wake);
    doors.add(door);
    return door.address();
  }

  private Fabric fabric(String provider) {
    Fabric fabric = fabrics.get(provider);
    if (fabric == null) {
      throw new IllegalArgumentException(
          "the bundle has no provider '%s', but %s".formatted(provider, fabrics.keySet()));
    }
    return fabric;
  }

  // ---- polling and waiting

  /// Works off what has arrived, sends what waits, and tells what is to be told. Does not wait.
  ///
  /// @return how many handlers have run
  /// @throws IllegalStateException in a handler, or if the bundle is closed
  public int poll() {
    requireIdle();
    long before = handled;
    work(queue.poll());
    tell();
    return (int) (handled - before);
  }

  /// Says which events a wait is for: at first, messages and notices.
  public void mask(Set<Event> events) {
    requireOwner();
    mask = events.isEmpty() ? EnumSet.noneOf(Event.class) : EnumSet.copyOf(events);
  }

  /// Waits until one of the events of the [#mask] has happened, and services the bundle meanwhile.
  ///
  /// @return whether one has; false if the time was over, after [#wake], or if the thread is
  ///     interrupted, which it then still is
  public boolean await(Duration timeout) {
    requireIdle();
    long start = System.nanoTime();
    long limit = nanos(timeout);
    long messages = handled;
    long acknowledgements = acknowledged;
    long notes = noticed;
    while (true) {
      step(limit - (System.nanoTime() - start));
      boolean happened =
          (handled != messages && mask.contains(Event.MESSAGE))
              || (acknowledged != acknowledgements && mask.contains(Event.ACKNOWLEDGED))
              || (noticed != notes && mask.contains(Event.NOTICE));
      boolean over = isWoken || Thread.currentThread().isInterrupted();
      if (happened || over || System.nanoTime() - start >= limit) {
        isWoken = false;
        return happened;
      }
    }
  }

  /// Ends a wait of [#await], or the next one. Any thread.
  public void wake() {
    isWoken = true;
    queue.wake();
  }

  /// Sends what waits to travel together. [#poll] and [#await] do so, too.
  public void flush() {
    requireOwner();
    pumpTouched(System.nanoTime());
  }

  /// Waits until something has happened, or a timer asks for it: for a request without credit.
  void awaitProgress() {
    step(100 * MILLI_NANOS);
  }

  private void step(long limit) {
    Descriptor ready = queue.poll();
    if (ready == null) {
      long now = System.nanoTime();
      pumpTouched(now);
      long deadline = tick(now);
      ready = queue.poll();
      if (ready == null && knocks.isEmpty() && newcomers.isEmpty() && notices.isEmpty()) {
        acknowledgeAll(now);
        ready = queue.await(Math.clamp(deadline - now, 0, Math.max(0, limit)));
      }
    }
    work(ready);
    tell();
  }

  /// Works off completions, the first of which was taken already.
  private void work(@Nullable Descriptor first) {
    Descriptor next = first;
    int count = 0;
    long now = 0;
    while (next != null) {
      if (count++ == 0) {
        now = System.nanoTime();
      }
      complete(next, now);
      next = count < MOST_COMPLETIONS ? queue.poll() : null;
    }
    if (!knocks.isEmpty() || !newcomers.isEmpty()) {
      welcomeNewcomers();
    }
    if (count > 0 || !touched.isEmpty()) {
      pumpTouched(System.nanoTime());
    } else if (++idlePolls % POLLS_BETWEEN_CLOCKS == 0) {
      long _ = tick(System.nanoTime());
    }
  }

  private void complete(Descriptor descriptor, long now) {
    if (!(descriptor.attachment() instanceof Wire.Slot slot)) {
      return;
    }
    Wire wire = slot.wire();
    if (wire.isClosed()) {
      return; // its memory was given back
    }
    Line line = wire.line();
    if (wire.completed(slot, descriptor)) {
      isHandling = true;
      try {
        line = switchboard.take(wire, descriptor, now);
      } finally {
        isHandling = false;
        wire.repost(slot);
      }
      if (line != null) {
        handled += line.takeHandled();
        acknowledged += line.takeAcknowledged();
      }
    }
    if (line != null) {
      touched(line);
    }
    if (descriptor.status() == Status.FLUSHED) {
      lost(wire, now);
    }
  }

  /// A connection has ended.
  private void lost(Wire wire, long now) {
    if (wire.isClosed()) {
      return;
    }
    Line line = wire.line();
    strangers.remove(wire);
    if (line == null || line.wire() != wire) {
      wire.close(false);
      return;
    }
    line.detach(now);
    if (line.connects() && line.session().state() != Session.State.ENDED) {
      attempts.put(line, new Attempt(now));
    }
  }

  void touched(Line line) {
    if (!line.isTouched()) {
      line.isTouched(true);
      touched.add(line);
    }
  }

  private void pumpTouched(long now) {
    for (Line line = touched.poll(); line != null; line = touched.poll()) {
      line.isTouched(false);
      line.pump(now);
    }
  }

  private void acknowledgeAll(long now) {
    for (Endpoint endpoint : endpoints.values()) {
      for (Line line : endpoint.lines()) {
        line.acknowledge(now);
      }
    }
  }

  /// Does what time asks for; returns when it does so next.
  private long tick(long now) {
    long deadline = now + LONGEST_ATTEMPT_NANOS;
    for (Endpoint endpoint : List.copyOf(endpoints.values())) {
      for (Line line : endpoint.lines()) {
        line.pump(now);
        if (line.wire() != null || !line.connects()) {
          deadline = Math.min(deadline, line.session().deadline(now));
        }
      }
    }
    for (Line line : List.copyOf(attempts.keySet())) {
      Attempt attempt = attempts.get(line);
      if (line.session().state() != Session.State.DETACHED || attempt == null) {
        attempts.remove(line);
      } else if (attempt.atNanos - now <= 0) {
        connectAgain(line, attempt);
      } else {
        deadline = Math.min(deadline, attempt.atNanos);
      }
    }
    for (Wire stranger : List.copyOf(strangers)) {
      if (stranger.line() != null) {
        strangers.remove(stranger);
      } else if (now - stranger.madeAt() > GREETING_NANOS) {
        strangers.remove(stranger);
        stranger.close(false);
      }
    }
    return deadline;
  }

  /// Has something told by the next call that polls.
  void later(Runnable notice) {
    notices.add(notice);
  }

  private void tell() {
    for (Runnable notice = notices.poll(); notice != null; notice = notices.poll()) {
      noticed++;
      notice.run();
    }
  }

  // ---- connections

  private void welcomeNewcomers() {
    for (Endpoint endpoint = newcomers.poll(); endpoint != null; endpoint = newcomers.poll()) {
      if (endpoints.putIfAbsent(endpoint.name(), endpoint) != null) {
        throw new IllegalArgumentException(
            "the bundle has an endpoint '%s' already".formatted(endpoint.name()));
      }
      endpoint.movedTo(this);
      long now = System.nanoTime();
      for (Line line : endpoint.lines()) {
        if (line.connects()) {
          attempts.put(line, new Attempt(now));
        }
      }
    }
    for (ConnectionRequest knock = knocks.poll(); knock != null; knock = knocks.poll()) {
      try (ConnectionRequest request = knock) {
        VirtualInterface link = request.accept(queue, attributes);
        strangers.add(new Wire(link, "messages", System.nanoTime()));
      } catch (NetException e) {
        System.getLogger(Bundle.class.getName())
            .log(System.Logger.Level.DEBUG, "a peer was not accepted", e);
      }
    }
  }

  void map(
      Endpoint endpoint,
      int entry,
      String provider,
      String address,
      String peer,
      long peerTag,
      Duration timeout) {
    Fabric fabric = fabric(provider);
    long start = System.nanoTime();
    long limit = nanos(timeout);
    Wire wire = connect(fabric, address, start, limit);
    Greeting greeting =
        new Greeting(
            Greeting.LOWEST_VERSION,
            Greeting.HIGHEST_VERSION,
            true,
            options.lossy(),
            peerTag,
            options.credits(),
            /* name= */ peer,
            /* sender= */ endpoint.name());
    long session = random.nextLong();
    Line line = line(session, true, endpoint, wire.packetBytes(), options.lossy());
    endpoint.enter(new Peer(entry, line, greeting, provider, address));
    refusal = null;
    long now = System.nanoTime();
    line.attach(wire, greeting, now);
    line.pump(now);
    while (line.session().isFresh()
        && line.session().state() != Session.State.ENDED
        && now - start < limit) {
      step(Math.min(limit - (now - start), 10 * MILLI_NANOS));
      now = System.nanoTime();
    }
    if (line.session().isFresh()) {
      String why = refusal;
      line.end(Session.End.CLOSED, "it could not be mapped");
      throw new MessageException(
          "map '%s' at %s %s: %s"
              .formatted(
                  peer,
                  provider,
                  address,
                  why != null ? why : "no answer within %s".formatted(timeout)),
          null);
    }
  }

  private Line line(long session, boolean connects, Endpoint at, int packetBytes, boolean lossy) {
    return new Line(
        session,
        connects,
        at.station(),
        settings.agreed(options.credits(), !lossy),
        packetBytes,
        Math.min(options.replyBytes(), Line.payloadBytes(packetBytes)),
        lossy,
        "messages",
        System.nanoTime());
  }

  /// Connects. The peer may be about to connect here, so each attempt is short at first, and knocks
  /// are answered in between.
  private Wire connect(Fabric fabric, String address, long start, long limit) {
    long attempt = FIRST_ATTEMPT_NANOS + random.nextInt((int) FIRST_ATTEMPT_NANOS);
    while (true) {
      long left = limit - (System.nanoTime() - start);
      Duration slice = Duration.ofNanos(Math.max(MILLI_NANOS, Math.min(left, attempt)));
      switch (fabric.connect(address, CONNECTION_TAG, queue, attributes, slice)) {
        case Connection.Established(VirtualInterface link) -> {
          return new Wire(link, "messages", System.nanoTime());
        }
        case Connection.Refused refused -> {
          if (refused.reason() != Connection.Reason.TIMED_OUT || left <= attempt) {
            throw new MessageException(
                "connect to %s %s: %s, %s"
                    .formatted(fabric.provider(), address, refused.reason(), refused.detail()),
                null);
          }
        }
      }
      step(0);
      attempt = Math.min(LONGEST_ATTEMPT_NANOS, 2 * attempt);
    }
  }

  private void connectAgain(Line line, Attempt attempt) {
    Peer peer = null;
    for (Endpoint endpoint : endpoints.values()) {
      peer = peer == null ? endpoint.peerOf(line) : peer;
    }
    if (peer == null) {
      attempts.remove(line);
      return;
    }
    Duration slice = Duration.ofNanos(attempt.waitNanos);
    Connection made;
    try {
      made =
          fabric(peer.provider()).connect(peer.address(), CONNECTION_TAG, queue, attributes, slice);
    } catch (NetException e) {
      made =
          new Connection.Refused(
              Connection.Reason.NOBODY_LISTENS, peer.address(), String.valueOf(e.getMessage()));
    }
    long now = System.nanoTime();
    switch (made) {
      case Connection.Established(VirtualInterface link) -> {
        attempts.remove(line);
        line.attach(new Wire(link, "messages", now), peer.greeting(), now);
        line.pump(now);
      }
      case Connection.Refused _ -> {
        attempt.waitNanos = Math.min(LONGEST_ATTEMPT_NANOS, 2 * attempt.waitNanos);
        attempt.atNanos = now + attempt.waitNanos;
      }
    }
  }

  /// Decides about greetings.
  private final class Porter implements Switchboard.Doorkeeper {
    @Override
    public @Nullable Line greeted(Wire wire, long session, Greeting greeting, long now) {
      Endpoint endpoint = endpoints.get(greeting.name());
      if (endpoint == null) {
        return refuse(wire, session, Greeting.Refusal.NO_ENDPOINT, "no endpoint has this name");
      }
      if (endpoint.tag() != greeting.tag()) {
        return refuse(wire, session, Greeting.Refusal.WRONG_TAG, "the endpoint has another tag");
      }
      Line line = endpoint.line(session);
      if (line == null) {
        if (!greeting.fresh()) {
          return refuse(
              wire,
              session,
              Greeting.Refusal.UNKNOWN_SESSION,
              "the session is not known here, or not any more");
        }
        if (endpoint.lineCount() >= MOST_SESSIONS) {
          return refuse(wire, session, Greeting.Refusal.BUSY, "it has too many sessions");
        }
        boolean lossy = greeting.lossy() || options.lossy();
        line = line(session, false, endpoint, wire.packetBytes(), lossy);
        line.session().agree(Math.min(greeting.credits(), options.credits()), !lossy);
        endpoint.enter(line);
      } else if (line.connects() || line.packetBytes() > wire.packetBytes()) {
        return refuse(wire, session, Greeting.Refusal.UNKNOWN_SESSION, "it is another session");
      } else {
        line.detach(now);
      }
      strangers.remove(wire);
      line.attach(wire, null, now);
      return line;
    }

    private static @Nullable Line refuse(
        Wire wire, long session, Greeting.Refusal why, String text) {
      Switchboard.refuse(wire, session, wire.greetingEpoch(), why, text);
      return null;
    }

    @Override
    public void refused(Line line, Greeting.Refused why) {
      refusal = "%s, %s".formatted(why.why(), why.text());
      line.end(Session.End.FORGOTTEN, why.text());
    }
  }

  // ---- moving and closing

  void release(Endpoint endpoint) {
    long now = System.nanoTime();
    pumpTouched(now);
    for (Line line : endpoint.lines()) {
      attempts.remove(line);
      line.detach(now);
    }
    endpoints.remove(endpoint.name());
  }

  /// Takes an endpoint over, which its own thread gives. Any thread.
  void adopt(Endpoint endpoint) {
    newcomers.add(endpoint);
    queue.wake();
  }

  void forget(Endpoint endpoint) {
    endpoints.remove(endpoint.name());
  }

  /// Closes the endpoints that are left, and the bundle.
  @Override
  public void close() {
    requireIdle();
    for (Endpoint endpoint : List.copyOf(endpoints.values())) {
      endpoint.close();
    }
    tell();
    isClosed = true;
    doors.forEach(Door::close);
    for (ConnectionRequest knock = knocks.poll(); knock != null; knock = knocks.poll()) {
      knock.close();
    }
    for (Wire stranger : strangers) {
      stranger.close(false);
    }
    queue.close();
    owned.forEach(Fabric::close);
  }

  // ---- rules

  boolean isHandling() {
    return isHandling;
  }

  @SuppressWarnings("ReferenceEquality") // a thread is itself
  void requireOwner() {
    if (Thread.currentThread() != owner) {
      throw new WrongThreadException(
          "the bundle belongs to %s: only wake() may be called by others".formatted(owner));
    }
  }

  /// Neither another thread nor a handler may call this.
  void requireIdle() {
    requireOwner();
    requireOpen();
    if (isHandling) {
      throw new IllegalStateException(
          "a handler can only reply: hand the rest on to the program that polls");
    }
  }

  private void requireOpen() {
    if (isClosed) {
      throw new IllegalStateException("the bundle is closed");
    }
  }

  /// Throws if the counts of a session do not add up: for tests.
  void checkInvariants() {
    for (Endpoint endpoint : endpoints.values()) {
      endpoint.lines().forEach(Line::checkInvariants);
    }
  }

  /// Returns the state of all sessions, for the message of a test that fails.
  String describe() {
    StringBuilder text = new StringBuilder(toString());
    for (Endpoint endpoint : endpoints.values()) {
      for (Line line : endpoint.lines()) {
        text.append("\n  ").append(endpoint.name()).append(": ").append(line);
      }
    }
    text.append("\n  attempts ").append(attempts.keySet());
    return text.append(", strangers ").append(strangers).toString();
  }

  @CheckReturnValue
  static long nanos(Duration duration) {
    try {
      return Math.max(0, Objects.requireNonNull(duration).toNanos());
    } catch (ArithmeticException longerThanTheAges) {
      return duration.isNegative() ? 0 : Long.MAX_VALUE;
    }
  }

  @Override
  public String toString() {
    return "Bundle[%s, %s%s]"
        .formatted(fabrics.keySet(), endpoints.keySet(), isClosed ? ", closed" : "");
  }
}
