package dev.tigris.net.uring;

import dev.tigris.net.provider.Frame;
import dev.tigris.net.provider.Staging;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/// The bytes that have arrived at a link and were not taken, in order: first those that the link
/// has seen itself, or that came behind a message that was shorter than expected, then the buffers
/// that the kernel has filled: those that it is to have again, and behind them those that were
/// exchanged for others.
final class Arrived {
  private final UringPort port;

  /// What the link has seen or what came behind a message, in a buffer of its own; null if that is
  /// nothing.
  private @Nullable Staging surplus;

  /// The numbers of the buffers that the kernel has filled.
  private final Numbers kept = new Numbers();

  /// Those that the kernel has others for.
  private final ArrayDeque<Staging> exchanged = new ArrayDeque<>();

  /// A header that does not lie in one buffer.
  private final ByteBuffer header =
      ByteBuffer.allocateDirect(Frame.HEADER_BYTES).order(ByteOrder.LITTLE_ENDIAN);

  private final MemorySegment headerMemory = MemorySegment.ofBuffer(header);

  /// How much of it is there.
  private int headerBytes;

  Arrived(UringPort port) {
    this.port = port;
  }

  /// The kernel has filled a buffer.
  ///
  /// @param staysLong whether it may be long until that is taken: then the kernel gets another one
  void add(int buffer, int bytes, boolean staysLong) {
    port.filled(buffer, bytes);
    if (staysLong || !exchanged.isEmpty()) {
      exchanged.add(port.exchange(buffer));
    } else {
      kept.add(buffer);
    }
  }

  /// Has these bytes, which no buffer of the kernel brought, taken next: all before them were.
  void addSurplus(Staging bytes) {
    surplus = bytes;
  }

  /// What is taken from next, which has something in it; null if nothing is left. What was taken
  /// from until now is given back if it is empty.
  @Nullable Staging next() {
    if (surplus != null && surplus.bytes().hasRemaining()) {
      return surplus;
    }
    forgetSurplus();
    while (!kept.isEmpty()) {
      Staging first = port.buffer(kept.first());
      if (first.bytes().hasRemaining()) {
        return first;
      }
      port.provide(kept.remove());
    }
    while (!exchanged.isEmpty()) {
      if (exchanged.element().bytes().hasRemaining()) {
        return exchanged.element();
      }
      port.giveBack(exchanged.remove());
    }
    return null;
  }

  /// The next header, which is to be taken at once; null if not all of it has arrived.
  @Nullable ByteBuffer header() {
    Staging next = next();
    if (headerBytes == 0 && next != null && next.bytes().remaining() >= Frame.HEADER_BYTES) {
      return next.bytes();
    }
    for (; next != null && headerBytes < Frame.HEADER_BYTES; next = next()) {
      header.put(headerBytes++, next.bytes().get());
    }
    if (headerBytes < Frame.HEADER_BYTES) {
      return null;
    }
    headerBytes = 0;
    return header.clear();
  }

  /// Whether some of a header has arrived, and not all of it.
  boolean hasPartOfHeader() {
    return headerBytes > 0;
  }

  /// Where a header is received to that comes with the message that is expected.
  MemorySegment headerMemory() {
    return headerMemory;
  }

  /// So many bytes of it were.
  void addHeader(int bytes) {
    headerBytes = bytes;
  }

  /// Whether nothing is held: all that was taken is given back, too.
  boolean isEmpty() {
    return surplus == null && kept.isEmpty() && exchanged.isEmpty();
  }

  /// How many buffers that the kernel has filled are held.
  int buffers() {
    return kept.size() + exchanged.size();
  }

  /// Gives everything back.
  void forget() {
    forgetSurplus();
    while (!kept.isEmpty()) {
      port.provide(kept.remove());
    }
    while (!exchanged.isEmpty()) {
      port.giveBack(exchanged.remove());
    }
  }

  private void forgetSurplus() {
    if (surplus != null) {
      port.giveBack(surplus);
      surplus = null;
    }
  }
}
