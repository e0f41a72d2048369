package dev.tigris.memory.arrow;

import java.io.IOException;
import java.io.InputStream;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/// Reads messages, of a file or a stream of bytes, in their order or where a footer says they are.
/// [Sink] draws them. Older programs write the length of the metadata without `ff ff ff ff` before
/// it.
///
/// Thread rule: one thread.
final class Messages implements AutoCloseable {
  private static final VarHandle INT =
      MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN)
          .withInvokeExactBehavior();

  /// The most metadata, which a schema of 65,536 columns does not reach.
  private static final int MOST_METADATA_BYTES = 64 << 20;

  /// The largest body that is kept of a stream that cannot go back.
  private static final long MOST_BODY_BYTES = 1 << 30;

  private static final int HEAD_BYTES = 8;

  /// The file, or null where the bytes come from a stream.
  private final @Nullable FileChannel channel;

  private final InputStream in;
  private final long size;
  private long position;

  /// A message.
  ///
  /// @param header the table of its kind
  record Message(int version, int kind, FlatTable header, Body body) {}

  private Messages(@Nullable FileChannel channel, InputStream in, long size) {
    this.channel = channel;
    this.in = in;
    this.size = size;
  }

  static Messages of(FileChannel channel) throws IOException {
    return new Messages(channel, InputStream.nullInputStream(), channel.size());
  }

  static Messages of(InputStream in) {
    return new Messages(null, in, Long.MAX_VALUE);
  }

  boolean isFile() {
    return channel != null;
  }

  long size() {
    return size;
  }

  /// Takes the next bytes: as many as wanted, or fewer at the end.
  private byte[] take(int count) throws IOException {
    FileChannel file = channel;
    byte[] taken;
    if (file == null) {
      taken = in.readNBytes(count);
    } else {
      int most = Math.clamp(size - position, 0, count);
      taken = new Body.InFile(file, position, most).read(0, most);
    }
    position += taken.length;
    return taken;
  }

  private byte[] takeAll(int count, String what) throws IOException {
    byte[] taken = take(count);
    if (taken.length < count) {
      throw new ArrowException(
          "%s at byte %d ends after %d of %d bytes: the file or stream was cut off"
              .formatted(what, position - taken.length, taken.length, count));
    }
    return taken;
  }

  /// Returns whether the bytes are those of a file, and passes over its beginning. Otherwise they
  /// begin with a message.
  boolean takeMagic() throws IOException {
    byte[] head = take(HEAD_BYTES);
    if (head.length >= Sink.MAGIC.length
        && Arrays.equals(head, 0, Sink.MAGIC.length, Sink.MAGIC, 0, Sink.MAGIC.length)) {
      return true;
    }
    pushedBack = head;
    return false;
  }

  /// The first bytes, which were taken to see what they are.
  private byte[] pushedBack = new byte[0];

  /// Returns the next message, or null at the end.
  @Nullable Message next() throws IOException {
    long start = position - pushedBack.length;
    byte[] head = pushedBack.length > 0 ? pushedBack : take(HEAD_BYTES);
    pushedBack = new byte[0];
    if (head.length == 0) {
      return null; // the writer may end so
    }
    if (head.length < Integer.BYTES) {
      throw new ArrowException(
          "a message at byte %d ends after %d bytes: the file or stream was cut off"
              .formatted(start, head.length));
    }
    int first = (int) INT.get(head, 0);
    if (first == 0) {
      return null; // the end of an older program
    }
    boolean isOld = first != Sink.CONTINUATION;
    if (head.length < HEAD_BYTES) {
      throw new ArrowException(
          "a message at byte %d ends after %d bytes: the file or stream was cut off"
              .formatted(start, head.length));
    }
    int length = isOld ? first : (int) INT.get(head, Integer.BYTES);
    if (length == 0) {
      return null;
    }
    requireMetadata(length, start);
    byte[] metadata = new byte[length];
    int known = isOld ? Integer.BYTES : 0;
    if (known > 0) {
      System.arraycopy(head, Integer.BYTES, metadata, 0, known);
    }
    byte[] rest = takeAll(length - known, "the metadata of a message");
    System.arraycopy(rest, 0, metadata, known, rest.length);
    FlatTable message = FlatTable.root(metadata, "the message at byte " + start);
    return message(message, body(message, start));
  }

  private static void requireMetadata(int length, long at) throws ArrowException {
    if (length < HEAD_BYTES || length > MOST_METADATA_BYTES) {
      throw new ArrowException(
          "a message at byte %d says that its metadata has %d bytes, which is no length from %d to %d: these are not Arrow's bytes, or damaged"
              .formatted(at, length, HEAD_BYTES, MOST_METADATA_BYTES));
    }
  }

  private static Message message(FlatTable message, Body body) throws ArrowException {
    return new Message(
        message.shortField(0, 0), message.byteField(1, 0), message.required(2, "header"), body);
  }

  /// Takes the body of a message.
  private Body body(FlatTable message, long start) throws IOException {
    long bytes = message.longField(3, 0);
    FileChannel file = channel;
    if (bytes < 0 || bytes > size - position) {
      throw new ArrowException(
          "the message at byte %d has a body of %d bytes, and the file has %d more"
              .formatted(start, bytes, size - position));
    }
    if (file != null) {
      Body body = new Body.InFile(file, position, bytes);
      position += bytes;
      return body;
    }
    if (bytes > MOST_BODY_BYTES) {
      throw new ArrowException(
          "the message at byte %d has a body of %d bytes, and of a stream up to %d are kept: write smaller batches, or a file"
              .formatted(start, bytes, MOST_BODY_BYTES));
    }
    return new Body.InMemory(takeAll((int) bytes, "the body of a message"));
  }

  /// Reads the footer of a file.
  FlatTable footer() throws IOException {
    int tail = Integer.BYTES + Sink.MAGIC.length;
    if (size < HEAD_BYTES + tail) {
      throw new ArrowException("the file has %d bytes, too few for Arrow's".formatted(size));
    }
    position = size - tail;
    byte[] end = takeAll(tail, "the end of the file");
    int length = (int) INT.get(end, 0);
    if (!Arrays.equals(end, Integer.BYTES, tail, Sink.MAGIC, 0, Sink.MAGIC.length)) {
      throw new ArrowException(
          "the file does not end with ARROW1: it was cut off, or is still being written");
    }
    if (length < HEAD_BYTES || length > size - HEAD_BYTES - tail || length > MOST_METADATA_BYTES) {
      throw new ArrowException(
          "the file says that its footer has %d bytes, which is impossible: it is damaged"
              .formatted(length));
    }
    position = size - tail - length;
    return FlatTable.root(takeAll(length, "the footer"), "the footer");
  }

  /// Reads the message that a footer names.
  Message at(Sink.Block block) throws IOException {
    requireMetadata(block.metadataBytes(), block.offset());
    if (block.offset() < HEAD_BYTES || block.offset() > size - block.metadataBytes()) {
      throw new ArrowException(
          "the footer names a message at byte %d, which the file does not have"
              .formatted(block.offset()));
    }
    position = block.offset();
    Message found = next();
    if (found == null) {
      throw new ArrowException(
          "the footer names a message at byte %d, where there is none".formatted(block.offset()));
    }
    return found;
  }

  @Override
  public void close() throws IOException {
    try (InputStream _ = in;
        FileChannel _ = channel) {
      position = size;
    }
  }
}
