package dev.tigris.sort;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.zip.CRC32;
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

  private final RecordFormat format;
  private final UInt128 records;
  private final UInt128 unordered;
  private final UInt128 duplicates;
  private final UInt128 checksum;
  private final UInt128 firstUnordered;
  private final byte[] firstKey;
  private final byte[] lastKey;

  CheckSummary(
      RecordFormat format,
      UInt128 records,
      UInt128 unordered,
      UInt128 duplicates,
      UInt128 checksum,
      UInt128 firstUnordered,
      byte[] firstKey,
      byte[] lastKey) {
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
    byte[] none = new byte[format.keySize()];
    UInt128 zero = UInt128.ZERO;
    return new CheckSummary(format, zero, zero, zero, zero, zero, none, none);
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
    int compared = Arrays.compareUnsigned(lastKey, next.firstKey);
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
        out.write(toBytes());
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

  byte[] toBytes() {
    ByteBuffer out =
        ByteBuffer.allocate(HEADER_BYTES + 2 * format.keySize() + CRC_BYTES)
            .order(ByteOrder.LITTLE_ENDIAN);
    out.putLong(MAGIC);
    out.putInt(format.recordSize()).putInt(format.keyOffset()).putInt(format.keySize()).putInt(0);
    for (UInt128 number : List.of(records, unordered, duplicates, checksum, firstUnordered)) {
      out.putLong(number.low()).putLong(number.high());
    }
    out.put(firstKey).put(lastKey);
    out.putInt(crc(out.array(), out.position()));
    return out.array();
  }

  private static int crc(byte[] bytes, int length) {
    CRC32 crc = new CRC32();
    crc.update(bytes, 0, length);
    return (int) crc.getValue();
  }

  /// Reads the summaries in a file. Nothing in it is trusted: a file that [#write] cannot have
  /// written is refused.
  ///
  /// @throws SortException if the file cannot be read, or is not made of summaries
  public static List<CheckSummary> read(Path path) throws SortException {
    List<CheckSummary> summaries = new ArrayList<>();
    try (var in = Files.newInputStream(path)) {
      byte[] header = in.readNBytes(HEADER_BYTES);
      while (header.length > 0 || summaries.isEmpty()) {
        RecordFormat format = format(header, path);
        byte[] rest = in.readNBytes(2 * format.keySize() + CRC_BYTES);
        if (rest.length < 2 * format.keySize() + CRC_BYTES) {
          throw damaged(path, "it ends in the middle of a summary");
        }
        ByteArrayOutputStream whole = new ByteArrayOutputStream();
        whole.writeBytes(header);
        whole.writeBytes(rest);
        summaries.add(parse(whole.toByteArray(), format, path));
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

  private static CheckSummary parse(byte[] bytes, RecordFormat format, Path path)
      throws SortException {
    ByteBuffer in = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    int end = bytes.length - CRC_BYTES;
    if (in.getInt(end) != crc(bytes, end)) {
      throw damaged(path, "its own checksum does not match");
    }
    in.position(24);
    UInt128[] numbers = new UInt128[5];
    for (int i = 0; i < numbers.length; i++) {
      long low = in.getLong();
      numbers[i] = new UInt128(in.getLong(), low);
    }
    byte[] firstKey = new byte[format.keySize()];
    byte[] lastKey = new byte[format.keySize()];
    in.get(firstKey).get(lastKey);
    CheckSummary summary =
        new CheckSummary(
            format, numbers[0], numbers[1], numbers[2], numbers[3], numbers[4], firstKey, lastKey);
    String contradiction = summary.contradiction();
    if (contradiction != null) {
      throw damaged(path, contradiction);
    }
    return summary;
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
    if (isOrdered() && Arrays.compareUnsigned(firstKey, lastKey) > 0) {
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
