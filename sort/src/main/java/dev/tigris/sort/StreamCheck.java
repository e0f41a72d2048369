package dev.tigris.sort;

import dev.tigris.memory.Bytes;
import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/// Checks records that come once, one after the other: those of a pipe, a stream or a compressed
/// file. Nothing is kept of them but the sums, and three keys.
///
/// Thread rule: one thread at a time.
final class StreamCheck {
  private static final int BLOCK_BYTES = 256 << 10;

  private final RecordFormat format;
  private final @Nullable RecordCode code;

  /// The format of the records whose keys are compared.
  private final RecordFormat compared;

  private final RecordChecksum checksum;
  private long records;
  private long bytes;
  private long duplicates;
  private long unordered;
  private long firstUnordered;
  private @Nullable Bytes firstKey;
  private @Nullable Bytes lastKey;

  private StreamCheck(RecordFormat format, @Nullable RecordCode code) {
    this.format = format;
    this.code = code;
    this.compared = code == null ? format : code.encoded();
    this.checksum = new RecordChecksum(format.recordSize());
  }

  /// A check for an order, of which only the keys count.
  static StreamCheck of(RecordOrder order) throws SortException {
    return new StreamCheck(order.format(), RecordCode.of(order, 0));
  }

  /// Reads an input to its end; once.
  ///
  /// @param before how many bytes of other inputs were read, of which progress is told
  StreamCheck run(SortInput input, long before, Progress progress) throws SortException {
    try (InputStream source = input.openStream()) {
      if (format.recordSize() > BLOCK_BYTES) {
        readLarge(input, source, before, progress);
      } else {
        readBlocks(input, source, before, progress);
      }
      return this;
    } catch (IOException e) {
      throw e instanceof SortException known
          ? known
          : new SortException(
              SortException.Kind.IO, "%s cannot be closed: %s".formatted(input, e.getMessage()), e);
    }
  }

  private void readBlocks(SortInput input, InputStream source, long before, Progress progress)
      throws SortException {
    int size = format.recordSize();
    byte[] block = new byte[BLOCK_BYTES / size * size];
    RecordCode known = code;
    byte[] encoded = known == null ? block : new byte[block.length / size * compared.recordSize()];
    byte[] last = new byte[compared.keySize()];
    int length;
    do {
      length = input.read(source, block, 0, block.length);
      bytes += length;
      if (length % size != 0) {
        throw InputFile.leftOver(input.toString(), bytes, size);
      }
      checksum.add(block, 0, length);
      if (known != null) {
        known.encode(block, 0, length / size, 0, encoded);
      }
      compare(encoded, length / size, last);
      progress.report(Progress.Phase.CHECK, before + bytes, before + bytes);
    } while (length == block.length);
    if (records > 0) {
      lastKey = keyOf(last, 0);
    }
  }

  /// Compares the keys of a block of records, each with the one before it.
  ///
  /// @param last the key of the record before the first one, and then of the last one
  private void compare(byte[] block, int count, byte[] last) {
    int size = compared.recordSize();
    for (int i = 0; i < count; i++) {
      int key = i * size + compared.keyOffset();
      int end = key + last.length;
      if (i > 0) {
        note(Arrays.compareUnsigned(block, key - size, end - size, block, key, end));
      } else if (records > 0) {
        note(Arrays.compareUnsigned(last, 0, last.length, block, key, end));
      } else {
        firstKey = keyOf(block, key);
      }
      records++;
    }
    if (count > 0) {
      System.arraycopy(block, (count - 1) * size + compared.keyOffset(), last, 0, last.length);
    }
  }

  private Bytes keyOf(byte[] block, int from) {
    Bytes key = CheckSummary.key(compared);
    key.copyFrom(0, block, from, compared.keySize());
    return key;
  }

  /// Notes how the key of the record with number [#records] compares with the one before it.
  private void note(int order) {
    if (order == 0) {
      duplicates++;
    } else if (order > 0) {
      firstUnordered = unordered == 0 ? records : firstUnordered;
      unordered++;
    }
  }

  /// Reads records that do not fit a block, part by part. Their keys may be as large.
  private void readLarge(SortInput input, InputStream source, long before, Progress progress)
      throws SortException {
    byte[] part = new byte[BLOCK_BYTES];
    Bytes spare = CheckSummary.key(format);
    while (readRecord(input, source, part, spare)) {
      Bytes last = lastKey;
      if (last == null) {
        firstKey = spare;
        lastKey = CheckSummary.key(format);
        spare.copyTo(0, lastKey, 0, format.keySize());
        spare = CheckSummary.key(format);
      } else {
        note(RecordFormat.compare(last, 0, spare, 0, 0, format.keySize()));
        lastKey = spare;
        spare = last;
      }
      records++;
      progress.report(Progress.Phase.CHECK, before + bytes, before + bytes);
    }
  }

  /// Reads one record, and its key into `key`; returns false at the end.
  private boolean readRecord(SortInput input, InputStream source, byte[] part, Bytes key)
      throws SortException {
    int size = format.recordSize();
    int keyEnd = format.keyOffset() + format.keySize();
    int length;
    for (int at = 0; at < size; at += length) {
      int wanted = Math.min(part.length, size - at);
      length = input.read(source, part, 0, wanted);
      bytes += length;
      if (length == 0 && at == 0) {
        return false;
      }
      if (length < wanted) {
        throw InputFile.leftOver(input.toString(), bytes, size);
      }
      checksum.addPart(part, length);
      int from = Math.max(at, format.keyOffset());
      int to = Math.min(at + length, keyEnd);
      if (from < to) {
        key.copyFrom(from - format.keyOffset(), part, from - at, to - from);
      }
    }
    checksum.endRecord();
    return true;
  }

  /// How many bytes were read.
  long bytes() {
    return bytes;
  }

  /// What was found, when all is read.
  CheckSummary summary() {
    int keys = code == null ? 0 : code.fingerprint();
    Bytes first = firstKey;
    Bytes last = lastKey;
    if (first == null || last == null) {
      return CheckSummary.empty(compared, keys);
    }
    return new CheckSummary(
        compared,
        keys,
        UInt128.of(records),
        UInt128.of(unordered),
        UInt128.of(duplicates),
        checksum.sum(),
        UInt128.of(firstUnordered),
        first,
        last);
  }
}
