// Over 400 lines: requests of each kind, with and without waiting, are the API of the module.
package dev.tigris.message;

import dev.tigris.memory.Bytes;
import dev.tigris.memory.Jbuf;
import dev.tigris.memory.MemoryBudgetException;
import dev.tigris.memory.View;
import dev.tigris.message.channel.BulkSend;
import dev.tigris.message.channel.BulkTarget;
import dev.tigris.message.channel.Channel;
import dev.tigris.message.channel.EndpointAccess;
import dev.tigris.message.channel.Greeting;
import dev.tigris.message.channel.IncomingMessage;
import dev.tigris.message.channel.MessageReceiver;
import dev.tigris.message.protocol.Session;
import dev.tigris.net.Tls;
import dev.tigris.os.CheckReturnValue;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Function;
import java.util.function.LongFunction;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/// One end of active messages: a name and a tag, a table of handlers, a table of peers, a segment
/// for bulk transfers, and buffers for others.
///
/// Messages to a peer that fit a packet arrive in the order in which they were sent, and so do bulk
/// transfers. A short message may overtake a bulk transfer.
///
/// *When a message leaves.* One leaves at once if nothing is under way to its peer. Others travel
/// together: they leave when a packet is full, and at the latest when the bundle is polled, or by
/// [Bundle#flush].
///
/// Thread rule: the thread of the bundle.
public final class Endpoint implements AutoCloseable {
  /// The most handlers, and the most peers.
  public static final int TABLE_SIZE = 1 << 16;

  /// The most words of a message.
  public static final int MOST_WORDS = 16;

  /// The access of calls to endpoints.
  static final EndpointAccess ACCESS = new CallAccess();

  private static final System.Logger LOG = System.getLogger(Endpoint.class.getName());
  private static final long[] NO_WORDS = {};
  private static final long FIRST_LOOKUP_NANOS = 1_000_000_000;
  private static final long LONGEST_LOOKUP_NANOS = 16 * FIRST_LOOKUP_NANOS;
  private static final long LOOKUP_PAUSE_NANOS = 5_000_000;

  private Bundle bundle;
  private final String name;
  private final long tag;
  private @Nullable Handler[] handlers = new @Nullable Handler[16];
  private @Nullable Peer[] peers = new @Nullable Peer[4];
  private final Map<Long, Channel> channels = new HashMap<>();

  /// The same as an array; null after a change.
  private Channel @Nullable [] channelArray;

  private ErrorHandler errors = Endpoint::logged;
  private @Nullable Bytes segment;
  private @Nullable ReceivePool pool;
  private @Nullable LongFunction<BulkTarget> targets;
  private @Nullable Handler refusals;
  private final Token token = new Token(this);
  private final Message message = new Message();
  private final MessageReceiver receiver = new EndpointReceiver();
  private @Nullable NameService registeredWith;
  private boolean isClosed;
  private long handlerFailures;

  /// An entry of the table of peers.
  ///
  /// @param index its place
  /// @param channel to it
  /// @param greeting that it is greeted with
  /// @param provider over which it is reached
  /// @param address there
  /// @param draft the one that is prepared for it, again and again
  record Peer(
      int index,
      Channel channel,
      Greeting greeting,
      String provider,
      String address,
      Draft draft) {}

  Endpoint(Bundle bundle, String name, long tag) {
    int bytes = name.getBytes(StandardCharsets.UTF_8).length;
    if (bytes == 0 || bytes > Greeting.NAME_BYTES) {
      throw new IllegalArgumentException(
          "the name of an endpoint has 1 to %d bytes, not %d"
              .formatted(Greeting.NAME_BYTES, bytes));
    }
    this.bundle = bundle;
    this.name = name;
    this.tag = tag;
  }

  private static void logged(ErrorHandler.Returned returned) {
    LOG.log(System.Logger.Level.WARNING, "a message came back: {0}", returned);
  }

  /// Returns the name.
  public String name() {
    return name;
  }

  /// Returns the tag, which a peer has to know to map this endpoint.
  public long tag() {
    return tag;
  }

  /// Returns the bundle that services it.
  public Bundle bundle() {
    return bundle;
  }

  /// Sets a handler; null removes it.
  ///
  /// @throws IllegalArgumentException if the number is not between 0 and 65,535
  public void handler(int number, @Nullable Handler handler) {
    bundle.requireOwner();
    if (handlerNumber(number) >= handlers.length) {
      handlers = Arrays.copyOf(handlers, Integer.highestOneBit(number) << 1);
    }
    handlers[number] = handler;
  }

  static int handlerNumber(int number) {
    if (number < 0 || number >= TABLE_SIZE) {
      throw new IllegalArgumentException(
          "handler %d: numbers are between 0 and %d".formatted(number, TABLE_SIZE - 1));
    }
    return number;
  }

  /// Sets what hears of messages that come back. The first one logs them.
  public void errorHandler(ErrorHandler handler) {
    bundle.requireOwner();
    errors = Objects.requireNonNull(handler);
  }

  /// Sets the segment that peers may send bulk transfers into, at places of their choice; null for
  /// none. Transfers into the one before that have begun go on: its memory may be freed when the
  /// sessions have ended that there were.
  public void segment(@Nullable Bytes bytes) {
    bundle.requireOwner();
    segment = bytes;
  }

  /// Supplies buffers for bulk transfers (Chang 1999, section 3.4.2). A transfer arrives in one of
  /// them, and its handler is given a view, which it may keep. After the handler the buffer is
  /// unreferenced, and used again when the collector has found that no view of it is left. A
  /// collection is asked for when few buffers are left. While none is free, or none is large
  /// enough, transfers arrive in new arrays.
  ///
  /// The buffers are the endpoint's from now on. Further calls supply more.
  public void supply(List<Jbuf> buffers) {
    bundle.requireOwner();
    ReceivePool its = pool;
    if (its == null) {
      its = new ReceivePool();
      pool = its;
    }
    its.add(buffers);
  }

  /// Returns how many buffers for bulk transfers are free now.
  public int freeBuffers() {
    ReceivePool its = pool;
    return its == null ? 0 : its.free();
  }

  void targets(LongFunction<BulkTarget> chooses) {
    targets = chooses;
  }

  void refusals(Handler hears) {
    refusals = hears;
  }

  // ---- the table of peers

  /// Maps a peer: connects to the endpoint of a name at an address, and enters it into the table.
  /// Other messages are serviced meanwhile, so that two endpoints can map each other.
  ///
  /// @param entry of the table, between 0 and 65,535
  /// @param provider over which it is reached, one of the bundle's
  /// @param address where its bundle listens
  /// @param peer its name
  /// @param peerTag its tag
  /// @throws MessageException if that is not possible, with the reason
  /// @throws IllegalArgumentException if the entry is in use, or the bundle has no such provider,
  ///     or listens at this address itself
  public void map(
      int entry, String provider, String address, String peer, long peerTag, Duration timeout) {
    bundle.requireIdle();
    requireOpen();
    if (entry < 0 || entry >= TABLE_SIZE || (entry < peers.length && peers[entry] != null)) {
      throw new IllegalArgumentException(
          entry < 0 || entry >= TABLE_SIZE
              ? "entry %d: entries are between 0 and %d".formatted(entry, TABLE_SIZE - 1)
              : "entry %d is in use: unmap it first".formatted(entry));
    }
    if (entry >= peers.length) {
      peers = Arrays.copyOf(peers, Math.max(4, Integer.highestOneBit(entry) << 1));
    }
    bundle.map(this, entry, provider, address, peer, peerTag, timeout);
  }

  /// Maps a peer of this machine by its name and its tag alone, over the first of this bundle's
  /// providers at which it has registered. If the name is not registered, this waits: its process
  /// may be about to start, or another process about to take the name server over.
  ///
  /// @throws MessageException if that is not possible, with the reason
  /// @throws IllegalArgumentException if the entry is in use
  public void map(int entry, NameService names, String peer, long peerTag, Duration timeout) {
    map(entry, slice -> names.find(peer, peerTag, slice), peer, peerTag, timeout);
  }

  /// Maps a peer of another machine by its name and its tag, as
  /// [#map(int, NameService, String, long, Duration)] does.
  ///
  /// @param machine where a process answers look-ups ([NameService#listen])
  /// @param tls with which that process is asked
  /// @throws MessageException also if the machine does not answer, or is not trusted
  public void map(int entry, String machine, Tls tls, String peer, long peerTag, Duration timeout) {
    map(
        entry,
        slice -> NameService.find(machine, tls, peer, peerTag, slice),
        peer,
        peerTag,
        timeout);
  }

  private void map(
      int entry,
      Function<Duration, List<NameService.Location>> lookUp,
      String peer,
      long peerTag,
      Duration timeout) {
    bundle.requireIdle();
    long start = bundle.nanoTime();
    long limit = Bundle.nanos(timeout);
    for (long longest = FIRST_LOOKUP_NANOS; ; ) {
      long asked = bundle.nanoTime();
      long left = limit - (asked - start);
      Duration slice = Duration.ofNanos(Math.clamp(left, 1, longest));
      List<NameService.Location> found = lookedUp(lookUp, slice, left > longest);
      for (String provider : bundle.providers()) {
        for (NameService.Location at : found) {
          if (at.provider().equals(provider)) {
            left = Math.max(1, limit - (bundle.nanoTime() - start));
            map(entry, provider, at.address(), peer, peerTag, Duration.ofNanos(left));
            return;
          }
        }
      }
      if (!found.isEmpty() || left <= 0) {
        throw new MessageException(
            found.isEmpty()
                ? "map '%s': no process has registered it within %s".formatted(peer, timeout)
                : "map '%s': it is at %s, and this bundle has the providers %s"
                    .formatted(peer, found, bundle.providers()),
            null);
      }
      if (bundle.nanoTime() - asked >= longest) { // the server may be busy
        longest = Math.min(2 * longest, LONGEST_LOOKUP_NANOS);
      }
      bundle.awaitProgress(Math.min(left, LOOKUP_PAUSE_NANOS));
    }
  }

  /// Looks a peer up in a thread of its own, and polls the bundle meanwhile.
  ///
  /// @param isTriedAgain whether no answer in time counts as none yet
  private List<NameService.Location> lookedUp(
      Function<Duration, List<NameService.Location>> lookUp, Duration slice, boolean isTriedAgain) {
    CompletableFuture<List<NameService.Location>> result = new CompletableFuture<>();
    Thread _ =
        Thread.ofVirtual()
            .name("tigris-message-lookup")
            .start(
                () -> {
                  try {
                    boolean _ = result.complete(lookUp.apply(slice));
                  } catch (RuntimeException e) {
                    boolean _ = result.completeExceptionally(e);
                  }
                });
    pollUntil(result, 2 * Bundle.nanos(slice));
    try {
      return result.getNow(List.of());
    } catch (CompletionException e) {
      Throwable cause = e.getCause();
      if (isTriedAgain && cause != null && cause.getCause() instanceof SocketTimeoutException) {
        return List.of();
      }
      throw cause instanceof MessageException why
          ? new MessageException(String.valueOf(why.getMessage()), why)
          : e;
    }
  }

  private void pollUntil(CompletableFuture<?> result, long nanos) {
    long start = bundle.nanoTime();
    Bundle its = bundle;
    CompletableFuture<?> _ = result.whenComplete((value, failure) -> its.nudge());
    for (long left = nanos; !result.isDone() && left > 0; ) {
      bundle.awaitProgress(left);
      left = nanos - (bundle.nanoTime() - start);
    }
  }

  /// Registers this endpoint with the names of this machine, at all addresses where its bundle
  /// listens. If another process has the name, this waits until that process has withdrawn it or
  /// has ended. The name is withdrawn when the endpoint is closed. If it moves, peers find it by
  /// the old address. Messages are serviced meanwhile.
  ///
  /// @throws MessageException if another process keeps the name, or the name server does not answer
  ///     in time
  /// @throws IllegalArgumentException if the bundle listens nowhere
  /// @throws IllegalStateException if it is registered already
  public void register(NameService names, Duration timeout) {
    bundle.requireIdle();
    requireOpen();
    if (registeredWith != null) {
      throw new IllegalStateException("the endpoint '%s' is registered already".formatted(name));
    }
    CompletableFuture<String> result = names.begin(name, tag, bundle.locations());
    pollUntil(result, Math.max(1, Bundle.nanos(timeout)));
    if (!result.isDone()) {
      throw names.late(name);
    }
    names.requireRegistered(name, result.join());
    registeredWith = names;
  }

  /// Removes a peer from the table. What was not acknowledged comes back: [#drain] waits for that
  /// before.
  ///
  /// @throws IllegalArgumentException if there is none
  public void unmap(int entry) {
    bundle.requireIdle();
    Peer peer = peer(entry);
    close(peer.channel(), bundle.nanoTime());
    peers[entry] = null; // if it had ended before, nothing has removed it
  }

  /// Whether a peer is mapped: not before [#map] has its answer, and not any more when the peer is
  /// lost.
  public boolean isMapped(int entry) {
    Peer peer = entry >= 0 && entry < peers.length ? peers[entry] : null;
    return peer != null && !peer.channel().session().isFresh();
  }

  Channel channel(int entry) {
    return peer(entry).channel();
  }

  private Peer peer(int entry) {
    Peer peer = entry >= 0 && entry < peers.length ? peers[entry] : null;
    if (peer == null) {
      throw new IllegalArgumentException(
          "entry %d of the table is empty: map a peer first, or it was lost".formatted(entry));
    }
    if (peer.channel().session().isFresh()) { // what both sides agree on is not known yet
      throw new IllegalArgumentException(
          "entry %d is being mapped: use it when map has returned".formatted(entry));
    }
    return peer;
  }

  void enter(Peer peer) {
    peers[peer.index()] = peer;
    channels.put(peer.channel().id(), peer.channel());
    channelArray = null;
  }

  void enter(Channel channel) {
    channels.put(channel.id(), channel);
    channelArray = null;
  }

  @Nullable Channel channel(long session) {
    return channels.get(session);
  }

  /// Returns the channels there are now: an array that does not change, as waiting looks at all of
  /// them and makes no objects.
  Channel[] channels() {
    Channel[] all = channelArray;
    if (all == null) {
      all = channels.values().toArray(Channel[]::new);
      channelArray = all;
    }
    return all;
  }

  int channelCount() {
    return channels.size();
  }

  @Nullable Peer peerOf(Channel channel) {
    for (Peer peer : peers) {
      if (peer != null && peer.channel() == channel) {
        return peer;
      }
    }
    return null;
  }

  MessageReceiver receiver() {
    return receiver;
  }

  // ---- requests

  /// Whether a request with this payload would be sent without waiting for the peer.
  ///
  /// @throws IllegalArgumentException if the entry is empty
  @CheckReturnValue
  public boolean hasCredit(int entry, int payloadBytes) {
    return peer(entry).channel().hasRoom(MOST_WORDS, payloadBytes);
  }

  /// Sends a request without words. If the peer has no credit left, this polls the bundle until
  /// there is one. A request that cannot be sent comes back to the error handler.
  ///
  /// @throws IllegalArgumentException if the entry is empty
  /// @throws IllegalStateException in a handler, which can only reply
  public void request(int entry, int handler) {
    Channel channel = ready(entry, 0, 0);
    if (channel == null) {
      failed(entry, handler, NO_WORDS, 0);
      return;
    }
    long at = channel.begin(handlerNumber(handler), 0, 0);
    finish(channel, at, handler, 0, 0);
  }

  /// Sends a request with a word, as [#request(int, int)] does.
  public void request(int entry, int handler, long first) {
    Channel channel = ready(entry, 1, 0);
    if (channel == null) {
      failed(entry, handler, new long[] {first}, 0);
      return;
    }
    long at = channel.begin(handlerNumber(handler), 1, 0);
    channel.requestBytes().setLong(at, first);
    finish(channel, at, handler, 1, 0);
  }

  /// Sends a request with two words, as [#request(int, int)] does.
  public void request(int entry, int handler, long first, long second) {
    Channel channel = ready(entry, 2, 0);
    if (channel == null) {
      failed(entry, handler, new long[] {first, second}, 0);
      return;
    }
    long at = channel.begin(handlerNumber(handler), 2, 0);
    Bytes bytes = channel.requestBytes();
    bytes.setLong(at, first);
    bytes.setLong(at + 8, second);
    finish(channel, at, handler, 2, 0);
  }

  /// Sends a request with up to 16 words and a payload, which is copied, as [#request(int, int)]
  /// does.
  ///
  /// @param payload null for none
  /// @throws IllegalArgumentException also if there are too many words, or if the payload is longer
  ///     than a packet takes: [#bulk] sends longer ones
  public void request(
      int entry, int handler, long[] words, @Nullable Bytes payload, long offset, int length) {
    requireWords(words.length);
    int number = handlerNumber(handler);
    requirePayload(length, peer(entry).channel().mostPayload(words.length), "Endpoint.bulk");
    Channel channel = ready(entry, words.length, length);
    if (channel == null) {
      failed(entry, handler, words, length);
      return;
    }
    long at = channel.begin(number, words.length, length);
    try {
      write(channel.requestBytes(), at, words, payload, offset, length);
    } catch (RuntimeException e) {
      channel.cancel();
      throw e;
    }
    finish(channel, at, handler, words.length, length);
  }

  static void write(
      Bytes to, long at, long[] words, @Nullable Bytes payload, long offset, int length) {
    for (int i = 0; i < words.length; i++) {
      to.setLong(at + (long) i * Long.BYTES, words[i]);
    }
    if (length > 0) {
      Objects.requireNonNull(payload, "the payload is null, and its length is not 0")
          .copyTo(offset, to, at + (long) words.length * Long.BYTES, length);
    }
  }

  static void requireWords(int words) {
    if (words > MOST_WORDS) {
      throw new IllegalArgumentException(
          "%d words: a message has %d at the most".formatted(words, MOST_WORDS));
    }
  }

  static void requirePayload(long length, int most, String instead) {
    if (length < 0 || length > most) {
      throw new IllegalArgumentException(
          "a payload of %d bytes: at most %d fit a packet; send it by %s"
              .formatted(length, most, instead));
    }
  }

  /// Prepares a request in the memory that it is sent from, as [#request(int, int)] does. The draft
  /// is the peer's only one, which the next call for this peer returns again.
  ///
  /// @param words how many
  /// @param payloadBytes the longest payload
  /// @throws IllegalArgumentException as for [#request(int, int, long[], Bytes, long, int)]
  /// @throws MessageException if the peer is lost meanwhile
  @CheckReturnValue
  public Draft prepare(int entry, int handler, int words, int payloadBytes) {
    requireWords(words);
    int number = handlerNumber(handler);
    Peer peer = peer(entry);
    requirePayload(payloadBytes, peer.channel().mostPayload(words), "Endpoint.bulk");
    Channel channel = ready(entry, words, payloadBytes);
    if (channel == null) {
      throw new MessageException("the peer of entry %d is lost".formatted(entry), null);
    }
    long at = channel.begin(number, words, payloadBytes);
    return peer.draft().open(handler, words, payloadBytes, at);
  }

  void committed(Channel channel, long at, int handler, long[] words, int count, int payload) {
    if (channel.session().state() == Session.State.ENDED) { // and its memory is gone
      failed(-1, handler, Arrays.copyOf(words, count), payload);
      return;
    }
    finish(channel, at, handler, count, payload);
  }

  /// Returns a channel with room for a request, after a wait if need be; null if the peer is lost.
  private @Nullable Channel ready(int entry, int words, int payload) {
    Channel channel = peer(entry).channel();
    if (!channel.hasRoom(words, payload) || bundle.isHandling()) {
      bundle.requireIdle();
      while (channel.session().state() != Session.State.ENDED && !channel.hasRoom(words, payload)) {
        bundle.awaitProgress();
      }
    }
    return channel.session().state() == Session.State.ENDED ? null : channel;
  }

  private void finish(Channel channel, long at, int handler, int words, int payload) {
    if (channel.finish(at, handler, words, payload)) {
      bundle.touched(channel);
    }
  }

  private void failed(int entry, int handler, long[] words, long payload) {
    List<Long> list = LongStream.of(words).boxed().toList();
    giveBack(new ErrorHandler.Returned(entry, false, handler, list, payload, Reason.NOT_DELIVERED));
  }

  private void giveBack(ErrorHandler.Returned returned) {
    bundle.later(() -> errors.undelivered(returned));
  }

  /// Sends a bulk transfer into a buffer or an array at the peer. It returns at once. The parts
  /// leave as there are credits, while the bundle is polled.
  ///
  /// @param payload memory that stays as it is until `whenFree` is called
  /// @param whenFree is called once, by a call that polls the bundle, when the peer has
  ///     acknowledged everything or the transfer has come back
  /// @throws IllegalArgumentException if the entry is empty, or there are too many words
  /// @throws IndexOutOfBoundsException if the payload is not inside of the view
  public void bulk(
      int entry,
      int handler,
      long[] words,
      View payload,
      long offset,
      long length,
      Runnable whenFree) {
    send(entry, transfer(false, handler, words, payload, offset, length, -1, 0, whenFree));
  }

  /// Sends a bulk transfer to a place in the peer's segment; otherwise as [#bulk]. It comes back as
  /// [Reason#TOO_LONG] if it does not fit there.
  ///
  /// @throws IllegalArgumentException also if the place is negative
  public void bulkInto(
      int entry,
      int handler,
      long[] words,
      View payload,
      long offset,
      long length,
      long place,
      Runnable whenFree) {
    if (place < 0) {
      throw new IllegalArgumentException("a place in a segment is not negative: " + place);
    }
    send(entry, transfer(false, handler, words, payload, offset, length, place, 0, whenFree));
  }

  private void send(int entry, BulkSend transfer) {
    bundle.requireIdle();
    Channel channel = peer(entry).channel();
    channel.send(transfer);
    channel.pump(bundle.nanoTime());
    bundle.touched(channel);
  }

  BulkSend transfer(
      boolean isReply,
      int handler,
      long[] words,
      View payload,
      long offset,
      long length,
      long place,
      long reference,
      Runnable whenFree) {
    requireWords(words.length);
    Objects.checkFromIndexSize(offset, length, payload.capacityBytes());
    payload.requireReferenced();
    return new BulkSend(
        payload,
        offset,
        length,
        isReply,
        handlerNumber(handler),
        words.clone(),
        place,
        reference,
        () -> bundle.later(whenFree));
  }

  /// Polls until all peers have acknowledged everything that was sent and all replies are here, or
  /// until the time is over.
  ///
  /// @return whether it is
  @CheckReturnValue
  public boolean drain(Duration timeout) {
    bundle.requireIdle();
    long start = bundle.nanoTime();
    long nanos = Bundle.nanos(timeout);
    while (true) {
      boolean quiet = true;
      for (Channel channel : channels()) {
        quiet &= !channel.hasWork() && !channel.awaitsReplies();
      }
      if (quiet || bundle.nanoTime() - start >= nanos) {
        return quiet;
      }
      bundle.awaitProgress();
    }
  }

  // ---- moving and closing

  /// Moves this endpoint to another bundle, and so to another thread, with its tables and sessions.
  /// The thread of that bundle services it, and may use it, when it has polled after that. Sessions
  /// go on with the number that each side expects. Peers that this endpoint has mapped are
  /// connected to again from there. A peer that has mapped this endpoint asks at the address that
  /// it knows, and is told where the other bundle listens. So that one listens over the peers'
  /// providers, and this bundle stays open.
  ///
  /// @throws IllegalArgumentException if the other bundle has an endpoint of this name, lacks a
  ///     provider of a peer, or has other options for packets
  /// @throws IllegalStateException if one of the bundles, or the endpoint, is closed
  public void moveTo(Bundle other) {
    bundle.requireIdle();
    requireOpen();
    Set<String> providers = new HashSet<>();
    for (Peer peer : peers) {
      if (peer != null) {
        providers.add(peer.provider());
      }
    }
    other.requireAlike(bundle.options(), providers);
    other.adopt(this, () -> bundle.release(this, other));
  }

  /// The endpoint of a peer listens elsewhere now, on the same machine.
  void peerHasMoved(Channel channel, String listening) {
    Peer peer = peerOf(channel);
    if (peer != null) {
      String address = HostAndPort.reachable(listening, peer.address());
      peers[peer.index()] =
          new Peer(
              peer.index(),
              peer.channel(),
              peer.greeting(),
              peer.provider(),
              address,
              peer.draft());
    }
  }

  void movedTo(Bundle now) {
    bundle = now;
  }

  /// Closes the endpoint: says farewell to all peers. What was not acknowledged comes back.
  @Override
  public void close() {
    bundle.requireIdle();
    if (!isClosed) {
      isClosed = true;
      NameService names = registeredWith;
      if (names != null) {
        names.withdraw(name);
      }
      long now = bundle.nanoTime();
      for (Channel channel : channels()) {
        close(channel, now);
      }
      bundle.forget(this);
    }
  }

  private void close(Channel channel, long now) {
    channel.close(now);
    if (!channel.hasLeft(now)) {
      bundle.leaving(channel);
    }
  }

  private void requireOpen() {
    if (isClosed) {
      throw new IllegalStateException("the endpoint is closed");
    }
  }

  /// Returns how many handlers have failed.
  public long handlerFailures() {
    return handlerFailures;
  }

  @Override
  public String toString() {
    return "Endpoint[%s, %d sessions%s]"
        .formatted(name, channels.size(), isClosed ? ", closed" : "");
  }

  /// Receives what channels tell this endpoint.
  private final class EndpointReceiver implements MessageReceiver {
    @Override
    public BulkTarget target(
        Channel channel, boolean isReply, int handler, long total, long place) {
      try {
        return target(total, place);
      } catch (MemoryBudgetException | OutOfMemoryError e) { // of the peer's length: it hears of it
        return BulkTarget.nowhere(Reason.TOO_LONG);
      }
    }

    private BulkTarget target(long total, long place) {
      if (total > bundle.options().bulkBytes()) {
        return BulkTarget.nowhere(Reason.TOO_LONG);
      }
      if (place >= 0) {
        Bytes its = segment;
        boolean fits = its != null && place <= its.capacityBytes() - total;
        return its == null || !fits
            ? BulkTarget.nowhere(Reason.TOO_LONG)
            : BulkTarget.bytes(its, place, () -> {});
      }
      LongFunction<BulkTarget> chooses = targets;
      if (chooses != null) {
        return chooses.apply(total);
      }
      ReceivePool supplied = pool;
      BulkTarget buffer = supplied == null ? null : supplied.take(total);
      if (buffer != null) {
        return buffer;
      }
      return total > Integer.MAX_VALUE - 8
          ? BulkTarget.nowhere(Reason.TOO_LONG)
          : BulkTarget.array((int) total);
    }

    @Override
    public @Nullable Reason request(Channel channel, IncomingMessage incoming) {
      return run(channel, incoming);
    }

    @Override
    public @Nullable Reason reply(Channel channel, IncomingMessage incoming) {
      return run(channel, incoming);
    }

    private @Nullable Reason run(Channel channel, IncomingMessage incoming) {
      BulkTarget target = incoming.target();
      Reason refusal = target == null ? null : target.refusal();
      int number = incoming.handler();
      Handler known = number < handlers.length ? handlers[number] : null;
      Handler handler = refusal == null ? known : refusals;
      if (handler == null) {
        return refusal == null ? Reason.NO_HANDLER : refusal;
      }
      token.show(channel);
      message.show(incoming);
      try {
        handler.handle(token, message);
        return refusal;
      } catch (Throwable e) { // whatever it is, the session goes on, and its sender hears of it
        handlerFailures++;
        LOG.log(System.Logger.Level.WARNING, "handler %d of %s failed".formatted(number, name), e);
        return Reason.HANDLER_FAILED;
      } finally {
        token.show(null);
        message.show(null);
      }
    }

    @Override
    public void returned(
        Channel channel,
        boolean isReply,
        int handler,
        List<Long> words,
        long bytes,
        Reason reason) {
      Peer peer = peerOf(channel);
      giveBack(
          new ErrorHandler.Returned(
              peer == null ? -1 : peer.index(), isReply, handler, words, bytes, reason));
    }

    @Override
    public void ended(Channel channel, String why) {
      token.forget(channel);
      message.forget();
      channels.remove(channel.id());
      channelArray = null;
      Peer peer = peerOf(channel);
      int index = peer == null ? -1 : peer.index();
      if (peer != null) {
        peers[index] = null;
      }
      bundle.later(() -> errors.lost(index, why));
    }
  }
}
