package dev.tigris.sort;

import dev.tigris.flow.ModuleContext;
import dev.tigris.flow.Stream;
import dev.tigris.flow.Water;
import dev.tigris.memory.Bytes;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/// Reads the input and partitions it (Welsh and Culler, 2000, section 5.1): each record goes to the
/// water of its bucket, and a full water goes to the sorter of its bucket. At the end each sorter
/// gets the partitioner's histogram, from which it knows where in the output its own records begin.
///
/// ```
///   0      4        8          16
///   +------+--------+----------+---------- ... ----------+
///   | kind | bucket | records  |         records         |   kind RECORDS
///   +------+--------+----------+---------- ... ----------+
///   | kind |   0    | buckets  | 8 bytes for each bucket |   kind HISTOGRAM
///   +------+--------+----------+---------- ... ----------+
/// ```
///
/// Partitioners take chunks of the input from a common counter, so that a slow one takes fewer.
final class PartitionSource implements PartSource {
  static final int HEADER_BYTES = 16;
  static final int KIND = 0;
  static final int BUCKET = 4;
  static final int COUNT = 8;

  static final int RECORDS = 1;
  static final int HISTOGRAM = 2;

  /// The stage of the sorters, in every flow.
  private static final String SORTERS = "sort";

  private final SortRun run;
  private final RecordFormat format;
  private final int recordSize;

  /// How large a record is in the input.
  private final int readSize;

  /// Null where a record does not fit a block.
  private final @Nullable BlockGroups groups;

  private final RecordChecksum checksum;
  private final AlignedBuffer buffer;
  private final int waterBytes;
  private final int fullBytes;

  // Per bucket: the water that is being filled, its bytes, how far it is filled, and how many
  // records the bucket has got.
  private final Water[] open;
  private final Bytes[] openBytes;
  private final int[] filled;
  private final long[] histogram;

  private @Nullable ModuleContext context;

  PartitionSource(SortRun run) {
    this.run = run;
    this.format = run.format();
    this.recordSize = format.recordSize();
    this.readSize = run.order().recordSize();
    this.checksum = new RecordChecksum(readSize);
    this.buffer = new AlignedBuffer(run.plan().readBytes(), "partition");
    this.waterBytes = run.plan().waterBytes() - Water.HEADER_BYTES;
    this.fullBytes = HEADER_BYTES + (waterBytes - HEADER_BYTES) / recordSize * recordSize;
    RecordCode code = run.code();
    // A record that has to be encoded is small, and is encoded as a whole.
    int blockBytes = Math.max(run.plan().blockBytes(), code == null ? 0 : recordSize);
    this.groups =
        recordSize > blockBytes
            ? null
            : new BlockGroups(format, readSize, code, run.splitters(), blockBytes);
    int buckets = run.splitters().buckets();
    this.open = new Water[buckets];
    this.openBytes = new Bytes[buckets];
    this.filled = new int[buckets];
    this.histogram = new long[buckets];
  }

  @Override
  public void init(ModuleContext moduleContext) {
    context = moduleContext;
  }

  @Override
  public boolean produce(Stream out) throws Exception {
    InputFiles.Chunk chunk = run.nextChunk();
    if (chunk == null) {
      return false;
    }
    take(chunk);
    return true;
  }

  @Override
  public void take(long part) throws SortException {
    take(run.inputs().chunk(part));
  }

  private void take(InputFiles.Chunk chunk) throws SortException {
    BlockGroups known = groups;
    if (known != null) {
      partition(chunk, known);
    } else {
      partitionInParts(chunk);
    }
  }

  private void partition(InputFiles.Chunk chunk, BlockGroups known) throws SortException {
    long bytes = chunk.records() * readSize;
    long start = chunk.file().read(buffer, chunk.from(), chunk.from() + bytes);
    long end = start + bytes;
    long at = start;
    while (at < end) {
      long first = chunk.first() + (at - start) / readSize;
      at += known.take(buffer.bytes(), at, end, first, checksum);
      for (int bucket = 0; bucket < filled.length; bucket++) {
        fill(bucket, known.grouped(), known.start(bucket), known.end(bucket));
      }
    }
    run.partitioned(context(), bytes);
  }

  /// Records that fit no block go part by part from the file to their waters, so that a large one
  /// lies nowhere else. Where a record goes, its key says, which is read first.
  private void partitionInParts(InputFiles.Chunk chunk) throws SortException {
    InputFile file = chunk.file();
    byte[] key = new byte[Splitters.sampleBytes(format)];
    long end = chunk.from() + chunk.records() * recordSize;
    for (long record = chunk.from(); record < end; record += recordSize) {
      long first = record + format.keyOffset();
      buffer.bytes().copyTo(file.read(buffer, first, first + key.length), key, 0, key.length);
      int bucket = run.splitters().bucket(key, 0);
      if (filled[bucket] == 0) {
        open(bucket);
      }
      int length;
      for (int part = 0; part < recordSize; part += length) {
        length = Math.min(recordSize - part, run.plan().readBytes());
        long at = file.read(buffer, record + part, record + part + length);
        checksum.addPart(buffer.bytes(), at, length);
        buffer.bytes().copyTo(at, openBytes[bucket], filled[bucket], length);
        filled[bucket] += length;
        run.partitioned(context(), length);
      }
      if (!hasKey(bucket, key)) {
        throw file.changed(); // by a mapping of it, which sets no time
      }
      checksum.endRecord();
      if (filled[bucket] == fullBytes) {
        send(bucket);
      }
    }
  }

  /// Returns whether the record that a bucket got last has the key by which it got there.
  private boolean hasKey(int bucket, byte[] key) {
    byte[] there = new byte[key.length];
    int at = filled[bucket] - recordSize + format.keyOffset();
    openBytes[bucket].copyTo(at, there, 0, there.length);
    return Arrays.equals(there, key);
  }

  /// Copies the records of a group to the waters of its bucket.
  private void fill(int bucket, byte[] grouped, int from, int to) {
    int at = from;
    while (at < to) {
      if (filled[bucket] == 0) {
        open(bucket);
      }
      int length = Math.min(to - at, fullBytes - filled[bucket]);
      openBytes[bucket].copyFrom(filled[bucket], grouped, at, length);
      filled[bucket] += length;
      at += length;
      if (filled[bucket] == fullBytes) {
        send(bucket);
      }
    }
  }

  private Stream route(int bucket) {
    return context().route(SORTERS, run.sorterOf(bucket));
  }

  private ModuleContext context() {
    ModuleContext known = context;
    if (known == null) {
      throw new IllegalStateException("init comes first");
    }
    return known;
  }

  private void open(int bucket) {
    Water water = route(bucket).spring().createWater(waterBytes);
    open[bucket] = water;
    openBytes[bucket] = water.bytes();
    filled[bucket] = HEADER_BYTES;
  }

  private void send(int bucket) {
    int records = (filled[bucket] - HEADER_BYTES) / recordSize;
    Bytes bytes = openBytes[bucket];
    bytes.setInt(KIND, RECORDS);
    bytes.setInt(BUCKET, bucket);
    bytes.setLong(COUNT, records);
    Water water = open[bucket];
    water.setSize(filled[bucket]);
    histogram[bucket] += records;
    filled[bucket] = 0;
    route(bucket).put(water);
  }

  @Override
  public void finish(Stream out) throws SortException {
    for (int bucket = 0; bucket < filled.length; bucket++) {
      if (filled[bucket] > 0) {
        send(bucket);
      }
    }
    run.wasRead(context(), checksum.sum());
    for (int sorter = 0; sorter < context().routes(SORTERS); sorter++) {
      Stream route = context().route(SORTERS, sorter);
      int size = HEADER_BYTES + Long.BYTES * histogram.length;
      Water water = route.spring().createWater(size);
      Bytes bytes = water.bytes();
      bytes.setInt(KIND, HISTOGRAM);
      bytes.setInt(BUCKET, 0);
      bytes.setLong(COUNT, histogram.length);
      for (int bucket = 0; bucket < histogram.length; bucket++) {
        bytes.setLong(HEADER_BYTES + (long) Long.BYTES * bucket, histogram[bucket]);
      }
      water.setSize(size);
      route.put(water);
    }
  }

  @Override
  public void destroy() {
    buffer.close();
  }
}
