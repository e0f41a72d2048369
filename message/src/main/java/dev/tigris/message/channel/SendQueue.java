package dev.tigris.message.channel;

import dev.tigris.memory.Bytes;
import dev.tigris.memory.Jbuf;
import dev.tigris.memory.MemoryBudgetException;
import dev.tigris.memory.PageKind;
import java.lang.foreign.MemorySegment;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// The packets of one kind that a session sends, requests or replies: a ring of bytes in the order
/// in which packets were made, and so in the order of their numbers.
///
/// ```text
///   packets    first           unsent            end
///   -----------+---------------+-----------------+-----------> made
///      free    | numbered,     | waiting, the    |
///              | kept          | last may grow   |
/// ```
///
/// A packet lies in one piece. So some bytes at the end of the ring may be left out, and belong to
/// the packet behind them.
final class SendQueue {
  private final Jbuf jbuf;
  final Bytes bytes;

  /// The same, for copies: it takes a while to make.
  final MemorySegment segment;

  private final int capacity;
  private final int packetBytes;

  /// The length of a packet's header.
  private int header = PacketLayout.HEADER_BYTES;

  private final Packet[] packets;
  private final int mask;

  /// Counts of packets.
  private int first;

  private int unsent;
  private int end;

  private boolean isGone;
  private int used;
  private int writeAt;

  /// How much is known to fit the last packet, so that most frames need no other look: less than
  /// what does where memory was given back since, and 0 if there is none that grows.
  private int room;

  /// Where the head of the frame lies that is being made; -1 if none is.
  private long draft = -1;

  /// @param capacity in bytes
  /// @param packetBytes the longest packet, with its header
  /// @param count how many packets there can be: a power of two
  /// @param isLent whether the peer is to read long packets where they lie, if it can
  SendQueue(int capacity, int packetBytes, int count, String owner, boolean isLent) {
    this.capacity = capacity;
    this.packetBytes = packetBytes;
    this.jbuf = memory(capacity, owner, isLent);
    this.bytes = jbuf.asBytes();
    this.segment = bytes.segment();
    this.packets = new Packet[count];
    this.mask = count - 1;
    for (int i = 0; i < count; i++) {
      packets[i] = new Packet(i);
    }
  }

  private static Jbuf memory(int capacity, String owner, boolean isLent) {
    if (isLent) {
      try {
        return Jbuf.allocate(capacity, owner, PageKind.SHARED);
      } catch (MemoryBudgetException e) {
        throw e;
      } catch (RuntimeException e) { // too many files are open, say: packets are copied then
        System.getLogger(SendQueue.class.getName())
            .log(System.Logger.Level.DEBUG, "packets lie in memory that cannot be lent", e);
      }
    }
    return Jbuf.allocate(capacity, owner);
  }

  /// Gives the memory back, once nothing reads it any more.
  void close() {
    isGone = true;
    jbuf.unreference(Jbuf::free);
  }

  int count() {
    return packets.length;
  }

  /// Returns the length of a packet's header.
  int header() {
    return header;
  }

  /// Changes it, while there is no packet.
  void header(int bytes) {
    if (hasAny()) {
      throw new IllegalStateException("packets have another header already");
    }
    header = bytes;
  }

  /// Whether a frame of so many bytes fits now, in a packet of its own if it must be.
  boolean hasRoom(int frameBytes) {
    return frameBytes <= room || hasRoom(frameBytes, 0);
  }

  /// Whether a frame fits now whose payload is sent from elsewhere.
  boolean hasRoom(int frameBytes, int tailBytes) {
    return grows(frameBytes, tailBytes) || (end - first <= mask && skipFor(frameBytes) >= 0);
  }

  private boolean grows(int frameBytes, int tailBytes) {
    if (end == unsent) {
      return false;
    }
    Packet last = packets[(end - 1) & mask];
    return !last.isClosed
        && last.length + frameBytes + tailBytes <= packetBytes
        && used + frameBytes <= capacity
        && last.offset + last.length + frameBytes <= capacity;
  }

  /// How many bytes are left out before a new packet with this frame; -1 if there is no room.
  private int skipFor(int frameBytes) {
    int wanted = header + frameBytes;
    int skip = writeAt + wanted <= capacity ? 0 : capacity - writeAt;
    return used + skip + wanted <= capacity ? skip : -1;
  }

  /// Begins a frame. The caller has asked [#hasRoom], and ends it by [#finish].
  ///
  /// @return where it begins in the bytes
  long begin(int frameBytes) {
    if (frameBytes > room || draft >= 0) {
      return begin(frameBytes, 0);
    }
    draft = writeAt;
    return draft;
  }

  /// Begins a frame whose payload is sent from elsewhere.
  long begin(int frameBytes, int tailBytes) {
    if (draft >= 0) {
      throw new IllegalStateException(
          "a message is being prepared: commit it before you send another");
    }
    if (!grows(frameBytes, tailBytes)) {
      int skip = skipFor(frameBytes);
      if (skip < 0 || end - first > mask) {
        throw new IllegalStateException("no room for %d bytes".formatted(frameBytes));
      }
      closeLast();
      if (skip > 0 || writeAt == capacity) {
        writeAt = 0;
      }
      Packet made = packets[end++ & mask];
      made.open(writeAt, header, skip + header);
      used += made.span;
      writeAt += header;
      room = Math.min(packetBytes - made.length, Math.min(capacity - used, capacity - writeAt));
    }
    draft = writeAt;
    return draft;
  }

  /// Ends the frame that was begun, whose length may be less than was said.
  Packet finish(int frameBytes) {
    Packet last = packets[(end - 1) & mask];
    last.length += frameBytes;
    last.span += frameBytes;
    used += frameBytes;
    writeAt += frameBytes;
    room -= frameBytes;
    draft = -1;
    return last;
  }

  /// Nothing more fits the last packet.
  void closeLast() {
    room = 0;
    if (end != unsent) {
      packets[(end - 1) & mask].isClosed = true;
    }
  }

  /// Gives up the frame that was begun.
  void cancel() {
    draft = -1;
    Packet last = packets[(end - 1) & mask];
    if (last.length == header) {
      end--;
      room = 0;
      used -= last.span;
      int skipped = last.span - header;
      writeAt = skipped > 0 ? capacity - skipped : last.offset;
    }
  }

  boolean isDrafting() {
    return draft >= 0;
  }

  /// Whether a packet waits that can be sent: the last one cannot while a frame in it is made.
  boolean hasUnsent() {
    return unsent != end && (draft < 0 || end - unsent > 1);
  }

  /// The packet that waits longest.
  Packet nextUnsent() {
    return packets[unsent & mask];
  }

  /// That packet has its number, and does not grow any more.
  void sent(long number) {
    Packet packet = packets[unsent++ & mask];
    packet.number = number;
    packet.isNumbered = true;
    packet.isClosed = true;
    if (unsent == end) {
      room = 0;
    }
  }

  /// Returns the packet at a place of this queue.
  Packet at(int index) {
    return packets[index];
  }

  /// Returns the kept packet with a number; null if it is not here. Packets that are sent again are
  /// the oldest, so it is not far.
  @Nullable Packet find(long number) {
    for (int i = first; i != unsent; i++) {
      Packet packet = packets[i & mask];
      if (packet.number == number) {
        return packet;
      }
    }
    return null;
  }

  /// Whether there is any packet.
  boolean hasAny() {
    return first != end;
  }

  /// Makes the first packet one that is kept, whether or not it was sent, for [#release].
  Packet dropFirst() {
    if (first == unsent) {
      unsent++;
    }
    return packets[first & mask];
  }

  /// Whether its memory was given back.
  boolean isGone() {
    return isGone;
  }

  /// Whether there is a packet that is kept.
  boolean hasKept() {
    return first != unsent;
  }

  /// The packet that is kept longest.
  Packet firstKept() {
    return packets[first & mask];
  }

  /// Lets go of that packet.
  void release() {
    Packet packet = packets[first++ & mask];
    used -= packet.span;
    if (packet.tail != null) {
      packet.tail = null;
    }
    if (first == end) { // short messages then stay in a few lines of the cache, and few objects
      first = 0;
      unsent = 0;
      end = 0;
      room = 0;
      writeAt = 0;
    }
  }

  /// Does something with each packet, those first that are kept.
  void forEach(Consumer<Packet> what) {
    for (int i = first; i != end; i++) {
      what.accept(packets[i & mask]);
    }
  }

  void checkInvariants() {
    int sum = 0;
    for (int i = first; i != end; i++) {
      sum += packets[i & mask].span;
    }
    boolean isRoomThere = room <= 0 || grows(room, 0);
    if (!isRoomThere || sum != used || used > capacity || end - first > packets.length) {
      throw new IllegalStateException(
          "%d packets take %d bytes, %d of %d are used, and %d more are said to fit"
              .formatted(end - first, sum, used, capacity, room));
    }
  }
}
