package dev.tigris.sort;

import dev.tigris.memory.Bytes;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/// Gathers the records of one sorter in the order of the output, sums the checksum of what it
/// writes, and hands it on block by block.
///
/// Encoded records are decoded before they are summed. Where only the first of several records with
/// equal keys is kept, the others are left out before that.
///
/// Thread rule: one thread at a time.
final class OutputWriter implements RecordSink {
  /// Records are gathered in so much of the first-level cache.
  private static final int BLOCK_BYTES = 16 << 10;

  private final OutputPart part;
  private final @Nullable RecordCode code;

  /// How large a record is that is put, and one that is written.
  private final int recordSize;

  private final int writtenSize;
  private final RecordChecksum checksum;
  private final byte[] block;
  private final byte[] decoded;
  private final byte[] lastKey;
  private boolean hasLast;
  private long written;
  private final MemorySegment blockSegment;
  private int gathered;

  /// Writes to a part of the output.
  ///
  /// @param writtenSize how large a record is in the output
  /// @param code how records are encoded that are put; null if they are not
  OutputWriter(OutputPart part, int writtenSize, @Nullable RecordCode code) {
    this.part = part;
    this.code = code;
    this.recordSize = code == null ? writtenSize : code.encoded().recordSize();
    this.writtenSize = writtenSize;
    this.checksum = new RecordChecksum(writtenSize);
    int fitting = Math.max(code == null ? 0 : 1, BLOCK_BYTES / recordSize);
    this.block = new byte[isLarge() ? BLOCK_BYTES : fitting * recordSize];
    this.decoded = new byte[code == null ? 0 : fitting * writtenSize];
    this.lastKey = new byte[code == null ? 0 : code.withoutNumber().keySize()];
    this.blockSegment = MemorySegment.ofArray(block);
  }

  private boolean isLarge() {
    return code == null && recordSize > BLOCK_BYTES;
  }

  /// What takes the records: this itself where they can be gathered.
  RecordSink sink() {
    return isLarge() ? new LargeRecords() : this;
  }

  @Override
  public void put(Bytes source, long offset) throws SortException {
    source.copyTo(offset, blockSegment, gathered, recordSize);
    advance();
  }

  @Override
  public void put(byte[] source, int index) throws SortException {
    System.arraycopy(source, index, block, gathered, recordSize);
    advance();
  }

  @Override
  public void putAll(Bytes source, long offset, long count) throws SortException {
    long end = offset + count * recordSize;
    int length;
    for (long at = offset; at < end; at += length) {
      length = (int) Math.min(block.length - gathered, end - at);
      source.copyTo(at, blockSegment, gathered, length);
      gathered += length;
      if (gathered == block.length) {
        sumAndAppend();
      }
    }
  }

  private void advance() throws SortException {
    gathered += recordSize;
    if (gathered == block.length) {
      sumAndAppend();
    }
  }

  /// Takes records that are larger than the block, and pass through it in parts.
  private final class LargeRecords implements RecordSink {
    @Override
    public void put(Bytes source, long offset) throws SortException {
      put(source.segment(), offset);
    }

    @Override
    public void put(byte[] source, int index) throws SortException {
      put(MemorySegment.ofArray(source), index);
    }

    @Override
    public void putAll(Bytes source, long offset, long count) throws SortException {
      MemorySegment segment = source.segment();
      for (long record = 0; record < count; record++) {
        put(segment, offset + record * recordSize);
      }
    }

    private void put(MemorySegment source, long offset) throws SortException {
      int length;
      for (int part = 0; part < recordSize; part += length) {
        length = Math.min(block.length, recordSize - part);
        MemorySegment.copy(source, offset + part, blockSegment, 0, length);
        checksum.addPart(block, length);
        append(block, length);
      }
      checksum.endRecord();
    }
  }

  private void sumAndAppend() throws SortException {
    RecordCode known = code;
    if (known == null) {
      checksum.add(block, 0, gathered);
      append(block, gathered);
    } else {
      decodeAndAppend(known);
    }
    gathered = 0;
  }

  private void decodeAndAppend(RecordCode known) throws SortException {
    int records = gathered / recordSize;
    if (known.isUnique() && records > 0) {
      records = known.keepFirsts(block, records, lastKey, !hasLast);
      hasLast = true;
    }
    known.decode(block, records, decoded);
    int length = records * writtenSize;
    checksum.add(decoded, 0, length);
    append(decoded, length);
  }

  private void append(byte[] source, int length) throws SortException {
    part.append(source, length);
    written += length;
  }

  /// Hands on what was gathered so far.
  void flush() throws SortException {
    if (gathered > 0) {
      sumAndAppend();
    }
  }

  /// Writes what is left, and returns the checksum of all that was written.
  UInt128 finish() throws SortException {
    flush();
    part.finish();
    return checksum.sum();
  }

  /// Returns how many bytes were written, when all are.
  long writtenBytes() {
    return written;
  }
}
