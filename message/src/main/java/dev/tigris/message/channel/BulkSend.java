package dev.tigris.message.channel;

import dev.tigris.memory.View;
import dev.tigris.net.Ticket;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/// A bulk transfer that is sent, out of the program's own memory, which stays as it is until the
/// peer has acknowledged all parts.
public final class BulkSend {
  final View source;
  final long offset;
  final long length;
  final boolean isReply;
  final int handler;
  final long[] words;
  final long place;

  /// Of a reply: the request that it answers. Of a request that was offered: its number.
  long reference;

  private final Runnable whenFree;

  /// How many bytes were put into packets.
  long put;

  /// Whether the last part was.
  boolean isPut;

  /// How many parts are in packets without a number.
  int unsent;

  /// How many parts are in packets that are kept.
  int kept;

  /// The number of its first piece and the length of each, if it goes over the interface for bulk
  /// transfers.
  long first;

  long pieceBytes;

  /// How many pieces are posted there.
  int inFlight;

  /// Whether the last piece has been.
  boolean isWhole;

  /// Whether the packet with its offer has never left.
  boolean isUnoffered;

  /// Its registration there; null if there is none.
  @Nullable Ticket anchor;

  private @Nullable MemorySegment memory;
  private boolean isFree;
  private @Nullable PacketConnection connection;
  private @Nullable Ticket ticket;

  /// Makes a transfer.
  ///
  /// @param place in the receiver's segment; -1 if it is for a buffer of the receiver's choice
  /// @param reference of a reply, the number of the request
  /// @param whenFree is run when the memory is the program's again
  public BulkSend(
      View source,
      long offset,
      long length,
      boolean isReply,
      int handler,
      long[] words,
      long place,
      long reference,
      Runnable whenFree) {
    this.source = source;
    this.offset = offset;
    this.length = length;
    this.isReply = isReply;
    this.handler = handler;
    this.words = words;
    this.place = place;
    this.reference = reference;
    this.whenFree = whenFree;
  }

  /// The memory as a segment, which takes a while to make.
  MemorySegment memory() {
    MemorySegment made = memory;
    if (made == null) {
      made = source.segment();
      memory = made;
    }
    return made;
  }

  /// The memory, registered with this connection.
  Ticket ticket(PacketConnection with) {
    Ticket registered = ticket;
    if (registered == null || with != connection) {
      registered = with.register(source);
      ticket = registered;
      connection = with;
    }
    return registered;
  }

  /// A part was let go of.
  void released() {
    kept--;
    if (kept == 0 && isPut) {
      free();
    }
  }

  /// The memory is the program's again.
  void free() {
    if (isFree) {
      return;
    }
    isFree = true;
    memory = null;
    Ticket registered = ticket;
    PacketConnection with = connection;
    if (registered != null && with != null) {
      with.deregister(registered);
    }
    whenFree.run();
  }
}
