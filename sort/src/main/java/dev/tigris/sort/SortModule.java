package dev.tigris.sort;

import dev.tigris.flow.Module;
import dev.tigris.flow.ModuleContext;
import dev.tigris.flow.Stream;
import dev.tigris.flow.Water;
import dev.tigris.memory.Bytes;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/// Keeps the waters of its buckets, spills the largest bucket whenever it holds more than its
/// share, and at the end sorts bucket after bucket and writes it where it belongs (Welsh and
/// Culler, 2000, section 5.1).
final class SortModule implements Module {
  private final SortRun run;
  private final RecordFormat format;
  private final int recordSize;
  private final AlignedBuffer buffer;
  private final SpillBuffers buffers;
  private final long[] histogram;

  private int replica;

  /// The numbers of its buckets, and what it has of them.
  private int[] numbers = {};

  private Bucket[] buckets = {};

  private long keepBytes;
  private long heldBytes;
  private @Nullable SpillFile spill;
  private @Nullable BucketSorter sorter;
  private @Nullable ModuleContext context;

  SortModule(SortRun run) {
    this.run = run;
    this.format = run.format();
    this.recordSize = format.recordSize();
    this.buffer = new AlignedBuffer(run.plan().outputBytes(), "sort output");
    this.buffers = new SpillBuffers(format, run.plan());
    this.histogram = new long[run.splitters().buckets()];
  }

  @Override
  public void init(ModuleContext moduleContext) {
    context = moduleContext;
    replica = moduleContext.replica();
    keepBytes = run.keepBytes(replica);
    numbers = run.bucketsOf(replica);
    buckets = new Bucket[numbers.length];
    for (int bucket = 0; bucket < buckets.length; bucket++) {
      buckets[bucket] = new Bucket();
    }
  }

  @Override
  public void process(Water in, Stream out) throws Exception {
    Bytes bytes = in.bytes();
    long count = bytes.getLong(PartitionSource.COUNT);
    if (bytes.getInt(PartitionSource.KIND) == PartitionSource.HISTOGRAM) {
      for (int bucket = 0; bucket < count; bucket++) {
        histogram[bucket] +=
            bytes.getLong(PartitionSource.HEADER_BYTES + (long) Long.BYTES * bucket);
      }
      return;
    }
    in.keep();
    buckets[run.placeOf(bytes.getInt(PartitionSource.BUCKET))].add(in, count);
    heldBytes += in.footprintBytes();
    while (heldBytes > keepBytes) {
      spillLargest();
    }
  }

  private void spillLargest() throws SortException {
    Bucket largest = buckets[0];
    for (Bucket bucket : buckets) {
      largest = bucket.heldBytes > largest.heldBytes ? bucket : largest;
    }
    SpillFile file = spill;
    if (file == null) {
      file = new SpillFile(run.place("spill-" + replica), buffer, recordSize);
      spill = file;
    }
    heldBytes -= largest.heldBytes;
    file.spill(largest);
    heldBytes += largest.heldBytes;
  }

  @Override
  public void finish(Stream out) throws Exception {
    OrderedOutput ordered = run.ordered();
    if (ordered != null) {
      writeInTurn(ordered);
      return;
    }
    OutputPart streamed = run.part(context());
    if (streamed != null) {
      long _ = write(writer(streamed), 0);
      return;
    }
    long own = 0;
    for (int bucket : numbers) {
      own += histogram[bucket];
    }
    OutputFile shared = run.output();
    if (shared != null) {
      write(shared, recordsBefore() * run.order().recordSize());
      return;
    }
    String name = String.format(Locale.ROOT, "output/part-%04d", replica);
    long bytes = own * run.order().recordSize();
    try (OutputFile file = new OutputFile(run.place(name), bytes)) {
      long written = write(file, 0);
      if (written < bytes) {
        file.truncate(written);
      }
      if (run.isForced()) {
        file.force();
      }
    }
  }

  /// Returns how many records come before its own, which lie side by side.
  private long recordsBefore() {
    int end = numbers.length == 0 ? 0 : numbers[0];
    long records = 0;
    for (int bucket = 0; bucket < end; bucket++) {
      records += histogram[bucket];
    }
    return records;
  }

  /// Writes all buckets from a place on; returns how many bytes they are.
  private long write(OutputFile file, long start) throws SortException {
    return write(writer(new FilePart(file, start, buffer)), start);
  }

  private long write(OutputWriter writer, long start) throws SortException {
    for (int place = 0; place < buckets.length; place++) {
      sort(place, writer);
      if (isStopping()) {
        return 0; // what was written so far is thrown away
      }
    }
    ended(writer, start);
    return writer.writtenBytes();
  }

  /// Writes its buckets, each when those before it are written.
  private void writeInTurn(OrderedOutput output) throws SortException {
    TurnPart part = new TurnPart(output, run.plan().sorters());
    OutputWriter writer = writer(part);
    for (int place = 0; place < buckets.length && !isStopping(); place++) {
      part.begin(numbers[place]);
      sort(place, writer);
      writer.flush();
      part.end();
    }
    if (!isStopping()) {
      ended(writer, 0);
    }
  }

  private OutputWriter writer(OutputPart part) {
    return new OutputWriter(part, run.order().recordSize(), run.code());
  }

  private void ended(OutputWriter writer, long start) throws SortException {
    if (spill != null) {
      run.spilled(context(), spill.writtenBytes());
    }
    UInt128 sum = writer.finish();
    run.wasWritten(context(), start, writer.writtenBytes(), sum);
  }

  private boolean isStopping() {
    return context().isStopping();
  }

  private ModuleContext context() {
    ModuleContext known = context;
    if (known == null) {
      throw new IllegalStateException("init comes first");
    }
    return known;
  }

  private void sort(int place, OutputWriter writer) throws SortException {
    Bucket bucket = buckets[place];
    long sent = histogram[numbers[place]];
    if (bucket.records != sent) {
      throw new IllegalStateException(
          "bucket %d has %d records, and its partitioners sent %d"
              .formatted(numbers[place], bucket.records, sent));
    }
    if (bucket.records > 0) {
      sort(bucket, writer.sink());
    }
  }

  private void sort(Bucket bucket, RecordSink sink) throws SortException {
    BucketSorter kernel = sorter;
    if (kernel == null) {
      kernel = new BucketSorter(format, initialRecords(), run.plan().copyBytes());
      sorter = kernel;
    }
    kernel.clear();
    if (bucket.records <= run.plan().sortRecords() && loadExtents(bucket, kernel)) {
      for (Water water : bucket.waters) {
        int count = Math.toIntExact(water.bytes().getLong(PartitionSource.COUNT));
        kernel.add(water.bytes(), PartitionSource.HEADER_BYTES, count);
      }
      kernel.sortTo(sink);
    } else {
      new LargeBucket(format, run.plan(), bucket, 0, spill, buffers).sortTo(sink, kernel);
    }
    bucket.release();
    run.sorted(context(), bucket.records);
  }

  /// Twice an average bucket, so that the sorter seldom has to grow.
  private int initialRecords() {
    long average = run.inputs().records() / histogram.length;
    return (int) Math.max(1, Math.min(2 * average, run.plan().sortRecords()));
  }

  /// Reads what was spilled of a bucket; false if it does not fit, since each extent begins at a
  /// block boundary.
  private boolean loadExtents(Bucket bucket, BucketSorter kernel) throws SortException {
    SpillFile file = spill;
    SpillFile.Extent extent = bucket.lastExtent;
    if (extent == null || file == null) {
      return true;
    }
    AlignedBuffer target = buffers.load();
    if (bucket.extentBytes > target.capacity()) {
      return false;
    }
    long offset = 0;
    while (extent != null) {
      SpillFile.Extent before = file.read(extent, extent.records(), target, offset);
      long first = offset + SpillFile.HEADER_BYTES;
      kernel.add(target.bytes(), first, Math.toIntExact(extent.records()));
      offset += SpillFile.extentBytes(extent.records(), recordSize);
      extent = before;
    }
    return true;
  }

  @Override
  public void destroy() throws SortException {
    buffer.close();
    buffers.close();
    if (spill != null) {
      spill.close();
    }
  }
}
