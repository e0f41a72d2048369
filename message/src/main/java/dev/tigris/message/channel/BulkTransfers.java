// Over 400 lines: both directions of a connection, which share its interface and its counts.
package dev.tigris.message.channel;

import dev.tigris.memory.Bytes;
import dev.tigris.memory.Jbuf;
import dev.tigris.memory.MemoryBudgetException;
import dev.tigris.message.Reason;
import dev.tigris.message.protocol.Pieces;
import dev.tigris.net.Descriptor;
import dev.tigris.net.Ticket;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// The bulk transfers of a channel that go over the second interface of the connection: those that
/// were offered to the peer, and those that the peer has offered.
///
/// ```text
///   sender    offer ------packets------> receiver: chooses the memory, and posts it
///             counts <----packets------- granted, taken
///             pieces ---bulk interface-> into that memory; the last one runs the handler
/// ```
///
/// Thread rule: the thread of the bundle.
final class BulkTransfers {
  /// How many transfers may be offered, and not over, in each direction.
  static final int MOST_OFFERS = 16;

  /// A peer is not given up before this side has looked so often: it may have been this side that
  /// was stopped.
  private static final int LEAST_LOOKS = 8;

  private final Channel channel;
  private final ArrayDeque<BulkSend> sends = new ArrayDeque<>(2);
  private final Pieces out = new Pieces();

  /// Transfers that the peer has skipped, and so refused, by its counts: what it returns follows.
  /// Each holds a credit of this side, or is a reply that the peer returns before its next
  /// requests, of which no more than there are credits are under way.
  private final List<BulkSend> refused = new ArrayList<>();

  private final ArrayDeque<Offer> offers = new ArrayDeque<>(2);
  private final Pieces in = new Pieces();
  private @Nullable BulkConnection connection;

  /// The number of the last interface.
  private long number;

  /// What the peer has granted over an interface that this side has not been greeted on yet.
  private long earlyNumber;

  private long earlyGranted;

  /// How many interfaces were made since a piece was taken, in either direction.
  private int fruitless;

  /// Whether the peer does not know the counts of what it sends.
  private boolean isNews;

  private boolean isOver;

  /// For how long a transfer was offered and no piece was granted or taken, and until when that was
  /// counted.
  private long idleNanos;

  private long idleUntil;

  /// A transfer that the peer has offered.
  private static final class Offer {
    final boolean isReply;
    final int handler;
    final long[] words;
    final long reference;
    final long total;
    final long place;
    final long pieceBytes;
    final long pieces;
    final long first;
    @Nullable BulkTarget target;

    /// Where its pieces arrive, if the provider cannot receive into the target itself: as much as
    /// is granted at a time.
    @Nullable Jbuf staging;

    Offer(
        boolean isReply,
        IncomingMessage incoming,
        long total,
        long place,
        long pieceBytes,
        Pieces counts) {
      this.isReply = isReply;
      this.handler = incoming.handler();
      this.words = new long[incoming.words()];
      for (int i = 0; i < words.length; i++) {
        words[i] = incoming.word(i);
      }
      this.reference = incoming.reference();
      this.total = total;
      this.place = place;
      this.pieceBytes = pieceBytes;
      this.pieces = pieces(total, pieceBytes);
      this.first = counts.offer(pieces);
    }

    long stagingBytes() {
      return Math.min(total, Pieces.MOST * pieceBytes);
    }

    /// Where the piece with this number arrives there.
    long stagingAt(long piece) {
      return (piece - first) % Pieces.MOST * pieceBytes;
    }

    /// Its memory is the program's, and that between is not needed any more.
    void done() {
      BulkTarget chosen = target;
      if (chosen != null) {
        chosen.done();
      }
      letGoOfStaging();
    }

    void letGoOfStaging() {
      Jbuf held = staging;
      staging = null;
      if (held != null) {
        held.unreference(Jbuf::free);
      }
    }
  }

  BulkTransfers(Channel channel) {
    this.channel = channel;
  }

  /// Returns how many pieces a transfer has: one at least.
  static long pieces(long total, long pieceBytes) {
    return Math.max(1, (total + pieceBytes - 1) / pieceBytes);
  }

  // ---- the connection

  @Nullable BulkConnection connection() {
    return connection;
  }

  /// Whether there is something to do that needs an interface.
  boolean isWanted() {
    return connection == null && hasAny();
  }

  int fruitless() {
    return fruitless;
  }

  /// Whether the peer has granted and taken no piece for longer than that, though a transfer is
  /// offered. It may talk nevertheless, or connect again and again. One that is silent, too, has
  /// ended its session before.
  boolean isStuck(long now, long patienceNanos) {
    long step = Math.max(1, patienceNanos / LEAST_LOOKS);
    if (hasAny()) {
      idleNanos += Math.clamp(now - idleUntil, 0, step);
    } else {
      idleNanos = 0;
    }
    idleUntil = now;
    return idleNanos >= patienceNanos + step;
  }

  private void progress() {
    idleNanos = 0;
  }

  /// Whether a transfer is offered, in either direction, and not over.
  boolean hasAny() {
    return !sends.isEmpty() || !offers.isEmpty();
  }

  /// There is an interface, made by this side.
  void attach(BulkConnection made, long session, int epoch) {
    attach(made, number + 1);
    made.greet(session, epoch);
    advance();
  }

  /// There is an interface, made by the peer.
  ///
  /// @return false if it is an older one than that of before
  boolean attachGreeted(BulkConnection made) {
    if (made.number() <= number) {
      return false;
    }
    attach(made, made.number());
    if (earlyNumber == number) {
      boolean _ = out.told(Math.max(earlyGranted, out.taken()), out.taken(), true);
    }
    advance();
    return true;
  }

  private void attach(BulkConnection made, long its) {
    detach();
    fruitless++;
    number = its;
    made.belongsTo(channel, its);
    connection = made;
    told();
  }

  /// The connection for packets is a new one: what was told last may have been lost.
  void told() {
    isNews = in.offered() > 0;
  }

  /// The interface is lost, or given up.
  void detach() {
    BulkConnection lost = connection;
    connection = null;
    if (lost != null) {
      lost.close();
    }
    in.detached();
    out.detached();
    for (BulkSend send : sends) {
      send.inFlight = 0;
      send.anchor = null;
    }
    release();
  }

  // ---- transfers to the peer

  boolean mayOffer() {
    return sends.size() < MOST_OFFERS;
  }

  boolean hasSends() {
    return !sends.isEmpty();
  }

  boolean hasOffers() {
    return !offers.isEmpty();
  }

  /// A transfer is offered, in pieces of this length.
  void offer(BulkSend transfer, long pieceBytes) {
    transfer.pieceBytes = pieceBytes;
    transfer.first = out.offer(pieces(transfer.length, pieceBytes));
    sends.add(transfer);
  }

  /// The peer tells how many pieces it has granted and taken, over which interface.
  ///
  /// @return false if that cannot be
  boolean told(long granted, long taken, long itsNumber) {
    BulkConnection open = connection;
    boolean isCurrent = open != null && open.number() == itsNumber;
    if (itsNumber > number) { // its greeting is on the way
      earlyNumber = itsNumber;
      earlyGranted = granted;
    }
    long before = out.taken();
    long grantedBefore = out.granted();
    if (!out.told(granted, taken, isCurrent)) {
      return false;
    }
    if (out.taken() > before) {
      fruitless = 0;
    }
    if (out.taken() > before || out.granted() > grantedBefore) {
      progress();
    }
    release();
    return refused.size() <= 2 * channel.session().settings().credits() + MOST_OFFERS;
  }

  /// Lets go of the transfers that are taken, and have left.
  void release() {
    while (!sends.isEmpty()) {
      BulkSend first = sends.peek();
      boolean isTaken = first.first + pieces(first.length, first.pieceBytes) <= out.taken();
      if (!isTaken || first.inFlight > 0) {
        return;
      }
      sends.remove();
      if (!first.isWhole && first.length > 0) {
        refused.add(first);
      }
      letGo(first);
    }
  }

  /// The peer returns a transfer that it has refused.
  void cameBack(boolean isReply, long reference) {
    refused.removeIf(each -> each.isReply == isReply && each.reference == reference);
  }

  /// The packet with the offer of a transfer never leaves.
  void neverOffered(boolean isReply, long reference) {
    for (BulkSend send : sends) {
      send.isUnoffered |= send.isReply == isReply && send.reference == reference;
    }
  }

  private void letGo(BulkSend transfer) {
    Ticket anchor = transfer.anchor;
    BulkConnection open = connection;
    if (anchor != null && open != null) {
      open.deregister(anchor);
    }
    transfer.anchor = null;
    transfer.free();
  }

  /// Sends the pieces that the peer has granted. The doorbell is rung by [#ring].
  void post() {
    BulkConnection open = connection;
    while (open != null && out.maySend() && open.hasRoom() && !open.hasEnded()) {
      BulkSend transfer = sendWith(out.sent());
      if (transfer.anchor == null) { // one registration for all pieces
        transfer.anchor = open.register(transfer.source);
      }
      long at = (out.sent() - transfer.first) * transfer.pieceBytes;
      long bytes = Math.min(transfer.pieceBytes, transfer.length - at);
      if (!open.send(transfer, at, bytes)) {
        return;
      }
      transfer.inFlight++;
      transfer.isWhole |= at + bytes == transfer.length;
      out.send();
    }
  }

  private BulkSend sendWith(long piece) {
    for (BulkSend send : sends) {
      if (piece < send.first + pieces(send.length, send.pieceBytes)) {
        return send;
      }
    }
    throw new IllegalStateException("piece %d is of no transfer: %s".formatted(piece, out));
  }

  void ring() {
    BulkConnection open = connection;
    if (open != null) {
      open.ring();
    }
  }

  // ---- transfers from the peer

  /// The peer offers a transfer.
  ///
  /// @return false if it cannot be
  boolean offered(
      boolean isReply, IncomingMessage incoming, long total, long pieceBytes, long place) {
    if (total < 0
        || pieceBytes < 1
        || pieceBytes > BulkConnection.PIECE_BYTES
        || total > Long.MAX_VALUE / 4
        || pieces(total, pieceBytes) > Long.MAX_VALUE - in.offered() // they are counted for ever
        || offers.size() >= MOST_OFFERS) {
      return false;
    }
    offers.add(new Offer(isReply, incoming, total, place, pieceBytes, in));
    advance();
    return true;
  }

  /// Grants the next pieces, as far as that is possible, and skips transfers that need no memory.
  /// Handlers may run in it.
  private void advance() {
    while (!isOver && in.mayGrant()) {
      Offer next = offerWith(in.granted());
      BulkTarget target = targetOf(next);
      if (target.refusal() != null || next.total == 0) {
        if (!in.isQuiet()) {
          return;
        }
        in.skip(next.pieces);
        finish(next, target);
        continue;
      }
      BulkConnection open = connection;
      if (open == null || open.hasEnded() || isTaken(next)) {
        return;
      }
      if (!hasMemory(open, next, target)) {
        next.target = BulkTarget.nowhere(Reason.TOO_LONG); // skipped in its turn
        target.done();
        continue;
      }
      if (!post(open, next, target)) {
        return;
      }
      in.grant();
      isNews = true;
    }
  }

  /// Whether a transfer before this one goes to the same place of the segment, and its handler has
  /// not run.
  private boolean isTaken(Offer next) {
    for (Offer offer : offers) {
      if (offer == next || next.place < 0) {
        return false;
      }
      boolean isApart =
          offer.place < 0
              || offer.place + offer.total <= next.place
              || next.place + next.total <= offer.place;
      if (!isApart) {
        return true;
      }
    }
    return false;
  }

  private BulkTarget targetOf(Offer offer) {
    BulkTarget chosen = offer.target;
    if (chosen == null) {
      chosen = channel.target(offer.isReply, offer.handler, offer.total, offer.place);
      offer.target = chosen;
    }
    return chosen;
  }

  private Offer offerWith(long piece) {
    for (Offer offer : offers) {
      if (piece < offer.first + offer.pieces) {
        return offer;
      }
    }
    throw new IllegalStateException("piece %d is of no transfer: %s".formatted(piece, in));
  }

  /// Whether there is memory to receive into: nothing of a transfer was granted before it has that
  /// between. So one that finds none is refused, as one that finds no target is.
  private static boolean hasMemory(BulkConnection open, Offer offer, BulkTarget target) {
    if (target.bytes() == null && !open.takesArrays() && offer.staging == null) {
      try {
        Jbuf staging = Jbuf.allocate(offer.stagingBytes(), "messages");
        Bytes _ = staging.asBytes(); // what was never viewed cannot be unreferenced
        offer.staging = staging;
      } catch (MemoryBudgetException | OutOfMemoryError e) { // of the peer's length: it hears of it
        return false;
      }
    }
    return true;
  }

  private boolean post(BulkConnection open, Offer offer, BulkTarget target) {
    long at = (in.granted() - offer.first) * offer.pieceBytes;
    long bytes = Math.min(offer.pieceBytes, offer.total - at);
    Bytes buffer = target.bytes();
    if (buffer != null) {
      return open.receive(buffer, target.at() + at, bytes);
    }
    Jbuf staging = offer.staging;
    return staging == null
        ? open.receive(Objects.requireNonNull(target.array()), at, bytes)
        : open.receive(staging.asBytes(), offer.stagingAt(in.granted()), bytes);
  }

  /// A piece has arrived.
  ///
  /// @return false if it is not the one that is expected
  boolean landed(Descriptor descriptor) {
    Offer offer = offerWith(in.taken());
    long at = (in.taken() - offer.first) * offer.pieceBytes;
    long bytes = Math.min(offer.pieceBytes, offer.total - at);
    if (descriptor.transferredBytes() != bytes) {
      return false;
    }
    BulkTarget target = Objects.requireNonNull(offer.target);
    Jbuf staging = offer.staging;
    if (staging != null) {
      target.put(at, staging.asBytes().segment(), offer.stagingAt(in.taken()), (int) bytes);
    }
    in.take();
    fruitless = 0;
    progress();
    isNews = true;
    if (in.taken() == offer.first + offer.pieces) {
      finish(offer, target);
    }
    advance();
    return true;
  }

  /// A transfer is whole, or is not wanted: its handler runs, or it comes back.
  private void finish(Offer offer, BulkTarget target) {
    isNews = true;
    progress();
    offers.remove(offer);
    offer.letGoOfStaging();
    channel.runOffered(
        offer.isReply,
        offer.handler,
        offer.words,
        offer.reference,
        target,
        offer.total,
        offer.place);
  }

  // ---- the counts

  /// Whether the peer is to be told the counts of what it sends.
  boolean isNews() {
    return isNews;
  }

  /// Writes them; they are sent now.
  ///
  /// @return the length
  int writeCounts(Bytes to, long at) {
    isNews = false;
    to.setLong(at, in.granted());
    to.setLong(at + 8, in.taken());
    to.setLong(at + 16, number);
    return 24;
  }

  // ---- the end

  /// The session has ended. Returns the transfers that were not taken, which come back.
  List<BulkSend> end() {
    isOver = true;
    detach();
    offers.forEach(Offer::done);
    offers.clear();
    List<BulkSend> left = new ArrayList<>(refused);
    left.addAll(sends);
    refused.clear();
    sends.clear();
    return left;
  }

  /// Why a transfer comes back: no handler has run if the last piece never left, or the offer of an
  /// empty one.
  static Reason reasonOf(BulkSend transfer) {
    boolean mayHaveRun = transfer.isWhole || (transfer.length == 0 && !transfer.isUnoffered);
    return mayHaveRun ? Reason.MAY_HAVE_RUN : Reason.NOT_DELIVERED;
  }

  void checkInvariants() {
    in.checkInvariants();
    out.checkInvariants();
    if (offers.size() > MOST_OFFERS || sends.size() > MOST_OFFERS) {
      throw new IllegalStateException("too many transfers are offered");
    }
  }

  @Override
  public String toString() {
    return "to the peer %s, from it %s, over %s".formatted(out, in, connection);
  }
}
