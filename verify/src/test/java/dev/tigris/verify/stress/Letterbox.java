package dev.tigris.verify.stress;

import dev.tigris.memory.Bytes;
import dev.tigris.memory.Jbuf;
import dev.tigris.net.provider.Frame;
import dev.tigris.net.provider.Region;
import dev.tigris.net.provider.Transfer;
import dev.tigris.net.shm.Ring;
import dev.tigris.net.shm.RingCopies;
import dev.tigris.net.shm.RingReader;
import dev.tigris.net.shm.RingWriter;
import dev.tigris.os.LastingMemory;

/// A ring of the provider shm, for messages that begin and end with the same number. Each thread
/// has a buffer of its own, as processes do.
final class Letterbox {
  private static final int MOST_BYTES = 112;
  private static final ThreadLocal<Buffer> BUFFER = ThreadLocal.withInitial(Buffer::new);

  private final RingWriter writer;
  private final RingReader reader;
  private final Frame frame = new Frame();

  private static final class Buffer {
    final Bytes bytes = Jbuf.allocate(MOST_BYTES).asBytes();
    final Transfer transfer =
        new Transfer(registered(bytes)) {
          @Override
          protected void completed() {}
        };

    private static Region registered(Bytes bytes) {
      Region region = new Region(bytes);
      RingCopies.register(region);
      return region;
    }
  }

  /// Makes an empty one, with memory for messages that lie in their slots.
  ///
  /// @param slots how many slots will be used
  Letterbox(int slots) {
    int bytes = (1 + slots) * Ring.SLOT_BYTES;
    LastingMemory ring = LastingMemory.allocate(bytes);
    writer = new RingWriter(ring, Ring.SMALL_DATA);
    reader = new RingReader(ring, Ring.SMALL_DATA);
  }

  /// The writer: returns whether there was room.
  boolean write(long bytes, int content) {
    Buffer buffer = BUFFER.get();
    buffer.bytes.setInt(0, content);
    buffer.bytes.setInt(bytes - Integer.BYTES, content);
    buffer.transfer.range(0, 0, bytes);
    buffer.transfer.startSending();
    return writer.write(buffer.transfer);
  }

  /// The reader: returns whether there was a message.
  boolean read() {
    if (!reader.look()) {
      return false;
    }
    reader.takeHeader(frame, MOST_BYTES);
    Transfer memory = BUFFER.get().transfer;
    memory.range(0, 0, MOST_BYTES);
    reader.takePart(frame.length, 0, memory);
    reader.giveBack();
    return true;
  }

  /// The reader: what the message begins and ends with; -1 if that is not the same.
  int content() {
    Bytes bytes = BUFFER.get().bytes;
    int first = bytes.getInt(0);
    return first == bytes.getInt(frame.length - Integer.BYTES) ? first : -1;
  }

  /// The writer: breaks off.
  void withdraw() {
    writer.withdraw();
  }

  /// The reader: whether the writer has.
  boolean isWithdrawn() {
    return reader.isWithdrawn();
  }

  /// The question of a thread that goes to sleep.
  boolean seesMore() {
    return reader.seesMore();
  }
}
