package dev.tigris.sort;

import dev.tigris.memory.Bytes;
import java.util.Arrays;

/// The records that a [BucketSorter] sorts, each known by an *index*: the lowest bits of an entry.
///
/// ```
///   copied:    index = number of the record        where they lie:  index = | piece | record |
/// ```
///
/// They come in pieces of memory. Where there are few, they are copied to an array on the heap,
/// which code that is not optimized yet reaches at once, and where they are found in the cache when
/// they are gathered in another order.
///
/// Thread rule: one thread at a time.
final class Pieces implements SortKeys {
  private static final int CACHE_LINE_BYTES = 64;

  /// What is read of a larger record is so much in one piece that the processor foresees it anyway.
  private static final int MAX_FETCHED_BYTES = 4 << 10;

  private final RecordFormat format;
  private final int recordSize;
  private final int copyBytes;

  private Bytes[] pieces = new Bytes[64];
  private long[] offsets = new long[64];
  private int[] counts = new int[64];
  private int pieceCount;
  private int largestPiece;
  private int records;

  private byte[] copies = new byte[0];
  private boolean isCopied;
  private int recordBits;
  private int indexBits;

  /// A sum that is not used, so that the reads that it sums are not compiled away.
  @SuppressWarnings("UnusedVariable")
  private long fetched;

  /// Copies up to `copyBytes`.
  Pieces(RecordFormat format, int copyBytes) {
    this.format = format;
    this.recordSize = format.recordSize();
    this.copyBytes = copyBytes;
  }

  /// Forgets all pieces.
  void clear() {
    Arrays.fill(pieces, 0, pieceCount, null);
    pieceCount = 0;
    largestPiece = 0;
    records = 0;
  }

  /// Adds records that follow one another from `offset` on.
  @SuppressWarnings("NullAway") // the slots from pieceCount on are null, and never read
  void add(Bytes bytes, long offset, int count) {
    if (pieceCount == pieces.length) {
      pieces = Arrays.copyOf(pieces, 2 * pieceCount);
      offsets = Arrays.copyOf(offsets, 2 * pieceCount);
      counts = Arrays.copyOf(counts, 2 * pieceCount);
    }
    pieces[pieceCount] = bytes;
    offsets[pieceCount] = offset;
    counts[pieceCount] = count;
    pieceCount++;
    largestPiece = Math.max(largestPiece, count);
    records = Math.addExact(records, count);
  }

  /// Returns how many records there are.
  int records() {
    return records;
  }

  /// Returns how many bits tell `count` things apart.
  static int bitsFor(long count) {
    return Long.SIZE - Long.numberOfLeadingZeros(Math.max(0, count - 1));
  }

  /// To be called when all have been added. Reads the records in the order in which they lie, which
  /// the processor foresees, whether they are copied or not.
  void fetch() {
    long bytes = (long) records * recordSize;
    isCopied = bytes <= copyBytes;
    recordBits = bitsFor(isCopied ? records : largestPiece);
    indexBits = isCopied ? recordBits : recordBits + bitsFor(pieceCount);
    if (isCopied && copies.length < bytes) {
      copies = new byte[(int) Math.min(copyBytes, bytes + bytes / 2)];
    }
    int to = 0;
    for (int piece = 0; piece < pieceCount; piece++) {
      long at = offsets[piece];
      long length = (long) counts[piece] * recordSize;
      if (isCopied) {
        pieces[piece].copyTo(at, copies, to, (int) length);
        to += (int) length;
      } else if (recordSize <= MAX_FETCHED_BYTES) {
        fetch(pieces[piece], at, at + length);
      }
    }
  }

  private void fetch(Bytes bytes, long from, long to) {
    long sum = 0;
    for (long at = from; at + Long.BYTES <= to; at += CACHE_LINE_BYTES) {
      sum += bytes.getLong(at);
    }
    fetched += sum;
  }

  /// Returns how many of the lowest bits of an entry are the index.
  @Override
  public int indexBits() {
    return indexBits;
  }

  /// Stores eight bytes of the key of each record, from byte `from` on.
  void prefixes(int from, long[] prefixes) {
    int record = 0;
    if (isCopied) {
      for (int at = 0; record < records; at += recordSize) {
        prefixes[record++] = format.prefix(copies, at, from);
      }
      return;
    }
    for (int piece = 0; piece < pieceCount; piece++) {
      Bytes bytes = pieces[piece];
      long at = offsets[piece];
      for (int i = 0; i < counts[piece]; i++, at += recordSize) {
        prefixes[record++] = format.prefix(bytes, at, from);
      }
    }
  }

  /// Adds their indexes to entries whose lowest bits are zero, in the same order.
  void addIndexes(long[] entries) {
    int record = 0;
    if (isCopied) {
      for (; record < records; record++) {
        entries[record] |= record;
      }
      return;
    }
    for (int piece = 0; piece < pieceCount; piece++) {
      long first = (long) piece << recordBits;
      for (int i = 0; i < counts[piece]; i++) {
        entries[record++] |= first + i;
      }
    }
  }

  /// Eight bytes of the key of an entry's record, from byte `from` on.
  @Override
  public long prefix(long entry, int from) {
    return isCopied
        ? format.prefix(copies, copy(entry), from)
        : format.prefix(piece(entry), offset(entry), from);
  }

  /// Compares the keys of two records from byte `from` on.
  @Override
  public int compareKeys(long left, long right, int from) {
    return isCopied
        ? format.compareKeys(copies, copy(left), copy(right), from)
        : format.compareKeys(piece(left), offset(left), piece(right), offset(right), from);
  }

  /// In how many of their first `most` bytes the keys of two records agree, if they agree in the
  /// first `from`.
  @Override
  public int commonBytes(long left, long right, int from, int most) {
    return isCopied
        ? format.commonBytes(copies, copy(left), copy(right), from, most)
        : format.commonBytes(piece(left), offset(left), piece(right), offset(right), from, most);
  }

  @Override
  public int keySize() {
    return format.keySize();
  }

  /// Records with equal keys come in no particular order.
  @Override
  public boolean resolvesTies() {
    return false;
  }

  /// In how many bytes all keys agree, which is known of the first `from`.
  int commonBytes(int from) {
    int common = format.keySize();
    for (int piece = 0; piece < pieceCount; piece++) {
      long at = offsets[piece];
      for (int i = 0; i < counts[piece] && from < common; i++, at += recordSize) {
        common = format.commonBytes(pieces[0], offsets[0], pieces[piece], at, from, common);
      }
    }
    return common;
  }

  /// Hands an entry's record to `sink`.
  void put(long entry, RecordSink sink) throws SortException {
    if (isCopied) {
      sink.put(copies, copy(entry));
    } else {
      sink.put(piece(entry), offset(entry));
    }
  }

  /// Hands all records to `sink`, in the order of the pieces.
  void putAll(RecordSink sink) throws SortException {
    for (int piece = 0; piece < pieceCount; piece++) {
      sink.putAll(pieces[piece], offsets[piece], counts[piece]);
    }
  }

  private int copy(long entry) {
    return record(entry) * recordSize;
  }

  private int record(long entry) {
    return (int) (entry & ((1L << recordBits) - 1));
  }

  private int pieceOf(long entry) {
    return (int) ((entry & ((1L << indexBits) - 1)) >>> recordBits);
  }

  private Bytes piece(long entry) {
    return pieces[pieceOf(entry)];
  }

  private long offset(long entry) {
    return offsets[pieceOf(entry)] + (long) record(entry) * recordSize;
  }
}
