package dev.tigris.sort;

import dev.tigris.memory.Bytes;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.Consumer;
import java.util.zip.CRC32;
import java.util.zip.CheckedInputStream;

/// Reads a file of summaries, whose layout [CheckSummary] draws. Nothing in it is trusted.
final class SummaryReader {
  /// Where the header says which keys were compared.
  private static final int KEYS_AT = 20;

  private static final String ENDS_EARLY = "it ends in the middle of a summary";

  private final Path path;

  /// What keys are read into, as long as there is some that fits.
  private final Deque<Bytes> spareKeys;

  SummaryReader(Path path) {
    this(path, new ArrayDeque<>());
  }

  /// A reader that reads keys into what `spareKeys` holds by then.
  SummaryReader(Path path, Deque<Bytes> spareKeys) {
    this.path = path;
    this.spareKeys = spareKeys;
  }

  /// Hands the summaries to `taker`, one after the other.
  ///
  /// @throws SortException if the file cannot be read, or is not made of summaries
  void readAll(Consumer<CheckSummary> taker) throws SortException {
    try (var in = new CheckedInputStream(Files.newInputStream(path), new CRC32())) {
      byte[] header = in.readNBytes(CheckSummary.HEADER_BYTES);
      do {
        RecordFormat format = format(header);
        taker.accept(read(header, format, in));
        in.getChecksum().reset();
        header = in.readNBytes(CheckSummary.HEADER_BYTES);
      } while (header.length > 0);
    } catch (IOException e) {
      throw InputFile.unusable(path, e);
    }
  }

  private RecordFormat format(byte[] header) throws SortException {
    if (header.length < CheckSummary.HEADER_BYTES) {
      throw damaged("it ends after %d bytes of a header".formatted(header.length));
    }
    ByteBuffer in = ByteBuffer.wrap(header).order(ByteOrder.LITTLE_ENDIAN);
    if (in.getLong() != CheckSummary.MAGIC) {
      throw damaged("it does not begin as a summary does");
    }
    try {
      return new RecordFormat(in.getInt(), in.getInt(), in.getInt());
    } catch (IllegalArgumentException e) {
      throw damaged(String.valueOf(e.getMessage()));
    }
  }

  private Bytes readKey(InputStream in, RecordFormat format) throws IOException {
    // A file that is too short for a large key gets no memory for it.
    if (Files.isRegularFile(path) && Files.size(path) < format.keySize()) {
      throw damaged(ENDS_EARLY);
    }
    Bytes spare = spareKeys.poll();
    Bytes key =
        spare == null || spare.length() != format.keySize() ? CheckSummary.key(format) : spare;
    byte[] part = new byte[Math.min(CheckSummary.PART_BYTES, format.keySize())];
    for (long at = 0; at < key.length(); at += part.length) {
      int wanted = (int) Math.min(part.length, key.length() - at);
      if (in.readNBytes(part, 0, wanted) < wanted) {
        throw damaged(ENDS_EARLY);
      }
      key.copyFrom(at, part, 0, wanted);
    }
    return key;
  }

  private CheckSummary read(byte[] header, RecordFormat format, CheckedInputStream in)
      throws IOException {
    Bytes firstKey = readKey(in, format);
    Bytes lastKey = readKey(in, format);
    int crc = (int) in.getChecksum().getValue();
    byte[] stored = in.readNBytes(CheckSummary.CRC_BYTES);
    if (stored.length < CheckSummary.CRC_BYTES) {
      throw damaged(ENDS_EARLY);
    }
    if (ByteBuffer.wrap(stored).order(ByteOrder.LITTLE_ENDIAN).getInt() != crc) {
      throw damaged("its checksum does not match its data");
    }
    ByteBuffer numbers = ByteBuffer.wrap(header).order(ByteOrder.LITTLE_ENDIAN).position(24);
    CheckSummary summary =
        new CheckSummary(
            format,
            ByteBuffer.wrap(header).order(ByteOrder.LITTLE_ENDIAN).getInt(KEYS_AT),
            number(numbers),
            number(numbers),
            number(numbers),
            number(numbers),
            number(numbers),
            firstKey,
            lastKey);
    String contradiction = summary.contradiction();
    if (contradiction != null) {
      throw damaged(contradiction);
    }
    return summary;
  }

  private static UInt128 number(ByteBuffer in) {
    long low = in.getLong();
    return new UInt128(in.getLong(), low);
  }

  private SortException damaged(String how) {
    return new SortException(
        SortException.Kind.INPUT,
        "%s is not a summary file, or is damaged: %s. Write it again with `tigris check -o`"
            .formatted(path, how));
  }
}
