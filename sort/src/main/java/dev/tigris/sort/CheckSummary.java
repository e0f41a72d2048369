package dev.tigris.sort;

import dev.tigris.memory.Bytes;
import dev.tigris.memory.Jbuf;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.zip.CRC32;
import java.util.zip.CheckedOutputStream;
import org.jspecify.annotations.Nullable;

/// The outcome of checking a sequence of records. It holds enough to be joined with the summaries
/// of the sequences before and after it, so that partitions can be checked apart.
///
/// A file holds one or more summaries, one after the other, in little-endian order:
///
/// ```
///   0   "TIGRSUM1"
///   8   record size | key offset | key size | which keys         4 bytes each
///  24   records                                                  16 bytes each: low, high
///  40   unordered records
///  56   duplicate keys
///  72   checksum
///  88   first unordered record, 0 if there is none
/// 104   first key | last key                                     key size bytes each
///       CRC-32 of everything above                               4 bytes
/// ```
///
/// *Which keys* is 0 for a key of unsigned bytes. Typed keys have a number that depends on all of
/// them, and sizes, offset and keys are those of records that stand for them.
public final class CheckSummary {
  static final long MAGIC = 0x314d555352474954L; // "TIGRSUM1"
  static final int HEADER_BYTES = 104;
  static final int CRC_BYTES = 4;

  /// Keys are written and read in parts of this size.
  static final int PART_BYTES = 64 << 10;

  private final RecordFormat format;
  private final int keys;
  private final UInt128 records;
  private final UInt128 unordered;
  private final UInt128 duplicates;
  private final UInt128 checksum;
  private final UInt128 firstUnordered;

  // Outside of the heap, since they may be as large as a record.
  private final Bytes firstKey;
  private final Bytes lastKey;

  /// A summary.
  ///
  /// @param keys which keys were compared; 0 for those of the format
  CheckSummary(
      RecordFormat format,
      int keys,
      UInt128 records,
      UInt128 unordered,
      UInt128 duplicates,
      UInt128 checksum,
      UInt128 firstUnordered,
      Bytes firstKey,
      Bytes lastKey) {
    this.format = format;
    this.keys = keys;
    this.records = records;
    this.unordered = unordered;
    this.duplicates = duplicates;
    this.checksum = checksum;
    this.firstUnordered = firstUnordered;
    this.firstKey = firstKey;
    this.lastKey = lastKey;
  }

  /// Returns the summary of no records.
  static CheckSummary empty(RecordFormat format, int keys) {
    Bytes none = key(format);
    UInt128 zero = UInt128.ZERO;
    return new CheckSummary(format, keys, zero, zero, zero, zero, zero, none, none);
  }

  /// Allocates room for a key, all zero.
  static Bytes key(RecordFormat format) {
    return Jbuf.allocate(format.keySize(), "key").asBytes();
  }

  private int compareKeys(Bytes left, Bytes right) {
    return RecordFormat.compare(left, 0, right, 0, 0, format.keySize());
  }

  /// Returns the format of the records.
  public RecordFormat format() {
    return format;
  }

  /// Returns how many records there are.
  public UInt128 records() {
    return records;
  }

  /// Returns how many records have a smaller key than the one before them.
  public UInt128 unordered() {
    return unordered;
  }

  /// Returns how many records have the same key as the one before them.
  public UInt128 duplicates() {
    return duplicates;
  }

  /// Returns the sum of the records' CRC-32.
  public UInt128 checksum() {
    return checksum;
  }

  /// Returns the index, from 0, of the first record that is smaller than the one before it, or null
  /// if all are in order.
  public @Nullable UInt128 firstUnordered() {
    return isOrdered() ? null : firstUnordered;
  }

  /// Returns whether all records are in order. An empty sequence is.
  public boolean isOrdered() {
    return unordered.equals(UInt128.ZERO);
  }

  /// Returns whether all records are in order and have different keys.
  public boolean isStrictlyOrdered() {
    return isOrdered() && duplicates.equals(UInt128.ZERO);
  }

  /// Returns the lines that valsort prints for these records.
  public List<String> verdict() {
    List<String> lines = new ArrayList<>();
    if (!isOrdered()) {
      lines.add("First unordered record is record " + firstUnordered);
    }
    lines.add("Records: " + records);
    lines.add("Checksum: " + checksum.toHex());
    if (isOrdered()) {
      lines.add("Duplicate keys: " + duplicates);
      lines.add("SUCCESS - all records are in order");
    } else {
      lines.add("ERROR - there are " + unordered + " unordered records");
    }
    return lines;
  }

  /// Joins two summaries: returns the summary of these records followed by those of `next`.
  ///
  /// @throws IllegalArgumentException if the others have another format
  public CheckSummary then(CheckSummary next) {
    if (!format.equals(next.format)) {
      throw new IllegalArgumentException(
          "%s cannot be joined with %s".formatted(next.format.describe(), format.describe()));
    }
    if (keys != next.keys) {
      throw new IllegalArgumentException("they were checked by other keys");
    }
    if (records.equals(UInt128.ZERO)) {
      return next;
    }
    if (next.records.equals(UInt128.ZERO)) {
      return this;
    }
    int compared = compareKeys(lastKey, next.firstKey);
    UInt128 first = firstUnordered;
    if (isOrdered()) {
      if (compared > 0) {
        first = records;
      } else if (!next.isOrdered()) {
        first = records.plus(next.firstUnordered);
      }
    }
    return new CheckSummary(
        format,
        keys,
        records.plus(next.records),
        unordered.plus(next.unordered).plus(compared > 0 ? 1 : 0),
        duplicates.plus(next.duplicates).plus(compared == 0 ? 1 : 0),
        checksum.plus(next.checksum),
        first,
        firstKey,
        next.lastKey);
  }

  /// Refuses to overwrite a file that is not a summary, such as records: a user who forgets to name
  /// the file for the summary has named the records there.
  ///
  /// @throws SortException if the file is not a summary, or cannot be written
  public static void refuseOtherThanSummary(Path path) throws SortException {
    if (!Files.exists(path) || Files.isDirectory(path)) {
      OutputPaths.refuseUnusable(path);
    } else if (Files.isRegularFile(path) && !canBeSummary(path)) {
      throw new SortException(
          SortException.Kind.OUTPUT,
          "%s exists and is not a summary: delete it first, or name another file for the summary"
              .formatted(path));
    }
  }

  /// Returns whether a file begins as a summary does, or is empty.
  private static boolean canBeSummary(Path path) throws SortException {
    try (var in = Files.newInputStream(path)) {
      byte[] begin = in.readNBytes(Long.BYTES);
      return begin.length == 0
          || (begin.length == Long.BYTES
              && ByteBuffer.wrap(begin).order(ByteOrder.LITTLE_ENDIAN).getLong() == MAGIC);
    } catch (IOException e) {
      throw SortException.reading(path, e);
    }
  }

  /// Writes this summary to a file, replacing it. If that fails, no part of it is left.
  ///
  /// @throws SortException if that fails
  public void write(Path path) throws SortException {
    try (var out = Files.newOutputStream(path)) {
      try {
        writeTo(out);
      } catch (IOException e) {
        if (Files.isRegularFile(path)) {
          OutputPaths.deleteQuietly(OutputPaths.target(path));
        }
        throw e;
      }
    } catch (IOException e) {
      throw SortException.writing(path, e);
    }
  }

  void writeTo(OutputStream out) throws IOException {
    var summed = new CheckedOutputStream(out, new CRC32());
    ByteBuffer header = ByteBuffer.allocate(HEADER_BYTES).order(ByteOrder.LITTLE_ENDIAN);
    header.putLong(MAGIC);
    header.putInt(format.recordSize()).putInt(format.keyOffset());
    header.putInt(format.keySize()).putInt(keys);
    for (UInt128 number : List.of(records, unordered, duplicates, checksum, firstUnordered)) {
      header.putLong(number.low()).putLong(number.high());
    }
    summed.write(header.array());
    byte[] part = new byte[Math.min(PART_BYTES, format.keySize())];
    for (Bytes key : List.of(firstKey, lastKey)) {
      for (long at = 0; at < key.length(); at += part.length) {
        int length = (int) Math.min(part.length, key.length() - at);
        key.copyTo(at, part, 0, length);
        summed.write(part, 0, length);
      }
    }
    int crc = (int) summed.getChecksum().getValue();
    out.write(ByteBuffer.allocate(CRC_BYTES).order(ByteOrder.LITTLE_ENDIAN).putInt(crc).array());
  }

  /// Reads the summaries in a file. The file is validated: one that [#write] cannot have written is
  /// refused.
  ///
  /// @throws SortException if the file cannot be read, or does not consist of summaries
  public static List<CheckSummary> read(Path path) throws SortException {
    List<CheckSummary> summaries = new ArrayList<>();
    new SummaryReader(path).readAll(summaries::add);
    return summaries;
  }

  /// Joins all summaries in some files, in the order given. This takes the memory of four keys, for
  /// any number of summaries.
  ///
  /// @throws SortException if a file cannot be read, does not consist of summaries, or has
  ///     summaries of another record format than those before it
  /// @throws IllegalArgumentException if there is no file
  public static CheckSummary join(List<Path> files) throws SortException {
    Joint joint = new Joint();
    for (Path file : files) {
      try {
        new SummaryReader(file, joint.spare).readAll(joint::add);
      } catch (IllegalArgumentException e) {
        throw new SortException(
            SortException.Kind.INPUT,
            "%s has another record format than the summaries before it: %s. Join only summaries of one format"
                .formatted(file, e.getMessage()),
            e);
      }
    }
    CheckSummary sum = joint.sum;
    if (sum == null) {
      throw new IllegalArgumentException("there is no summary file to join: name at least 1");
    }
    return sum;
  }

  /// What the summaries so far come to.
  private static final class Joint {
    @Nullable CheckSummary sum;

    /// Keys that are needed no more: those of the next one are read into them.
    final Deque<Bytes> spare = new ArrayDeque<>();

    void add(CheckSummary next) {
      CheckSummary before = sum;
      if (before == null) {
        sum = next;
        return;
      }
      CheckSummary joined = before.then(next);
      for (Bytes key : List.of(before.firstKey, before.lastKey, next.firstKey, next.lastKey)) {
        if (key != joined.firstKey && key != joined.lastKey) {
          spare.add(key);
        }
      }
      sum = joined;
    }
  }

  /// What in this summary cannot be true of any records, or null.
  @Nullable String contradiction() {
    if (records.high() != 0 || records.low() < 0) {
      return "it counts " + records + " records";
    }
    // With the number of records below 2^63, none of the sums below can wrap around.
    UInt128 most = records.equals(UInt128.ZERO) ? records : UInt128.of(records.low() - 1);
    if (unordered.compareTo(most) > 0
        || duplicates.compareTo(most) > 0
        || unordered.plus(duplicates).compareTo(most) > 0) {
      return "it counts more unordered and duplicate records than there are";
    }
    if (checksum.compareTo(records.times(UInt128.of(0xFFFF_FFFFL))) > 0) {
      return "its checksum is larger than that many records can have";
    }
    boolean inside =
        firstUnordered.compareTo(UInt128.ZERO) > 0 && firstUnordered.compareTo(most) <= 0;
    if (isOrdered() ? !firstUnordered.equals(UInt128.ZERO) : !inside) {
      return "its first unordered record, %s, is impossible".formatted(firstUnordered);
    }
    if (isOrdered() && compareKeys(firstKey, lastKey) > 0) {
      return "its first key is larger than its last, though all are in order";
    }
    return null;
  }
}
