package dev.tigris.net.libfabric;

import dev.tigris.net.DataType;
import dev.tigris.net.libfabric.raw.Device;
import dev.tigris.net.provider.LostMemoryException;
import dev.tigris.net.provider.Region;
import dev.tigris.net.provider.Transfer;
import java.lang.foreign.MemorySegment;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// Sends packets over a channel: short ones are copied by the library at once; a longer message is
/// sent from its own memory, after a header, unless it has more ranges than the library takes, or
/// lies in a file, where the library might touch what is gone, or the endpoint is shared: that
/// outlives the connection, and what was posted to it does too.
///
/// Every method returns 0, or what the library says; `Endpoint.AGAIN` if nothing was sent because
/// too much is under way.
final class Packets {
  /// The size of a buffer for what has no message in it: an offer at most.
  static final int HEADER_BYTES =
      Packet.HEADER_BYTES + Transfer.MAXIMUM_RANGES * Packet.RANGE_BYTES;

  private final Channel channel;
  private final DeviceQueue deviceQueue;
  private final GatherList list;
  private int sequence;

  /// Messages of the peer that were consumed and not yet credited to it.
  private int owed;

  Packets(Channel channel, int firstSequence) {
    this.channel = channel;
    this.deviceQueue = channel.deviceQueue;
    this.list = deviceQueue.gatherList();
    this.sequence = firstSequence;
  }

  /// The number of the next packet.
  int sequence() {
    return sequence;
  }

  /// Has the next packet give the peer a credit.
  void owe() {
    owed++;
  }

  int owed() {
    return owed;
  }

  /// What the device calls a region, where it wants to know.
  record Registered(long registration, long descriptor) {}

  static long descriptor(Region region) {
    return region.registration() instanceof Registered registered ? registered.descriptor() : 0;
  }

  /// The address of bytes `[from, from + count)` of a range, for the library, which checks nothing.
  static long address(Transfer message, int range, long from, long count) {
    Objects.checkFromIndexSize(from, count, message.length(range));
    MemorySegment memory = message.region(range).segment();
    long at = message.offset(range) + from;
    Objects.checkFromIndexSize(at, count, memory.byteSize());
    return memory.address() + at;
  }

  /// Sends one that has nothing but a header.
  long send(int kind, int tag) {
    boolean inject = Packet.HEADER_BYTES <= deviceQueue.limits().injectBytes();
    Buffer buffer = inject ? deviceQueue.scratch() : deviceQueue.headers().take();
    Packet.put(buffer.memory(), kind, 0, tag, DataType.MIXED, owed, sequence);
    return inject
        ? inject(buffer, Packet.HEADER_BYTES)
        : gather(buffer, Packet.HEADER_BYTES, 1, null);
  }

  /// Sends the next piece of a message, or all of it.
  long send(Transfer message, Outbound outbound) {
    long from = outbound.sent;
    long size = Math.min(Packet.CONTENT_BYTES, message.bytes() - from);
    long bytes = Packet.HEADER_BYTES + size;
    boolean inject = bytes <= deviceQueue.limits().injectBytes();
    boolean whole =
        inject
            || message.isMapped()
            || deviceQueue.copies()
            || 1 + message.count() > deviceQueue.limits().ranges();
    Buffer buffer =
        inject
            ? deviceQueue.scratch()
            : (whole ? deviceQueue.packets() : deviceQueue.headers()).take();
    if (from == 0) {
      long length = message.bytes();
      Packet.put(
          buffer.memory(), Packet.MESSAGE, length, message.tag(), message.type(), owed, sequence);
    } else {
      Packet.put(buffer.memory(), Packet.MORE, 0, 0, DataType.MIXED, owed, sequence);
    }
    if (whole) {
      copy(message, from, size, buffer, inject);
    }
    long result;
    if (inject) {
      result = inject(buffer, bytes);
    } else if (whole) {
      result = gather(buffer, bytes, 1, deviceQueue.copies() ? null : outbound);
    } else {
      result = gather(buffer, Packet.HEADER_BYTES, ranges(message, from, size), outbound);
    }
    outbound.sent += result == 0 ? size : 0;
    return result;
  }

  /// Copies a piece to where it is sent from. If that fails, the buffer is given back, unless it is
  /// the scratch one.
  private void copy(Transfer message, long from, long size, Buffer buffer, boolean scratch) {
    try {
      message.copyTo(buffer.memory(), Packet.HEADER_BYTES, from, size);
    } catch (LostMemoryException e) {
      if (!scratch) {
        deviceQueue.giveBack(buffer);
      }
      throw e;
    }
  }

  /// Reads or writes memory of the peer; what is missing is done the next time.
  long access(Transfer transfer, Outbound outbound) {
    while (outbound.sent < transfer.bytes()) {
      int range = transfer.rangeAt(outbound.sent);
      long skip = outbound.sent - transfer.before(range);
      long bytes = Math.min(transfer.length(range) - skip, deviceQueue.limits().operationBytes());
      long memory = address(transfer, range, skip, bytes);
      long descriptor = descriptor(transfer.region(range));
      long there = transfer.remoteAddress() + outbound.sent;
      Operation operation =
          deviceQueue.operations().start(channel.receivingEndpoint, channel).access(outbound);
      int number = operation.number;
      long key = transfer.remoteKey();
      long result =
          transfer.remote() == Transfer.Remote.READ
              ? channel.endpoint.read(memory, bytes, descriptor, channel.peer(), there, key, number)
              : channel.endpoint.write(
                  memory, bytes, descriptor, channel.peer(), there, key, number);
      if (result != 0) {
        deviceQueue.operations().end(operation);
        return result;
      }
      outbound.sent += bytes;
      outbound.piecesUnderWay++;
    }
    return 0;
  }

  /// Lists the ranges of a piece, behind one for its header; returns how many these are.
  private int ranges(Transfer message, long from, long size) {
    int count = 1;
    long skip = from;
    long left = size;
    for (int i = 0; left > 0; i++) {
      long part = Math.min(message.length(i) - skip, left);
      if (part > 0) {
        list.set(count++, address(message, i, skip, part), part, descriptor(message.region(i)));
        left -= part;
      }
      skip = Math.max(0, skip - message.length(i));
    }
    return count;
  }

  /// Offers a message: lets the peer read it.
  long offer(Transfer message, Outbound outbound) {
    Buffer buffer = deviceQueue.headers().take();
    Device device = deviceQueue.device();
    int count = 0;
    for (int i = 0; i < message.count(); i++) {
      if (message.length(i) > 0) {
        long address = address(message, i, 0, message.length(i));
        long registration = device.register(address, message.length(i), true, false);
        if (registration < 0) {
          outbound.deregister();
          deviceQueue.giveBack(buffer);
          return registration;
        }
        outbound.add(registration);
        Packet.putRange(
            buffer.memory(),
            count++,
            device.remoteAddress(address),
            Device.key(registration),
            message.length(i));
      }
    }
    Packet.put(
        buffer.memory(),
        Packet.OFFER,
        message.bytes(),
        message.tag(),
        message.type(),
        owed,
        sequence);
    long bytes = Packet.HEADER_BYTES + (long) count * Packet.RANGE_BYTES;
    long result = gather(buffer, bytes, 1, null);
    if (result == 0) {
      outbound.offer(message.bytes());
    } else {
      outbound.deregister();
    }
    return result;
  }

  private long inject(Buffer buffer, long bytes) {
    long prefix = number(buffer);
    long result = channel.endpoint.inject(buffer.address(), prefix + bytes, channel.peer());
    return counted(result);
  }

  /// @param bytes how much of the buffer is the first range
  /// @param count how many ranges there are
  /// @param message what it is a piece of; null if nothing waits until it is sent
  private long gather(Buffer buffer, long bytes, int count, @Nullable Outbound message) {
    list.set(0, buffer.address(), number(buffer) + bytes, buffer.descriptor());
    Operation operation =
        deviceQueue.operations().start(channel.receivingEndpoint, channel).send(buffer, message);
    long result =
        channel.endpoint.gather(
            list.address(), list.descriptors(), count, channel.peer(), operation.number);
    if (result != 0) {
      deviceQueue.operations().end(operation);
      deviceQueue.giveBack(buffer);
    } else if (message != null) {
      message.piecesUnderWay++;
    }
    return counted(result);
  }

  /// Puts the number of the connection before a packet, if it needs one; returns its length.
  private int number(Buffer buffer) {
    if (!channel.isShare()) {
      return 0;
    }
    buffer.whole().set(Packet.LONG, 0, channel.peerNumber());
    return SharedEndpoint.NUMBER_BYTES;
  }

  private long counted(long result) {
    if (result == 0) {
      sequence++;
      owed = 0;
    }
    return result;
  }
}
