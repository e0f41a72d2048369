// Over 400 lines: polling, waiting, mapping and accepting share the queue and its thread.
package dev.tigris.message;

import dev.tigris.memory.MemoryBudgetException;
import dev.tigris.message.Endpoint.Peer;
import dev.tigris.message.Probes.Probe;
import dev.tigris.message.channel.BulkConnection;
import dev.tigris.message.channel.Channel;
import dev.tigris.message.channel.Environment;
import dev.tigris.message.channel.Greeting;
import dev.tigris.message.channel.PacketConnection;
import dev.tigris.message.channel.PacketDispatcher;
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
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;
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

  /// The tag of the second connections of sessions, for bulk transfers.
  private static final long BULK_TAG = 0x5449_4752_4953_424bL; // "TIGRISBK"

  private static final Set<Long> TAGS = Set.of(CONNECTION_TAG, BULK_TAG, Probes.TAG);

  private static final int POLLS_BETWEEN_CLOCKS = 64;

  /// After so many polls that found something, the clock is looked at, if no wait came between.
  private static final int BUSY_POLLS_BETWEEN_CLOCKS = 4;
  private static final int MOST_COMPLETIONS = 256;
  private static final int MOST_SESSIONS = 1 << 16;

  private static final long MILLI_NANOS = 1_000_000;
  private static final long ACKNOWLEDGE_NANOS = MILLI_NANOS;
  private static final long TICK_NANOS = MILLI_NANOS;
  private static final long BUSY_TICK_NANOS = 10 * MILLI_NANOS;

  /// How often interfaces for bulk transfers are looked at while a transfer is under way.
  private static final long BULK_TICK_NANOS = 50 * MILLI_NANOS;

  /// How many connections may be without a greeting: each holds memory for its receives.
  private static final int MOST_UNGREETED = 256;
  private static final long LEAST_RESEND_NANOS = 10 * MILLI_NANOS;
  private static final long MOST_RESEND_NANOS = 1_000 * MILLI_NANOS;
  private static final long GREETING_NANOS = 5_000 * MILLI_NANOS;
  private static final long FIRST_ATTEMPT_NANOS = 20 * MILLI_NANOS;
  private static final long LONGEST_ATTEMPT_NANOS = 1_000 * MILLI_NANOS;

  /// The longest time between two attempts.
  private static final long LONGEST_PAUSE_NANOS = 2_000 * MILLI_NANOS;

  /// The time in which the thread of the bundle connects, to a peer that has just answered, and
  /// serves no other peer: so long, or a few times what the answer took.
  private static final long CONNECT_NANOS = 50 * MILLI_NANOS;

  private static final int ANSWER_TIMES = 4;

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
  private final Environment environment;
  private final RandomGenerator random;
  private final PacketDispatcher dispatcher;
  private final List<Acceptor> acceptors = new ArrayList<>();
  private final ConcurrentLinkedQueue<Acceptor.Request> connectionRequests =
      new ConcurrentLinkedQueue<>();

  /// The endpoints that other bundles have given. A bundle that is closed takes no more of them.
  private final Adoptions adopted = new Adoptions();

  private final Map<String, Endpoint> endpoints = new HashMap<>();

  /// The same as an array; null after a change.
  private Endpoint @Nullable [] endpointArray;

  /// The names of the endpoints, and of those that are on their way here. Any thread.
  private final Set<String> names = ConcurrentHashMap.newKeySet();

  /// Where it listens, the first address of each provider. Any thread reads it.
  private final Map<String, String> addresses = new ConcurrentHashMap<>();

  /// The endpoints that have moved from here to other bundles.
  private final Map<String, Moved> moved = new HashMap<>();

  private final List<PacketConnection> ungreeted = new ArrayList<>();
  private final List<BulkConnection> ungreetedBulk = new ArrayList<>();
  private final ChannelList touched = new ChannelList();

  /// The channels whose peers were heard of since the last wait.
  private final ChannelList taken = new ChannelList();

  /// The channels of closed sessions whose farewell may be lost. Bounded by time: each is here for
  /// twice the longest resend time at the most.
  private final List<Channel> leaving = new ArrayList<>();

  private final ArrayDeque<Runnable> notices = new ArrayDeque<>();
  private final Map<Channel, Attempt> attempts = new LinkedHashMap<>();
  private final Probes probes;
  private Set<Event> mask = EnumSet.of(Event.MESSAGE, Event.NOTICE);
  private boolean waitsForMessages = true;
  private @Nullable String refusal;
  private boolean isTelling;
  private boolean isHandling;
  private volatile boolean isClosed;
  private long handled;
  private long acknowledged;
  private long noticed;
  private int idlePolls;
  private int busyPolls;

  /// When the clock was last looked at, which a look before each wait makes recent. What has
  /// arrived is worked off at this time, so that it need not wait for a look.
  private long lookedAt;

  /// When all sessions were last asked what time asks for.
  private long tickedAt;

  /// How often this thread has connected, and waited for the peer.
  private int connects;
  private volatile boolean isWoken;

  /// When a lost connection is tried to be made again: at once if the lost one has served, and else
  /// after a time that doubles.
  private static final class Attempt {
    long atNanos;
    long waitNanos;

    /// Asks whether the peer answers; null before that.
    @Nullable Probe probe;

    Attempt(Channel channel, long now) {
      int failures = Math.max(channel.fruitlessConnections(), channel.fruitlessBulk());
      waitNanos = Math.min(LONGEST_PAUSE_NANOS, FIRST_ATTEMPT_NANOS << Math.min(failures, 16));
      atNanos = failures < 2 ? now : now + waitNanos;
    }
  }

  /// Where an endpoint has gone, and its tag, without which its address is not told.
  private record Moved(Bundle to, long tag) {}

  private Bundle(Options options, List<Fabric> carriers, boolean owns, Environment environment) {
    if (carriers.isEmpty()) {
      throw new IllegalArgumentException("name a provider, such as \"tcp\": none was given");
    }
    this.options = options;
    this.environment = environment;
    this.random = environment.random();
    this.lookedAt = environment.nanoTime();
    this.tickedAt = lookedAt - TICK_NANOS;
    this.dispatcher = new PacketDispatcher(new GreetingAdmission(), options.lossy());
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
    int packetBytes = Channel.packetBytes(options.payloadBytes());
    this.attributes =
        PacketConnection.attributes(packetBytes, settings.mostPackets(), options.receives())
            .withDelivery(options.lossy() ? Delivery.UNRELIABLE : Delivery.RELIABLE);
    CompletionQueue made = carriers.getFirst().completionQueue();
    for (Fabric fabric : carriers) {
      if (fabrics.putIfAbsent(fabric.provider(), fabric) != null) {
        made.close();
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
    this.probes = new Probes(environment, made::wake);
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
      return new Bundle(options, opened, true, Environment.MACHINE);
    } catch (RuntimeException e) {
      opened.forEach(Fabric::close);
      throw e;
    }
  }

  /// Opens a bundle for the calling thread, over fabrics that the caller has opened, such as with
  /// [Fabric#openTls], and closes after the bundle.
  public static Bundle open(Options options, List<Fabric> fabrics) {
    return open(options, fabrics, Environment.MACHINE);
  }

  static Bundle open(Options options, List<Fabric> fabrics, Environment environment) {
    return new Bundle(options, fabrics, false, environment);
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
    reserve(name);
    endpoints.put(name, made);
    endpointArray = null;
    return made;
  }

  /// Listens for peers, over one of the bundle's providers.
  ///
  /// @param provider its name, such as "tcp", also where [Fabric#openTls] has opened it
  /// @return the address that peers map
  /// @throws dev.tigris.net.NetException if that is not possible
  /// @throws IllegalArgumentException if the bundle has no such provider
  public String listen(String provider, String address) {
    requireOwner();
    requireOpen();
    Fabric fabric = fabric(provider);
    Acceptor acceptor =
        new Acceptor(
            fabric.provider(),
            fabric.listen(address),
            TAGS,
            connectionRequests,
            this::wake,
            environment);
    acceptors.add(acceptor);
    addresses.putIfAbsent(fabric.provider(), acceptor.address());
    return acceptor.address();
  }

  /// Returns the one of this name, or else the one that [Fabric#openTls] has made of it.
  private Fabric fabric(String provider) {
    Fabric fabric = fabrics.get(provider);
    if (fabric == null) {
      fabric = fabrics.get(provider + " with TLS");
    }
    if (fabric == null) {
      throw new IllegalArgumentException(
          "the bundle has no provider '%s', but %s".formatted(provider, fabrics.keySet()));
    }
    return fabric;
  }

  /// Returns the names of the providers, in the order in which they were given.
  Set<String> providers() {
    return fabrics.keySet();
  }

  /// Returns where it listens.
  List<NameService.Location> locations() {
    List<NameService.Location> locations = new ArrayList<>();
    for (String provider : providers()) {
      String address = addresses.get(provider);
      if (address != null) {
        locations.add(new NameService.Location(provider, address));
      }
    }
    return locations;
  }

  // ---- polling and waiting

  /// Works off what has arrived, sends what waits, and tells what is to be told. Does not wait.
  ///
  /// @return how many handlers have run
  /// @throws IllegalStateException in a handler, or if the bundle is closed
  public int poll() {
    requireIdle();
    long before = handled;
    work(queue.poll(), false);
    tell();
    return (int) (handled - before);
  }

  /// Says which events a wait is for: at first, messages and notices.
  public void mask(Set<Event> events) {
    requireOwner();
    mask = events.isEmpty() ? EnumSet.noneOf(Event.class) : EnumSet.copyOf(events);
    waitsForMessages = mask.contains(Event.MESSAGE);
  }

  /// Waits until one of the events of the [#mask] has happened, and services the bundle meanwhile.
  ///
  /// @return whether one has; false if the time was over, after [#wake], or if the thread is
  ///     interrupted, which it then still is
  public boolean await(Duration timeout) {
    requireIdle();
    long messages = handled;
    long acknowledgements = acknowledged;
    long notes = noticed;
    work(queue.poll(), waitsForMessages);
    tell();
    boolean happened = hasHappened(messages, acknowledgements, notes);
    if (!happened) { // only a wait takes a look at the clock
      long start = nanoTime();
      long limit = nanos(timeout);
      long left = limit;
      while (!happened && left >= 0 && !isWoken && !Thread.currentThread().isInterrupted()) {
        step(left, waitsForMessages);
        happened = hasHappened(messages, acknowledgements, notes);
        if (!happened) {
          left = limit - (nanoTime() - start);
          left = left == 0 ? -1 : left;
        }
      }
    }
    if (isWoken) {
      isWoken = false;
    }
    return happened;
  }

  private boolean hasHappened(long messages, long acknowledgements, long notes) {
    return (handled != messages && waitsForMessages)
        || (acknowledged != acknowledgements && mask.contains(Event.ACKNOWLEDGED))
        || (noticed != notes && mask.contains(Event.NOTICE));
  }

  /// Ends a wait of [#await], or the next one. Any thread.
  public void wake() {
    isWoken = true;
    queue.wake();
  }

  /// Wakes the thread while it waits for something else than messages. Any thread.
  void nudge() {
    queue.wake();
  }

  /// Sends what waits to travel together. [#poll] and [#await] do so, too.
  public void flush() {
    requireOwner();
    pumpTouched(nanoTime());
  }

  /// Waits until something has happened, or a timer asks for it: for a request without credit.
  void awaitProgress() {
    awaitProgress(100 * MILLI_NANOS);
  }

  void awaitProgress(long nanos) {
    step(nanos);
  }

  private void step(long limit) {
    step(limit, false);
  }

  /// Waits for a completion, and works off what there is. A wait that follows another one soon ends
  /// after a millisecond, so that it need not ask all sessions when they want something next.
  private void step(long limit, boolean isBrief) {
    Descriptor ready = queue.poll();
    if (ready == null) {
      long now = look();
      pumpTouched(now);
      boolean isSoon = now - tickedAt < TICK_NANOS;
      long deadline = isSoon ? now + TICK_NANOS : tick(now);
      if (connectionRequests.isEmpty() && adopted.isEmpty() && (notices.isEmpty() || isTelling)) {
        acknowledgeTaken(now);
        ready = environment.await(queue, Math.clamp(deadline - now, 0, Math.max(0, limit)));
      }
    }
    work(ready, isBrief);
    tell();
  }

  private long look() {
    lookedAt = nanoTime();
    return lookedAt;
  }

  /// Works off completions, the first of which was taken already.
  ///
  /// @param isBrief whether to stop after a packet whose handlers have run
  private void work(@Nullable Descriptor first, boolean isBrief) {
    long now = lookedAt;
    if (first != null) {
      if (++busyPolls % BUSY_POLLS_BETWEEN_CLOCKS == 0) {
        now = look();
      }
      long before = handled;
      int count = 1;
      complete(first, now);
      while (count < MOST_COMPLETIONS && !(isBrief && handled != before)) {
        Descriptor next = queue.poll();
        if (next == null) {
          break;
        }
        complete(next, now);
        count++;
      }
    }
    if (!connectionRequests.isEmpty() || !adopted.isEmpty()) {
      acceptArrivals();
    }
    if (first != null) {
      pumpTouched(now);
      if (now - tickedAt >= BUSY_TICK_NANOS) {
        long _ = tick(look()); // the timers of quiet peers, while others keep this side busy
      }
    } else if (!touched.isEmpty()) {
      pumpTouched(look());
    } else if (++idlePolls % POLLS_BETWEEN_CLOCKS == 0) {
      long _ = tick(look());
    }
  }

  private void complete(Descriptor descriptor, long now) {
    if (!(descriptor.attachment() instanceof PacketConnection.Slot slot)) {
      if (descriptor.attachment() instanceof BulkConnection.Slot bulk) {
        completeBulk(bulk, descriptor, now);
      }
      return;
    }
    PacketConnection connection = slot.connection();
    if (connection.isClosed()) {
      return; // its memory was given back
    }
    Channel channel = connection.channel();
    if (connection.completed(slot, descriptor)) {
      long when = channel == null || !channel.isOpen() ? look() : now; // the patience may begin
      try {
        isHandling = true;
        channel = dispatcher.take(connection, descriptor, when);
        isHandling = false;
        if (channel != null) {
          answer(channel, when); // before its memory is posted again: the peer waits for that
        }
      } finally {
        isHandling = false;
        connection.repost(slot);
      }
    } else if (channel != null && channel.isHeldUp()) {
      touched(channel);
    }
    if (descriptor.status() == Status.FLUSHED || connection.hasNothingToCome()) {
      lost(connection, look());
    }
  }

  /// Something has arrived on a channel: counts the handlers that have run, and posts the answers.
  private void answer(Channel channel, long now) {
    handled += channel.takeHandled();
    acknowledged += channel.takeAcknowledged();
    if (channel.post(now)) {
      touched(channel); // its doorbell is rung, if the next poll does not do that
    }
    if (!channel.isTaken() && channel.isHeard()) {
      channel.isTaken(true);
      taken.add(channel);
    }
    if (channel.wantsBulk()) {
      touched(channel);
    }
  }

  private void completeBulk(BulkConnection.Slot slot, Descriptor descriptor, long now) {
    BulkConnection connection = slot.connection();
    if (connection.isClosed()) {
      slot.forget();
      return;
    }
    boolean hasArrived = connection.completed(slot, descriptor);
    Channel channel = connection.channel();
    isHandling = true;
    try {
      if (hasArrived && channel == null) {
        channel = greetedBulk(connection, descriptor);
      } else if (hasArrived && channel != null) {
        connection.release(slot); // its memory is the handler's, and then the program's
        channel.landed(descriptor);
      } else if (channel != null && descriptor.status() == Status.DONE) {
        channel.left();
      }
    } finally {
      isHandling = false;
      connection.release(slot);
    }
    if (descriptor.status() == Status.FLUSHED || connection.hasNothingToCome()) {
      lostBulk(connection);
    }
    if (channel != null) {
      answer(channel, now);
    }
  }

  /// The peer says which session a connection for bulk transfers is for.
  private @Nullable Channel greetedBulk(BulkConnection connection, Descriptor descriptor) {
    ungreetedBulk.remove(connection);
    if (connection.readGreeting(descriptor)) {
      for (Endpoint endpoint : allEndpoints()) {
        Channel channel = endpoint.channel(connection.session());
        if (channel != null && channel.greetedBulk(connection)) {
          return channel;
        }
      }
    }
    connection.close();
    return null;
  }

  /// A connection for bulk transfers has ended. The next one goes on where it was.
  private void lostBulk(BulkConnection connection) {
    Channel channel = connection.channel();
    ungreetedBulk.remove(connection);
    if (channel == null) {
      connection.close();
    } else {
      channel.detachBulk();
      touched(channel);
    }
  }

  /// A connection has ended.
  private void lost(PacketConnection connection, long now) {
    if (connection.isClosed()) {
      return;
    }
    Channel channel = connection.channel();
    ungreeted.remove(connection);
    if (channel == null || channel.connection() != connection) {
      connection.close(false);
      return;
    }
    channel.detach(now);
    if (channel.connects() && channel.session().state() != Session.State.ENDED) {
      attempts.put(channel, new Attempt(channel, now));
    }
  }

  void touched(Channel channel) {
    if (!channel.isTouched()) {
      channel.isTouched(true);
      touched.add(channel);
    }
  }

  private void pumpTouched(long now) {
    for (int i = 0; i < touched.size(); i++) { // pumping may touch others
      Channel channel = touched.get(i);
      channel.isTouched(false);
      channel.pump(now);
      serveBulk(channel);
    }
    touched.clear();
  }

  /// Makes a connection for bulk transfers if the channel needs one.
  private void serveBulk(Channel channel) {
    BulkConnection open = channel.bulkConnection();
    if (open != null && open.hasNothingToCome()) {
      channel.detachBulk();
    }
    if (channel.wantsBulk() && !attempts.containsKey(channel)) {
      attempts.put(channel, new Attempt(channel, nanoTime()));
    }
  }

  /// Returns the endpoints there are now: an array that does not change.
  private Endpoint[] allEndpoints() {
    Endpoint[] all = endpointArray;
    if (all == null) {
      all = endpoints.values().toArray(Endpoint[]::new);
      endpointArray = all;
    }
    return all;
  }

  private void acknowledgeTaken(long now) {
    for (int i = 0; i < taken.size(); i++) {
      Channel channel = taken.get(i);
      channel.isTaken(false);
      channel.acknowledge(now);
    }
    taken.clear();
  }

  /// Does what time asks for; returns when it does so next.
  private long tick(long now) {
    tickedAt = now;
    taken.forgetEnded();
    touched.forgetEnded();
    long deadline = now + LONGEST_ATTEMPT_NANOS;
    for (Endpoint endpoint : allEndpoints()) {
      for (Channel channel : endpoint.channels()) {
        PacketConnection open = channel.connection();
        if (open != null && open.hasNothingToCome()) {
          lost(open, now); // it had ended before memory was posted, so that nothing has told
        }
        channel.tick(now);
        serveBulk(channel);
        if (channel.hasTransfers()) {
          deadline = Math.min(deadline, now + BULK_TICK_NANOS);
        }
        if (channel.connection() != null || !channel.connects()) {
          deadline = Math.min(deadline, channel.session().deadline(now));
        }
      }
    }
    if (!leaving.isEmpty()) {
      leaving.removeIf(channel -> channel.hasLeft(now));
      for (Channel channel : leaving) {
        deadline = Math.min(deadline, channel.farewellAt());
      }
    }
    if (!attempts.isEmpty() || !ungreeted.isEmpty() || !ungreetedBulk.isEmpty()) {
      deadline = tickConnections(now, deadline);
    }
    return deadline;
  }

  private long tickConnections(long now, long earliest) {
    long deadline = earliest;
    for (Channel channel : List.copyOf(attempts.keySet())) {
      Attempt attempt = attempts.get(channel);
      boolean isWanted = channel.session().state() == Session.State.DETACHED || channel.wantsBulk();
      if (!isWanted || attempt == null) {
        attempts.remove(channel);
      } else if (attempt.atNanos - now > 0) {
        deadline = Math.min(deadline, attempt.atNanos);
      } else if (attempt.probe == null || attempt.probe.answer() != null) {
        connectAgain(channel, attempt);
      }
    }
    for (PacketConnection connection : List.copyOf(ungreeted)) {
      if (connection.channel() != null) {
        ungreeted.remove(connection);
      } else if (now - connection.madeAt() > GREETING_NANOS || connection.hasNothingToCome()) {
        ungreeted.remove(connection);
        connection.close(false);
      }
    }
    for (BulkConnection connection : List.copyOf(ungreetedBulk)) {
      if (now - connection.madeAt() > GREETING_NANOS || connection.hasNothingToCome()) {
        ungreetedBulk.remove(connection);
        connection.close();
      }
    }
    return deadline;
  }

  /// Repeats the farewell of a session that was closed.
  void leaving(Channel channel) {
    leaving.add(channel);
  }

  /// Has something told by the next call that polls.
  void later(Runnable notice) {
    notices.add(notice);
  }

  /// Tells what is to be told. A notice that sends a request may wait in it for a credit: what
  /// comes back meanwhile is told after it, and not inside of it.
  private void tell() {
    if (isTelling || notices.isEmpty()) {
      return;
    }
    isTelling = true;
    try {
      for (Runnable notice = notices.poll(); notice != null; notice = notices.poll()) {
        noticed++;
        try {
          notice.run();
        } catch (Throwable e) { // whatever it is, the bundle and other notices go on
          System.getLogger(Bundle.class.getName())
              .log(System.Logger.Level.WARNING, "an error handler, or a callback, has failed", e);
        }
      }
    } finally {
      isTelling = false;
    }
  }

  // ---- connections

  /// Services the endpoints that other bundles have given.
  private void takeAdopted() {
    for (Endpoint endpoint : adopted.take()) {
      endpoints.put(endpoint.name(), endpoint);
      endpointArray = null;
      moved.remove(endpoint.name());
      endpoint.movedTo(this);
      long now = nanoTime();
      for (Channel channel : endpoint.channels()) {
        if (channel.connects()) {
          attempts.put(channel, new Attempt(channel, now));
        }
      }
    }
  }

  private void acceptArrivals() {
    takeAdopted();
    while (true) {
      Acceptor.Request next = connectionRequests.poll();
      if (next == null) {
        return;
      }
      try (ConnectionRequest request = next.request()) {
        if (request.tag() == Probes.TAG
            || ungreeted.size() + ungreetedBulk.size() >= MOST_UNGREETED) {
          request.reject(); // it asks whether this thread polls, or too many have not greeted yet
          continue;
        }
        boolean isBulk = request.tag() == BULK_TAG;
        VirtualInterface link =
            request.accept(queue, isBulk ? BulkConnection.attributes() : attributes);
        try {
          if (isBulk) {
            ungreetedBulk.add(new BulkConnection(link, next.provider(), nanoTime(), true));
            continue;
          }
          ungreeted.add(new PacketConnection(link, next.provider(), "messages", nanoTime()));
        } catch (MemoryBudgetException e) {
          link.abort();
          throw e;
        }
      } catch (NetException | MemoryBudgetException e) {
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
    requireElsewhere(fabric.provider(), address);
    long start = nanoTime();
    long limit = nanos(timeout);
    PacketConnection connection = connect(fabric, address, start, limit);
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
    Channel channel = channel(session, true, endpoint, connection, options.lossy());
    Draft draft = new Draft(endpoint, channel);
    endpoint.enter(new Peer(entry, channel, greeting, fabric.provider(), address, draft));
    refusal = null;
    long now = nanoTime();
    channel.attach(connection, greeting, now);
    channel.pump(now);
    while (channel.session().isFresh()
        && channel.session().state() != Session.State.ENDED
        && now - start < limit) {
      step(Math.min(limit - (now - start), 10 * MILLI_NANOS));
      now = nanoTime();
    }
    if (channel.session().isFresh()) {
      String why = refusal;
      channel.end(Session.End.CLOSED, "it could not be mapped");
      throw new MessageException(
          "map '%s' at %s %s: %s"
              .formatted(
                  peer,
                  provider,
                  address,
                  why != null
                      ? why
                      : "no answer within %d ms".formatted(TimeUnit.MILLISECONDS.convert(timeout))),
          null);
    }
  }

  /// Refuses what would wait for this thread to answer itself.
  private void requireElsewhere(String provider, String address) {
    String own = addresses.get(provider);
    if (own != null && HostAndPort.fromHere(address).equals(HostAndPort.fromHere(own))) {
      throw new IllegalArgumentException(
          "%s %s is this bundle's own address: open the peer in another bundle"
              .formatted(provider, address));
    }
  }

  private Channel channel(
      long session, boolean connects, Endpoint at, PacketConnection over, boolean lossy) {
    int packetBytes = over.packetBytes();
    return new Channel(
        session,
        connects,
        at.receiver(),
        settings.agreed(options.credits(), !lossy),
        packetBytes,
        Math.min(options.replyBytes(), Channel.payloadBytes(packetBytes)),
        lossy,
        over.provider().equals("shm"), // where it is the only one that reads packets in place
        "messages",
        environment);
  }

  /// Connects. The peer may be about to connect here, so each attempt is short, and requests to
  /// connect are accepted in between. If the peer is not about to answer, this waits until it is,
  /// and serves other peers meanwhile.
  private PacketConnection connect(Fabric fabric, String address, long start, long limit) {
    long attempt = FIRST_ATTEMPT_NANOS + random.nextInt((int) FIRST_ATTEMPT_NANOS);
    while (true) {
      long left = limit - (nanoTime() - start);
      Duration slice = Duration.ofNanos(Math.max(MILLI_NANOS, Math.min(left, attempt)));
      connects++;
      switch (fabric.connect(address, CONNECTION_TAG, queue, attributes, slice)) {
        case Connection.Established(VirtualInterface link) -> {
          return new PacketConnection(link, fabric.provider(), "messages", nanoTime());
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
      attempt *= 2;
      if (attempt > CONNECT_NANOS) {
        long answered = awaitAnswer(fabric, address, limit - (nanoTime() - start));
        attempt = answered + random.nextInt((int) FIRST_ATTEMPT_NANOS);
      }
    }
  }

  /// Waits until a bundle answers at an address, and serves peers meanwhile.
  ///
  /// @return the time for connecting to it
  private long awaitAnswer(Fabric fabric, String address, long limit) {
    long start = nanoTime();
    Probe probe = probes.start(fabric, address, Duration.ofNanos(Math.max(MILLI_NANOS, limit)));
    while (probe.answer() == null && nanoTime() - start < limit) {
      step(limit - (nanoTime() - start));
    }
    return connectNanos(probe);
  }

  /// Asks whether a bundle answers at an address, without waiting.
  Probe probe(String provider, String address, Duration limit) {
    return probes.start(fabric(provider), address, limit);
  }

  private static long connectNanos(Probe probe) {
    return Math.clamp(ANSWER_TIMES * probe.elapsedNanos(), CONNECT_NANOS, LONGEST_ATTEMPT_NANOS);
  }

  private void connectAgain(Channel channel, Attempt attempt) {
    Peer peer = null;
    for (Endpoint endpoint : endpoints.values()) {
      peer = peer == null ? endpoint.peerOf(channel) : peer;
    }
    if (peer == null) {
      attempts.remove(channel);
      return;
    }
    Fabric fabric = fabric(peer.provider());
    Probe probe = attempt.probe;
    Connection.Refused answer = probe == null ? null : probe.answer();
    if (answer == null) {
      Duration limit = Duration.ofNanos(Math.max(CONNECT_NANOS, attempt.waitNanos));
      attempt.probe = probes.start(fabric, peer.address(), limit);
      return;
    }
    attempt.probe = null;
    Connection made = answer;
    boolean isBulk = channel.wantsBulk();
    long tag = isBulk ? BULK_TAG : CONNECTION_TAG;
    Attributes its = isBulk ? BulkConnection.attributes() : attributes;
    if (probe != null && Probe.isThere(answer)) {
      connects++;
      // Both sides may connect for a transfer at once: then neither accepts while it waits.
      long patience = connectNanos(probe);
      long brief = Math.max(jittered(attempt.waitNanos), 2 * probe.elapsedNanos());
      long slice = isBulk ? Math.min(patience, brief) : patience;
      try {
        made = fabric.connect(peer.address(), tag, queue, its, Duration.ofNanos(slice));
      } catch (NetException | IllegalArgumentException e) { // the address may be a peer's
        System.getLogger(Bundle.class.getName())
            .log(System.Logger.Level.DEBUG, "a peer was not reached", e);
      }
    }
    long now = nanoTime();
    if (!(made instanceof Connection.Established(VirtualInterface link))
        || !isAttached(channel, link, isBulk, peer, now)) {
      attempt.waitNanos = Math.min(LONGEST_PAUSE_NANOS, 2 * attempt.waitNanos);
      attempt.atNanos = now + jittered(attempt.waitNanos);
    }
  }

  /// Two sides that try at the same times would go on doing so.
  private long jittered(long nanos) {
    return nanos / 2 + random.nextLong(nanos / 2 + 1);
  }

  /// Takes a connection over that was made again; returns false if there is no memory for it now.
  private boolean isAttached(
      Channel channel, VirtualInterface link, boolean isBulk, Peer peer, long now) {
    try {
      if (isBulk) {
        var made = new BulkConnection(link, peer.provider(), now, false);
        attempts.remove(channel);
        attachBulk(channel, made, now);
      } else {
        var made = new PacketConnection(link, peer.provider(), "messages", now);
        attempts.remove(channel);
        channel.attach(made, peer.greeting(), now);
        channel.pump(now);
      }
      return true;
    } catch (MemoryBudgetException e) {
      link.abort();
      System.getLogger(Bundle.class.getName())
          .log(System.Logger.Level.DEBUG, "a peer was not connected to again", e);
      return false;
    }
  }

  private void attachBulk(Channel channel, BulkConnection made, long now) {
    isHandling = true; // handlers of empty transfers, say, may run
    try {
      channel.attachBulk(made);
    } finally {
      isHandling = false;
    }
    answer(channel, now);
    touched(channel);
  }

  /// Decides about greetings.
  private final class GreetingAdmission implements PacketDispatcher.Admission {
    @Override
    public @Nullable Channel greeted(
        PacketConnection connection, long session, Greeting greeting, long now) {
      takeAdopted(); // the peer may know sooner than this thread that an endpoint has come here
      Endpoint endpoint = endpoints.get(greeting.name());
      if (endpoint == null) {
        return refuseAbsent(connection, session, greeting);
      }
      if (endpoint.tag() != greeting.tag()) {
        return refuse(
            connection, session, Greeting.Refusal.WRONG_TAG, "the endpoint has another tag");
      }
      Channel channel = endpoint.channel(session);
      if (channel == null) {
        if (!greeting.fresh()) {
          return refuse(
              connection,
              session,
              Greeting.Refusal.UNKNOWN_SESSION,
              "the session is not known here, or not any more");
        }
        if (endpoint.channelCount() >= MOST_SESSIONS) {
          return refuse(connection, session, Greeting.Refusal.BUSY, "it has too many sessions");
        }
        boolean lossy = greeting.lossy() || options.lossy();
        try {
          channel = channel(session, false, endpoint, connection, lossy);
        } catch (MemoryBudgetException e) {
          return refuse(
              connection, session, Greeting.Refusal.BUSY, "it has no memory for a session");
        }
        channel.session().agree(Math.min(greeting.credits(), options.credits()), !lossy);
        endpoint.enter(channel);
      } else if (connection.greetingEpoch() - channel.session().epoch() <= 0) {
        return refuse(
            connection, session, Greeting.Refusal.UNKNOWN_SESSION, "an older connection greets");
      } else if (channel.connects() || channel.packetBytes() > connection.packetBytes()) {
        return refuse(
            connection, session, Greeting.Refusal.UNKNOWN_SESSION, "it is another session");
      } else {
        channel.detach(now);
      }
      ungreeted.remove(connection);
      channel.attach(connection, null, now);
      return channel;
    }

    private @Nullable Channel refuseAbsent(
        PacketConnection connection, long session, Greeting greeting) {
      Moved gone = moved.get(greeting.name());
      if (gone == null) {
        return refuse(
            connection, session, Greeting.Refusal.NO_ENDPOINT, "no endpoint has this name");
      }
      if (gone.tag() != greeting.tag()) {
        return refuse(
            connection, session, Greeting.Refusal.WRONG_TAG, "the endpoint has another tag");
      }
      String address = gone.to().addresses.get(connection.provider());
      return address == null
          ? refuse(
              connection,
              session,
              Greeting.Refusal.NO_ENDPOINT,
              "it has moved to a bundle that does not listen over " + connection.provider())
          : refuse(connection, session, Greeting.Refusal.MOVED, address);
    }

    private static @Nullable Channel refuse(
        PacketConnection connection, long session, Greeting.Refusal why, String text) {
      PacketDispatcher.refuse(connection, session, connection.greetingEpoch(), why, text);
      return null;
    }

    @Override
    public void refused(Channel channel, Greeting.Refused why) {
      if (why.why() == Greeting.Refusal.MOVED) {
        for (Endpoint endpoint : endpoints.values()) {
          endpoint.peerHasMoved(channel, why.text());
        }
        long now = nanoTime();
        channel.detach(now);
        attempts.put(channel, new Attempt(channel, now));
        return;
      }
      refusal = "%s, %s".formatted(why.why(), why.text());
      channel.end(Session.End.FORGOTTEN, why.text());
    }
  }

  // ---- moving and closing

  /// Reserves a name for an endpoint. Any thread.
  void reserve(String name) {
    if (!names.add(name)) {
      throw new IllegalArgumentException("the bundle has an endpoint '%s' already".formatted(name));
    }
  }

  /// Whether peers can be reached from here that a bundle with these options reaches. Any thread.
  void requireAlike(Options others, Set<String> providers) {
    requireOpen();
    if (!fabrics.keySet().containsAll(providers)) {
      throw new IllegalArgumentException(
          "the other bundle has the providers %s, and the endpoint's peers need %s"
              .formatted(fabrics.keySet(), providers));
    }
    if (options.lossy() != others.lossy() || options.payloadBytes() < others.payloadBytes()) {
      throw new IllegalArgumentException(
          "the other bundle has other options: %s, and %s are needed".formatted(options, others));
    }
  }

  /// Lets an endpoint go to another bundle.
  void release(Endpoint endpoint, Bundle to) {
    long now = nanoTime();
    pumpTouched(now);
    for (Channel channel : endpoint.channels()) {
      attempts.remove(channel);
      channel.detach(now);
      taken.remove(channel);
      channel.isTaken(false);
    }
    forget(endpoint);
    moved.put(endpoint.name(), new Moved(to, endpoint.tag()));
  }

  /// Takes an endpoint over, which its own thread lets go when this bundle is known to stay open
  /// until the endpoint is here. The thread of the other bundle.
  ///
  /// @throws IllegalArgumentException if this bundle has an endpoint of this name
  /// @throws IllegalStateException if this bundle is closed
  void adopt(Endpoint endpoint, Runnable letGo) {
    boolean isTaken =
        adopted.give(
            endpoint,
            () -> {
              reserve(endpoint.name());
              letGo.run();
            });
    if (!isTaken) {
      throw new IllegalStateException("the other bundle is closed: the endpoint stays where it is");
    }
    queue.wake();
  }

  void forget(Endpoint endpoint) {
    endpoints.remove(endpoint.name());
    endpointArray = null;
    names.remove(endpoint.name());
  }

  /// Closes the endpoints that are left, and the bundle.
  @Override
  public void close() {
    requireIdle();
    adopted.close();
    takeAdopted();
    for (Endpoint endpoint : List.copyOf(endpoints.values())) {
      endpoint.close();
    }
    tell();
    isClosed = true;
    leaving.forEach(Channel::leaveNow);
    leaving.clear();
    touched.forgetEnded();
    taken.forgetEnded();
    attempts.clear();
    probes.close();
    acceptors.forEach(Acceptor::close);
    for (Acceptor.Request left : connectionRequests) {
      left.request().close();
    }
    for (PacketConnection connection : ungreeted) {
      connection.close(false);
    }
    ungreetedBulk.forEach(BulkConnection::close);
    queue.close();
    owned.forEach(Fabric::close);
  }

  // ---- rules

  /// Returns the time of its environment. Any thread.
  long nanoTime() {
    return environment.nanoTime();
  }

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

  /// Returns how often its thread has connected, and waited for the peer: for tests.
  int connects() {
    return connects;
  }

  /// Throws if the counts of a session do not add up: for tests.
  void checkInvariants() {
    for (Endpoint endpoint : endpoints.values()) {
      for (Channel channel : endpoint.channels()) {
        channel.checkInvariants();
      }
    }
  }

  /// Returns the state of all sessions, for the message of a test that fails.
  String describe() {
    StringBuilder text = new StringBuilder(toString());
    for (Endpoint endpoint : endpoints.values()) {
      for (Channel channel : endpoint.channels()) {
        text.append("\n  ").append(endpoint.name()).append(": ").append(channel);
      }
    }
    text.append("\n  attempts ").append(attempts.keySet());
    return text.append(", ungreeted ").append(ungreeted).toString();
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
