package dev.tigris.sort;

import dev.tigris.flow.ModuleContext;
import dev.tigris.flow.Source;
import dev.tigris.flow.Stream;
import dev.tigris.flow.Water;
import dev.tigris.memory.Bytes;

/// Reads the input and partitions it (papers 002, section 5.1): each record goes to the water of
/// its bucket, and a full water goes to the sorter of its bucket. At the end each sorter gets the
/// partitioner's histogram, from which it knows where in the output its own records begin.
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
final class PartitionSource implements Source {
  static final int HEADER_BYTES = 16;
  static final int KIND = 0;
  static final int BUCKET = 4;
  static final int COUNT = 8;

  static final int RECORDS = 1;
  static final int HISTOGRAM = 2;

  private final SortRun run;
  private final RecordFormat format;
  private final int recordSize;
  private final BlockGroups groups;
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

  private @org.jspecify.annotations.Nullable ModuleContext context;

  PartitionSource(SortRun run) {
    this.run = run;
    this.format = run.format();
    this.recordSize = format.recordSize();
    this.checksum = new RecordChecksum(recordSize);
    this.buffer = new AlignedBuffer(run.inputs().chunkBytes(), "partition");
    this.waterBytes = run.plan().waterBytes() - SortRun.WATER_OVERHEAD;
    this.fullBytes = HEADER_BYTES + (waterBytes - HEADER_BYTES) / recordSize * recordSize;
    this.groups = new BlockGroups(format, run.splitters(), run.plan().blockBytes());
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
    long bytes = chunk.records() * recordSize;
    long at = chunk.file().read(buffer, chunk.from(), chunk.from() + bytes);
    long end = at + bytes;
    while (at < end) {
      at += groups.take(buffer.bytes(), at, end, checksum);
      for (int bucket = 0; bucket < filled.length; bucket++) {
        fill(bucket, groups.start(bucket), groups.end(bucket));
      }
    }
    run.partitioned(bytes);
    return true;
  }

  /// Copies the records of a group to the waters of its bucket.
  private void fill(int bucket, int from, int to) {
    int at = from;
    while (at < to) {
      if (filled[bucket] == 0) {
        open(bucket);
      }
      int length = Math.min(to - at, fullBytes - filled[bucket]);
      openBytes[bucket].copyFrom(filled[bucket], groups.grouped(), at, length);
      filled[bucket] += length;
      at += length;
      if (filled[bucket] == fullBytes) {
        send(bucket);
      }
    }
  }

  private Stream route(int bucket) {
    return context().route(run.sorterOf(bucket));
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
    run.wasRead(checksum.sum());
    for (int sorter = 0; sorter < context().routes(); sorter++) {
      Stream route = context().route(sorter);
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
