// Over 400 lines: what a line sends and what arrives on it go through one session, step by step.
package dev.tigris.message.line;

import dev.tigris.memory.Bytes;
import dev.tigris.message.Reason;
import dev.tigris.message.protocol.Session;
import dev.tigris.message.protocol.Session.Duty;
import dev.tigris.message.protocol.Session.End;
import dev.tigris.message.protocol.Settings;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/// One side of a session, with its messages as bytes: puts messages into packets, sends what the
/// session says, and hands what arrives to the [Station].
///
/// ```text
///   request, bulk part --> requests (lane) --+                     +--> handler --> reply
///                                            +--> session --> wire
///   reply              --> replies  (lane) --+                     +--> landing --> handler
/// ```
///
/// Thread rule: the thread of the bundle.
public final class Line {
  /// How many bulk parts may be under way, of all credits, in quarters: the rest is for others.
  private static final int BULK_QUARTERS = 3;

  private final long id;
  private final boolean connects;
  private final Station station;
  private final Session session;
  private final Lane requests;
  private final Lane replies;
  private final int packetBytes;
  private final int replyBytes;
  private boolean lossy;
  private @Nullable Wire wire;
  private @Nullable Greeting greeting;

  private final ArrayDeque<BulkSend> bulk = new ArrayDeque<>();

  /// Replies that come back, and wait for a credit; no more than credits, because a request waits
  /// for them.
  private final ArrayDeque<Comeback> comebacks = new ArrayDeque<>();

  private @Nullable Landing requestLanding;
  private @Nullable Landing replyLanding;
  private long requestLanded;
  private long replyLanded;

  private final Arrival arrival = new Arrival();

  /// Whether the handler that runs now may reply, and the number of its request.
  private boolean mayReply;

  private boolean isReplying;
  private long replyTo;

  private long handled;
  private long acknowledged;
  private boolean isTouched;

  /// A message that is to come back to the peer.
  private record Comeback(
      int handler, List<Long> words, long bytes, Reason reason, long reference) {}

  /// Makes a line without a connection.
  ///
  /// @param id of the session
  /// @param connects whether this side connects and greets
  /// @param packetBytes the longest packet
  /// @param replyBytes the longest payload of a reply that fits a packet
  /// @param lossy whether packets may be lost or damaged: then they have checksums
  public Line(
      long id,
      boolean connects,
      Station station,
      Settings settings,
      int packetBytes,
      int replyBytes,
      boolean lossy,
      String owner,
      long now) {
    this.id = id;
    this.connects = connects;
    this.station = station;
    this.session = new Session(settings, now);
    this.packetBytes = packetBytes;
    this.replyBytes = replyBytes;
    this.lossy = lossy;
    int packets = settings.mostPackets();
    this.requests = new Lane(8 * packetBytes, packetBytes, packets, owner);
    this.replies =
        new Lane(packetBytes + (settings.credits() + 2) * replyRoom(), packetBytes, packets, owner);
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
  public @Nullable Wire wire() {
    return wire;
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
        || !comebacks.isEmpty();
  }

  /// Whether its bundle has it on the list of those to be pumped.
  public boolean isTouched() {
    return isTouched;
  }

  /// Notes whether it is on that list.
  public void isTouched(boolean touched) {
    isTouched = touched;
  }

  /// Whether a request of this length can be sent now.
  public boolean hasRoom(int words, int payload) {
    return comebacks.isEmpty()
        && session.hasCredit()
        && requests.hasRoom(PacketLayout.aligned(PacketLayout.frameBytes(false, words) + payload));
  }

  /// Whether nothing waits or is under way: the next message leaves at once.
  private boolean isQuiet() {
    return session.underWay() == 0;
  }

  // ---- messages to the peer

  /// Begins a request. The caller has asked [#hasRoom], writes words and payload, and calls
  /// [#finish].
  ///
  /// @return where the words begin in [#requestBytes]
  public long begin(int handler, int words, int payload) {
    int length = PacketLayout.aligned(PacketLayout.frameBytes(false, words) + payload);
    long at = requests.begin(length);
    return PacketLayout.frame(requests.bytes, at, FrameKind.REQUEST, words, handler, payload, 0);
  }

  /// The memory of requests.
  public Bytes requestBytes() {
    return requests.bytes;
  }

  /// The memory of replies.
  public Bytes replyBytes() {
    return replies.bytes;
  }

  /// Ends a request.
  ///
  /// @param wordsAt what [#begin] returned
  /// @param payload the length that it has now: not more than was said
  public void finish(long wordsAt, int handler, int words, int payload) {
    long at = wordsAt - PacketLayout.FRAME_BYTES;
    long _ =
        PacketLayout.frame(
            requests.bytes, at, FrameKind.REQUEST, words, handler, payload, session.requested());
    boolean leaves = isQuiet();
    Packet _ =
        requests.finish(PacketLayout.aligned(PacketLayout.frameBytes(false, words) + payload));
    if (leaves) {
      pump(System.nanoTime());
    }
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
    int length = PacketLayout.aligned(PacketLayout.frameBytes(false, words) + payload);
    if (!replies.hasRoom(length)) {
      throw new IllegalStateException("no room for a reply: the peer exceeds its credits");
    }
    return PacketLayout.frame(
        replies.bytes, replies.begin(length), FrameKind.REPLY, words, handler, payload, replyTo);
  }

  /// Ends a reply.
  public void finishReply(long wordsAt, int words, int payload) {
    mayReply = false;
    PacketLayout.payload(replies.bytes, wordsAt - PacketLayout.FRAME_BYTES, payload);
    session.replied();
    Packet _ =
        replies.finish(PacketLayout.aligned(PacketLayout.frameBytes(false, words) + payload));
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
      int head = PacketLayout.frameBytes(true, PacketLayout.MOST_WORDS);
      long left = transfer.length - transfer.put;
      int part = (int) Math.min(left, packetBytes - PacketLayout.HEADER_BYTES - head);
      boolean last = part == left;
      boolean asReply = last && transfer.isReply;
      int words = last ? transfer.words.length : 0;
      int length = PacketLayout.frameBytes(true, words);
      if (!(asReply ? replies : requests).hasRoom(length, part)
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

  private void put(BulkSend transfer, int part, boolean last, Lane lane) {
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
    Bytes bytes = lane.bytes;
    long at = lane.begin(length, part);
    at = PacketLayout.frame(bytes, at, kind, words, transfer.handler, part, reference);
    bytes.setLong(at, transfer.length);
    bytes.setLong(at + 8, transfer.put);
    bytes.setLong(at + 16, transfer.place);
    at += PacketLayout.BULK_BYTES;
    for (int i = 0; i < words; i++) {
      bytes.setLong(at + (long) i * Long.BYTES, transfer.words[i]);
    }
    Packet packet = lane.finish(length);
    packet.isClosed = true;
    packet.tail = transfer;
    packet.tailOffset = transfer.offset + transfer.put;
    packet.tailBytes = part;
    transfer.kept++;
    transfer.unsent++;
    transfer.put += part;
    transfer.isPut = last;
  }

  private void putComebacks() {
    while (!comebacks.isEmpty() && session.hasCredit() && !requests.isDrafting()) {
      Comeback next = comebacks.peek();
      int length = PacketLayout.frameBytes(false, next.words().size()) + 16;
      if (!requests.hasRoom(length)) {
        return;
      }
      long _ = session.requested();
      put(requests, FrameKind.RETURNED_REPLY, next, length);
      comebacks.remove();
    }
  }

  private static void put(Lane lane, FrameKind kind, Comeback message, int length) {
    long at = lane.begin(length);
    List<Long> words = message.words();
    at =
        PacketLayout.frame(
            lane.bytes, at, kind, words.size(), message.handler(), 16, message.reference());
    for (long word : words) {
      lane.bytes.setLong(at, word);
      at += Long.BYTES;
    }
    lane.bytes.setLong(at, message.reason().code());
    lane.bytes.setLong(at + 8, message.bytes());
    Packet _ = lane.finish(length);
  }

  // ---- the connection

  /// There is a connection. The side that connects greets with this.
  public void attach(Wire made, @Nullable Greeting greets, long now) {
    wire = made;
    greeting = greets;
    made.carry(this, requests, replies);
    requests.forEach(packet -> packet.isPosted = false);
    replies.forEach(packet -> packet.isPosted = false);
    if (connects) {
      int _ = session.attach(now);
    }
  }

  /// The connection is lost, or given up: the session goes on with the next one.
  public void detach(long now) {
    Wire lost = wire;
    wire = null;
    if (lost != null) {
      lost.close(false);
    }
    session.detached(now);
    requests.forEach(packet -> packet.isPosted = false);
    replies.forEach(packet -> packet.isPosted = false);
    letGo();
  }

  /// Sends what is to be sent, as far as the connection takes it; ends a session whose patience is
  /// over.
  public void pump(long now) {
    if (session.state() == Session.State.ENDED) {
      return;
    }
    if (session.tick(now)) {
      end(End.UNREACHABLE, "it was not heard of for too long");
      return;
    }
    Wire open = wire;
    boolean more = true;
    while (more) {
      putComebacks();
      putBulk();
      // The last part of a bulk reply waits until the others have their numbers.
      more = open != null && sendAll(open, now) && !bulk.isEmpty();
    }
    if (open != null) {
      open.ring();
    }
  }

  /// Sends what can be sent; returns whether a packet was.
  private boolean sendAll(Wire open, long now) {
    boolean any = false;
    while (open.hasControl()) {
      Duty duty = session.duty(now, replies.hasUnsent() || requests.hasUnsent());
      if (duty == Duty.NOTHING || !perform(duty, open, now)) {
        break;
      }
      any |= duty == Duty.SEND;
    }
    return any;
  }

  /// Returns false if the connection cannot take it now.
  private boolean perform(Duty duty, Wire open, long now) {
    switch (duty) {
      case GREET -> control(open, PacketKind.GREETING, 0);
      case WELCOME -> control(open, PacketKind.WELCOME, 0);
      case LACK -> control(open, PacketKind.LACK, session.expected());
      case ACKNOWLEDGE -> control(open, PacketKind.ACKNOWLEDGEMENT, 0);
      case SEND -> {
        Lane lane = replies.hasUnsent() ? replies : requests;
        Packet packet = lane.nextUnsent();
        lane.sent(session.number(now));
        if (packet.tail != null) {
          packet.tail.unsent--;
        }
        send(open, lane, packet);
      }
      case RESEND -> {
        long number = session.nextResend();
        Lane lane = laneOf(number);
        Packet packet = packetOf(lane, number);
        if (packet.isPosted) {
          return false; // it has not left yet
        }
        session.resent(now);
        send(open, lane, packet);
      }
      case NOTHING -> {}
    }
    return open.isConnected();
  }

  private Lane laneOf(long number) {
    return replies.find(number) != null ? replies : requests;
  }

  private static Packet packetOf(Lane lane, long number) {
    Packet packet = lane.find(number);
    if (packet == null) {
      throw new IllegalStateException("packet %d is not kept".formatted(number));
    }
    return packet;
  }

  private void send(Wire open, Lane lane, Packet packet) {
    int length = packet.length - PacketLayout.HEADER_BYTES + packet.tailBytes;
    PacketLayout.stamp(
        lane.bytes,
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
              : tail.source.segment().asSlice(packet.tailOffset, packet.tailBytes);
      PacketLayout.seal(lane.bytes, packet.offset, length, rest);
    }
    open.send(lane, lane == replies, packet);
  }

  private void control(Wire open, PacketKind kind, long number) {
    Greeting greets = greeting;
    Wire.Slot slot = open.takeControl();
    Bytes bytes = open.control();
    int length = 0;
    if (kind == PacketKind.GREETING && greets != null) {
      length = greets.write(bytes, slot.at + PacketLayout.HEADER_BYTES, session.isFresh());
    } else if (kind == PacketKind.WELCOME) {
      length =
          Greeting.writeWelcome(
              bytes, slot.at + PacketLayout.HEADER_BYTES, lossy, session.settings().credits());
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

  /// Says farewell, and ends the session.
  public void close(long now) {
    Wire open = wire;
    if (session.state() == Session.State.OPEN && open != null && open.hasControl()) {
      pump(now);
      control(open, PacketKind.FAREWELL, 0);
      open.ring();
    }
    end(End.CLOSED, "it was closed here");
  }

  // ---- what arrives

  /// A packet has left: what it kept may be let go of.
  void sent() {
    letGo();
  }

  /// Acknowledges before the thread waits.
  public void acknowledge(long now) {
    Wire open = wire;
    if (open != null && session.hasUnacknowledged() && open.hasControl()) {
      control(open, PacketKind.ACKNOWLEDGEMENT, 0);
      open.ring();
    }
    pump(now);
  }

  /// The peer greets this side over this line's connection.
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
    }
    if (!session.welcomed(epoch, expects, silent, now)) {
      end(End.BREACH, "its welcome expects a number that was never sent");
      return;
    }
    letGo();
  }

  /// A packet of this session has arrived that is no greeting.
  ///
  /// @param bytes its length
  void arrived(PacketKind kind, MemorySegment from, long at, long bytes, long now) {
    int epoch = PacketLayout.epoch(from, at);
    long taken = PacketLayout.acknowledged(from, at);
    if (!session.isOurs(epoch)) {
      return;
    }
    long before = session.base();
    boolean possible =
        session.acknowledged(epoch, taken, PacketLayout.silent(from, at), now)
            && (kind != PacketKind.LACK
                || session.lacks(epoch, PacketLayout.number(from, at), now));
    if (!possible) {
      end(End.BREACH, "it acknowledges what was never sent");
      return;
    }
    if (session.base() != before) {
      acknowledged++;
      letGo();
    }
    if (kind == PacketKind.FAREWELL) {
      end(End.CLOSED, "the peer has closed it");
    } else if (kind == PacketKind.DATA) {
      switch (session.arrived(epoch, PacketLayout.number(from, at), now)) {
        case NEXT -> {
          if (workOff(from, at + PacketLayout.HEADER_BYTES, at + bytes)) {
            session.taken(now);
          } else {
            end(End.BREACH, "it sends messages that cannot be");
          }
        }
        case BREACH -> end(End.BREACH, "it sends a number out of the window");
        case DUPLICATE, GAP, ALIEN -> {}
      }
    }
  }

  /// Works off the frames of a packet; returns false if they cannot be.
  private boolean workOff(MemorySegment from, long begin, long end) {
    long at = begin;
    while (at < end) {
      if (end - at < PacketLayout.FRAME_BYTES) {
        return false;
      }
      int head = from.get(PacketLayout.INT, at);
      FrameKind kind = FrameKind.of(head & 0xff);
      int words = head >>> 8 & 0xff;
      long payload = from.get(PacketLayout.INT, at + 4);
      if (kind == null || words > PacketLayout.MOST_WORDS || payload < 0) {
        return false;
      }
      int length = PacketLayout.frameBytes(kind.isBulk(), words);
      if (payload > end - at - length) {
        return false;
      }
      long wordsAt = at + length - (long) words * Long.BYTES;
      arrival.set(from, wordsAt, words, payload, head >>> 16, from.get(PacketLayout.LONG, at + 8));
      if (!take(kind, from, at + PacketLayout.FRAME_BYTES)
          || session.state() == Session.State.ENDED) {
        return session.state() == Session.State.ENDED;
      }
      at += PacketLayout.aligned(length + (int) payload);
    }
    return true;
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
      case REQUEST -> request();
      case REPLY -> reply();
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
        runLanded(isReply);
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
    replyTo = arrival.reference();
    mayReply = true;
    isReplying = true;
    handled++;
    Reason reason = station.request(this, arrival);
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
    Comeback message =
        new Comeback(
            arrival.handler(), words(), arrival.payloadBytes(), reason, arrival.reference());
    put(
        replies,
        FrameKind.RETURNED_REQUEST,
        message,
        PacketLayout.frameBytes(false, arrival.words()) + 16);
  }

  private List<Long> words() {
    return IntStream.range(0, arrival.words()).mapToObj(arrival::word).toList();
  }

  private void reply() {
    handled++;
    Reason reason = station.reply(this, arrival);
    if (reason != null) {
      comebacks.add(
          new Comeback(
              arrival.handler(), words(), arrival.payloadBytes(), reason, arrival.reference()));
    }
  }

  private boolean land(boolean isReply, boolean isLast, MemorySegment from, long at) {
    long total = from.get(PacketLayout.LONG, at);
    long begin = from.get(PacketLayout.LONG, at + 8);
    long place = from.get(PacketLayout.LONG, at + 16);
    long length = arrival.payloadBytes();
    Landing landing = isReply ? replyLanding : requestLanding;
    long landed = isReply ? replyLanded : requestLanded;
    if (total < 0 || begin != landed || length > total - begin) {
      return false;
    }
    if (landing == null) {
      landing = station.landing(this, isReply, arrival.handler(), total, place);
    } else if (landing.total() != total) {
      return false;
    }
    landing.total(total);
    landing.put(begin, from, arrival.payloadAt(), (int) length);
    landed += length;
    if (isLast && landed != total) {
      return false;
    }
    if (isReply) {
      replyLanding = landing;
      replyLanded = landed;
    } else {
      requestLanding = landing;
      requestLanded = landed;
    }
    arrival.landed(landing, total, place);
    session.expectsMore(!isLast, System.nanoTime());
    return true;
  }

  private void runLanded(boolean isReply) {
    Landing landing = arrival.landing();
    if (landing == null) {
      throw new IllegalStateException("nothing has landed");
    }
    if (isReply) {
      replyLanding = null;
      replyLanded = 0;
    } else {
      requestLanding = null;
      requestLanded = 0;
    }
    try {
      if (isReply) {
        reply();
      } else {
        request();
      }
    } finally {
      landing.done();
    }
  }

  private boolean comeBack(boolean isReply) {
    if (arrival.payloadBytes() != 16) {
      return false;
    }
    MemorySegment from = arrival.payload();
    Reason reason = Reason.of(from.get(PacketLayout.LONG, arrival.payloadAt()));
    long bytes = from.get(PacketLayout.LONG, arrival.payloadAt() + 8);
    if (reason == null) {
      return false;
    }
    station.returned(this, isReply, arrival.handler(), words(), bytes, reason);
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

  private void letGo(Lane lane) {
    while (lane.hasKept()) {
      Packet packet = lane.firstKept();
      if (packet.isPosted
          || session.settings().numbers().distance(session.base(), packet.number) >= 0) {
        return;
      }
      release(lane, packet);
    }
  }

  private static void release(Lane lane, Packet packet) {
    BulkSend tail = packet.tail;
    lane.release();
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
    Wire lost = wire;
    wire = null;
    if (lost != null) {
      lost.close(how != End.BREACH); // it lets go of all memory, that of transfers too
    }
    if (requests.isDrafting()) {
      requests.cancel();
    }
    for (Lane lane : new Lane[] {requests, replies}) {
      lane.forEach(packet -> giveBack(lane, packet));
      while (lane.hasAny()) {
        release(lane, lane.dropFirst());
      }
    }
    for (BulkSend transfer : bulk) {
      station.returned(
          this,
          transfer.isReply,
          transfer.handler,
          LongStream.of(transfer.words).boxed().toList(),
          transfer.length,
          Reason.NOT_DELIVERED);
      transfer.free();
    }
    bulk.clear();
    comebacks.clear();
    for (Landing landing : new @Nullable Landing[] {requestLanding, replyLanding}) {
      if (landing != null) {
        landing.done();
      }
    }
    requestLanding = null;
    replyLanding = null;
    requests.close();
    replies.close();
    station.ended(this, why);
  }

  /// The messages of a packet come back.
  private void giveBack(Lane lane, Packet packet) {
    Bytes bytes = lane.bytes;
    boolean isAcknowledged =
        packet.isNumbered
            && session.settings().numbers().distance(session.base(), packet.number) < 0;
    if (isAcknowledged) {
      return;
    }
    Reason reason = packet.isNumbered ? Reason.MAY_HAVE_RUN : Reason.NOT_DELIVERED;
    long at = (long) packet.offset + PacketLayout.HEADER_BYTES;
    long end = (long) packet.offset + packet.length;
    while (at < end) {
      int head = bytes.getInt(at);
      FrameKind kind = FrameKind.of(head & 0xff);
      int payload = bytes.getInt(at + 4);
      int count = head >>> 8 & 0xff;
      boolean isBulk = kind != null && kind.isBulk();
      int length = PacketLayout.frameBytes(isBulk, count);
      long wordsAt = at + length - (long) count * Long.BYTES;
      List<Long> words =
          IntStream.range(0, count)
              .mapToObj(i -> bytes.getLong(wordsAt + (long) i * Long.BYTES))
              .toList();
      long whole = isBulk ? bytes.getLong(at + PacketLayout.FRAME_BYTES) : payload;
      if (kind == FrameKind.REQUEST || kind == FrameKind.BULK_REQUEST) {
        station.returned(this, false, head >>> 16, words, whole, reason);
      } else if (kind == FrameKind.REPLY || kind == FrameKind.BULK_REPLY) {
        station.returned(this, true, head >>> 16, words, whole, reason);
      }
      at += PacketLayout.aligned(length + (isBulk ? 0 : payload));
    }
  }

  /// Throws if the counts do not add up: for tests.
  public void checkInvariants() {
    session.checkInvariants();
    requests.checkInvariants();
    replies.checkInvariants();
  }

  @Override
  public String toString() {
    return "Line[%s, over %s]".formatted(session, wire);
  }
}
