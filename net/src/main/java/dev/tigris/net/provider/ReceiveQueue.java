package dev.tigris.net.provider;

import dev.tigris.net.Attributes;
import dev.tigris.net.DataType;
import dev.tigris.net.Delivery;
import dev.tigris.net.Status;

/// The posted receives of a link that are not complete, and the rules for arriving messages. For
/// each message a provider asks [#arriving], and goes on as that says: the rules are common to all
/// providers.
public final class ReceiveQueue extends TransferQueue {
  private final boolean waits;
  private final boolean checksTypes;
  private long messages;
  private long bytes;
  private long dropped;
  private long refused;

  /// Makes one for what was agreed about this side.
  ReceiveQueue(Attributes attributes) {
    super(attributes.receiveDepth());
    this.waits = attributes.delivery() == Delivery.RELIABLE;
    this.checksTypes = attributes.checkTypes();
  }

  /// Says what becomes of a message whose header has arrived. A receive that it does not fit is
  /// completed with the refusal.
  ///
  /// @param length in bytes, which is within what this side takes: more is a breach of protocol
  /// @return the stage behind [ReceiveStage#HEADER]
  public ReceiveStage arriving(long length, int tag, DataType type) {
    Transfer first = peek();
    if (first == null) {
      if (waits) {
        return ReceiveStage.WAITING;
      }
      dropped++;
      return ReceiveStage.SKIPPING;
    }
    if (checksTypes && first.memoryType() != type) {
      return refuse(Status.OTHER_TYPE, tag, type);
    }
    return length > first.bytes() ? refuse(Status.TOO_LONG, tag, type) : ReceiveStage.FILLING;
  }

  private ReceiveStage refuse(Status reason, int tag, DataType type) {
    Transfer first = take();
    refused++;
    first.arrived(tag, type);
    first.complete(reason, 0);
    return ReceiveStage.SKIPPING;
  }

  /// Whether a message would fill a transfer of this queue, and not be refused.
  public boolean fits(long length, DataType type, Transfer into) {
    return length <= into.bytes() && (!checksTypes || type == into.memoryType());
  }

  /// The transfer at the head was filled.
  public void received(long length, int tag, DataType type) {
    Transfer first = take();
    messages++;
    bytes += length;
    first.arrived(tag, type);
    first.complete(Status.DONE, length);
  }

  /// How many messages were received.
  long messages() {
    return messages;
  }

  /// How many bytes they had.
  long bytes() {
    return bytes;
  }

  /// How many messages found no receive.
  long dropped() {
    return dropped;
  }

  /// How many did not fit the one they found.
  long refused() {
    return refused;
  }
}
