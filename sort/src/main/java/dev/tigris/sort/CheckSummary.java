package dev.tigris.sort;

import dev.tigris.memory.Bytes;
import dev.tigris.memory.Jbuf;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.CRC32;
import java.util.zip.CheckedInputStream;
import java.util.zip.CheckedOutputStream;
import org.jspecify.annotations.Nullable;

/// What is known of a sequence of records after checking it: enough to check it together with what
/// comes before and after it, which is how partitions are checked apart.
///
/// As a file it is, in little-endian order (a file may hold several, one after the other):
///
/// ```
///   0   "TIGRSUM1"
///   8   record size | key offset | key size | 0                  4 bytes each
///  24   records                                                  16 bytes each: low, high
///  40   unordered records
///  56   duplicate keys
///  72   checksum
///  88   first unordered record, 0 if there is none
/// 104   first key | last key                                     key size bytes each
///       CRC-32 of everything above                               4 bytes
/// ```
public final class CheckSummary {
  private static final long MAGIC = 0x314d555352474954L; // "TIGRSUM1"
  private static final int HEADER_BYTES = 104;
  private static final int CRC_BYTES = 4;

  /// Keys are written and read in parts of this size.
  private static final int PART_BYTES = 64 << 10;

  private static final String ENDS_EARLY = "it ends in the middle of a summary";

  private final RecordFormat format;
  private final UInt128 records;
  private final UInt128 unordered;
  private final UInt128 duplicates;
  private final UInt128 checksum;
  private final UInt128 firstUnordered;

  // Outside of the heap, since they may be as large as a record.
  private final Bytes firstKey;
  private final Bytes lastKey;

  CheckSummary(
      RecordFormat format,
      UInt128 records,
      UInt128 unordered,
      UInt128 duplicates,
      UInt128 checksum,
      UInt128 firstUnordered,
      Bytes firstKey,
      Bytes lastKey) {
    this.format = format;
    this.records = records;
    this.unordered = unordered;
    this.duplicates = duplicates;
    this.checksum = checksum;
    this.firstUnordered = firstUnordered;
    this.firstKey = firstKey;
    this.lastKey = lastKey;
  }

  /// The summary of no records.
  static CheckSummary empty(RecordFormat format) {
    Bytes none = key(format);
    UInt128 zero = UInt128.ZERO;
    return new CheckSummary(format, zero, zero, zero, zero, zero, none, none);
  }

  /// Room for a key; all zero.
  private static Bytes key(RecordFormat format) {
    return Jbuf.allocate(format.keySize(), "key").asBytes();
  }

  private int compareKeys(Bytes left, Bytes right) {
    return RecordFormat.compare(left, 0, right, 0, 0, format.keySize());
  }

  /// What the records look like.
  public RecordFormat format() {
    return format;
  }

  /// How many records there are.
  public UInt128 records() {
    return records;
  }

  /// How many records have a smaller key than the one before them.
  public UInt128 unordered() {
    return unordered;
  }

  /// How many records have the same key as the one before them.
  public UInt128 duplicates() {
    return duplicates;
  }

  /// The sum of the records' CRC-32.
  public UInt128 checksum() {
    return checksum;
  }

  /// The index, from 0, of the first record that is smaller than the one before it, or null.
  public @Nullable UInt128 firstUnordered() {
    return isOrdered() ? null : firstUnordered;
  }

  /// Whether all records are in order. No records are.
  public boolean isOrdered() {
    return unordered.equals(UInt128.ZERO);
  }

  /// The lines that valsort prints for these records.
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

  /// The summary of these records followed by others.
  ///
  /// @throws IllegalArgumentException if the others have another format
  public CheckSummary then(CheckSummary next) {
    if (!format.equals(next.format)) {
      throw new IllegalArgumentException(
          "records of different formats cannot be checked together: %s and %s"
              .formatted(format, next.format));
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
        records.plus(next.records),
        unordered.plus(next.unordered).plus(compared > 0 ? 1 : 0),
        duplicates.plus(next.duplicates).plus(compared == 0 ? 1 : 0),
        checksum.plus(next.checksum),
        first,
        firstKey,
        next.lastKey);
  }

  /// Refuses to put a summary in the place of something else, such as records: whoever forgets to
  /// name the file for the summary has named them.
  ///
  /// @throws SortException if something else is there, or nothing can be
  public static void refuseOtherThanSummary(Path path) throws SortException {
    if (!Files.exists(path) || Files.isDirectory(path)) {
      OutputPaths.refuseUnusable(path);
    } else if (Files.isRegularFile(path) && !canBeSummary(path)) {
      throw new SortException(
          SortException.Kind.OUTPUT,
          "%s exists, and is no summary: delete it first, or name another file for the summary"
              .formatted(path));
    }
  }

  /// Whether a file begins as a summary does, or is empty.
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
    header.putInt(format.keySize()).putInt(0);
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

  /// Reads the summaries in a file. Nothing in it is trusted: a file that [#write] cannot have
  /// written is refused.
  ///
  /// @throws SortException if the file cannot be read, or is not made of summaries
  public static List<CheckSummary> read(Path path) throws SortException {
    List<CheckSummary> summaries = new ArrayList<>();
    try (var in = new CheckedInputStream(Files.newInputStream(path), new CRC32())) {
      byte[] header = in.readNBytes(HEADER_BYTES);
      while (header.length > 0 || summaries.isEmpty()) {
        RecordFormat format = format(header, path);
        summaries.add(read(header, format, in, path));
        in.getChecksum().reset();
        header = in.readNBytes(HEADER_BYTES);
      }
    } catch (IOException e) {
      throw InputFile.unusable(path, e);
    }
    return summaries;
  }

  private static RecordFormat format(byte[] header, Path path) throws SortException {
    if (header.length < HEADER_BYTES) {
      throw damaged(path, "it has only %d bytes of a header".formatted(header.length));
    }
    ByteBuffer in = ByteBuffer.wrap(header).order(ByteOrder.LITTLE_ENDIAN);
    if (in.getLong() != MAGIC) {
      throw damaged(path, "it does not begin as a summary does");
    }
    try {
      return new RecordFormat(in.getInt(), in.getInt(), in.getInt());
    } catch (IllegalArgumentException e) {
      throw damaged(path, String.valueOf(e.getMessage()));
    }
  }

  private static Bytes readKey(InputStream in, RecordFormat format, Path path) throws IOException {
    // A file that is too short for a large key gets no memory for it.
    if (Files.isRegularFile(path) && Files.size(path) < format.keySize()) {
      throw damaged(path, ENDS_EARLY);
    }
    Bytes key = key(format);
    byte[] part = new byte[Math.min(PART_BYTES, format.keySize())];
    for (long at = 0; at < key.length(); at += part.length) {
      int wanted = (int) Math.min(part.length, key.length() - at);
      if (in.readNBytes(part, 0, wanted) < wanted) {
        throw damaged(path, ENDS_EARLY);
      }
      key.copyFrom(at, part, 0, wanted);
    }
    return key;
  }

  private static CheckSummary read(
      byte[] header, RecordFormat format, CheckedInputStream in, Path path) throws IOException {
    Bytes firstKey = readKey(in, format, path);
    Bytes lastKey = readKey(in, format, path);
    int crc = (int) in.getChecksum().getValue();
    byte[] stored = in.readNBytes(CRC_BYTES);
    if (stored.length < CRC_BYTES) {
      throw damaged(path, ENDS_EARLY);
    }
    if (ByteBuffer.wrap(stored).order(ByteOrder.LITTLE_ENDIAN).getInt() != crc) {
      throw damaged(path, "its own checksum does not match");
    }
    ByteBuffer numbers = ByteBuffer.wrap(header).order(ByteOrder.LITTLE_ENDIAN).position(24);
    CheckSummary summary =
        new CheckSummary(
            format,
            number(numbers),
            number(numbers),
            number(numbers),
            number(numbers),
            number(numbers),
            firstKey,
            lastKey);
    String contradiction = summary.contradiction();
    if (contradiction != null) {
      throw damaged(path, contradiction);
    }
    return summary;
  }

  private static UInt128 number(ByteBuffer in) {
    long low = in.getLong();
    return new UInt128(in.getLong(), low);
  }

  /// What in this summary cannot be true of any records, or null.
  private @Nullable String contradiction() {
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

  private static SortException damaged(Path path, String how) {
    return new SortException(
        SortException.Kind.INPUT,
        "%s is not a summary file, or is damaged: %s. Write it anew with `check -o`"
            .formatted(path, how));
  }
}
