package dev.tigris.sort;

import dev.tigris.os.CheckReturnValue;
import java.util.ArrayList;
import java.util.List;

/// An order over records of one size: by typed keys at fixed places, one after the other.
///
/// ```java
/// RecordOrder newestFirst =
///     RecordOrder.ofRecords(40).key("8:u64le:desc").key("16:f64be").key("0:ascii:8").stable();
/// ```
///
/// A key is `OFFSET:TYPE[:LENGTH][:desc]`. Its type is one of:
///
/// | type | order |
/// |---|---|
/// | `u8`, `u16le`, `u16be`, ... `u64be` | unsigned integers, little- or big-endian |
/// | `i8`, `i16le`, `i16be`, ... `i64be` | signed integers in two's complement |
/// | `f32le`, `f32be`, `f64le`, `f64be` | IEEE 754's total order: -NaN, -inf, -0, 0, inf, NaN |
/// | `ascii:LENGTH`, `bytes:LENGTH` | unsigned bytes |
///
/// Thread rule: immutable, any thread.
public final class RecordOrder {
  /// gensort's records by their first ten bytes.
  public static final RecordOrder GENSORT = of(RecordFormat.GENSORT);

  private final int recordSize;
  private final List<RecordKey> keys;
  private final boolean stable;
  private final boolean unique;

  private RecordOrder(int recordSize, List<RecordKey> keys, boolean stable, boolean unique) {
    this.recordSize = recordSize;
    this.keys = List.copyOf(keys);
    this.stable = stable;
    this.unique = unique;
  }

  /// Returns the order of records by the unsigned bytes of one key.
  public static RecordOrder of(RecordFormat format) {
    RecordKey key = RecordKey.bytes(format.keyOffset(), format.keySize());
    return new RecordOrder(format.recordSize(), List.of(key), false, false);
  }

  /// Returns an order of records of this size that has no key yet. Without one, all bytes of a
  /// record are its key.
  ///
  /// @throws IllegalArgumentException if no record can have this size
  public static RecordOrder ofRecords(int recordSize) {
    RecordFormat whole = new RecordFormat(recordSize, 0, recordSize);
    return new RecordOrder(whole.recordSize(), List.of(), false, false);
  }

  /// Returns a copy with one more key, which decides where those before it are equal.
  ///
  /// @throws IllegalArgumentException if the key cannot be read, or does not lie inside a record
  @CheckReturnValue
  public RecordOrder key(String text) {
    var more = new ArrayList<>(keys);
    more.add(RecordKey.parse(text, recordSize));
    return new RecordOrder(recordSize, more, stable, unique);
  }

  /// Returns a copy that leaves records with equal keys in the order of the input.
  @CheckReturnValue
  public RecordOrder stable() {
    return new RecordOrder(recordSize, keys, true, unique);
  }

  /// Returns a copy that keeps the first of several records with equal keys.
  @CheckReturnValue
  public RecordOrder unique() {
    return new RecordOrder(recordSize, keys, stable, true);
  }

  /// Returns how many bytes a record has.
  public int recordSize() {
    return recordSize;
  }

  /// Returns the size of records, and where the first key lies.
  public RecordFormat format() {
    RecordKey first = keys().getFirst();
    return new RecordFormat(recordSize, first.offset(), first.length());
  }

  /// Whether records with equal keys stay in the order of the input.
  boolean isStable() {
    return stable || unique;
  }

  /// Whether only the first of several records with equal keys is kept.
  boolean isUnique() {
    return unique;
  }

  /// The keys, of which there is at least one.
  List<RecordKey> keys() {
    return keys.isEmpty() ? List.of(RecordKey.bytes(0, recordSize)) : keys;
  }

  /// This order for records that are compared where they are: without what sorting adds.
  RecordOrder forComparison() {
    return new RecordOrder(recordSize, keys, false, false);
  }

  /// Compares two records that lie in arrays.
  ///
  /// @throws IndexOutOfBoundsException if an array is shorter than a record
  public int compare(byte[] left, byte[] right) {
    for (RecordKey key : keys()) {
      int compared = key.compare(left, 0, right, 0);
      if (compared != 0) {
        return compared;
      }
    }
    return 0;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof RecordOrder order
        && order.recordSize == recordSize
        && order.keys().equals(keys())
        && order.stable == stable
        && order.unique == unique;
  }

  @Override
  public int hashCode() {
    return 31 * recordSize + keys().hashCode();
  }

  @Override
  public String toString() {
    return "RecordOrder[%d bytes, %s%s%s]"
        .formatted(recordSize, keys(), stable ? ", stable" : "", unique ? ", unique" : "");
  }
}
