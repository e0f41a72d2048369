package dev.tigris.net.libfabric;

import dev.tigris.net.DataType;
import dev.tigris.net.provider.LostMemoryException;
import dev.tigris.net.provider.Transfer;
import org.jspecify.annotations.Nullable;

/// A packet with content that has arrived and is not consumed.
final class Inbound {
  @Nullable Buffer buffer;
  int kind;
  long content;
  long length;
  int tag;
  DataType type = DataType.BYTES;
  int sequence;

  /// What an offered message is read into; null if that has not begun.
  @Nullable Transfer into;

  /// How much of it reads were posted for.
  long posted;

  int readsUnderWay;

  /// Why a part of it found no memory; null if each did. The messages before it come first: the
  /// connection breaks when it is the turn of this one.
  @Nullable LostMemoryException loss;

  void start(Packet packet, Buffer from) {
    buffer = from;
    kind = packet.kind;
    content = packet.content;
    length = packet.length;
    tag = packet.tag;
    type = packet.type;
    sequence = packet.sequence;
    into = null;
    posted = 0;
    readsUnderWay = 0;
    loss = null;
  }

  boolean isRead() {
    return into != null && posted == length && readsUnderWay == 0;
  }
}
