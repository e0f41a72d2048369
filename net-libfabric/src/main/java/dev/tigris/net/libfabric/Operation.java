package dev.tigris.net.libfabric;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// Something that was posted to the library and is not complete; or a spare one.
///
/// The library is given its number, and gives that back. What the operation needs of memory is held
/// from here until then.
final class Operation {
  final int number;
  private @Nullable ReceivingEndpoint receivingEndpoint;

  /// Null for a receive of a receiving endpoint that several share.
  @Nullable Channel channel;

  Kind kind = Kind.NONE;
  private @Nullable Buffer buffer;
  private @Nullable Outbound outbound;
  private @Nullable Inbound inbound;

  /// Which bytes of a message are read.
  long from;

  long size;

  enum Kind {
    NONE,
    RECEIVE,
    SEND,
    READ,
    ACCESS
  }

  Operation(int number) {
    this.number = number;
  }

  Operation start(ReceivingEndpoint postedTo, @Nullable Channel by) {
    receivingEndpoint = postedTo;
    channel = by;
    return this;
  }

  Operation receive(Buffer into) {
    kind = Kind.RECEIVE;
    buffer = into;
    return this;
  }

  /// Sends a packet.
  ///
  /// @param from what it is sent from, to be given back
  /// @param message what is sent when this is complete; null if that does not matter
  Operation send(Buffer from, @Nullable Outbound message) {
    kind = Kind.SEND;
    buffer = from;
    outbound = message;
    return this;
  }

  /// Reads or writes memory of the peer for the application.
  Operation access(Outbound transfer) {
    kind = Kind.ACCESS;
    outbound = transfer;
    return this;
  }

  /// Reads a part of a message.
  ///
  /// @param into where to, to be copied from there; null if that is its place
  Operation read(Inbound message, @Nullable Buffer into, long partFrom, long partSize) {
    kind = Kind.READ;
    inbound = message;
    buffer = into;
    from = partFrom;
    size = partSize;
    return this;
  }

  void forget() {
    kind = Kind.NONE;
    receivingEndpoint = null;
    channel = null;
    buffer = null;
    outbound = null;
    inbound = null;
  }

  ReceivingEndpoint receivingEndpoint() {
    return Objects.requireNonNull(receivingEndpoint);
  }

  boolean isOf(ReceivingEndpoint other) {
    return receivingEndpoint == other;
  }

  @Nullable Buffer buffer() {
    return buffer;
  }

  @Nullable Outbound outbound() {
    return outbound;
  }

  Inbound inbound() {
    return Objects.requireNonNull(inbound);
  }
}
