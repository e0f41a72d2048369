package dev.tigris.sort;

import dev.tigris.memory.Bytes;
import dev.tigris.memory.Jbuf;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Reads some keys from all over the input, to choose splitters from. A few neighbouring records
/// are taken at each place, since reading one costs as much as reading a block.
final class Sampler {
  /// So many samples for each bucket keep nearly all buckets within half of the wanted size.
  private static final int PER_BUCKET = 32;

  private static final int MIN_PLACES = 64;
  private static final int MAX_PLACES = 1024;

  /// So many at each place are enough for the most buckets that there can be.
  private static final int MAX_PER_PLACE = SortPlan.MAX_BUCKETS * PER_BUCKET / MAX_PLACES;

  private Sampler() {}

  /// Chooses splitters.
  ///
  /// @param format of records by whose keys they are chosen
  /// @param code how such records are made of those of the input; null where they are the same
  static Splitters sample(
      InputFiles inputs,
      RecordFormat format,
      @Nullable RecordCode code,
      int buckets,
      Progress progress)
      throws SortException {
    return read(
        inputs,
        format,
        code,
        buckets,
        progress,
        (sample, count) -> Splitters.choose(format, sample, count, buckets));
  }

  /// Makes something of the keys that were read.
  private interface Taker<T> {
    T take(Bytes sample, int count) throws SortException;
  }

  private static <T> T read(
      InputFiles inputs,
      RecordFormat format,
      @Nullable RecordCode code,
      int buckets,
      Progress progress,
      Taker<T> taker)
      throws SortException {
    int keyBytes = Splitters.sampleBytes(format);
    long records = inputs.records();
    long perPlace = Math.clamp(AlignedBuffer.BLOCK / inputs.recordSize(), 1, MAX_PER_PLACE);
    long wanted = (long) buckets * PER_BUCKET / perPlace + 1;
    long places = Math.max(MIN_PLACES, Math.min(MAX_PLACES, wanted));
    places = Math.min(places, (records + perPlace - 1) / perPlace);
    long most = Math.max(1, places * perPlace);
    Jbuf memory = Jbuf.allocate(most * keyBytes, "splitters");
    try {
      Bytes sample = memory.asBytes();
      int count = fill(sample, inputs, format, code, places, perPlace, progress);
      return taker.take(sample, count);
    } finally {
      memory.unreference(Jbuf::free);
    }
  }

  /// Reads as many keys as [#sample] chooses splitters from, each of [Splitters#sampleBytes].
  static List<byte[]> keys(
      InputFiles inputs, RecordFormat format, @Nullable RecordCode code, int buckets)
      throws SortException {
    return read(
        inputs,
        format,
        code,
        buckets,
        Progress.NONE,
        (sample, count) -> {
          List<byte[]> keys = new ArrayList<>();
          for (int key = 0; key < count; key++) {
            byte[] bytes = new byte[Splitters.sampleBytes(format)];
            sample.copyTo((long) key * bytes.length, bytes, 0, bytes.length);
            keys.add(bytes);
          }
          return keys;
        });
  }

  /// Returns how many keys there are.
  private static int fill(
      Bytes sample,
      InputFiles inputs,
      RecordFormat format,
      @Nullable RecordCode code,
      long places,
      long perPlace,
      Progress progress)
      throws SortException {
    int keyBytes = Splitters.sampleBytes(format);
    long records = inputs.records();
    int count = 0;
    int recordSize = inputs.recordSize();
    int keyOffset = code == null ? format.keyOffset() : 0;
    // From the first key of a place to its last: of large records no more than the keys is read.
    int lastBytes = code == null ? keyBytes : recordSize;
    int mostBytes = (int) (perPlace - 1) * recordSize + lastBytes;
    // Keys are picked on the heap, where that is quick before it is compiled.
    byte[] block = new byte[mostBytes];
    byte[] encoded = new byte[code == null ? 0 : (int) perPlace * format.recordSize()];
    byte[] keys = new byte[(int) perPlace * keyBytes];
    try (AlignedBuffer buffer = new AlignedBuffer(mostBytes, "splitters")) {
      for (long place = 0; place < places; place++) {
        long record = (long) ((double) records * place / places);
        InputFiles.Chunk chunk = inputs.records(record, perPlace);
        long first = chunk.from() + keyOffset;
        long last = first + (chunk.records() - 1) * recordSize;
        long at = chunk.file().read(buffer, first, last + lastBytes);
        int found = (int) chunk.records();
        buffer.bytes().copyTo(at, block, 0, (found - 1) * recordSize + lastBytes);
        if (code != null) {
          code.encode(block, 0, found, chunk.first(), encoded);
        }
        for (int i = 0; i < found; i++) {
          System.arraycopy(
              code == null ? block : encoded,
              code == null ? i * recordSize : i * format.recordSize() + format.keyOffset(),
              keys,
              i * keyBytes,
              keyBytes);
        }
        sample.copyFrom((long) count * keyBytes, keys, 0, found * keyBytes);
        count += found;
        progress.report(Progress.Phase.SAMPLE, (record + found) * recordSize, inputs.bytes());
      }
    }
    return count;
  }
}
