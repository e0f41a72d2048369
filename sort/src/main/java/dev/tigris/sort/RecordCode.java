package dev.tigris.sort;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.zip.CRC32;
import org.jspecify.annotations.Nullable;

/// Turns records with typed keys into records that are sorted by the unsigned bytes of one key, and
/// back. So a sort has one way to sort, whatever the keys are.
///
/// ```
///   record      | a | KEY 2 | b | KEY 1 | c |
///
///   encoded     | KEY 1 | KEY 2 | number | a | b | c |      as bytes that order as the keys do
///               |<------- its key ------>|
/// ```
///
/// The *number* of a record in the input is there where records with equal keys keep their order.
/// Keys that already lie one behind the other stay where they are, if no number is needed: then a
/// record is encoded in place. Keys that overlap are both there, so that an encoded record may be
/// larger than the record.
///
/// Thread rule: immutable, any thread.
final class RecordCode {
  /// An encoded record fits the smallest buffer with room for the blocks around it.
  static final int MOST_BYTES = 32 << 10;

  /// Bytes that are copied as they are: from a place in a record to one in an encoded record.
  private record Move(int from, int to, int length) {}

  /// A key and its place in an encoded record.
  private record Place(RecordKey key, int to) {}

  private final RecordOrder order;
  private final int recordSize;
  private final RecordFormat encoded;
  private final boolean isInPlace;
  private final List<Place> places = new ArrayList<>();
  private final List<Move> moves = new ArrayList<>();
  private final int numberAt;
  private final int numberBytes;

  private RecordCode(RecordOrder order, long records) {
    this.order = order;
    this.recordSize = order.recordSize();
    List<RecordKey> keys = order.keys();
    this.isInPlace = !order.isStable() && areAdjacent(keys);
    if (isInPlace) {
      int first = keys.getFirst().offset();
      int size = 0;
      for (RecordKey key : keys) {
        places.add(new Place(key, key.offset()));
        size += key.length();
      }
      numberAt = 0;
      numberBytes = 0;
      encoded = new RecordFormat(recordSize, first, size);
      return;
    }
    long at = 0;
    for (RecordKey key : keys) {
      places.add(new Place(key, (int) at));
      at += key.length();
      requireSmall(at);
    }
    numberAt = (int) at;
    numberBytes = order.isStable() ? Math.max(1, (Pieces.bitsFor(records) + 7) / Byte.SIZE) : 0;
    long keySize = at + numberBytes;
    long size = addRest(keys, keySize);
    requireSmall(size);
    encoded = new RecordFormat((int) size, 0, (int) keySize);
  }

  /// Returns the code for an order; null where records are sorted as they are.
  ///
  /// @param records how many there are at most
  /// @throws SortException if records are too large for it
  static @Nullable RecordCode of(RecordOrder order, long records) throws SortException {
    List<RecordKey> keys = order.keys();
    if (keys.size() == 1 && keys.getFirst().isPlain() && !order.isStable()) {
      return null;
    }
    try {
      if (order.recordSize() > MOST_BYTES) {
        requireSmallRecord(order.recordSize());
      }
      return new RecordCode(order, records);
    } catch (IllegalArgumentException e) {
      throw new SortException(SortException.Kind.INPUT, String.valueOf(e.getMessage()), e);
    }
  }

  private static void requireSmallRecord(int bytes) {
    throw new IllegalArgumentException(
        ("records of %d bytes are too large for typed, stable or unique keys: they may have %d."
                + " Sort them by the unsigned bytes of one key (--key-offset, --key-size)")
            .formatted(bytes, MOST_BYTES));
  }

  private static void requireSmall(long bytes) {
    if (bytes > MOST_BYTES) {
      throw new IllegalArgumentException(
          "a record and its overlapping keys take %d bytes, and may take %d: give fewer keys"
              .formatted(bytes, MOST_BYTES));
    }
  }

  private static boolean areAdjacent(List<RecordKey> keys) {
    for (int i = 1; i < keys.size(); i++) {
      RecordKey before = keys.get(i - 1);
      if (before.offset() + before.length() != keys.get(i).offset()) {
        return false;
      }
    }
    return true;
  }

  /// Adds what lies between the keys; returns how large an encoded record becomes.
  private long addRest(List<RecordKey> keys, long keySize) {
    var covered = new BitSet(recordSize);
    for (RecordKey key : keys) {
      covered.set(key.offset(), key.offset() + key.length());
    }
    long to = keySize;
    int from = covered.nextClearBit(0);
    while (from < recordSize) {
      int next = covered.nextSetBit(from);
      int end = next < 0 ? recordSize : next;
      moves.add(new Move(from, (int) to, end - from));
      to += end - from;
      from = covered.nextClearBit(end);
    }
    return to;
  }

  /// The format of encoded records.
  RecordFormat encoded() {
    return encoded;
  }

  /// The format of encoded records as far as records are told apart by their keys.
  RecordFormat withoutNumber() {
    return new RecordFormat(
        encoded.recordSize(), encoded.keyOffset(), encoded.keySize() - numberBytes);
  }

  /// Whether only the first of several records with equal keys is kept.
  boolean isUnique() {
    return order.isUnique();
  }

  /// A number that other keys do not have, but by chance; never 0.
  int fingerprint() {
    var crc = new CRC32();
    crc.update(order.keys().toString().getBytes(StandardCharsets.US_ASCII));
    return (int) crc.getValue() | 1;
  }

  /// Encodes records.
  ///
  /// @param from where the first one begins in `source`
  /// @param first its number in the input
  /// @param target another array, which gets them from its beginning on
  void encode(byte[] source, int from, int count, long first, byte[] target) {
    int size = encoded.recordSize();
    if (isInPlace) {
      System.arraycopy(source, from, target, 0, count * size);
    }
    for (Move move : moves) {
      copy(source, from + move.from, recordSize, target, move.to, size, move.length, count);
    }
    for (Place place : places) {
      place.key.encode(
          source, from + place.key.offset(), recordSize, target, place.to, size, count);
    }
    for (int i = 0, at = numberAt; i < count && numberBytes > 0; i++, at += size) {
      KeyBytes.put(target, at, numberBytes, false, first + i);
    }
  }

  /// Undoes [#encode].
  ///
  /// @param target another array, which gets the records from its beginning on
  void decode(byte[] source, int count, byte[] target) {
    int size = encoded.recordSize();
    if (isInPlace) {
      System.arraycopy(source, 0, target, 0, count * size);
    }
    for (Move move : moves) {
      copy(source, move.to, size, target, move.from, recordSize, move.length, count);
    }
    for (Place place : places) {
      place.key.decode(source, place.to, size, target, place.key.offset(), recordSize, count);
    }
  }

  private static void copy(
      byte[] source, int from, int step, byte[] target, int to, int toStep, int length, int count) {
    for (int i = 0, at = from, goes = to; i < count; i++, at += step, goes += toStep) {
      System.arraycopy(source, at, target, goes, length);
    }
  }

  /// Moves those records to the front whose keys differ from those of the record before, and
  /// returns how many there are.
  ///
  /// @param block encoded records
  /// @param last the key of the record before the first one, and of the last one when this returns
  /// @param isFirst whether there is no record before
  int keepFirsts(byte[] block, int count, byte[] last, boolean isFirst) {
    RecordFormat keys = withoutNumber();
    int size = keys.recordSize();
    int keySize = keys.keySize();
    int kept = 0;
    for (int i = 0; i < count; i++) {
      int at = i * size + keys.keyOffset();
      boolean isSame =
          !(isFirst && i == 0) && Arrays.equals(block, at, at + keySize, last, 0, keySize);
      if (!isSame) {
        System.arraycopy(block, at, last, 0, keySize);
        System.arraycopy(block, i * size, block, kept * size, size);
        kept++;
      }
    }
    return kept;
  }

  @Override
  public String toString() {
    return "RecordCode[%s as %s]".formatted(order, encoded);
  }
}
