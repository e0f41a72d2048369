// Over 400 lines: what a channel sends, and what arrives on it, go through one session.
package dev.tigris.message.channel;

import dev.tigris.memory.Bytes;
import dev.tigris.message.Reason;
import dev.tigris.message.protocol.Numbers;
import dev.tigris.message.protocol.Session;
import dev.tigris.message.protocol.Session.Duty;
import dev.tigris.message.protocol.Session.End;
import dev.tigris.message.protocol.Settings;
import dev.tigris.net.Descriptor;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/// One side of a session, with its messages as bytes: puts messages into packets, sends what the
/// session says, and hands what arrives to the [MessageReceiver].
///
/// ```text
///   request, bulk part --> queue of requests --+                 +--> handler --> reply
///                                              +--> connection --+
///   reply              --> queue of replies  --+                 +--> bulk target --> handler
/// ```
///
/// Over a reliable connection, bulk transfers that do not fit a packet are only offered in packets,
/// and go over a second interface ([BulkTransfers]). Else they go in parts.
///
/// Thread rule: the thread of the bundle.
public final class Channel {
  /// How many bulk parts may be under way, of all credits, in quarters: the rest is for others.
  private static final int BULK_QUARTERS = 3;

  /// How many bytes wait to travel together at the most.
  private static final int MOST_WAITING_BYTES = 64 << 10;

  /// How many farewells more are said where they may be lost, by a bundle that does not wait.
  private static final int FAREWELLS_AT_ONCE = 2;

  /// How many packets long a piece of a bulk transfer is, up to the longest one.
  private static final int PIECE_PACKETS = 16;

  private final Environment environment;
  private final long id;
  private final boolean connects;
  private final MessageReceiver receiver;
  private final Session session;
  private final SendQueue requests;
  private final SendQueue replies;
  private final int packetBytes;
  private final int replyBytes;
  private boolean lossy;

  /// Whether the peer reads long packets where they lie.
  private final boolean isLent;

  private @Nullable PacketConnection connection;
  private @Nullable Greeting greeting;

  /// The connection that has carried a farewell which may be lost, until the peer has ended it.
  private @Nullable PacketConnection farewell;

  /// When the next farewell is due, and how long after that the one behind it.
  private long farewellAt;

  private long farewellWait;

  private final ArrayDeque<BulkSend> bulk = new ArrayDeque<>();
  private final BulkTransfers transfers = new BulkTransfers(this);

  /// Replies that come back, and wait for a credit; no more than credits, because a request waits
  /// for them.
  private final ArrayDeque<MessageToReturn> messagesToReturn = new ArrayDeque<>();

  private @Nullable BulkTarget requestTarget;
  private @Nullable BulkTarget replyTarget;
  private long requestFilled;
  private long replyFilled;

  private final IncomingMessage incoming = new IncomingMessage();

  /// Whether the request, and the reply, that is begun has room for a payload.
  private boolean hasPayload;

  private boolean hasReplyPayload;

  /// Whether the handler that runs now may reply, and the number of its request.
  private boolean mayReply;

  private boolean isReplying;
  private long replyTo;

  private long handled;
  private long acknowledged;
  private boolean isTouched;
  private boolean isTaken;

  /// Whether the peer was heard of since [#settle]: at which time, the next look at the clock says.
  private boolean isHeard;

  /// The last time that this was told.
  private long toldAt;

  /// How many requests wait to travel together, and how many bytes they have.
  private int waiting;

  private int waitingBytes;

  /// Whether the connection had no memory left for packets without frames.
  private boolean isStarved;

  /// How many connections were made since a packet has arrived or was acknowledged.
  private int fruitlessConnections;

  /// A message that is to come back to the peer.
  private record MessageToReturn(
      int handler, List<Long> words, long bytes, Reason reason, long reference) {}

  /// Makes a channel without a connection.
  ///
  /// @param id of the session
  /// @param connects whether this side connects and greets
  /// @param packetBytes the longest packet
  /// @param replyBytes the longest payload of a reply that fits a packet
  /// @param lossy whether packets may be lost or damaged: then they have checksums
  /// @param isLent whether the peer reads long packets where they lie, if they lie in shared pages
  public Channel(
      long id,
      boolean connects,
      MessageReceiver receiver,
      Settings settings,
      int packetBytes,
      int replyBytes,
      boolean lossy,
      boolean isLent,
      String owner,
      Environment environment) {
    this.environment = environment;
    this.id = id;
    this.connects = connects;
    this.receiver = receiver;
    this.toldAt = environment.nanoTime();
    this.session = new Session(settings, toldAt);
    this.packetBytes = packetBytes;
    this.replyBytes = replyBytes;
    this.lossy = lossy;
    this.isLent = isLent;
    int packets = settings.mostPackets();
    this.requests = new SendQueue(8 * packetBytes, packetBytes, packets, owner, isLent);
    this.replies =
        new SendQueue(
            packetBytes + (settings.credits() + 2) * replyRoom(),
            packetBytes,
            packets,
            owner,
            isLent);
    chooseHeader();
  }

  /// Headers are short where nothing is lost: before the first packet.
  private void chooseHeader() {
    boolean isShort = !lossy && session.settings().mostPackets() <= PacketLayout.MOST_SHORT_PACKETS;
    int header = isShort ? PacketLayout.SHORT_HEADER_BYTES : PacketLayout.HEADER_BYTES;
    requests.header(header);
    replies.header(header);
  }

  /// Whether packets of data have short headers.
  boolean hasShortHeaders() {
    return requests.header() == PacketLayout.SHORT_HEADER_BYTES;
  }

  /// The room that a reply takes at the most, in a packet of its own.
  private int replyRoom() {
    int frame = PacketLayout.frameBytes(true, PacketLayout.MOST_WORDS);
    return PacketLayout.aligned(PacketLayout.HEADER_BYTES + frame + replyBytes);
  }

  // ---- what there is to know

  /// Returns the number of the session.
  public long id() {
    return id;
  }

  /// Whether this side connects.
  public boolean connects() {
    return connects;
  }

  /// Returns the state machine.
  public Session session() {
    return session;
  }

  /// Returns the connection; null if there is none.
  public @Nullable PacketConnection connection() {
    return connection;
  }

  /// Returns the longest payload of a message that fits a packet, with so many words.
  public int mostPayload(int words) {
    return packetBytes - PacketLayout.HEADER_BYTES - PacketLayout.frameBytes(false, words);
  }

  /// Returns the longest payload of a reply that fits a packet.
  public int mostReplyPayload() {
    return replyBytes;
  }

  /// Whether packets have checksums.
  boolean checks() {
    return lossy;
  }

  /// Returns how many handlers have run since this was last asked.
  public long takeHandled() {
    long count = handled;
    handled = 0;
    return count;
  }

  /// Returns how often the peer has acknowledged something since this was last asked.
  public long takeAcknowledged() {
    long count = acknowledged;
    acknowledged = 0;
    return count;
  }

  /// Returns the longest packet.
  public int packetBytes() {
    return packetBytes;
  }

  /// Returns the length of a packet with this payload and all the words that there can be.
  public static int packetBytes(int payload) {
    return PacketLayout.aligned(
        PacketLayout.HEADER_BYTES
            + PacketLayout.frameBytes(true, PacketLayout.MOST_WORDS)
            + payload);
  }

  /// Returns the longest payload of a packet of this length, with all the words that there can be.
  public static int payloadBytes(int packet) {
    return packet
        - PacketLayout.HEADER_BYTES
        - PacketLayout.frameBytes(true, PacketLayout.MOST_WORDS);
  }

  /// Whether something waits to be sent, or to be acknowledged by the peer.
  public boolean hasWork() {
    return session.underWay() > 0
        || requests.hasAny()
        || replies.hasAny()
        || !bulk.isEmpty()
        || transfers.hasSends()
        || !messagesToReturn.isEmpty();
  }

  /// Whether a request is not known to be over, or a bulk transfer of the peer's is on its way.
  public boolean awaitsReplies() {
    return session.outstanding() > 0 || transfers.hasOffers();
  }

  /// Returns how many connections in a row have brought the session no further.
  public int fruitlessConnections() {
    return fruitlessConnections;
  }

  /// Whether its bundle has it on the list of those to be pumped.
  public boolean isTouched() {
    return isTouched;
  }

  /// Notes whether it is on that list.
  public void isTouched(boolean touched) {
    isTouched = touched;
  }

  /// Whether its bundle has it on the list of those to be acknowledged before a wait.
  public boolean isTaken() {
    return isTaken;
  }

  /// Notes whether it is on that list.
  public void isTaken(boolean taken) {
    isTaken = taken;
  }

  /// Whether a request of this length can be sent now: not before the peer has answered once, and
  /// agreed on the credits.
  public boolean hasRoom(int words, int payload) {
    return messagesToReturn.isEmpty()
        && session.hasCredit()
        && !session.isFresh()
        && requests.hasRoom(PacketLayout.messageBytes(words, payload));
  }

  /// Whether the requests that wait leave now: nothing is under way, they are a quarter of the
  /// credits, or they are so long that a packet of their own costs little. So the peer works on
  /// some while the next ones are made.
  private boolean leaves(int bytes) {
    waiting++;
    waitingBytes += bytes;
    return session.underWay() == 0
        || waiting * 4 >= session.settings().credits()
        || waitingBytes >= MOST_WAITING_BYTES;
  }

  // ---- messages to the peer

  /// Begins a request. The caller has asked [#hasRoom], writes words and payload, and calls
  /// [#finish].
  ///
  /// @return where the words begin in [#requestBytes]
  public long begin(int handler, int words, int payload) {
    long at = requests.begin(PacketLayout.messageBytes(words, payload));
    long number = session.nextRequest(); // no other request comes between: see SendQueue
    hasPayload = payload > 0;
    return PacketLayout.message(requests.bytes, at, false, words, handler, payload, number);
  }

  /// The memory of requests.
  public Bytes requestBytes() {
    return requests.bytes;
  }

  /// The memory of replies.
  public Bytes replyBytes() {
    return replies.bytes;
  }

  /// Ends a request, and sends what waits if that is to leave now.
  ///
  /// @param wordsAt what [#begin] returned
  /// @param payload the length that it has now: not more than was said
  /// @return whether it waits: [#pump] sends it
  public boolean finish(long wordsAt, int handler, int words, int payload) {
    long _ = session.requested();
    int length = ended(requests, hasPayload, wordsAt, words, payload);
    boolean leaves = leaves(length);
    Packet _ = requests.finish(length);
    if (leaves) {
      pump(toldAt);
    }
    return !leaves;
  }

  /// Writes how long the payload is; returns the length of all.
  private static int ended(
      SendQueue queue, boolean hasPayload, long wordsAt, int words, int payload) {
    if (!hasPayload) {
      return PacketLayout.messageBytes(words, 0);
    }
    PacketLayout.payload(queue.bytes, wordsAt - PacketLayout.FRAME_BYTES, payload);
    return PacketLayout.aligned(PacketLayout.frameBytes(false, words) + payload);
  }

  /// Gives up a request that was begun.
  public void cancel() {
    requests.cancel();
  }

  /// Begins a reply to the request whose handler runs now.
  ///
  /// @return where the words begin in [#replyBytes]
  public long beginReply(int handler, int words, int payload) {
    requireMayReply();
    int length = PacketLayout.messageBytes(words, payload);
    if (!replies.hasRoom(length)) {
      throw new IllegalStateException("no room for a reply: the peer exceeds its credits");
    }
    long at = replies.begin(length);
    hasReplyPayload = payload > 0;
    return PacketLayout.message(replies.bytes, at, true, words, handler, payload, replyTo);
  }

  /// Ends a reply.
  public void finishReply(long wordsAt, int words, int payload) {
    mayReply = false;
    session.replied();
    Packet _ = replies.finish(ended(replies, hasReplyPayload, wordsAt, words, payload));
  }

  /// Gives up a reply that was begun.
  public void cancelReply() {
    replies.cancel();
  }

  private void requireMayReply() {
    if (!mayReply) {
      throw new IllegalStateException(
          isReplying
              ? "the request was replied to already: a handler replies once at the most"
              : "only the handler of a request can reply, before it returns");
    }
  }

  /// Returns the number of the request whose handler runs now, for a bulk reply to it.
  public long replyingTo() {
    requireMayReply();
    return replyTo;
  }

  /// Sends a bulk transfer, when there are credits: its parts, one after the other.
  public void send(BulkSend transfer) {
    if (transfer.isReply) {
      mayReply = false;
    }
    bulk.add(transfer);
  }

  /// Puts parts of transfers into packets, as far as there are credits.
  private void putBulk() {
    int most = Math.max(1, session.settings().credits() * BULK_QUARTERS / 4);
    while (!bulk.isEmpty()) {
      BulkSend transfer = bulk.peek();
      if (goesInPieces(transfer)) {
        if (!offer(transfer, most)) {
          return;
        }
        continue;
      }
      int head = PacketLayout.frameBytes(true, PacketLayout.MOST_WORDS);
      long left = transfer.length - transfer.put;
      int part = (int) Math.min(left, packetBytes - PacketLayout.HEADER_BYTES - head);
      boolean last = part == left;
      boolean asReply = last && transfer.isReply;
      int words = last ? transfer.words.length : 0;
      int length = PacketLayout.frameBytes(true, words);
      boolean hasRoom =
          isCopied(transfer, asReply)
              ? requests.hasRoom(PacketLayout.aligned(length + part))
              : (asReply ? replies : requests).hasRoom(length, part);
      if (!hasRoom
          || requests.isDrafting()
          || (asReply && transfer.unsent > 0)
          || (!asReply && (!session.hasCredit() || session.outstanding() >= most))) {
        return;
      }
      put(transfer, part, last, asReply ? replies : requests);
      if (last) {
        bulk.remove();
      }
    }
  }

  /// Whether a transfer goes over the interface for bulk transfers: it does not fit a packet, or
  /// one before it is not over. Packets that may be lost or damaged have parts, which are covered
  /// by the session.
  private boolean goesInPieces(BulkSend transfer) {
    return !lossy && (transfer.length > payloadBytes(packetBytes) || transfers.hasSends());
  }

  /// Offers a transfer to the peer; returns false if that is not possible yet.
  private boolean offer(BulkSend transfer, int most) {
    boolean isReply = transfer.isReply;
    SendQueue queue = isReply ? replies : requests;
    int length = PacketLayout.frameBytes(true, transfer.words.length);
    boolean hasCredit = isReply || (session.hasCredit() && session.outstanding() < most);
    // Pieces are numbered in the order of offers, and unsent replies overtake unsent requests.
    boolean overtakes = isReply && (requests.hasUnsent() || requests.isDrafting());
    if (!hasCredit
        || overtakes
        || !transfers.mayOffer()
        || queue.isDrafting()
        || !queue.hasRoom(length)) {
      return false;
    }
    bulk.remove();
    long reference = transfer.reference;
    if (isReply) {
      session.replied();
    } else {
      reference = session.requested();
      transfer.reference = reference;
    }
    long pieceBytes = Math.min(BulkConnection.PIECE_BYTES, PIECE_PACKETS * (long) packetBytes);
    FrameKind kind = isReply ? FrameKind.OFFERED_REPLY : FrameKind.OFFERED_REQUEST;
    int words = transfer.words.length;
    Bytes bytes = queue.bytes;
    long at = queue.begin(length);
    at = PacketLayout.frame(bytes, at, kind, words, transfer.handler, 0, reference);
    bytes.setLong(at, transfer.length);
    bytes.setLong(at + 8, pieceBytes);
    bytes.setLong(at + 16, transfer.place);
    at += PacketLayout.BULK_BYTES;
    for (int i = 0; i < words; i++) {
      bytes.setLong(at + (long) i * Long.BYTES, transfer.words[i]);
    }
    Packet _ = queue.finish(length);
    transfers.offer(transfer, pieceBytes);
    expect();
    return true;
  }

  /// Whether a part is copied to its packet, which the peer then reads where it lies: that is one
  /// copy, where an interface that gathers it copies twice, and lends the memory for each transfer.
  /// The room for replies has a bound that does not count parts. A mapped file may lose pages: only
  /// the interface notices that in time.
  private boolean isCopied(BulkSend transfer, boolean asReply) {
    return isLent && !asReply && !transfer.source.isMapped();
  }

  private void put(BulkSend transfer, int part, boolean last, SendQueue queue) {
    int words = last ? transfer.words.length : 0;
    int length = PacketLayout.frameBytes(true, words);
    boolean asReply = last && transfer.isReply;
    long reference = transfer.reference;
    if (asReply) {
      session.replied();
    } else {
      long number = session.requested();
      reference = transfer.isReply ? reference : number;
    }
    FrameKind kind =
        transfer.isReply
            ? last ? FrameKind.BULK_REPLY : FrameKind.REPLY_PART
            : last ? FrameKind.BULK_REQUEST : FrameKind.REQUEST_PART;
    Bytes bytes = queue.bytes;
    boolean isCopied = isCopied(transfer, asReply);
    int whole = isCopied ? PacketLayout.aligned(length + part) : length;
    long at = isCopied ? queue.begin(whole) : queue.begin(length, part);
    at = PacketLayout.frame(bytes, at, kind, words, transfer.handler, part, reference);
    bytes.setLong(at, transfer.length);
    bytes.setLong(at + 8, transfer.put);
    bytes.setLong(at + 16, transfer.place);
    at += PacketLayout.BULK_BYTES;
    for (int i = 0; i < words; i++) {
      bytes.setLong(at + (long) i * Long.BYTES, transfer.words[i]);
    }
    if (isCopied) {
      MemorySegment.copy(
          transfer.memory(),
          transfer.offset + transfer.put,
          queue.segment,
          at + (long) words * Long.BYTES,
          part);
    }
    Packet packet = queue.finish(whole);
    queue.closeLast();
    packet.tail = transfer;
    packet.tailOffset = transfer.offset + transfer.put;
    packet.tailBytes = isCopied ? 0 : part;
    transfer.kept++;
    transfer.unsent++;
    transfer.put += part;
    transfer.isPut = last;
  }

  private void putMessagesToReturn() {
    while (!messagesToReturn.isEmpty() && session.hasCredit() && !requests.isDrafting()) {
      MessageToReturn next = messagesToReturn.peek();
      int length = PacketLayout.frameBytes(false, next.words().size()) + 16;
      if (!requests.hasRoom(length)) {
        return;
      }
      long _ = session.requested();
      put(requests, FrameKind.RETURNED_REPLY, next, length);
      messagesToReturn.remove();
    }
  }

  private static void put(SendQueue queue, FrameKind kind, MessageToReturn message, int length) {
    long at = queue.begin(length);
    List<Long> words = message.words();
    at =
        PacketLayout.frame(
            queue.bytes, at, kind, words.size(), message.handler(), 16, message.reference());
    for (long word : words) {
      queue.bytes.setLong(at, word);
      at += Long.BYTES;
    }
    queue.bytes.setLong(at, message.reason().code());
    queue.bytes.setLong(at + 8, message.bytes());
    Packet _ = queue.finish(length);
  }

  // ---- the connection

  /// There is a connection. The side that connects greets with this.
  public void attach(PacketConnection made, @Nullable Greeting greets, long now) {
    connection = made;
    greeting = greets;
    fruitlessConnections++;
    made.carry(this, requests, replies);
    transfers.told();
    requests.forEach(packet -> packet.isPosted = false);
    replies.forEach(packet -> packet.isPosted = false);
    if (connects) {
      int _ = session.attach(now);
    }
  }

  /// Returns the interface for bulk transfers; null if there is none.
  public @Nullable BulkConnection bulkConnection() {
    return transfers.connection();
  }

  /// Whether a bulk transfer is under way over an interface of its own: its loss is not told to a
  /// side that has posted nothing on it.
  public boolean hasTransfers() {
    return transfers.connection() != null && transfers.hasAny();
  }

  /// Whether this side is to connect for bulk transfers.
  public boolean wantsBulk() {
    return connects
        && session.state() == Session.State.OPEN
        && connection != null
        && transfers.isWanted();
  }

  /// There is an interface for bulk transfers, which this side has made. Handlers may run.
  public void attachBulk(BulkConnection made) {
    transfers.attach(made, id, session.epoch());
  }

  /// The peer has made an interface for bulk transfers, and greets over it: the peer of the
  /// interface for packets, over its provider. Handlers may run.
  ///
  /// @return whether it belongs to the connection that there is
  public boolean greetedBulk(BulkConnection made) {
    PacketConnection open = connection;
    return !connects
        && !lossy
        && open != null
        && session.isOurs(made.epoch())
        && made.comesFrom(open)
        && transfers.attachGreeted(made);
  }

  /// The interface for bulk transfers is lost.
  public void detachBulk() {
    transfers.detach();
    expect();
  }

  /// Returns how many interfaces for bulk transfers were made since one has served.
  public int fruitlessBulk() {
    return transfers.fruitless();
  }

  /// A piece of a bulk transfer has arrived. Its handler may run.
  public void landed(Descriptor descriptor) {
    isHeard = true;
    if (transfers.landed(descriptor)) {
      expect();
    } else {
      end(End.BREACH, "it sends a piece of another length");
    }
  }

  /// A piece of a bulk transfer has left.
  public void left() {
    transfers.release();
    expect();
  }

  /// Says whether something is expected of the peer.
  private void expect() {
    boolean isFilling = requestTarget != null || replyTarget != null;
    session.expectsMore(isFilling || transfers.hasAny(), environment.nanoTime());
  }

  BulkTarget target(boolean isReply, int handler, long total, long place) {
    return receiver.target(this, isReply, handler, total, place);
  }

  /// Runs the handler of a transfer that is whole, or sends it back if it was refused.
  void runOffered(
      boolean isReply,
      int handler,
      long[] words,
      long reference,
      BulkTarget target,
      long total,
      long place) {
    incoming.set(MemorySegment.ofArray(words), 0, words.length, 0, handler, reference);
    incoming.filled(target, total, place);
    runFilled(isReply, target);
  }

  private void runFilled(boolean isReply, BulkTarget target) {
    try {
      if (isReply) {
        reply();
      } else {
        request();
      }
    } finally {
      target.done();
    }
  }

  /// The connection is lost, or given up: the session goes on with the next one.
  public void detach(long now) {
    isHeard = false;
    transfers.detach();
    PacketConnection lost = connection;
    connection = null;
    if (lost != null) {
      lost.close(false);
    }
    session.detached(now);
    requests.forEach(packet -> packet.isPosted = false);
    replies.forEach(packet -> packet.isPosted = false);
    letGo();
  }

  /// Does what time asks for, and sends what is to be sent; ends a session whose patience is over.
  ///
  /// @param now not a time that is over: the patience counts by it
  public void tick(long now) {
    settle(now);
    if (session.tick(now)) {
      boolean talks = session.isHeardOf(now);
      String why = talks ? "it acknowledges nothing" : "it was not heard of for too long";
      end(End.UNREACHABLE, why);
      return;
    }
    if (transfers.isStuck(now, session.settings().patienceNanos())) {
      end(End.UNREACHABLE, "it takes no piece of a bulk transfer, or sends none");
      return;
    }
    pump(now);
  }

  /// Sends what is to be sent, as far as the connection takes it.
  public void pump(long now) {
    post(now);
    PacketConnection open = connection;
    if (open != null) {
      open.ring();
    }
    transfers.ring();
  }

  /// Posts what is to be sent, as far as the connection takes it. It leaves with the next doorbell,
  /// which the next poll of the queue rings.
  ///
  /// @param when the clock was last looked at
  /// @return whether something was posted since the last doorbell of [#pump]
  public boolean post(long when) {
    if (session.state() == Session.State.ENDED) {
      return false;
    }
    long now = lossy ? environment.nanoTime() : when; // timers count from it
    PacketConnection open = connection;
    boolean more = true;
    while (more) {
      putMessagesToReturn();
      putBulk();
      // The last part of a bulk reply waits until the others have their numbers.
      more = open != null && sendAll(open, now) && !bulk.isEmpty();
    }
    transfers.post();
    return open != null && open.hasNews();
  }

  /// Whether [#post] may find something to send that it could not send before: asked when a packet
  /// has left.
  public boolean isHeldUp() {
    return isStarved
        || !bulk.isEmpty()
        || !messagesToReturn.isEmpty()
        || requests.hasUnsent()
        || replies.hasUnsent()
        || session.nextResend() != Session.NONE;
  }

  /// Sends what can be sent; returns whether a packet was.
  private boolean sendAll(PacketConnection open, long now) {
    boolean any = false;
    isStarved = false;
    while (true) {
      if (!open.hasControl()) {
        isStarved = true;
        break;
      }
      if (transfers.isNews() && session.state() == Session.State.OPEN && !session.isWelcomeDue()) {
        control(open, PacketKind.COUNTS, 0); // before the replies of what it counts as taken
        continue;
      }
      Duty duty = session.duty(now, replies.hasUnsent() || requests.hasUnsent());
      if (duty == Duty.NOTHING || !perform(duty, open, now)) {
        break;
      }
      any |= duty == Duty.SEND;
    }
    return any;
  }

  /// Returns false if the connection cannot take it now.
  private boolean perform(Duty duty, PacketConnection open, long now) {
    switch (duty) {
      case GREET -> control(open, PacketKind.GREETING, 0);
      case WELCOME -> control(open, PacketKind.WELCOME, 0);
      case LACK -> control(open, PacketKind.LACK, session.expected());
      case ACKNOWLEDGE -> control(open, PacketKind.ACKNOWLEDGEMENT, 0);
      case SEND -> {
        SendQueue queue = replies.hasUnsent() ? replies : requests;
        Packet packet = queue.nextUnsent();
        if (queue == requests) {
          waiting = 0;
          waitingBytes = 0;
        }
        queue.sent(session.number(now));
        if (packet.tail != null) {
          packet.tail.unsent--;
        }
        send(open, queue, packet);
      }
      case RESEND -> {
        long number = session.nextResend();
        SendQueue queue = queueOf(number);
        Packet packet = packetOf(queue, number);
        if (packet.isPosted) {
          return false; // it has not left yet
        }
        session.resent(now);
        send(open, queue, packet);
      }
      case NOTHING -> {}
    }
    return open.isConnected();
  }

  private SendQueue queueOf(long number) {
    return replies.find(number) != null ? replies : requests;
  }

  private static Packet packetOf(SendQueue queue, long number) {
    Packet packet = queue.find(number);
    if (packet == null) {
      throw new IllegalStateException("packet %d is not kept".formatted(number));
    }
    return packet;
  }

  private void send(PacketConnection open, SendQueue queue, Packet packet) {
    if (hasShortHeaders()) {
      PacketLayout.stampShort(
          queue.bytes, packet.offset, packet.number, session.acknowledge(), session.silent());
      open.send(queue, queue == replies, packet);
      return;
    }
    int length = packet.length - PacketLayout.HEADER_BYTES + packet.tailBytes;
    PacketLayout.stamp(
        queue.bytes,
        packet.offset,
        PacketKind.DATA,
        session.epoch(),
        id,
        packet.number,
        session.acknowledge(),
        session.silent(),
        length);
    if (lossy) {
      BulkSend tail = packet.tail;
      MemorySegment rest =
          tail == null
              ? MemorySegment.NULL
              : tail.memory().asSlice(packet.tailOffset, packet.tailBytes);
      PacketLayout.seal(queue.bytes, packet.offset, length, rest);
    }
    open.send(queue, queue == replies, packet);
  }

  private void control(PacketConnection open, PacketKind kind, long number) {
    Greeting greets = greeting;
    PacketConnection.Slot slot = open.takeControl();
    Bytes bytes = open.control();
    int length = 0;
    if (kind == PacketKind.GREETING && greets != null) {
      length = greets.write(bytes, slot.at + PacketLayout.HEADER_BYTES, session.isFresh());
    } else if (kind == PacketKind.WELCOME) {
      length =
          Greeting.writeWelcome(
              bytes, slot.at + PacketLayout.HEADER_BYTES, lossy, session.settings().credits());
    } else if (kind == PacketKind.COUNTS) {
      length = transfers.writeCounts(bytes, slot.at + PacketLayout.HEADER_BYTES);
    }
    PacketLayout.stamp(
        bytes,
        slot.at,
        kind,
        session.epoch(),
        id,
        number,
        session.acknowledge(),
        session.silent(),
        length);
    if (lossy || length > 0) {
      PacketLayout.seal(bytes, slot.at, length, MemorySegment.NULL);
    }
    open.sendControl(slot, PacketLayout.HEADER_BYTES + length);
  }

  /// Says farewell, and ends the session. A farewell that may be lost is repeated ([#hasLeft]): a
  /// peer that hears none would wait for what the farewell acknowledges until its patience is over.
  public void close(long now) {
    PacketConnection open = connection;
    if (session.state() == Session.State.OPEN && open != null) {
      pump(now);
      sayFarewell(open);
      if (lossy && open.isConnected() && !hasPostedTail(requests) && !hasPostedTail(replies)) {
        connection = null;
        farewell = open;
        farewellWait = session.settings().leastResendNanos();
        farewellAt = now + farewellWait;
      }
    }
    end(End.CLOSED, "it was closed here");
  }

  /// Whether a packet is posted with a part of a transfer: the program's memory, which goes back.
  private static boolean hasPostedTail(SendQueue queue) {
    boolean[] has = new boolean[1];
    queue.forEach(packet -> has[0] |= packet.isPosted && packet.tailBytes > 0);
    return has[0];
  }

  private void sayFarewell(PacketConnection open) {
    if (open.hasControl()) {
      control(open, PacketKind.FAREWELL, 0);
      open.ring();
    }
  }

  /// Says farewell again if it is time to. The peer ends the connection when it has heard one.
  ///
  /// @return whether there is nothing left to do: the peer has ended it, or does not answer
  public boolean hasLeft(long now) {
    PacketConnection open = farewell;
    if (open == null) {
      return true;
    }
    if (!open.isConnected() || farewellWait > session.settings().mostResendNanos()) {
      endFarewell();
      return true;
    }
    if (now - farewellAt >= 0) {
      sayFarewell(open);
      farewellWait *= 2;
      farewellAt = now + farewellWait;
    }
    return false;
  }

  /// Returns when the next farewell is due.
  public long farewellAt() {
    return farewellAt;
  }

  /// Says the farewells that are left, without waiting for the peer.
  public void leaveNow() {
    PacketConnection open = farewell;
    if (open != null) {
      for (int i = 0; i < FAREWELLS_AT_ONCE; i++) {
        sayFarewell(open);
      }
      endFarewell();
    }
  }

  private void endFarewell() {
    PacketConnection open = farewell;
    farewell = null;
    if (open != null) {
      open.close(true);
    }
  }

  // ---- what arrives

  /// A packet has left: what it kept may be let go of.
  void sent(SendQueue queue, Packet packet) {
    packet.isPosted = false;
    if (session.settings().numbers().distance(session.base(), packet.number) < 0) {
      letGo(queue);
    }
  }

  /// Acknowledges before the thread waits.
  public void acknowledge(long now) {
    settle(now);
    PacketConnection open = connection;
    if (open != null && session.hasUnacknowledged() && open.hasControl()) {
      control(open, PacketKind.ACKNOWLEDGEMENT, 0);
      open.ring();
    }
    pump(now);
  }

  /// The peer was heard of before now, and after the last look at the clock.
  private void settle(long now) {
    toldAt = now;
    if (isHeard) {
      isHeard = false;
      if (isOpen()) {
        session.heard(now);
      }
    }
  }

  /// Whether the peer was heard of since the last look at the clock.
  public boolean isHeard() {
    return isHeard;
  }

  /// Whether packets can be sent and taken.
  public boolean isOpen() {
    return session.state() == Session.State.OPEN;
  }

  /// The peer greets this side over this channel's connection.
  void greeted(int epoch, long expects, long silent, long now) {
    if (!session.greeted(epoch, expects, silent, now)) {
      end(End.BREACH, "its greeting expects a number that was never sent");
      return;
    }
    letGo();
    pump(now);
  }

  /// The peer has answered the greeting.
  void welcomed(int epoch, long expects, long silent, Greeting.Welcome welcome, long now) {
    if (session.isFresh() && epoch == session.epoch()) {
      int credits = Math.min(welcome.credits(), session.settings().credits());
      lossy |= welcome.lossy();
      session.agree(credits, !lossy);
      chooseHeader();
    }
    long before = session.base();
    if (!session.welcomed(epoch, expects, silent, now)) {
      end(End.BREACH, "its welcome expects a number that was never sent");
      return;
    }
    if (session.base() != before) {
      fruitlessConnections = 0;
    }
    letGo();
  }

  /// A packet of this session has arrived that is no greeting.
  ///
  /// @param bytes its length
  /// @param when the clock was last looked at: where packets may be lost, their round trips are
  ///     measured, and it is looked at again
  void arrived(PacketKind kind, MemorySegment from, long at, long bytes, long when) {
    long now = lossy ? environment.nanoTime() : when;
    int epoch = PacketLayout.epoch(from, at);
    if (!session.isOurs(epoch)) {
      if (kind == PacketKind.FAREWELL && epoch == session.epoch()) {
        endFarewell(); // both sides leave
      }
      return;
    }
    boolean isLack = kind == PacketKind.LACK;
    long number = PacketLayout.number(from, at);
    if (!acknowledged(
        PacketLayout.acknowledged(from, at), PacketLayout.silent(from, at), isLack, number, now)) {
      return;
    }
    if (kind == PacketKind.FAREWELL) {
      end(End.CLOSED, "the peer has closed it");
    } else if (kind == PacketKind.COUNTS) {
      counted(from, at + PacketLayout.HEADER_BYTES, bytes - PacketLayout.HEADER_BYTES);
    } else if (kind == PacketKind.DATA) {
      arrivedData(number, from, at + PacketLayout.HEADER_BYTES, at + bytes, now);
    }
  }

  /// A packet of data has arrived that has a short header. The connection carries no other session,
  /// and no packet of another connection.
  void arrived(long header, MemorySegment from, long at, long bytes, long when) {
    if (!isOpen()) {
      return;
    }
    Numbers numbers = session.settings().numbers();
    long number = numbers.nearest(session.expected(), header >>> 16);
    long taken = numbers.nearest(session.base(), header >>> 32);
    long silent = numbers.nearest(session.silentKnown(), header >>> 48);
    if (acknowledged(taken, silent, false, 0, when)) {
      arrivedData(number, from, at + PacketLayout.SHORT_HEADER_BYTES, at + bytes, when);
    }
  }

  /// Returns false if the session has ended by what a packet acknowledges.
  private boolean acknowledged(long taken, long silent, boolean isLack, long number, long now) {
    isHeard = true;
    int epoch = session.epoch();
    long before = session.base();
    boolean possible =
        session.acknowledged(epoch, taken, silent, now)
            && (!isLack || session.lacks(epoch, number, now));
    if (!possible) {
      end(End.BREACH, "it acknowledges what was never sent");
      return false;
    }
    if (session.base() != before) {
      acknowledged++;
      fruitlessConnections = 0;
      letGo();
    }
    return true;
  }

  private void arrivedData(long number, MemorySegment from, long begin, long end, long now) {
    switch (session.arrived(session.epoch(), number, now)) {
      case NEXT -> {
        if (workOff(from, begin, end)) {
          session.taken(now);
          fruitlessConnections = 0;
        } else {
          end(End.BREACH, "it sends messages that cannot be");
        }
      }
      case BREACH -> end(End.BREACH, "it sends a number out of the window");
      case DUPLICATE, GAP, ALIEN -> {}
    }
  }

  private void counted(MemorySegment from, long at, long bytes) {
    boolean possible =
        bytes == 24
            && transfers.told(
                from.get(PacketLayout.LONG, at),
                from.get(PacketLayout.LONG, at + 8),
                from.get(PacketLayout.LONG, at + 16));
    if (possible) {
      acknowledged++;
      expect();
    } else {
      end(End.BREACH, "it counts pieces of bulk transfers that were never offered");
    }
  }

  /// Works off the frames of a packet; returns false if they cannot be.
  private boolean workOff(MemorySegment from, long begin, long end) {
    long at = begin;
    while (at < end) {
      if (end - at < PacketLayout.SHORT_FRAME_BYTES) {
        return false;
      }
      long head = from.get(PacketLayout.LONG, at);
      FrameKind kind = FrameKind.of((int) head & 0xff);
      int words = (int) head >>> 8 & 0xff;
      if (kind == null || words > PacketLayout.MOST_WORDS) {
        return false;
      }
      boolean isShort = kind.isWords();
      int length =
          isShort
              ? PacketLayout.messageBytes(words, 0)
              : PacketLayout.frameBytes(kind.isBulk(), words);
      long payload = isShort ? 0 : head >> 32;
      if (payload < 0 || payload > end - at - length) {
        return false;
      }
      long wordsAt = at + length - (long) words * Long.BYTES;
      long reference = isShort ? nearestReference(kind, head) : from.get(PacketLayout.LONG, at + 8);
      incoming.set(from, wordsAt, words, payload, (int) head >>> 16, reference);
      if (!take(kind, from, at + PacketLayout.FRAME_BYTES)
          || session.state() == Session.State.ENDED) {
        return session.state() == Session.State.ENDED;
      }
      at += PacketLayout.aligned(length + (int) payload);
    }
    return true;
  }

  private long nearestReference(FrameKind kind, long head) {
    boolean isRequest = kind == FrameKind.REQUEST_WORDS;
    long known = isRequest ? session.requestsTaken() : session.requestsSent();
    return PacketLayout.reference(known, head);
  }

  private boolean take(FrameKind kind, MemorySegment from, long bulkAt) {
    if (kind.takesCredit()) {
      if (!session.tookRequest()) {
        return false;
      }
    } else if (!session.tookReply()) {
      return false;
    }
    switch (kind) {
      case REQUEST, REQUEST_WORDS -> request();
      case REPLY, REPLY_WORDS -> reply();
      case REQUEST_PART, REPLY_PART -> {
        if (!land(kind == FrameKind.REPLY_PART, false, from, bulkAt)) {
          return false;
        }
        session.wasSilent();
      }
      case BULK_REQUEST, BULK_REPLY -> {
        boolean isReply = kind == FrameKind.BULK_REPLY;
        if (!land(isReply, true, from, bulkAt)) {
          return false;
        }
        runBulk(isReply);
      }
      case OFFERED_REQUEST, OFFERED_REPLY -> {
        boolean possible =
            !lossy
                && incoming.payloadBytes() == 0
                && transfers.offered(
                    kind == FrameKind.OFFERED_REPLY,
                    incoming,
                    from.get(PacketLayout.LONG, bulkAt),
                    from.get(PacketLayout.LONG, bulkAt + 8),
                    from.get(PacketLayout.LONG, bulkAt + 16));
        if (!possible) {
          return false;
        }
        expect();
      }
      case RETURNED_REQUEST, RETURNED_REPLY -> {
        if (!comeBack(kind == FrameKind.RETURNED_REPLY)) {
          return false;
        }
      }
    }
    return true;
  }

  private void request() {
    replyTo = incoming.reference();
    mayReply = true;
    isReplying = true;
    handled++;
    Reason reason = receiver.request(this, incoming);
    isReplying = false;
    if (!mayReply) {
      return;
    }
    if (reason == null) {
      mayReply = false;
      session.wasSilent();
    } else {
      sendBack(reason);
    }
  }

  /// Sends the request back whose handler could not run, or has failed before it replied.
  private void sendBack(Reason reason) {
    mayReply = false;
    session.replied();
    MessageToReturn message =
        new MessageToReturn(
            incoming.handler(), words(), incoming.payloadBytes(), reason, incoming.reference());
    put(
        replies,
        FrameKind.RETURNED_REQUEST,
        message,
        PacketLayout.frameBytes(false, incoming.words()) + 16);
  }

  private List<Long> words() {
    return IntStream.range(0, incoming.words()).mapToObj(incoming::word).toList();
  }

  private void reply() {
    handled++;
    Reason reason = receiver.reply(this, incoming);
    if (reason != null) {
      messagesToReturn.add(
          new MessageToReturn(
              incoming.handler(), words(), incoming.payloadBytes(), reason, incoming.reference()));
    }
  }

  private boolean land(boolean isReply, boolean isLast, MemorySegment from, long at) {
    long total = from.get(PacketLayout.LONG, at);
    long begin = from.get(PacketLayout.LONG, at + 8);
    long place = from.get(PacketLayout.LONG, at + 16);
    long length = incoming.payloadBytes();
    BulkTarget target = isReply ? replyTarget : requestTarget;
    long filled = isReply ? replyFilled : requestFilled;
    if (total < 0
        || begin != filled
        || length > total - begin
        || (isLast && length != total - begin)) {
      return false;
    }
    if (target == null) {
      target = receiver.target(this, isReply, incoming.handler(), total, place);
    } else if (target.total() != total) {
      return false;
    }
    target.total(total);
    target.put(begin, from, incoming.payloadAt(), (int) length);
    filled += length;
    if (isReply) {
      replyTarget = target;
      replyFilled = filled;
    } else {
      requestTarget = target;
      requestFilled = filled;
    }
    incoming.filled(target, total, place);
    boolean isOtherOpen = (isReply ? requestTarget : replyTarget) != null;
    session.expectsMore(!isLast || isOtherOpen || transfers.hasAny(), environment.nanoTime());
    return true;
  }

  private void runBulk(boolean isReply) {
    BulkTarget target = incoming.target();
    if (target == null) {
      throw new IllegalStateException("nothing has filled");
    }
    if (isReply) {
      replyTarget = null;
      replyFilled = 0;
    } else {
      requestTarget = null;
      requestFilled = 0;
    }
    runFilled(isReply, target);
  }

  private boolean comeBack(boolean isReply) {
    if (incoming.payloadBytes() != 16) {
      return false;
    }
    MemorySegment from = incoming.payload();
    Reason reason = Reason.of(from.get(PacketLayout.LONG, incoming.payloadAt()));
    long bytes = from.get(PacketLayout.LONG, incoming.payloadAt() + 8);
    if (reason == null) {
      return false;
    }
    transfers.cameBack(isReply, incoming.reference());
    receiver.returned(this, isReply, incoming.handler(), words(), bytes, reason);
    if (isReply) {
      session.wasSilent();
    }
    return true;
  }

  // ---- letting go

  /// Lets go of packets that are acknowledged and have left.
  private void letGo() {
    letGo(requests);
    letGo(replies);
  }

  private void letGo(SendQueue queue) {
    while (queue.hasKept()) {
      Packet packet = queue.firstKept();
      if (packet.isPosted
          || session.settings().numbers().distance(session.base(), packet.number) >= 0) {
        return;
      }
      release(queue, packet);
    }
  }

  private static void release(SendQueue queue, Packet packet) {
    BulkSend tail = packet.tail;
    queue.release();
    if (tail != null) {
      tail.released();
    }
  }

  /// Ends the session: what was not acknowledged comes back.
  public void end(End how, String why) {
    if (session.state() == Session.State.ENDED && requests.isGone()) {
      return;
    }
    session.end(how);
    PacketConnection lost = connection;
    connection = null;
    if (lost != null) {
      lost.close(how != End.BREACH); // it lets go of all memory, that of transfers too
    }
    if (requests.isDrafting()) {
      requests.cancel();
    }
    for (SendQueue queue : new SendQueue[] {requests, replies}) {
      queue.forEach(packet -> giveBack(queue, packet));
      while (queue.hasAny()) {
        release(queue, queue.dropFirst());
      }
    }
    for (BulkSend transfer : transfers.end()) {
      giveBack(transfer, BulkTransfers.reasonOf(transfer));
    }
    for (BulkSend transfer : bulk) {
      giveBack(transfer, Reason.NOT_DELIVERED);
    }
    bulk.clear();
    messagesToReturn.clear();
    for (BulkTarget target : new @Nullable BulkTarget[] {requestTarget, replyTarget}) {
      if (target != null) {
        target.done();
      }
    }
    requestTarget = null;
    replyTarget = null;
    requests.close();
    replies.close();
    receiver.ended(this, why);
  }

  private void giveBack(BulkSend transfer, Reason reason) {
    receiver.returned(
        this,
        transfer.isReply,
        transfer.handler,
        LongStream.of(transfer.words).boxed().toList(),
        transfer.length,
        reason);
    transfer.free();
  }

  /// The messages of a packet come back.
  private void giveBack(SendQueue queue, Packet packet) {
    Bytes bytes = queue.bytes;
    boolean isAcknowledged =
        packet.isNumbered
            && session.settings().numbers().distance(session.base(), packet.number) < 0;
    if (isAcknowledged) {
      return;
    }
    Reason reason = packet.isNumbered ? Reason.MAY_HAVE_RUN : Reason.NOT_DELIVERED;
    long at = (long) packet.offset + queue.header();
    long end = (long) packet.offset + packet.length;
    while (at < end) {
      int head = bytes.getInt(at);
      FrameKind kind = FrameKind.of(head & 0xff);
      int count = head >>> 8 & 0xff;
      boolean isBulk = kind != null && kind.isBulk();
      boolean isWords = kind != null && kind.isWords();
      int payload = isWords ? 0 : bytes.getInt(at + 4);
      int length =
          isWords ? PacketLayout.messageBytes(count, 0) : PacketLayout.frameBytes(isBulk, count);
      long wordsAt = at + length - (long) count * Long.BYTES;
      List<Long> words =
          IntStream.range(0, count)
              .mapToObj(i -> bytes.getLong(wordsAt + (long) i * Long.BYTES))
              .toList();
      long whole = isBulk ? bytes.getLong(at + PacketLayout.FRAME_BYTES) : payload;
      if (kind != null && kind.isMessage()) {
        receiver.returned(this, kind.isReply(), head >>> 16, words, whole, reason);
      } else if (kind != null && !kind.isPart() && kind.isBulk() && !packet.isNumbered) {
        transfers.neverOffered(kind == FrameKind.OFFERED_REPLY, bytes.getLong(at + 8));
      }
      boolean isPart = kind != null && kind.isPart(); // and ends its packet
      at = isPart ? end : at + PacketLayout.aligned(length + payload);
    }
  }

  /// Throws if the counts do not add up: for tests.
  public void checkInvariants() {
    session.checkInvariants();
    requests.checkInvariants();
    replies.checkInvariants();
    transfers.checkInvariants();
  }

  @Override
  public String toString() {
    return "Channel[%s, over %s, bulk %s]".formatted(session, connection, transfers);
  }
}
