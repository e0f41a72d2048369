package dev.tigris.memory.arrow;

import java.io.IOException;
import java.io.OutputStream;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;

/// Where messages are written, one after the other.
///
/// ```
///   message    ff ff ff ff | length of the metadata (4 bytes) | metadata, padded | body
///   end        ff ff ff ff 00 00 00 00
///   stream     messages | end
///   file       "ARROW1" 00 00 | messages | end | footer | its length (4 bytes) | "ARROW1"
/// ```
///
/// The metadata is padded so that the body begins at a multiple of 64 of the whole.
///
/// Thread rule: one thread.
final class Sink {
  static final byte[] MAGIC = "ARROW1".getBytes(StandardCharsets.US_ASCII);

  /// The beginning of a message, before its length.
  static final int CONTINUATION = -1;

  private static final VarHandle INT =
      MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN)
          .withInvokeExactBehavior();
  private static final int PREFIX_BYTES = 2 * Integer.BYTES;

  /// Channels copy what they are given to a buffer of that size, and keep that.
  private static final int MOST_AT_ONCE = 256 << 10;

  private static final byte[] ZEROS = new byte[Batch.ALIGNMENT];

  /// Where a message lies, as a footer says it.
  record Block(long offset, int metadataBytes, long bodyBytes) {}

  private final OutputStream out;
  private long position;

  Sink(OutputStream out) {
    this.out = out;
  }

  void write(byte[] bytes, int length) throws IOException {
    for (int from = 0; from < length; from += MOST_AT_ONCE) {
      out.write(bytes, from, Math.min(MOST_AT_ONCE, length - from));
    }
    position += length;
  }

  void zeros(int count) throws IOException {
    write(ZEROS, count);
  }

  private void writeInt(int value) throws IOException {
    byte[] bytes = new byte[Integer.BYTES];
    INT.set(bytes, 0, value);
    write(bytes, bytes.length);
  }

  void magic() throws IOException {
    write(MAGIC, MAGIC.length);
    zeros(2);
  }

  /// Writes the metadata of a message, and its body if it has one.
  Block message(byte[] metadata, Batch body) throws IOException {
    long offset = position;
    long end = Batch.padded(offset + PREFIX_BYTES + metadata.length);
    int padded = (int) (end - offset - PREFIX_BYTES);
    writeInt(CONTINUATION);
    writeInt(padded);
    write(metadata, metadata.length);
    zeros(padded - metadata.length);
    body.writeBody(this);
    return new Block(offset, padded + PREFIX_BYTES, body.bodyBytes());
  }

  /// Writes what ends a stream.
  void end() throws IOException {
    writeInt(CONTINUATION);
    writeInt(0);
  }

  void footer(byte[] footer) throws IOException {
    write(footer, footer.length);
    writeInt(footer.length);
    write(MAGIC, MAGIC.length);
  }

  void flush() throws IOException {
    out.flush();
  }
}
