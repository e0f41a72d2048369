package dev.tigris.sort;

import dev.tigris.memory.Bytes;
import dev.tigris.memory.Jbuf;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/// Reads keys of records where they lie in files, part by part, and compares them: also those that
/// fit no buffer.
///
/// Thread rule: one thread at a time.
final class KeyReader implements AutoCloseable {
  private static final int PART_BYTES = 256 << 10;

  private final RecordFormat format;
  private final @Nullable RecordCode code;
  private final AlignedBuffer left;
  private final AlignedBuffer right;

  /// A reader of keys as they lie in records of a format, or of those that a code makes.
  KeyReader(RecordFormat format, @Nullable RecordCode code) {
    this.format = format;
    this.code = code;
    int bytes = code == null ? Math.min(PART_BYTES, format.keySize()) : format.recordSize();
    this.left = new AlignedBuffer(bytes, "keys");
    this.right = new AlignedBuffer(bytes, "keys");
  }

  /// Compares the keys of the first records of two chunks.
  int compare(InputFiles.Chunk one, InputFiles.Chunk other) throws SortException {
    RecordCode known = code;
    if (known != null) {
      return Arrays.compareUnsigned(encoded(one, known), encoded(other, known));
    }
    int length = Math.min(AlignedBuffer.BLOCK, format.keySize()); // most keys differ early
    int compared = 0;
    for (int from = 0; from < format.keySize() && compared == 0; from += length) {
      length = Math.min(from == 0 ? length : PART_BYTES, format.keySize() - from);
      compared =
          RecordFormat.compare(
              left.bytes(),
              read(one, from, length, left),
              right.bytes(),
              read(other, from, length, right),
              0,
              length);
    }
    return compared;
  }

  /// Reads a part of the key of a chunk's first record; returns where in the buffer it begins.
  private long read(InputFiles.Chunk chunk, int from, int length, AlignedBuffer buffer)
      throws SortException {
    long at = chunk.from() + format.keyOffset() + from;
    return chunk.file().read(buffer, at, at + length);
  }

  /// Returns the encoded key of a chunk's first record.
  private byte[] encoded(InputFiles.Chunk chunk, RecordCode known) throws SortException {
    byte[] record = new byte[format.recordSize()];
    long at = chunk.file().read(left, chunk.from(), chunk.from() + record.length);
    left.bytes().copyTo(at, record, 0, record.length);
    RecordFormat made = known.encoded();
    byte[] encoded = new byte[made.recordSize()];
    known.encode(record, 0, 1, 0, encoded);
    return Arrays.copyOfRange(encoded, made.keyOffset(), made.keyOffset() + made.keySize());
  }

  /// Returns the whole key of a chunk's first record.
  static Bytes read(InputFiles.Chunk chunk, RecordFormat format, @Nullable RecordCode code)
      throws SortException {
    int keySize = code == null ? format.keySize() : code.encoded().keySize();
    Bytes key = Jbuf.allocate(keySize, "key").asBytes();
    try (KeyReader reader = new KeyReader(format, code)) {
      if (code != null) {
        key.copyFrom(0, reader.encoded(chunk, code), 0, keySize);
        return key;
      }
      int length;
      for (int from = 0; from < format.keySize(); from += length) {
        length = Math.min(PART_BYTES, format.keySize() - from);
        long at = reader.read(chunk, from, length, reader.left);
        reader.left.bytes().copyTo(at, key, from, length);
      }
    }
    return key;
  }

  @Override
  public void close() {
    left.close();
    right.close();
  }
}
